import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// A layer's own pixels, which it draws and draws again. It belongs to one layer; its ID stays the
/// same, whatever is drawn and however large it gets.
///
/// From the commit that names its memory until the render process has read it, nobody writes
/// there. What is drawn meanwhile goes to another buffer, to which the pixels that stay are copied;
/// the old one returns to its arena when the render process lets go of it.
final class BackingStore {
  let id = ImageID.unique()
  /// The pixels, with all that was drawn.
  private(set) var buffer: PixelBuffer
  /// What the pixels show; drawing anything else anew means drawing all of it.
  private(set) var subject: Subject

  /// What differs from the pixels that were last committed; nil for everything.
  private var uncommitted: [PixelRect]?
  /// The connections whose commits named the buffer.
  private var readers: [Reader] = []
  /// An image that shares the buffer.
  private var frozen: CGImage?

  /// A part of a layer's space, at a scale.
  struct Subject: Equatable {
    var size: PixelSize
    var bounds: CGRect
    /// Whether y points up in the picture.
    var isYUp: Bool
    var isOpaque: Bool

    /// From the layer's space to the store's pixels, y down. The bounds fill the store.
    var toPixels: CGAffineTransform {
      let kx = CGFloat(size.width) / bounds.width
      let ky = CGFloat(size.height) / bounds.height
      return CGAffineTransform(
        a: kx, b: 0, c: 0, d: isYUp ? -ky : ky, tx: -bounds.minX * kx,
        ty: isYUp ? bounds.maxY * ky : -bounds.minY * ky)
    }
  }

  private struct Reader { weak var context: LayerContext? }

  /// A store with arbitrary pixels, all of which are to be drawn.
  init(_ subject: Subject) throws(SharedMemoryError) {
    self.subject = subject
    buffer = try Self.buffer(subject.size)
  }

  /// The longest side, in pixels, that Cairo draws on.
  static let maximumSide = 32_767
  /// The most pixels of a store, which take 512 MiB: as many as an image may have.
  static let maximumPixelCount = 128 << 20

  /// A size of at least a pixel as a store may have it; nil if it is too large.
  static func size(_ size: CGSize) -> PixelSize? {
    let limit = CGFloat(maximumSide)
    guard size.width <= limit, size.height <= limit,
      size.width * size.height <= CGFloat(maximumPixelCount)
    else { return nil }
    return PixelSize(width: Int(size.width), height: Int(size.height))
  }

  private static func buffer(_ size: PixelSize) throws(SharedMemoryError) -> PixelBuffer {
    try PixelBuffer(width: size.width, height: size.height, format: .bgra8, use: .store)
  }

  // MARK: Drawing

  /// Gets ready for drawing these rectangles, which do not overlap and lie in the subject: the
  /// buffer may be written then, they are cleared and all else is as before. nil draws everything.
  func prepare(for subject: Subject, _ rects: [PixelRect]?) throws(SharedMemoryError) {
    let isResized = subject.size != buffer.size
    if isResized || !isWritable {
      let next = try Self.buffer(subject.size)
      if let rects { next.copy(from: buffer, leavingOut: rects) }
      buffer = next
      readers = []
      frozen = nil
    }
    self.subject = subject
    let drawn = rects ?? [PixelRect(subject.size)]
    for rect in drawn { buffer.fill(rect, with: subject.isOpaque ? 0xff00_0000 : 0) }
    uncommitted = rects == nil ? nil : uncommitted.map { $0.adding(drawn) }
  }

  /// Draws in these rectangles only; nil where the store is too large to draw in.
  func context(for rects: [PixelRect]?) -> CGContext? {
    let toPixels = subject.toPixels
    let clip = rects.map { $0.reduce(PixelRect.empty) { $0.union($1) } }
    let context = CGContext(buffer: buffer, transform: toPixels, clip: clip)
    if let rects, rects.count > 1 {
      let toLayer = toPixels.inverted()
      context?.clip(to: rects.map { $0.cgRect.applying(toLayer) })
    }
    return context
  }

  /// Makes what was drawn in these rectangles opaque, where the layer says that it is.
  func finish(_ rects: [PixelRect]?) {
    guard subject.isOpaque else { return }
    for rect in rects ?? [PixelRect(subject.size)] { buffer.makeOpaque(rect) }
  }

