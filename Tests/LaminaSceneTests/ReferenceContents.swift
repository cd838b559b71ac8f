import Foundation
import Lamina

@testable import LaminaGraphics

/// A premultiplied colour.
typealias ReferenceColor = (r: Double, g: Double, b: Double, a: Double)

/// A layer's image: its place in the layer's own space, and the part of it that is seen.
struct ReferenceContents {
  /// The box that the whole image is drawn in.
  let box: (minX: Double, minY: Double, maxX: Double, maxY: Double)
  private let across: [Slice]
  private let down: [Slice]
  private let copies: [ReferenceImage]
  private let isFlipped: Bool
  private let layer: CALayer

  /// A part of one axis: its place in the layer, and the image's pixels that are drawn there.
  private struct Slice {
    var to, toLength, from, fromLength: Double
  }

  /// The contents of a layer. `isFlipped` says whether an odd number of layers, counting it and
  /// those above it, have flipped geometry.
  init(_ image: CGImage, of layer: CALayer, isFlipped: Bool) {
    (self.layer, self.isFlipped) = (layer, isFlipped)
    let image = ReferenceImage(image)
    copies = layer.minificationFilter == .trilinear ? image.copies : [image]
    let (rect, bounds) = (layer.contentsRect, layer.bounds)
    let shown = (
      width: Double(image.width) * rect.width, height: Double(image.height) * rect.height
    )
    let scale = Double(layer.contentsScale)
    var size = (width: shown.width / scale, height: shown.height / scale)
    let gravity = layer.contentsGravity
    let (fitX, fitY) = (Double(bounds.width) / size.width, Double(bounds.height) / size.height)
    switch gravity {
    case .resize: size = (Double(bounds.width), Double(bounds.height))
    case .resizeAspect: size = (size.width * min(fitX, fitY), size.height * min(fitX, fitY))
    case .resizeAspectFill: size = (size.width * max(fitX, fitY), size.height * max(fitX, fitY))
    default: break
    }
    // The share of the free space that lies before the image; top is at the greatest y.
    let name = gravity.rawValue
    let before = (
      x: name.hasSuffix("eft") ? 0 : name.hasSuffix("ight") ? 1 : 0.5,
      y: name.hasPrefix("bottom") ? 0 : name.hasPrefix("top") ? 1 : 0.5
    )
    let minX = Double(bounds.minX) + (Double(bounds.width) - size.width) * before.x
    let minY = Double(bounds.minY) + (Double(bounds.height) - size.height) * before.y
    box = (minX, minY, minX + size.width, minY + size.height)
    let center =
      [.resize, .resizeAspect, .resizeAspectFill].contains(gravity)
      ? layer.contentsCenter : CGRect(x: 0, y: 0, width: 1, height: 1)
    across = Self.slices(
      from: Double(rect.minX) * Double(image.width), shown.width, (center.minX, center.width),
      to: minX, size.width, scale)
    down = Self.slices(
      from: Double(rect.minY) * Double(image.height), shown.height, (center.minY, center.height),
      to: minY, size.height, scale)
  }

  /// Slices of one axis. The ends keep their size, or shrink together; the middle, at least a pixel
  /// of the image, takes the rest.
  private static func slices(
    from: Double, _ length: Double, _ center: (start: CGFloat, length: CGFloat), to: Double,
    _ toLength: Double, _ scale: Double
  ) -> [Slice] {
    var (start, middle) = (Double(center.start) * length, Double(center.length) * length)
    if middle == 0 { (start, middle) = (min(max(start - 0.5, 0), length - 1), 1) }
    let last = length - start - middle
    let shrink = min(1, toLength / max((start + last) / scale, 1e-9))
    let (first, end) = (start / scale * shrink, last / scale * shrink)
    return [
      Slice(to: to, toLength: first, from: from, fromLength: start),
      Slice(
        to: to + first, toLength: toLength - first - end, from: from + start, fromLength: middle),
      Slice(
        to: to + toLength - end, toLength: end, from: from + start + middle, fromLength: last),
    ].filter { $0.toLength > 1e-9 }
  }

