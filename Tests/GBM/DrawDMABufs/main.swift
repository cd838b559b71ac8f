// Draws pictures that lie in dma-bufs, and the same ones from plain memory.
//
// usage: draw-dma-bufs PLATFORM NODE|udmabuf drawn|copied
//
// The dma-bufs are buffers of a DRM node, or those that with-udmabufs makes. For each format, a
// line says what became of the pictures: whether the render process drew from the dma-buf or the
// program copied it, and the bytes that frames uploaded. The exit status is 1 if a picture differs
// from that in plain memory, or if the last argument is not what became of it.

import CGL
import Foundation
import Lamina
import LaminaCommit

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("draw-dma-bufs: \(message)\n".utf8))
  exit(1)
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 3, let requested = RenderPlatform(rawValue: arguments[1]),
  ["drawn", "copied"].contains(arguments[3])
else { fail("usage: draw-dma-bufs PLATFORM NODE drawn|copied") }
let platform: RenderPlatform = requested
let (node, isDrawn) = (arguments[2], arguments[3] == "drawn")

// On an emulated CPU, Mesa alone takes longer to start than the usual limit for a render process.
var patient = RenderServer(
  launcher: RenderServerLauncher(name: "patient", startTimeout: 120) {
    () throws(ServerFailure) in
    try RenderServerLauncher.spawn(try RenderServerLauncher.findProgram(named: nil))
  }
).on(platform)
patient.options.responseTimeout = 120
let server = patient

/// Memory that is a dma-buf.
enum Memory {
  /// A buffer of a DRM node.
  case node(OpaquePointer)
  /// A memory file, mapped.
  case file(UnsafeMutableRawPointer)

  /// Calls `body` with the pixels and their bytes from row to row, to write them.
  func write(_ body: (UnsafeMutableRawPointer, Int) -> Void) {
    switch self {
    case .file(let memory): body(memory, Buffer.fileRowBytes)
    case .node(let object):
      var (stride, mapping) = (UInt32(0), UnsafeMutableRawPointer?.none)
      guard
        let memory = gbm_bo_map(
          object, 0, 0, UInt32(Buffer.width), UInt32(Buffer.height),
          2 /* GBM_BO_TRANSFER_WRITE */, &stride, &mapping)
      else { fail("a buffer cannot be written") }
      body(memory, Int(stride))
      gbm_bo_unmap(object, mapping)
    }
  }
}

/// A dma-buf that is filled with noise, again and again.
final class Buffer {
  static let (width, height) = (300, 200)
  static let fileRowBytes = 1280
  let dmaBuf: CADMABuf
  private let memory: Memory

  /// A buffer of a node; nil if it has none of the format.
  init?(_ device: OpaquePointer, _ format: CADMABuf.Format) throws {
    guard
      let object = gbm_bo_create(
        device, UInt32(Self.width), UInt32(Self.height), format.rawValue,
        GBM_BO_USE_RENDERING.rawValue)
    else { return nil }
    let descriptor = gbm_bo_get_fd(object)
    guard descriptor >= 0 else { fail("a buffer has no descriptor") }
    defer { close(descriptor) }
    memory = .node(object)
    // These nodes have nothing but rows of pixels, and Mesa's driver for them gives no modifier.
    dmaBuf = try CADMABuf(
      width: Self.width, height: Self.height, format: format,
      planes: [
        CADMABuf.Plane(
          fileDescriptor: descriptor, bytesPerRow: Int(gbm_bo_get_stride(object)))
      ])
  }

  /// A dma-buf made of a memory file.
  init(_ file: Int32, _ descriptor: Int32, _ format: CADMABuf.Format) throws {
    let count = Self.fileRowBytes * Self.height
    let base = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard let base, base != MAP_FAILED else { fail("mmap: \(String(cString: strerror(errno)))") }
    memory = .file(base)
    dmaBuf = try CADMABuf(
      width: Self.width, height: Self.height, format: format,
      planes: [CADMABuf.Plane(fileDescriptor: descriptor, bytesPerRow: Self.fileRowBytes)])
  }

