import Foundation
import Lamina
import LaminaCAML
import LaminaCommit
import LaminaRenderServer
import LaminaValues
import ServerSupport
import TestSupport

/// A way by which bytes from outside come in.
enum FuzzTarget: String, CaseIterable {
  /// The codec of the messages between the processes.
  case messages
  /// The render process with an executor that draws nothing: sessions, commits onto trees, frames.
  case server
  /// Documents: `.caml` files and `.caar` archives.
  case caml, archive
  /// PNG, JPEG and WebP.
  case image

  /// Takes bytes in. What is wrong with them is thrown and forgotten; anything else ends the
  /// program.
  func take(_ bytes: UnsafeRawBufferPointer) {
    switch self {
    case .messages: takeMessage(bytes)
    case .server: takeStream(bytes)
    case .caml: takeDocument(bytes, ending: "caml")
    case .archive: takeDocument(bytes, ending: "caar")
    case .image: _ = image(bytes)
    }
  }

  /// Whether bytes are what this way in is for, as far as that can be told.
  func understands(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .messages: (try? ClientMessage.decode(bytes)) != nil
    case .server: true
    case .caml: document(bytes, ending: "caml") != nil
    case .archive: document(bytes, ending: "caar") != nil
    case .image: image(bytes) != nil
    }
  }

  private func image(_ bytes: UnsafeRawBufferPointer) -> CGImage? {
    var limits = ImageLimits()
    limits.maximumPixelCount = 1 << 20
    return try? CGImage(data: Data(bytes), named: "image", limits: limits)
  }

  // MARK: Messages

  /// Messages that can be decoded are the same after being encoded.
  private func takeMessage(_ bytes: UnsafeRawBufferPointer) {
    if let message = try? ClientMessage.decode(bytes) {
      let writer = ByteWriter()
      message.encode(to: writer)
      let encoded = Array(writer.bytes)
      let again = encoded.withUnsafeBytes { try? ClientMessage.decode($0) }
      writer.removeAll()
      again?.encode(to: writer)
      // Equal bytes, since numbers that are not equal to themselves may be in them.
      guard again != nil, Array(writer.bytes) == encoded else {
        programmerError("a message is another one after being encoded: \(message)")
      }
    }
    _ = try? ServerMessage.decode(bytes)
  }

  private func takeStream(_ bytes: UnsafeRawBufferPointer) {
    guard let memory = Self.memory, let (client, server) = try? Socket.pair() else { return }
    var stream = MessageStream()
    var rest = bytes[...]
    // A message is its length, a byte that says which memory goes with it, and its bytes.
    while rest.count >= 3, stream.messages.count < 32 {
      let start = rest.startIndex
      let count = Int(rest[start]) | Int(rest[start + 1]) << 8
      let kinds: [[SharedMemory]] = [
        [], [memory.stores], [memory.surfaces], [memory.stores, memory.surfaces],
      ]
      let kind = kinds[Int(rest[start + 2] & 3)]
      let message = rest.dropFirst(3).prefix(count)
      stream.messages.append(MessageStream.Message(bytes: Array(message), memory: kind))
      rest = rest.dropFirst(3 + message.count)
    }
    guard (try? stream.send(over: client)) != nil else { return }
    _ = ServerLoop(recordingOn: server).run()
  }

  private static let memory = try? StreamMemory()

  // MARK: Documents

  private func document(_ bytes: UnsafeRawBufferPointer, ending: String) -> CAMLDocument? {
    let url = Self.folder.appendingPathComponent("fuzz-\(getpid()).\(ending)")
    guard (try? Data(bytes).write(to: url)) != nil else {
      programmerError("\(url.path) cannot be written")
    }
    return try? CAMLDocument(contentsOf: url)
  }

  private func takeDocument(_ bytes: UnsafeRawBufferPointer, ending: String) {
    guard let document = document(bytes, ending: ending) else { return }
    _ = document.lastMotion()
    _ = try? CAMLWriter(document).fileText()
  }

  private static let folder = FileManager.default.temporaryDirectory

  // MARK: Seeds

  /// Good inputs to begin with.
  var seeds: [[UInt8]] {
    switch self {
    case .messages: Self.streams.flatMap { $0.messages.map(\.bytes) }
    case .server: Self.streams.map(Self.bytes)
    case .caml: Self.layers.compactMap { try? Array(CAMLWriter(layer: $0).fileText().utf8) }
    case .archive:
      Self.layers.compactMap { layer in
        let document = NSDictionary(dictionary: [
          "rootLayer": layer, "geometryFlipped": true, "documentWidth": 40, "documentHeight": 30,
        ])
        let archived = try? NSKeyedArchiver.archivedData(
          withRootObject: document, requiringSecureCoding: false)
        return archived.map { [UInt8]($0) }
      }
    case .image:
      [1, 7, 40].compactMap { side in
        let context = CGContext(
          data: nil, width: side, height: side, bitsPerComponent: 8, bytesPerRow: 0,
          space: CGColorSpaceCreateDeviceRGB(),
          bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
        return (try? context?.makeImage()?.pngData()).flatMap { $0.map { [UInt8]($0) } }
      }
    }
  }

  private static var streams: [MessageStream] {
    guard let memory else { return [] }
    return (0..<200).map { seed in
      var random = SeededGenerator(seed: seed)
      return MessageStream(&random, memory)
    }
  }

  /// A stream in the form that `takeStream` reads.
  private static func bytes(of stream: MessageStream) -> [UInt8] {
    stream.messages.flatMap { message -> [UInt8] in
      let isOfSurfaces = message.bytes.last == ArenaUse.surfaces.rawValue
      let kind: UInt8 = message.memory.isEmpty ? 0 : isOfSurfaces ? 2 : 1
      let count = min(message.bytes.count, 0xffff)
      return [UInt8(count & 0xff), UInt8(count >> 8), kind] + message.bytes.prefix(count)
    }
  }

  /// A layer of each class, with animations, masks and sublayers.
  private static var layers: [CALayer] {
    let kinds: [CALayer] = [
      CALayer(), CAShapeLayer(), CAGradientLayer(), CATextLayer(), CAReplicatorLayer(),
      CAEmitterLayer(), CATransformLayer(), CAScrollLayer(),
    ]
    for (index, layer) in kinds.enumerated() {
      layer.name = "layer \(index)"
      layer.bounds = CGRect(x: 0, y: 0, width: 40, height: 30)
      layer.backgroundColor = CGColor(red: 1, green: 0.5, blue: 0, alpha: 0.5)
      let sublayer = CALayer()
      sublayer.bounds = layer.bounds
      layer.addSublayer(sublayer)
      layer.mask = CALayer()
      let slide = CAKeyframeAnimation(keyPath: "position")
      slide.values = [CGPoint.zero, CGPoint(x: 5, y: 5)]
      let group = CAAnimationGroup()
      group.animations = [slide, CASpringAnimation(keyPath: "opacity")]
      sublayer.add(group, forKey: "both")
    }
    (kinds[1] as? CAShapeLayer)?.path = CGPath(
      ellipseIn: CGRect(x: 0, y: 0, width: 9, height: 9), transform: nil)
    (kinds[3] as? CATextLayer)?.string = "text"
    let cell = CAEmitterCell()
    cell.name = "spark"
    cell.birthRate = 5
    (kinds[5] as? CAEmitterLayer)?.emitterCells = [cell]
    return kinds
  }
}
