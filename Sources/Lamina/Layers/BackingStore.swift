import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// The pixels that a layer draws itself.
///
/// A buffer that a commit named is not written again: the render process, or the one that takes its
/// place if it dies, may read it at any time until a later commit took effect. Drawing then goes to
/// a new buffer, into which the unchanged pixels are copied; the old one returns to its arena.
final class BackingStore: LayerStore {
  /// The subject that the pixels show. A change of subject requires drawing everything.
  private(set) var subject: Subject

  /// A part of a layer's space, at a scale.
  struct Subject: Equatable {
    var size: PixelSize
    var bounds: CGRect
    /// Whether y points up in the picture.
    var isYUp: Bool
    var isOpaque: Bool

    /// Maps the layer's space to the store's pixels, whose y points down. The bounds fill the
    /// store.
    var toPixels: CGAffineTransform {
      let kx = CGFloat(size.width) / bounds.width
      let ky = CGFloat(size.height) / bounds.height
      return CGAffineTransform(
        a: kx, b: 0, c: 0, d: isYUp ? -ky : ky, tx: -bounds.minX * kx,
        ty: isYUp ? bounds.maxY * ky : -bounds.minY * ky)
    }
  }

  /// The memory of the pixels.
  var buffer: PixelBuffer {
    guard case .memory(let buffer) = pixels else {
      programmerError("a layer draws into \(pixels)")
    }
    return buffer
  }

  /// Makes a store with undefined pixels; everything must be drawn.
  init(_ subject: Subject) throws(SharedMemoryError) {
    self.subject = subject
    super.init(.memory(try Self.buffer(subject.size)))
  }

  /// The longest side, in pixels, that Cairo can draw on.
  static let maximumSide = 32_767
  /// The largest number of pixels of a store, the same as of an image. They take 512 MiB.
  static let maximumPixelCount = 128 << 20

  /// Converts a size of at least one pixel to a store's size; nil if it is too large.
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

  /// Prepares for drawing in these rectangles, which must not overlap and must lie in the subject:
  /// makes the buffer writable, clears the rectangles and keeps all other pixels. nil stands for
  /// the whole store.
  func prepare(for subject: Subject, _ rects: [PixelRect]?) throws(SharedMemoryError) {
    let isResized = subject.size != buffer.size
    if isResized || isCommitted || frozen != nil {
      let next = try Self.buffer(subject.size)
      if let rects { next.copy(from: buffer, leavingOut: rects) }
      replace(.memory(next), uncommitted: uncommitted)
    }
    self.subject = subject
    let drawn = rects ?? [PixelRect(subject.size)]
    for rect in drawn { buffer.fill(rect, with: subject.isOpaque ? 0xff00_0000 : 0) }
    uncommitted = rects == nil ? nil : uncommitted.map { $0.adding(drawn) }
  }

  /// A store with the same pixels, but for these rectangles, which are prepared for drawing; nil
  /// stands for all.
  func successor(
    for subject: Subject, _ rects: [PixelRect]?
  ) throws(SharedMemoryError) -> BackingStore {
    let next = try BackingStore(subject)
    if let rects { next.buffer.copy(from: buffer, leavingOut: rects) }
    try next.prepare(for: subject, rects)
    return next
  }

  /// Takes over the pixels of a successor, of which these rectangles were drawn; nil stands for
  /// all.
  func become(_ successor: BackingStore, _ rects: [PixelRect]?) {
    subject = successor.subject
    replace(
      successor.pixels, uncommitted: rects.flatMap { rects in uncommitted?.adding(rects) })
  }

  /// A context that draws in these rectangles only; nil stands for the whole store. Returns nil if
  /// the store is too large to draw in.
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

  /// Makes the pixels in these rectangles opaque if the layer is declared opaque.
  func finish(_ rects: [PixelRect]?) {
    guard subject.isOpaque else { return }
    for rect in rects ?? [PixelRect(subject.size)] { buffer.makeOpaque(rect) }
  }

  /// Whether every pixel is still as it was before drawing.
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
}

extension [PixelRect] {
  /// Beyond this many, keeping the rectangles apart costs more than drawing their union.
  private static var limit: Int { 16 }

  /// These rectangles and `others`, with overlapping ones joined, so that none overlaps another.
  func adding(_ others: [PixelRect]) -> [PixelRect] {
    var all = self
    for other in others where !other.isEmpty {
      var joined = other
      // The joined rectangle may overlap another one.
      while let place = all.firstIndex(where: { !$0.intersection(joined).isEmpty }) {
        joined = joined.union(all.remove(at: place))
      }
      all.append(joined)
    }
    return all.count > Self.limit ? [all.reduce(.empty) { $0.union($1) }] : all
  }
}

extension PixelBuffer {
  /// Copies the pixels of a buffer of the same layout, except those in `rects`, which must not
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

  /// Sets every pixel of a rectangle to `word`, 0xAARRGGBB.
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
