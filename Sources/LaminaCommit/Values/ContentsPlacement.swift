import Foundation
import LaminaValues

/// The places of an image's parts in a layer, from the gravity, `contentsRect` and
/// `contentsCenter`.
package struct ContentsPlacement {
  /// A part of the image and the rectangle in which it is drawn.
  package struct Piece: Hashable {
    /// In the layer's own space.
    package var destination: CGRect
    /// In pixels of the image; y runs as in the layer, which is up from the bottom row if the
    /// layer's geometry is flipped. May lie outside the image, whose edge pixels then extend.
    package var source: CGRect

    package init(destination: CGRect, source: CGRect) {
      self.destination = destination
      self.source = source
    }
  }

  /// Most images are not cut: a single part needs no memory of its own.
  package struct Pieces: RandomAccessCollection {
    fileprivate var whole: Piece?
    fileprivate var slices: [Piece] = []

    package var startIndex: Int { 0 }
    package var endIndex: Int { whole == nil ? slices.count : 1 }
    package subscript(_ index: Int) -> Piece { whole ?? slices[index] }
  }

  package private(set) var pieces = Pieces()

  package init(_ values: LayerValues, imageSize: PixelSize) {
    self = withUnsafePointer(to: values) { Self(at: $0, imageSize: imageSize) }
  }

  /// The same for values in memory, without copying them.
  package init(at values: UnsafePointer<LayerValues>, imageSize: PixelSize) {
    let (width, height) = (CGFloat(imageSize.width), CGFloat(imageSize.height))
    let bounds = values.pointee.bounds
    if LayerValues.stretchesContents(at: values) {
      guard width > 0, height > 0, bounds.width > 0, bounds.height > 0 else { return }
      pieces.whole = Piece(
        destination: bounds, source: CGRect(x: 0, y: 0, width: width, height: height))
      return
    }
    let detail = LayerValues.contentsDetail(at: values)
    let gravity = values.pointee.contentsGravity
    let shown = CGRect(
      x: detail.rect.minX * width, y: detail.rect.minY * height,
      width: detail.rect.width * width, height: detail.rect.height * height)
    let contentsScale = values.pointee.contentsScale
    let scale = contentsScale > 0 ? CGFloat(contentsScale) : 1
    guard shown.width > 0, shown.height > 0 else { return }
    let natural = CGSize(width: shown.width / scale, height: shown.height / scale)
    let box = Self.box(of: natural, in: bounds, gravity)
    guard box.width > 0, box.height > 0 else { return }
    let center = detail.center
    let isCut = gravity.resizes && center != CGRect(x: 0, y: 0, width: 1, height: 1)
    guard isCut else {
      pieces.whole = Piece(destination: box, source: shown)
      return
    }
    let columns = Self.slices(
      from: shown.minX, length: shown.width, center: (center.minX, center.width),
      to: box.minX, boxLength: box.width, scale: scale)
    let rows = Self.slices(
      from: shown.minY, length: shown.height, center: (center.minY, center.height),
      to: box.minY, boxLength: box.height, scale: scale)
    for row in rows {
      for column in columns {
        pieces.slices.append(
          Piece(
            destination: CGRect(
              x: column.to, y: row.to, width: column.toLength, height: row.toLength),
            source: CGRect(
              x: column.from, y: row.from, width: column.fromLength, height: row.fromLength)))
      }
    }
  }

  /// The rectangle that contents of a natural size take in `bounds`. "top" means max Y.
  static func box(of size: CGSize, in bounds: CGRect, _ gravity: ContentsGravity) -> CGRect {
    func resized(_ factor: CGFloat) -> CGRect {
      let (w, h) = (size.width * factor, size.height * factor)
      return CGRect(x: bounds.midX - w / 2, y: bounds.midY - h / 2, width: w, height: h)
    }
    let (across, down) = (bounds.width / size.width, bounds.height / size.height)
    switch gravity {
    case .resize: return bounds
    case .resizeAspect: return resized(min(across, down))
    case .resizeAspectFill: return resized(max(across, down))
    default: break
    }
    let x: CGFloat =
      switch gravity {
      case .left, .topLeft, .bottomLeft: bounds.minX
      case .right, .topRight, .bottomRight: bounds.maxX - size.width
      default: bounds.midX - size.width / 2
      }
    let y: CGFloat =
      switch gravity {
      case .bottom, .bottomLeft, .bottomRight: bounds.minY
      case .top, .topLeft, .topRight: bounds.maxY - size.height
      default: bounds.midY - size.height / 2
      }
    return CGRect(origin: CGPoint(x: x, y: y), size: size)
  }

  private struct Slice {
    var from: CGFloat
    var fromLength: CGFloat
    var to: CGFloat
    var toLength: CGFloat
  }

  /// Cuts one axis in three: the ends keep their size, and the middle takes the rest. A middle of
  /// zero width counts as one pixel, centred there. Ends that do not fit shrink together.
  private static func slices(
    from: CGFloat, length: CGFloat, center: (start: CGFloat, length: CGFloat),
    to: CGFloat, boxLength: CGFloat, scale: CGFloat
  ) -> [Slice] {
    var start = min(max(center.start, 0), 1) * length
    var middle = min(max(center.length, 0), 1) * length
    if middle <= 0 {
      middle = min(1, length)
      start -= middle / 2
    }
    start = min(max(start, 0), length - middle)
    let last = length - start - middle
    var (toFirst, toLast) = (start / scale, last / scale)
    let ends = toFirst + toLast
    if ends > boxLength {
      toFirst *= boxLength / ends
      toLast *= boxLength / ends
    }
    let toMiddle = max(boxLength - toFirst - toLast, 0)
    return [
      Slice(from: from, fromLength: start, to: to, toLength: toFirst),
      Slice(from: from + start, fromLength: middle, to: to + toFirst, toLength: toMiddle),
      Slice(
        from: from + start + middle, fromLength: last, to: to + toFirst + toMiddle,
        toLength: toLast),
    ].filter { $0.fromLength > 0 && $0.toLength > 0 }
  }
}

extension ContentsGravity {
  /// Whether contents are scaled to the bounds; only then can they be cut in nine.
  package var resizes: Bool {
    self == .resize || self == .resizeAspect || self == .resizeAspectFill
  }
}
