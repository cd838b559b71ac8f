import Lamina

/// The linear congruential generator for the scenes' random numbers. It gives the same numbers on
/// every machine and in the other programs that draw these scenes.
struct BenchRandom {
  private var state: UInt32

  init(seed: UInt32) { state = seed }

  /// The next number, from 0 up to but not including 1.
  mutating func next() -> Float {
    state = state &* 1_664_525 &+ 1_013_904_223
    return Float(state >> 8) * (1 / 16_777_216)
  }
}

/// An item that moves across the frame in a straight line and re-enters at the opposite side. In
/// pixels and pixels per frame; in Float, as the scenes are defined.
struct BenchSprite {
  var x: Float
  var y: Float
  var velocityX: Float
  var velocityY: Float
  var width: Float
  var height: Float
  var red: Float
  var green: Float
  var blue: Float

  /// `count` items of one size in a frame of `size`.
  static func make(
    _ count: Int, width: Float, height: Float, in size: PixelSize, seed: UInt32
  ) -> [BenchSprite] {
    var random = BenchRandom(seed: seed)
    return (0..<count).map { _ in
      let x = random.next() * (Float(size.width) - width)
      let y = random.next() * (Float(size.height) - height)
      let velocityX = (random.next() - 0.5) * 6
      let velocityY = (random.next() - 0.5) * 6
      return BenchSprite(
        x: x, y: y, velocityX: velocityX, velocityY: velocityY, width: width, height: height,
        red: random.next(), green: random.next(), blue: random.next())
    }
  }

  /// The position of the top left corner in a frame.
  func position(at frame: Int, in size: PixelSize) -> CGPoint {
    func wrapped(_ value: Float, _ range: Float) -> Float {
      value - (value / range).rounded(.down) * range
    }
    let x = wrapped(x + velocityX * Float(frame), Float(size.width) - width)
    let y = wrapped(y + velocityY * Float(frame), Float(size.height) - height)
    return CGPoint(x: CGFloat(x), y: CGFloat(y))
  }

  func color(alpha: CGFloat = 1) -> CGColor {
    CGColor(red: CGFloat(red), green: CGFloat(green), blue: CGFloat(blue), alpha: alpha)
  }
}