  /// Fills the buffer, and plain memory with the same colours.
  func fill(seed: UInt32) throws -> CAPixelBuffer {
    let plain = try CAPixelBuffer(width: Self.width, height: Self.height)
    let format = dmaBuf.format
    let isOpaque = format == .xrgb8888 || format == .xbgr8888
    let isRedFirst = format == .abgr8888 || format == .xbgr8888
    var noise = seed
    plain.withUnsafeMutableBytes { bytes in
      memory.write { memory, stride in
        for y in 0..<Self.height {
          for x in 0..<Self.width {
            noise = noise &* 1_664_525 &+ 1_013_904_223
            let alpha = isOpaque || x < 100 ? 255 : (noise >> 24) & 255
            let color = (0..<3).map { (noise >> (8 * $0) & 255) * alpha / 255 }
            let pixel = alpha << 24 | color[2] << 16 | color[1] << 8 | color[0]
            bytes.storeBytes(
              of: pixel, toByteOffset: y * plain.bytesPerRow + x * 4, as: UInt32.self)
            var stored =
              isRedFirst ? alpha << 24 | color[0] << 16 | color[1] << 8 | color[2] : pixel
            // What the byte means nothing in, must not show.
            if isOpaque { stored = stored & 0xff_ffff | (noise >> 4) << 24 }
            memory.storeBytes(
              of: stored, toByteOffset: y * stride + x * 4, as: UInt32.self)
          }
        }
      }
    }
    return plain
  }

  deinit {
    switch memory {
    case .node(let object): gbm_bo_destroy(object)
    case .file(let base): munmap(base, Self.fileRowBytes * Self.height)
    }
  }
}

/// A renderer in which the same picture is shown in several ways.
final class Stage {
  let renderer: CARenderer
  let layers: [CAExternalLayer]

  init(_ name: String) throws {
    renderer = try CARenderer(size: CGSize(width: 640, height: 480), server: server)
    guard renderer.platform.name == platform.rawValue else {
      fail("\(renderer.platform.name) is not \(platform)")
    }
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 640, height: 480)
    root.backgroundColor = CGColor(red: 0.2, green: 0.4, blue: 0.3, alpha: 1)
    layers = [
      CGRect(x: 0, y: 0, width: 300, height: 200), CGRect(x: 320, y: 20, width: 240, height: 130),
      CGRect(x: 40, y: 240, width: 75, height: 50), CGRect(x: 300, y: 200, width: 330, height: 260),
    ].map { frame in
      let layer = CAExternalLayer()
      layer.frame = frame
      root.addSublayer(layer)
      return layer
    }
    layers[1].transform = CATransform3DMakeRotation(0.3, 0, 0, 1)
    layers[1].cornerRadius = 20
    layers[1].masksToBounds = true
    layers[2].minificationFilter = .trilinear
    layers[3].opacity = 0.5
    renderer.layer = root
  }

  /// A frame, and the bytes that it uploaded.
  func frame(at time: Double) throws -> (image: CGImage, uploaded: Int) {
    let image = try renderer.image(at: time)
    return (image, renderer.uploadedBytes)
  }
}

final class Count: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0
  func add() { lock.withLock { count += 1 } }
  var value: Int { lock.withLock { count } }
}

