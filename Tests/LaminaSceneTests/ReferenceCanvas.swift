import Foundation

/// A rectangle of a canvas's pixels; maxX and maxY are not included.
struct ReferenceBox {
  var minX, minY, maxX, maxY: Int

  static let none = ReferenceBox(minX: .max, minY: .max, maxX: .min, maxY: .min)

  var isEmpty: Bool { minX >= maxX || minY >= maxY }

  func union(_ other: ReferenceBox) -> ReferenceBox {
    ReferenceBox(
      minX: min(minX, other.minX), minY: min(minY, other.minY), maxX: max(maxX, other.maxX),
      maxY: max(maxY, other.maxY))
  }

  func intersection(_ other: ReferenceBox) -> ReferenceBox {
    ReferenceBox(
      minX: max(minX, other.minX), minY: max(minY, other.minY), maxX: min(maxX, other.maxX),
      maxY: min(maxY, other.maxY))
  }

  func outset(by reach: Int) -> ReferenceBox {
    ReferenceBox(
      minX: minX - reach, minY: minY - reach, maxX: maxX + reach, maxY: maxY + reach)
  }

  /// Calls `body` with the index of each pixel in a canvas of this width, row after row.
  func forEachPixel(width: Int, _ body: (Int) -> Void) {
    var y = minY
    while y < maxY {
      var pixel = y * width + minX
      let end = y * width + maxX
      while pixel < end {
        body(pixel)
        pixel += 1
      }
      y += 1
    }
  }
}

/// Pixels of the reference compositor: four premultiplied numbers each. There is a margin on every
/// side, because drawing just outside the picture casts shadows and is blurred into it.
final class ReferenceCanvas {
  let width: Int
  let height: Int
  /// The number of pixels left of and above the picture.
  let margin: Int
  /// Whether this is the whole picture, with nothing beyond its border.
  private(set) var isSurface: Bool
  /// The box of all that was drawn.
  private(set) var used = ReferenceBox.none
  /// A pointer, because the numbers are many and tests are not optimised.
  private let values: UnsafeMutablePointer<Double>

  init(width: Int, height: Int, margin: Int, isSurface: Bool = false) {
    self.isSurface = isSurface
    (self.width, self.height, self.margin) = (width + 2 * margin, height + 2 * margin, margin)
    // calloc's zeros cost nothing until they are touched.
    let bytes = calloc(self.width * self.height * 4, MemoryLayout<Double>.stride)!
    values = bytes.assumingMemoryBound(to: Double.self)
  }

  /// An empty canvas as large as `other`.
  convenience init(like other: ReferenceCanvas) {
    let margin = other.margin
    self.init(width: other.width - 2 * margin, height: other.height - 2 * margin, margin: margin)
  }

  deinit { free(values) }

  var count: Int { width * height }

  /// The middle of a pixel, in the picture's coordinates.
  func center(_ pixel: Int) -> (x: Double, y: Double) {
    (Double(pixel % width - margin) + 0.5, Double(pixel / width - margin) + 0.5)
  }

  var whole: ReferenceBox { ReferenceBox(minX: 0, minY: 0, maxX: width, maxY: height) }

  /// The four numbers of a pixel.
  subscript(pixel: Int) -> UnsafeMutablePointer<Double> { values + pixel * 4 }

  func alpha(_ pixel: Int) -> Double { values[pixel * 4 + 3] }

  /// The upper left of the four pixels around a point of the picture; nil outside.
  func corner(_ x: Double, _ y: Double) -> Int? {
    guard abs(x) < 1e6, abs(y) < 1e6 else { return nil }
    let column = Int((x - 0.5).rounded(.down)) + margin
    let row = Int((y - 0.5).rounded(.down)) + margin
    guard column >= 0, row >= 0, column + 1 < width, row + 1 < height else { return nil }
    return row * width + column
  }

  /// A channel at a point of the picture, mixed from the four pixels around it.
  private func channel(_ channel: Int, _ x: Double, _ y: Double) -> Double {
    guard let at = corner(x, y) else { return 0 }
    let (fx, fy) = (x - 0.5 - (x - 0.5).rounded(.down), y - 0.5 - (y - 0.5).rounded(.down))
    func value(_ pixel: Int) -> Double { values[pixel * 4 + channel] }
    let upper = value(at) + (value(at + 1) - value(at)) * fx
    let lower = value(at + width) + (value(at + width + 1) - value(at + width)) * fx
    return upper + (lower - upper) * fy
  }

