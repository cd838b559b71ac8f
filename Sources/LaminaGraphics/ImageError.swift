import Foundation

/// Why an image could not be read or written. Its description names the file and says what is
/// wrong.
public struct ImageError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Problem: Hashable, Sendable {
    /// A call of the system failed, with this errno.
    case system(call: String, code: Int32)
    /// The address is no file's.
    case notAFile
    /// The file has more bytes than the limits allow.
    case fileTooLarge(limit: Int)
    /// It is neither PNG nor JPEG nor WebP; its first bytes, in hexadecimal.
    case unknownFormat(start: String)
    /// The data ends early.
    case truncated(format: String)
    /// The data contradicts itself.
    case damaged(format: String, reason: String)
    /// It is of a kind that this library does not draw.
    case unsupported(format: String, reason: String)
    /// It says it has no pixel.
    case emptySize(width: Int, height: Int)
    /// It says it has more pixels than the limits allow.
    case tooManyPixels(width: Int, height: Int, limits: ImageLimits)
    /// There was no memory for its pixels.
    case noMemory(reason: String)
  }

  /// The file's path, or the name the data was given.
  public var name: String
  public var problem: Problem

  public init(name: String, problem: Problem) {
    self.name = name
    self.problem = problem
  }

  public var description: String { "\(name): \(problem.text)" }
}

extension ImageError.Problem {
  fileprivate var text: String {
    switch self {
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
    case .notAFile: "only images in files can be read"
    case .fileTooLarge(let limit): "the file is larger than \(limit) bytes"
    case .unknownFormat(let start):
      start.isEmpty
        ? "the file is empty" : "neither PNG nor JPEG nor WebP: it starts with \(start)"
    case .truncated(let format): "the \(format) data ends early"
    case .damaged(let format, let reason): "damaged \(format) data: \(reason)"
    case .unsupported(let format, let reason): "\(format): \(reason)"
    case .emptySize(let width, let height): "the image is empty: \(width)x\(height) pixels"
    case .tooManyPixels(let width, let height, let limits):
      "the image claims \(width)x\(height) pixels; at most \(limits.maximumSide) a side and "
        + "\(limits.maximumPixelCount) in all are read"
    case .noMemory(let reason): "no memory for the image: \(reason)"
    }
  }
}

/// How large an image may be before reading it is refused. What a file claims is checked before any
/// memory is taken for its pixels.
public struct ImageLimits: Hashable, Sendable {
  /// The longest side, in pixels: 32,768 by default.
  public var maximumSide = 32_768
  /// The most pixels: 128 Mi by default, which take 512 MiB.
  public var maximumPixelCount = 128 << 20
  /// The most bytes of a file: 512 MiB by default.
  public var maximumByteCount = 512 << 20

  public init() {}
}