func draw(_ buffer: Buffer, _ other: Buffer) throws {
  let format = buffer.dmaBuf.format
  let (stage, plain) = (try Stage("dma-buf"), try Stage("plain"))
  let released = Count()
  var uploads: [Int] = []
  func show(_ buffer: Buffer, seed: UInt32, at time: Double) throws {
    let memory = try buffer.fill(seed: seed)
    for layer in stage.layers { layer.queue.enqueue(buffer.dmaBuf) { released.add() } }
    for layer in plain.layers { layer.queue.enqueue(memory) }
    let (shown, uploaded) = try stage.frame(at: time)
    let difference = try shown.difference(from: try plain.frame(at: time).image)
    guard difference.differingPixelCount == 0 else {
      try shown.writePNG(to: URL(fileURLWithPath: "/run/out/\(format).png"))
      fail("\(format) at \(time): \(difference.differingPixelCount) pixels differ")
    }
    uploads.append(uploaded)
  }
  // The same two buffers again and again.
  for turn in 0..<4 as Range<UInt32> {
    try show(turn.isMultiple(of: 2) ? buffer : other, seed: turn + 1, at: Double(turn))
    // A picture is free when the next one was shown; at once if it was copied.
    let expected = stage.layers.count * Int(isDrawn ? turn : turn + 1)
    guard released.value == expected else {
      fail("\(released.value) of \(expected) pictures are free after \(turn + 1) frames")
    }
  }
  // Pictures fade from what a dma-buf showed, which shows another one by then.
  for layers in [stage.layers, plain.layers] {
    let fade = CATransition()
    fade.duration = 2
    layers[0].add(fade, forKey: nil)
  }
  try show(buffer, seed: 9, at: 4)
  // The old picture, which whoever fills the dma-buf has back, came off the device for the fade.
  uploads.removeLast()
  _ = try other.fill(seed: 77)
  let middle = try stage.frame(at: 5).image.difference(from: try plain.frame(at: 5).image)
  guard middle.differingPixelCount == 0 else {
    fail("\(format), fading: \(middle.differingPixelCount) pixels differ")
  }
  // Another render process is offered them again.
  kill(stage.renderer.serverProcessID ?? 0, SIGKILL)
  stage.layers[0].superlayer?.backgroundColor = .black
  plain.layers[0].superlayer?.backgroundColor = .black
  let restored = try stage.frame(at: 9).image.difference(from: try plain.frame(at: 9).image)
  guard restored.differingPixelCount == 0 else {
    fail("\(format), in another render process: \(restored.differingPixelCount) pixels differ")
  }
  try show(other, seed: 10, at: 10)
  guard uploads.allSatisfy({ ($0 == 0) == (isDrawn || platform == .software) }) else {
    fail("\(format): uploads of \(uploads) bytes")
  }
  print(
    "\(format): \(isDrawn ? "drawn from" : "copied"), equal in \(uploads.count + 3) frames of 4"
      + " layers, uploads of \(uploads.max() ?? 0) bytes")
}

/// The descriptors that with-udmabufs left in the environment: memory file and dma-buf, twice.
func udmabufs() -> [(file: Int32, buffer: Int32)] {
  let pairs = (ProcessInfo.processInfo.environment["UDMABUFS"] ?? "").split(separator: ",")
    .map { $0.split(separator: ":").compactMap { Int32($0) } }
  guard pairs.count == 2, pairs.allSatisfy({ $0.count == 2 }) else { fail("there are no udmabufs") }
  return pairs.map { ($0[0], $0[1]) }
}

/// Draws from buffers of the node in each format that it has.
func drawNodesBuffers() throws {
  if let failure = lamina_open_gbm() { fail(String(cString: failure)) }
  let file = open(node, O_RDWR | O_CLOEXEC)
  guard file >= 0, let device = gbm_create_device(file) else { fail("\(node) cannot be opened") }
  for format in CADMABuf.Format.allCases {
    guard let buffer = try Buffer(device, format), let other = try Buffer(device, format) else {
      print("\(format): \(node) has no such buffers")
      continue
    }
    try draw(buffer, other)
  }
}

do {
  let report = try CARenderer(size: CGSize(width: 16, height: 16), server: server).platform
  print(
    "platform \(report.name): \(report.renderer); it"
      + (report.importsDMABufs ? " draws" : " does not draw") + " from dma-bufs")
  if node == "udmabuf" {
    let files = udmabufs()
    for format in CADMABuf.Format.allCases {
      try draw(
        Buffer(files[0].file, files[0].buffer, format),
        Buffer(files[1].file, files[1].buffer, format))
    }
  } else {
    try drawNodesBuffers()
  }
} catch {
  fail("\(error)")
}
