import CFFmpeg

/// FFmpeg's libraries. They are opened when the first file is, and then stay open.
enum FFmpegLibrary {
  /// Why the libraries' functions cannot be called; nil if they can.
  private static let failure = lamina_open_ffmpeg().map { String(cString: $0) }

  /// Throws unless the libraries' functions can be called.
  static func require(for name: String) throws(VideoError) {
    guard let failure else { return }
    throw VideoError(
      name: name,
      problem: .noLibraries(reason: failure, packages: String(cString: lamina_ffmpeg_packages)))
  }

  /// What FFmpeg's error code says, in words.
  static func reason(_ code: Int32) -> String {
    var words = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
    lazy_av_strerror(code, &words, words.count)
    let bytes = words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What went wrong if a function of FFmpeg's gave an error code.
  static func problem(_ code: Int32) -> VideoError.Problem {
    switch code {
    case lamina_error_memory: .noMemory
    case lamina_error_io: .unreadable(code: -code)
    default: .damaged(reason: reason(code))
    }
  }
}

/// FFmpeg's options by name, for the functions that take such.
struct FFmpegOptions: ~Copyable {
  var pointer: OpaquePointer?

  init(_ options: [String: String]) {
    for (key, value) in options { lazy_av_dict_set(&pointer, key, value, 0) }
  }

  deinit {
    var pointer = pointer
    lazy_av_dict_free(&pointer)
  }
}

/// A packet, which is filled again and again.
final class Packet {
  let pointer: UnsafeMutablePointer<AVPacket>

  init(name: String) throws(VideoError) {
    guard let pointer = lazy_av_packet_alloc() else {
      throw VideoError(name: name, problem: .noMemory)
    }
    self.pointer = pointer
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVPacket>? = pointer
    lazy_av_packet_free(&pointer)
  }

  func clear() { lazy_av_packet_unref(pointer) }
}
