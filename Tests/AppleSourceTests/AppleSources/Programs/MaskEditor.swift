import CoreGraphics
import Foundation
import QuartzCore

// Cuts a picture out of its background in several ways: with a stencil painted by hand, with a soft
// gray one, and by its colour; and shows the pieces on a checkerboard.

final class MaskEditor {
  let picture: CGImage
  /// A byte a pixel: 0 shows, 255 hides.
  private var stencil: [UInt8]

  var width: Int { picture.width }
  var height: Int { picture.height }

  init(picture: CGImage) {
    self.picture = picture
    stencil = [UInt8](repeating: 255, count: picture.width * picture.height)
  }

  /// A disc of two colours on green, made byte by byte.
  static func sample(side: Int) -> CGImage? {
    var bytes: [UInt8] = []
    let middle = Double(side) / 2
    for y in 0..<side {
      for x in 0..<side {
        let (dx, dy) = (Double(x) + 0.5 - middle, Double(y) + 0.5 - middle)
        let isInside = dx * dx + dy * dy < middle * middle * 0.6
        bytes += isInside ? (y < side / 2 ? [230, 60, 40] : [40, 60, 230]) : [0, 200, 0]
      }
    }
    guard let provider = CGDataProvider(data: Data(bytes) as CFData) else { return nil }
    return CGImage(
      width: side, height: side, bitsPerComponent: 8, bitsPerPixel: 24, bytesPerRow: side * 3,
      space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.none.rawValue), provider: provider,
      decode: nil, shouldInterpolate: true, intent: .defaultIntent)
  }

  /// Shows or hides the pixels whose middle is near a point, from the top left corner.
  func brush(at point: CGPoint, radius: CGFloat, shows: Bool) {
    let reach = CGRectIntegral(
      CGRectIntersection(
        CGRectMake(point.x - radius, point.y - radius, radius * 2, radius * 2),
        CGRectMake(0, 0, CGFloat(width), CGFloat(height))))
    guard !CGRectIsEmpty(reach) else { return }
    for y in Int(reach.minY)..<Int(reach.maxY) {
      for x in Int(reach.minX)..<Int(reach.maxX) {
        let (dx, dy) = (CGFloat(x) + 0.5 - point.x, CGFloat(y) + 0.5 - point.y)
        if dx * dx + dy * dy <= radius * radius { stencil[y * width + x] = shows ? 0 : 255 }
      }
    }
  }

  var mask: CGImage? {
    guard let provider = CGDataProvider(data: Data(stencil) as CFData) else { return nil }
    return CGImage(
      maskWidth: width, height: height, bitsPerComponent: 8, bitsPerPixel: 8, bytesPerRow: width,
      provider: provider, decode: nil, shouldInterpolate: false)
  }

  /// The picture where the brush was.
  func brushed() -> CGImage? { mask.flatMap(picture.masking) }

  /// The picture, from nothing at its left edge to all of it at its right.
  func faded() -> CGImage? {
    let gray = CGColorSpaceCreateDeviceGray()
    guard
      let context = CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0, space: gray,
        bitmapInfo: CGImageAlphaInfo.none.rawValue),
      let gradient = CGGradient(
        colorsSpace: gray,
        colors: [CGColor(gray: 0, alpha: 1), CGColor(gray: 1, alpha: 1)] as CFArray,
        locations: nil)
    else { return nil }
    context.drawLinearGradient(
      gradient, start: CGPointZero, end: CGPointMake(CGFloat(width), 0), options: [])
    return context.makeImage().flatMap(picture.masking)
  }

  /// The picture without its green.
  func keyed() -> CGImage? {
    picture.copy(maskingColorComponents: [0, 20, 180, 220, 0, 20])
  }

  /// The middle of the picture.
  func cropped() -> CGImage? {
    picture.cropping(
      to: CGRectInset(
        CGRectMake(0, 0, CGFloat(width), CGFloat(height)), CGFloat(width) / 4,
        CGFloat(height) / 4))
  }

  /// The stencil itself, in a colour.
  func silhouette(_ color: CGColor) -> CGImage? {
    guard let mask,
      let context = CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    else { return nil }
    context.setFillColor(color)
    context.draw(mask, in: CGRectMake(0, 0, CGFloat(width), CGFloat(height)))
    return context.makeImage()
  }

  /// The pieces side by side on a checkerboard.
  func board() -> CALayer {
    let pieces = [brushed(), faded(), keyed(), silhouette(CGColor(gray: 0, alpha: 1)), cropped()]
    let (side, rise) = (CGFloat(width), CGFloat(height))
    let board = CALayer()
    board.frame = CGRectMake(0, 0, side * CGFloat(pieces.count), rise)
    board.backgroundColor = CGColor(gray: 1, alpha: 1)
    let squares = CAShapeLayer()
    let path = CGMutablePath()
    for y in 0..<Int(rise / 8) {
      for x in 0..<Int(board.frame.width / 8) where (x + y) % 2 == 1 {
        path.addRect(CGRectMake(CGFloat(x) * 8, CGFloat(y) * 8, 8, 8))
      }
    }
    squares.path = path
    squares.fillColor = CGColor(gray: 0.8, alpha: 1)
    board.addSublayer(squares)
    for (index, piece) in pieces.enumerated() {
      let layer = CALayer()
      layer.frame = CGRectMake(CGFloat(index) * side, 0, side, rise)
      layer.contents = piece
      layer.contentsGravity = .center
      board.addSublayer(layer)
    }
    return board
  }
}
