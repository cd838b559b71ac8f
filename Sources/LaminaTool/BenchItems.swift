import Lamina

/// The linear congruential generator that scenes take their numbers from: the same on every
/// machine and in every language that draws them.
struct BenchRandom {
  private var state: UInt32

  init(seed: UInt32) { state = seed }

  /// The next number, from 0 up to and without 1.
  mutating func next() -> Float {
    state = state &* 1_664_525 &+ 1_013_904_223
    return Float(state >> 8) * (1 / 16_777_216)
  }
}

/// Something of a size that starts somewhere in a frame and moves straight on, coming back in at
/// the other side. Pixels and pixels a frame; in Float, as scenes are defined.
struct BenchItem {
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
  ) -> [BenchItem] {
    var random = BenchRandom(seed: seed)
    return (0..<count).map { _ in
      let x = random.next() * (Float(size.width) - width)
      let y = random.next() * (Float(size.height) - height)
      let velocityX = (random.next() - 0.5) * 6
      let velocityY = (random.next() - 0.5) * 6
      return BenchItem(
        x: x, y: y, velocityX: velocityX, velocityY: velocityY, width: width, height: height,
        red: random.next(), green: random.next(), blue: random.next())
    }
  }

  /// The top left corner at a frame.
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
