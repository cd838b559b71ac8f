import Foundation
import Lamina

/// A destination for frames, which are written in order. `finish` is called once, after the last
/// frame.
protocol FrameSink {
  func write(_ frame: CGImage) throws
  func finish() throws
}

/// One PNG file.
struct PNGSink: FrameSink {
  /// Made before the frame is rendered, so that a path that cannot be written fails early.
  let file: OutputFile
  func write(_ frame: CGImage) throws { try file.write(try frame.pngData()) }
  func finish() {}
}

/// One PNG file per frame, numbered from 0. The files get their names when the last is written.
final class PNGSequenceSink: FrameSink {
  private let start: String
  private let digits: Int
  private let end: String
  private let folder: UnfinishedOutput
  private var count = 0

  init(start: String, digits: Int, end: String) throws(OutputError) {
    (self.start, self.digits, self.end) = (start, digits, end)
    folder = try UnfinishedOutput(beside: "\(start)%d", isFolder: true)
  }

  func write(_ frame: CGImage) throws {
    let stream = try folder.makeFile("\(count)", for: path(count))
    try stream.write(Array(try frame.pngData()))
    try stream.close()
    count += 1
  }

  func finish() throws { try folder.moveFiles((0..<count).lazy.map { ("\($0)", self.path($0)) }) }

  private func path(_ index: Int) -> String {
    let number = String(index)
    return start + String(repeating: "0", count: max(0, digits - number.count)) + number + end
  }
}

/// Raw RGBA rows, unpremultiplied, frame after frame.
struct RawSink: FrameSink {
  let stream: ByteStream
  func write(_ frame: CGImage) throws { try stream.write(frame.unpremultipliedRGBA) }
  func finish() {}
}

/// A YUV4MPEG2 file, 4:4:4, in BT.709's matrix and limited range. Transparency is lost.
final class Y4MSink: FrameSink {
  private let file: OutputFile
  private let stream: ByteStream
  private let framesPerSecond: FrameRate
  private var hasHeader = false

  init(path: String, framesPerSecond: FrameRate) throws(OutputError) {
    file = try OutputFile(path: path)
    stream = try file.open()
    self.framesPerSecond = framesPerSecond
  }

  func write(_ frame: CGImage) throws {
    if !hasHeader {
      let rate = "\(framesPerSecond.numerator):\(framesPerSecond.denominator)"
      try stream.write(
        Array(
          "YUV4MPEG2 W\(frame.width) H\(frame.height) F\(rate) Ip A1:1 C444 XCOLORRANGE=LIMITED\n"
            .utf8))
      hasHeader = true
    }
    try stream.write(Array("FRAME\n".utf8) + Self.planes(of: frame))
  }

  func finish() throws {
    try stream.close()
    try file.keep()
  }

  /// The Y, Cb and Cr planes, one after another.
  static func planes(of frame: CGImage) -> [UInt8] {
    let pixels = frame.unpremultipliedRGBA
    let count = pixels.count / 4
    var planes = [UInt8](repeating: 0, count: count * 3)
    for i in 0..<count {
      let alpha = Double(pixels[i * 4 + 3]) / 255
      let r = Double(pixels[i * 4]) / 255 * alpha
      let g = Double(pixels[i * 4 + 1]) / 255 * alpha
      let b = Double(pixels[i * 4 + 2]) / 255 * alpha
      let y = 0.2126 * r + 0.7152 * g + 0.0722 * b
      planes[i] = UInt8((16 + 219 * y).rounded())
      planes[count + i] = UInt8((128 + 224 * (b - y) / 1.8556).rounded())
      planes[2 * count + i] = UInt8((128 + 224 * (r - y) / 1.5748).rounded())
    }
    return planes
  }
}
