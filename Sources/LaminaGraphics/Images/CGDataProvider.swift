import Foundation

/// The bytes of a bitmap or of an image file.
public final class CGDataProvider: Hashable, Sendable {
  private let bytes: Data

  /// The given bytes. Never nil.
  public init?(data: CFData) { bytes = data }

  /// The bytes of a file; nil if it cannot be read.
  public convenience init?(url: CFURL) {
    guard let data = try? Data(contentsOf: url) else { return nil }
    self.init(data: data)
  }

  /// The bytes of the file at a path; nil if it cannot be read.
  public convenience init?(filename: UnsafePointer<CChar>) {
    self.init(url: URL(fileURLWithPath: String(cString: filename)))
  }

  /// `size` bytes at `data`, which are copied: `releaseData` is called before the initialiser
  /// returns, with `info`, the address and the size. Nil, without that call, if `size` is negative.
  public convenience init?(
    dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
    releaseData: (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void
  ) {
    guard size >= 0 else { return nil }
    self.init(data: Data(bytes: data, count: size))
    releaseData(info, data, size)
  }

  /// All bytes.
  public var data: CFData? { bytes }

  public static func == (a: CGDataProvider, b: CGDataProvider) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
