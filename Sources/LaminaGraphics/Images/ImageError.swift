import Foundation
import LaminaValues

/// The reason why an image could not be read or written. Its description names the file and says
/// what is wrong.
public struct ImageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    /// The file cannot be read: a system call failed with the errno `code`.
    case unreadable(code: Int32)
    /// The file cannot be written: a system call failed with the errno `code`.
    case unwritable(code: Int32)
    /// The URL is not a file URL.
    case notAFile
    /// The file has more bytes than the limits allow.
    case fileTooLarge(limit: Int)
    /// The data is neither PNG nor JPEG nor WebP. `start` has its first bytes, in hexadecimal.
    case unknownFormat(start: String)
    /// The data ends early.
    case truncated(format: String)
    /// The data contradicts itself.
    case damaged(format: String, reason: String)
    /// The file is of a kind that this library does not draw.
    case unsupported(format: String, reason: String)
    /// The file declares a width or a height of 0.
    case emptySize(width: Int, height: Int)
    /// The file declares a longer side or more pixels than the limits allow.
    case tooManyPixels(width: Int, height: Int, limits: ImageLimits)
    /// There was not enough memory for the pixels.
    case noMemory(reason: String)
  }

  /// The file's path, or the name given to the data.
  public var name: String
  /// What is wrong.
  public var problem: Problem

  /// An error about the file or data of the given name.
  public init(name: String, problem: Problem) {
    self.name = name
    self.problem = problem
  }

  public var description: String { "\(name): \(problem.text)" }
}

extension ImageError.Problem {
  static func unreadable(_ error: FileError) -> Self {
    switch error {
    case .system(let code): .unreadable(code: code)
    case .tooLarge(let limit): .fileTooLarge(limit: limit)
    }
  }

  /// Whether the image could be read if the process had more memory or descriptors.
  package var isOfResources: Bool {
    switch self {
    case .unreadable(let code), .unwritable(let code): FileError.isOfResources(code)
    case .noMemory: true
    default: false
    }
  }

  fileprivate var text: String {
    switch self {
    case .unreadable(let code): "cannot be read: \(FileError.reason(code))"
    case .unwritable(let code): "cannot be written: \(FileError.reason(code))"
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

/// Limits beyond which an image is not read. The size that a file declares is checked before memory
/// is allocated for its pixels.
public struct ImageLimits: Hashable, Sendable {
  /// The greatest width and height, in pixels; 32,768 by default.
  public var maximumSide = 32_768
  /// The greatest number of pixels; 128 Mi by default, which take 512 MiB.
  public var maximumPixelCount = 128 << 20
  /// The greatest size of a file, in bytes; 512 MiB by default.
  public var maximumByteCount = 512 << 20

  /// The defaults.
  public init() {}
}