  /// The colour at a point of the layer, and others that a device may find there. `pixels` are the
  /// distances, in the layer's units, to the screen's next pixel to the right and the next one
  /// below; `scales` gives the pixels per unit along both axes.
  func color(
    at x: Double, _ y: Double, pixels: (right: SIMD2<Double>, below: SIMD2<Double>),
    scales: (Double, Double) -> (across: Double, down: Double)
  ) -> [ReferenceColor] {
    let column = across.first { x < $0.to + $0.toLength } ?? across[across.count - 1]
    let row = down.first { y < $0.to + $0.toLength } ?? down[down.count - 1]
    let (kx, ky) = (column.fromLength / column.toLength, row.fromLength / row.toLength)
    let u = column.from + (x - column.to) * kx
    var v = row.from + (y - row.to) * ky
    if isFlipped { v = Double(copies[0].height) - v }
    // A slice counts as reduced or enlarged as a whole, by the scale at its middle.
    let middle = scales(column.to + column.toLength / 2, row.to + row.toLength / 2)
    let scale = min(middle.across / kx, middle.down / ky)
    let bias = Double(layer.minificationFilterBias)
    let isTrilinear = layer.minificationFilter == .trilinear
    guard scale < (isTrilinear ? exp2(bias) : 1) - 1e-6 else {
      return [copies[0].color(u, v, isNearest: layer.magnificationFilter == .nearest)]
    }
    guard isTrilinear else {
      return [copies[0].color(u, v, isNearest: layer.minificationFilter == .nearest)]
    }
    // The length of a screen pixel in the image's pixels. Devices may measure the whole way or take
    // the longer of its two sides, and may mix in as much as a quarter more of one of two copies.
    let ways = [pixels.right, pixels.below].map { $0 * [kx, ky] }
    let longest = ways.map { ($0 * $0).sum().squareRoot() }.max()!
    let least = ways.map { max(abs($0.x), abs($0.y)) }.max()!
    return [log2(longest), log2(longest) + 0.25, log2(least) - 0.25].map {
      color(u, v, level: $0 + bias)
    }
  }

  /// The colour between two of the copies, each half as large as the one before.
  private func color(_ u: Double, _ v: Double, level: Double) -> ReferenceColor {
    let level = min(max(level, 0), Double(copies.count - 1))
    let (low, t) = (Int(level), level - level.rounded(.down))
    func color(_ copy: Int) -> ReferenceColor {
      let image = copies[min(copy, copies.count - 1)]
      return image.color(
        u * Double(image.width) / Double(copies[0].width),
        v * Double(image.height) / Double(copies[0].height), isNearest: false)
    }
    let (a, b) = (color(low), color(low + 1))
    return (
      a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, a.a + (b.a - a.a) * t
    )
  }
}

/// An image's pixels as the reference compositor reads them: premultiplied, 0…1.
struct ReferenceImage {
  let width: Int
  let height: Int
  private var values: [ReferenceColor]

  init(_ image: CGImage) {
    (width, height) = (image.width, image.height)
    values = []
    for y in 0..<height {
      for x in 0..<width {
        let p = image.pixel(x: x, y: y)
        values.append(
          (
            Double(p.red) / 255, Double(p.green) / 255, Double(p.blue) / 255, Double(p.alpha) / 255
          ))
      }
    }
  }

  /// An image of half the size: each pixel is the mean of four. The width and height of `image`
  /// must be even.
  private init(halving image: ReferenceImage) {
    (width, height) = (image.width / 2, image.height / 2)
    values = []
    for y in 0..<height {
      for x in 0..<width {
        let at = y * 2 * image.width + x * 2
        let four = [at, at + 1, at + image.width, at + image.width + 1].map { image.values[$0] }
        func mean(_ channel: (ReferenceColor) -> Double) -> Double {
          ReferenceCanvas.rounded(four.reduce(0) { $0 + channel($1) } / 4)
        }
        values.append((mean(\.r), mean(\.g), mean(\.b), mean(\.a)))
      }
    }
  }

  /// The image and smaller copies, each of half the size, for as long as both sides are even.
  var copies: [ReferenceImage] {
    var copies = [self]
    while let last = copies.last, last.width.isMultiple(of: 2), last.height.isMultiple(of: 2) {
      copies.append(ReferenceImage(halving: last))
    }
    return copies
  }

  /// The colour of the pixel around a point, or a mix of the four nearest; beyond the image its
  /// border continues.
  func color(_ x: Double, _ y: Double, isNearest: Bool) -> ReferenceColor {
    guard !isNearest else { return at(x.rounded(.down), y.rounded(.down)) }
    let (left, top) = ((x - 0.5).rounded(.down), (y - 0.5).rounded(.down))
    let (fx, fy) = (x - 0.5 - left, y - 0.5 - top)
    let (a, b) = (at(left, top), at(left + 1, top))
    let (c, d) = (at(left, top + 1), at(left + 1, top + 1))
    func mixed(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
      let (upper, lower) = (a + (b - a) * fx, c + (d - c) * fx)
      return upper + (lower - upper) * fy
    }
    return (
      mixed(a.r, b.r, c.r, d.r), mixed(a.g, b.g, c.g, d.g), mixed(a.b, b.b, c.b, d.b),
      mixed(a.a, b.a, c.a, d.a)
    )
  }

  private func at(_ x: Double, _ y: Double) -> ReferenceColor {
    let column = Int(min(max(x, 0), Double(width - 1)))
    let row = Int(min(max(y, 0), Double(height - 1)))
    return values[row * width + column]
  }
}