  /// Whether every pixel is as it is before drawing.
  var isBlank: Bool {
    let blank: UInt32 = subject.isOpaque ? 0xff00_0000 : 0
    let size = subject.size
    return buffer.withUnsafeBytes { bytes in
      (0..<size.height).allSatisfy { y in
        let row = bytes[y * buffer.layout.stride..<y * buffer.layout.stride + size.width * 4]
        return UnsafeRawBufferPointer(rebasing: row).assumingMemoryBound(to: UInt32.self)
          .allSatisfy { $0 == blank.littleEndian }
      }
    }
  }

  private var isWritable: Bool {
    frozen == nil && readers.allSatisfy { $0.context?.isConsumed(id) ?? true }
  }

  /// The pixels of now as an image, which stays as it is when the layer draws again.
  var image: CGImage {
    if let frozen { return frozen }
    let image = CGImage(buffer)
    frozen = image
    return image
  }

  // MARK: Committing

  var hasUncommitted: Bool { uncommitted?.isEmpty != true }

  /// What the next commit says of the store; `isNew` where the render process does not have it.
  func update(isNew: Bool, for context: LayerContext) -> Commit.StoreUpdate {
    if !readers.contains(where: { $0.context === context }) {
      readers.append(Reader(context: context))
    }
    defer { uncommitted = [] }
    return Commit.StoreUpdate(image: id, buffer: buffer, dirty: isNew ? nil : uncommitted)
  }
}

extension Commit.StoreUpdate {
  init(image: ImageID, buffer: PixelBuffer, dirty: [PixelRect]? = nil) {
    self.init(
      image: image,
      memory: MemoryRange(
        arena: buffer.arenaID, offset: UInt64(buffer.offset), count: UInt64(buffer.byteCount)),
      layout: buffer.layout, dirty: dirty)
  }
}

extension [PixelRect] {
  /// More rectangles than this cost more to tell apart than to draw together.
  private static var limit: Int { 16 }

  /// These and `others`, so that none overlaps another: those that would become one.
  func adding(_ others: [PixelRect]) -> [PixelRect] {
    var all = self
    for other in others where !other.isEmpty {
      var joined = other
      // Joining may make it overlap one that it did not before.
      while let place = all.firstIndex(where: { !$0.intersection(joined).isEmpty }) {
        joined = joined.union(all.remove(at: place))
      }
      all.append(joined)
    }
    return all.count > Self.limit ? [all.reduce(.empty) { $0.union($1) }] : all
  }
}

extension PixelBuffer {
  /// Copies the pixels of a buffer of the same layout, but for those in rectangles that do not
  /// overlap.
  fileprivate func copy(from other: PixelBuffer, leavingOut rects: [PixelRect]) {
    let pixel = layout.format.bytesPerPixel
    other.withUnsafeBytes { source in
      withUnsafeMutableBytes { target in
        for y in 0..<layout.height {
          var x = 0
          let row = rects.filter { $0.minY <= y && y < $0.maxY }.sorted { $0.minX < $1.minX }
          for end in row.map(\.minX) + [layout.width] {
            if end > x {
              let bytes = y * layout.stride + x * pixel..<y * layout.stride + end * pixel
              UnsafeMutableRawBufferPointer(rebasing: target[bytes])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[bytes]))
            }
            x = row.first { $0.minX == end }?.maxX ?? x
          }
        }
      }
    }
  }

  /// Sets every pixel of a rectangle to a word of blue, green, red and alpha.
  fileprivate func fill(_ rect: PixelRect, with word: UInt32) {
    forEachRow(of: rect) { $0.update(repeating: word.littleEndian) }
  }

  fileprivate func makeOpaque(_ rect: PixelRect) {
    let alpha = (0xff00_0000 as UInt32).littleEndian
    forEachRow(of: rect) { row in
      for x in row.indices { row[x] |= alpha }
    }
  }

  private func forEachRow(of rect: PixelRect, _ body: (UnsafeMutableBufferPointer<UInt32>) -> Void)
  {
    withUnsafeMutableBytes { bytes in
      for y in rect.minY..<rect.maxY {
        let start = y * layout.stride + rect.minX * 4
        let row = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + rect.width * 4])
        body(row.assumingMemoryBound(to: UInt32.self))
      }
    }
  }
}