  func alpha(_ x: Double, _ y: Double) -> Double { channel(3, x, y) }

  func color(_ x: Double, _ y: Double) -> ReferenceColor {
    (channel(0, x, y), channel(1, x, y), channel(2, x, y), channel(3, x, y))
  }

  /// Marks a box as used. Call it before drawing there.
  func use(_ box: ReferenceBox) {
    let part = box.intersection(whole)
    if !part.isEmpty { used = used.union(part) }
  }

  /// Draws one premultiplied colour over a pixel, rounded as eight bits hold it.
  func draw(_ red: Double, _ green: Double, _ blue: Double, _ alpha: Double, at pixel: Int) {
    let (to, rest) = (values + pixel * 4, 1 - alpha)
    to[0] = Self.rounded(red + to[0] * rest)
    to[1] = Self.rounded(green + to[1] * rest)
    to[2] = Self.rounded(blue + to[2] * rest)
    to[3] = Self.rounded(alpha + to[3] * rest)
  }

  /// Draws another canvas over this one.
  func draw(_ other: ReferenceCanvas, opacity: Double) {
    use(other.used)
    other.used.forEachPixel(width: width) { pixel in
      let from = other[pixel]
      guard from[3] > 0 else { return }
      draw(
        from[0] * opacity, from[1] * opacity, from[2] * opacity, from[3] * opacity, at: pixel)
    }
  }

  /// Multiplies every pixel by its weight.
  func multiply(_ weight: (Int) -> Double) {
    used.forEachPixel(width: width) { pixel in
      let (to, factor) = (values + pixel * 4, weight(pixel))
      guard factor != 1, to[3] > 0 else { return }
      for channel in 0..<4 { to[channel] = Self.rounded(to[channel] * factor) }
    }
  }

  func copy() -> ReferenceCanvas {
    let copy = ReferenceCanvas(like: self)
    copy.replace(with: self)
    return copy
  }

  /// Replaces the pixels by those of a canvas of the same size that has been used wherever this one
  /// has.
  func replace(with other: ReferenceCanvas) {
    (used, isSurface) = (other.used, other.isSurface)
    var row = used.minY
    while row < used.maxY {
      let from = (row * width + used.minX) * 4
      (values + from).update(from: other.values + from, count: (used.maxX - used.minX) * 4)
      row += 1
    }
  }

  /// Blends towards another picture inside a box, by a weight for each pixel.
  func mix(_ other: ReferenceCanvas, in box: ReferenceBox, _ weight: (Int) -> Double) {
    use(other.used)
    used.intersection(box).forEachPixel(width: width) { pixel in
      let t = weight(pixel)
      guard t > 0 else { return }
      let (to, from) = (values + pixel * 4, other.values + pixel * 4)
      for channel in 0..<4 {
        to[channel] = Self.rounded(to[channel] + (from[channel] - to[channel]) * t)
      }
    }
  }

  static func rounded(_ value: Double) -> Double {
    value <= 0 ? 0 : value >= 1 ? 1 : (value * 255).rounded() / 255
  }

  /// Blurs with a Gaussian, one axis after the other.
  func blur(sigma: Double) {
    guard sigma > 0, !used.isEmpty else { return }
    let reach = Int((4 * sigma).rounded(.up))
    var weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let total = weights.reduce(0, +)
    for k in weights.indices { weights[k] /= total }
    let before = ReferenceCanvas(like: self)
    for (step, isAcross) in [(1, true), (width, false)] {
      before.values.update(from: values, count: count * 4)
      values.update(repeating: 0, count: count * 4)
      used.forEachPixel(width: width) { pixel in
        let from = before[pixel]
        guard from[3] != 0 else { return }
        // Spreads only the pixels that are set, which are usually few.
        let (at, length) = isAcross ? (pixel % width, width) : (pixel / width, height)
        var k = max(-reach, -at)
        let end = min(reach, length - 1 - at)
        while k <= end {
          let (weight, to) = (weights[k + reach], values + (pixel + k * step) * 4)
          to[0] += from[0] * weight
          to[1] += from[1] * weight
          to[2] += from[2] * weight
          to[3] += from[3] * weight
          k += 1
        }
      }
      use(used.outset(by: reach))
    }
  }
}
