// Draws in a process of its own, for tests of what becomes of such processes:
//
//     drawing-client STORY [COUNT]
//
// - `frames COUNT`: six frames of images, text, shadows, shapes and animations, with commits
//   between them; in the middle, so many dots are added: the commit of 2500 is too long for one
//   message;
// - `images COUNT`: one frame of so many images;
// - `arenas COUNT`: one frame of so many images, each in memory of its own;
// - `recover`: a layer that draws text, first with too few descriptors, which is an error, written
//   as a line; then with enough of them; then another renderer's frame of the same;
// - `forever`: a frame after the other, until it is killed.
//
// The platform is that of LAMINA_PLATFORM. Writes a line for each frame: a hash of its pixels. If
// something fails, writes a line that says what to standard error and ends with status 3.
import Foundation
import Lamina
import LaminaCommit
import LaminaValues

/// A hash of bytes: FNV-1a's.
func hash(_ image: CGImage) -> String {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for byte in image.unpremultipliedRGBA { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  let digits = String(hash, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

func write(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

func report(_ image: CGImage) { write(hash(image)) }

/// Changes layers without animating what changes.
func change(_ body: () throws -> Void) rethrows {
  CATransaction.begin()
  CATransaction.setDisableActions(true)
  defer { CATransaction.commit() }
  try body()
}

/// An image of one number: no two look alike.
func image(_ number: Int, side: Int = 16) throws -> CGImage {
  let bytes = (0..<side * side * 4).map { place in
    place % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: (place &* 31) ^ (number &* 2_654_435_761) >> 5)
  }
  return try CGImage(width: side, height: side, unpremultipliedRGBA: bytes)
}

func renderer(side: Double) throws -> CARenderer {
  let renderer = try CARenderer(size: CGSize(width: side, height: side), clock: .manual())
  let root = CALayer()
  root.frame = CGRect(x: 0, y: 0, width: side, height: side)
  renderer.layer = root
  return renderer
}

func drawFrames(_ dotCount: Int) throws {
  let renderer = try renderer(side: 96)
  guard let root = renderer.layer else { return }
  let (picture, text, shape, many) = (CALayer(), CATextLayer(), CAShapeLayer(), CALayer())
  change {
    picture.frame = CGRect(x: 8, y: 8, width: 32, height: 32)
    picture.shadowOpacity = 0.5
    picture.shadowRadius = 4
    text.frame = CGRect(x: 4, y: 48, width: 88, height: 20)
    text.fontSize = 14
    shape.frame = CGRect(x: 50, y: 4, width: 40, height: 40)
    shape.path = CGPath(ellipseIn: CGRect(x: 4, y: 4, width: 32, height: 32), transform: nil)
    shape.strokeColor = .black
    many.frame = CGRect(x: 0, y: 70, width: 96, height: 26)
    root.sublayers = [picture, text, shape, many]
  }
  for number in 0..<6 {
    try change {
      picture.contents = try image(number)
      text.string = "Frame \(number)"
      shape.lineWidth = CGFloat(1 + number)
      root.backgroundColor = CGColor(
        red: 1, green: CGFloat(number) / 8, blue: CGFloat(number) / 5, alpha: 1)
      if number == 1 {
        let turn = CABasicAnimation(keyPath: "transform.rotation.z")
        turn.toValue = 3
        turn.duration = 2
        picture.add(turn, forKey: "turn")
      }
      if number == 3 {
        for index in 0..<dotCount {
          let dot = CALayer()
          dot.frame = CGRect(x: index % 48 * 2, y: index / 48 % 13 * 2, width: 1, height: 1)
          dot.cornerRadius = 0.25
          dot.borderWidth = 0.25
          dot.backgroundColor = CGColor(
            red: CGFloat(index % 7) / 7, green: 0, blue: CGFloat(index % 5) / 5, alpha: 0.5)
          many.addSublayer(dot)
        }
      }
    }
    report(try renderer.image(at: Double(number) / 4))
  }
}

func drawImages(_ count: Int) throws {
  let renderer = try renderer(side: 128)
  try change {
    for number in 0..<count {
      let layer = CALayer()
      layer.frame = CGRect(x: number % 16 * 8, y: number / 16 % 16 * 8, width: 8, height: 8)
      layer.contents = try image(number)
      renderer.layer?.addSublayer(layer)
    }
  }
  report(try renderer.image(at: 0))
}

/// As an app would whose images are too large to share an arena. Here the arenas are small.
func drawArenas(_ count: Int) throws {
  let renderer = try renderer(side: 128)
  let arenas = SharedArenas(arenaByteCount: 64)
  try change {
    for number in 0..<count {
      let buffer = try PixelBuffer(width: 8, height: 8, format: .bgra8, use: .store, arenas: arenas)
      buffer.withUnsafeMutableBytes { bytes in
        for place in bytes.indices {
          bytes[place] = place % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: place ^ number &* 77)
        }
      }
      let layer = CALayer()
      layer.frame = CGRect(x: number % 16 * 8, y: number / 16 % 16 * 8, width: 8, height: 8)
      layer.contents = CGImage(buffer)
      renderer.layer?.addSublayer(layer)
    }
  }
  report(try renderer.image(at: 0))
}

func drawAfterFailure() throws {
  var limit = rlimit()
  getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
  func allow(_ count: rlim_t) {
    var limit = limit
    limit.rlim_cur = count
    setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
  }
  for isLimited in [true, false] {
    let renderer = try renderer(side: 64)
    let text = CATextLayer()
    if isLimited { allow(10) }
    change {
      text.frame = CGRect(x: 0, y: 0, width: 64, height: 32)
      text.string = "Text"
      renderer.layer?.addSublayer(text)
    }
    if isLimited {
      do { report(try renderer.image(at: 0)) } catch { write("\(error)") }
      allow(limit.rlim_cur)
    }
    report(try renderer.image(at: 0))
  }
}

func drawForever() throws {
  let renderer = try renderer(side: 64)
  for number in 0... {
    change {
      renderer.layer?.backgroundColor = CGColor(gray: CGFloat(number % 256) / 255, alpha: 1)
    }
    _ = try renderer.image(at: Double(number) / 60)
  }
}

let arguments = CommandLine.arguments.dropFirst()
let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 0
do {
  switch arguments.first {
  case "frames": try drawFrames(count)
  case "images": try drawImages(count)
  case "arenas": try drawArenas(count)
  case "recover": try drawAfterFailure()
  case "forever": try drawForever()
  default:
    FileHandle.standardError.write(Data("drawing-client: no such story\n".utf8))
    exit(2)
  }
} catch {
  FileHandle.standardError.write(Data("drawing-client: \(error)\n".utf8))
  exit(3)
}
