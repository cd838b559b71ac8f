import Foundation
import LaminaVideo
import Testing

@Suite("Pixels of frames")
struct ConversionTests {
  private let folder: FilmFolder

  init() throws { folder = try FilmFolder() }

  private static let flags = "flags=bicubic+accurate_rnd+full_chroma_int+bitexact"

  static let films = [
    Film("plain.mp4", "\(Film.pattern(3)) -c:v libx264"),
    Film("odd.mkv", "\(Film.pattern(3, size: "97x41", filters: ",format=yuv420p")) -c:v ffv1"),
    Film(
      "bt709.mp4",
      Film.pattern(3, filters: ",scale=out_color_matrix=bt709:out_range=pc,format=yuv420p")
        + " -c:v libx264 -colorspace bt709 -color_range pc"),
    Film(
      "bt2020.mp4",
      Film.pattern(3, filters: ",scale=out_color_matrix=bt2020,format=yuv420p10")
        + " -c:v libx264 -colorspace bt2020nc"),
    Film("large.mkv", "\(Film.pattern(1, size: "720x480")) -pix_fmt yuv444p -c:v ffv1"),
    Film("gray.mkv", "\(Film.pattern(3)) -pix_fmt gray -c:v ffv1"),
    Film("photo.avi", "\(Film.pattern(3)) -c:v mjpeg -qscale:v 3"),
    Film(
      "alpha.webm", decoder: "libvpx-vp9",
      Film.pattern(3, filters: ",format=yuva420p,geq=lum=lum(X\\,Y):a=X*2") + " -c:v libvpx-vp9"),
    Film(
      "alpha.mov", Film.pattern(3, filters: ",format=argb,geq=r=X:g=Y:b=N*4:a=X*2") + " -c:v qtrle"),
    Film(
      "deep-alpha.mov",
      Film.pattern(3, filters: ",format=yuva444p10,colorchannelmixer=aa=0.5")
        + " -c:v prores_ks -profile:v 4444"),
    Film("few-colors.gif", "\(Film.pattern(3))"),
  ]

  /// The bytes that a frame should have: ffmpeg's straight ones, premultiplied and rounded.
  private func premultiplied(_ straight: Data) -> [UInt8] {
    var bytes = [UInt8](straight)
    for place in stride(from: 0, to: bytes.count, by: 4) where bytes[place + 3] < 255 {
      let alpha = Int(bytes[place + 3])
      for channel in 0..<3 {
        bytes[place + channel] = UInt8((Int(bytes[place + channel]) * alpha * 2 + 255) / 510)
      }
    }
    return bytes
  }

  @Test(
    "BGRA bytes equal those of ffmpeg with the same flags, premultiplied; alpha is where it is",
    arguments: films)
  func bgra(film: Film) throws {
    let path = try folder.make(film)
    let straight = try FilmReference.decode(
      path, decoder: film.decoder, ["-vf", "scale=\(Self.flags)", "-pix_fmt", "bgra"])
    let file = try VideoFile(path: path)
    let size = file.format.size.width * file.format.size.height * 4
    try #require(straight.count == size * file.frameCount)
    let transparent = ["alpha.webm", "alpha.mov", "deep-alpha.mov", "few-colors.gif"]
    #expect(file.format.hasAlpha == transparent.contains(film.name))
    let converter = FrameConverter()
    for number in 0..<file.frameCount {
      let frame = try file.frame(number)
      #expect(frame.hasAlpha == file.format.hasAlpha)
      let expected = premultiplied(straight[number * size..<(number + 1) * size])
      // Rows in a row, which are not aligned, and rows as the library itself has them.
      for stride in [
        file.format.size.width * 4, file.format.size.width * 4 + 12,
        (file.format.size.width * 4 + 63) & ~63,
      ] {
        #expect(try pixels(of: frame, stride: stride, converter) == expected, "stride \(stride)")
      }
    }
  }

  private func pixels(
    of frame: VideoFrame, stride: Int, _ converter: FrameConverter
  ) throws -> [UInt8] {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: stride * frame.height, alignment: 64)
    defer { memory.deallocate() }
    try converter.write(frame, to: memory, stride: stride, name: "frame")
    return (0..<frame.height).flatMap { Array(memory[($0 * stride)...].prefix(frame.width * 4)) }
  }

  @Test("NV12 has the bytes of the decoder's planes", arguments: ["128x72", "97x41"])
  func nv12(size: String) throws {
    let path = try folder.make(
      Film("planes.mkv", "\(Film.pattern(1, size: size, filters: ",format=yuv420p")) -c:v ffv1"))
    let frame = try VideoFile(path: path).frame(0)
    let (width, height) = (frame.width, frame.height)
    let (half, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
    let raw = frame.rawBytes
    var luma = [UInt8](repeating: 0, count: (width + 5) * height)
    var chroma = [UInt8](repeating: 0, count: (half * 2 + 3) * halfHeight)
    let isWritten = luma.withUnsafeMutableBytes { luma in
      chroma.withUnsafeMutableBytes { chroma in
        frame.writeNV12(
          luma: luma, lumaStride: width + 5, chroma: chroma, chromaStride: half * 2 + 3)
      }
    }
    #expect(isWritten)
    let chromaSize = half * halfHeight
    for y in 0..<height {
      #expect(luma[(y * (width + 5))...].prefix(width) == raw[(y * width)...].prefix(width))
    }
    for y in 0..<halfHeight {
      for x in 0..<half {
        let place = y * (half * 2 + 3) + 2 * x
        let source = width * height + y * half + x
        #expect(chroma[place] == raw[source] && chroma[place + 1] == raw[source + chromaSize])
      }
    }
  }

  @Test("Memory that is too small for a frame is refused")
  func tooSmall() throws {
    let path = try folder.make(Film("small.mp4", "\(Film.pattern(1)) -c:v libx264"))
    let frame = try VideoFile(path: path).frame(0)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 72 * 4, alignment: 64)
    defer { memory.deallocate() }
    for (count, stride) in [(128 * 72 * 4 - 1, 512), (128 * 72 * 4, 511), (128 * 72 * 4, 513)]
      + [(128 * 72 * 4, -512), (128 * 72 * 4, .max), (0, 512)]
    {
      let part = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(count))
      let error = #expect(throws: VideoError.self) {
        try FrameConverter().write(frame, to: part, stride: stride, name: "small.mp4")
      }
      #expect(error?.problem == .noRoom(needed: 128 * 72 * 4, available: count))
      #expect(
        !frame.writeNV12(luma: part, lumaStride: 127, chroma: part, chromaStride: 128))
    }
  }
}
