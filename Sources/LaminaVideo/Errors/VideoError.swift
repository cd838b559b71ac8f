import LaminaValues

/// The reason why a video file could not be read. Its description names the file and says what is
/// wrong.
public struct VideoError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    /// FFmpeg's libraries cannot be opened. `packages` are those of Debian and Ubuntu with them.
    case noLibraries(reason: String, packages: String)
    /// The file cannot be read: a system call failed with the errno `code`.
    case unreadable(code: Int32)
    /// The URL is not a file URL, or what it leads to is not a plain file.
    case notAFile
    /// The file is of no kind that FFmpeg knows.
    case unknownFormat
    /// The file is of a kind that is not played, such as a playlist, which opens other files.
    case unsupportedFormat(name: String)
    /// The file has no pictures but perhaps sound.
    case noVideo
    /// There is no decoder for the pictures.
    case noDecoder(codec: String)
    /// The file contradicts itself or ends too early. `reason` is FFmpeg's.
    case damaged(reason: String)
    /// No frame of the file can be decoded.
    case noFrames
    /// The file declares a longer side or more pixels than the limits allow.
    case tooManyPixels(width: Int, height: Int, limits: VideoLimits)
    /// The file has more frames than the limits allow.
    case tooManyFrames(limit: Int)
    /// The file is not any more what it was when it was opened.
    case changed
    /// The pixels are stored in a form that cannot be converted.
    case unsupportedPixels(format: String)
    /// The memory that should get a frame's pixels is too small, or its rows overlap.
    case noRoom(needed: Int, available: Int)
    /// There was not enough memory.
    case noMemory
  }

  /// The file's path.
  public var name: String
  /// What is wrong.
  public var problem: Problem

  /// An error about the file of the given path.
  public init(name: String, problem: Problem) {
    self.name = name
    self.problem = problem
  }

  public var description: String { "\(name): \(problem.text)" }
}

extension VideoError.Problem {
  fileprivate var text: String {
    switch self {
    case .noLibraries(let reason, let packages):
      "video is decoded by FFmpeg, which cannot be opened: \(reason); install \(packages) "
        + "(Debian's and Ubuntu's packages)"
    case .unreadable(let code): "cannot be read: \(FileError.reason(code))"
    case .notAFile: "only videos in plain files can be read"
    case .unknownFormat: "is no video file of a known format"
    case .unsupportedFormat(let name): "files of the format \(name) are not played"
    case .noVideo: "has no video"
    case .noDecoder(let codec): "there is no decoder for \(codec)"
    case .damaged(let reason): "damaged video: \(reason)"
    case .noFrames: "no frame of the video can be decoded"
    case .tooManyPixels(let width, let height, let limits):
      "the video claims \(width)x\(height) pixels; at most \(limits.maximumSide) a side and "
        + "\(limits.maximumPixelCount) in all are read"
    case .tooManyFrames(let limit): "the video has more than \(limit) frames"
    case .changed: "the file has changed since it was opened"
    case .unsupportedPixels(let format): "pixels of the format \(format) cannot be converted"
    case .noRoom(let needed, let available):
      "a frame takes \(needed) bytes, and there is room for \(available)"
    case .noMemory: "no memory for the video"
    }
  }
}

/// Limits beyond which a video is not read. The size that a file declares is checked before memory
/// is allocated for its pixels.
public struct VideoLimits: Hashable, Sendable {
  /// The greatest width and height, in pixels; 16,384 by default.
  public var maximumSide = 16_384
  /// The greatest number of pixels; 64 Mi by default, which is more than 8K.
  public var maximumPixelCount = 64 << 20
  /// The greatest number of frames; 4 Mi by default, which are 19 hours at 60 frames a second.
  public var maximumFrameCount = 4 << 20
  /// The greatest number of bytes of decoded frames that are kept for playing backwards; 128 MiB by
  /// default. One frame is always kept, and the decoder has a few more of its own.
  public var maximumKeptByteCount = 128 << 20

  /// The defaults.
  public init() {}

  /// Whether a picture is within the limits.
  func allow(width: Int, height: Int) -> Bool {
    let (count, overflows) = width.multipliedReportingOverflow(by: height)
    return width <= maximumSide && height <= maximumSide && !overflows
      && count <= maximumPixelCount
  }
}
