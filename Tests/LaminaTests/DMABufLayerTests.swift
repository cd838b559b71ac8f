import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderServer
import LaminaValues
import LayerSupport
import ServerSupport
import TestSupport
import Testing

@testable import Lamina

/// Memory files stand for dma-bufs here, of which few machines have any; `make test-gbm` has real
/// ones.
@Suite("Layers that show pictures in dma-bufs") struct DMABufLayerTests {
  @Test(
    "show copies of them where the render process does not draw from them",
    arguments: [RenderPlatform.software, .surfaceless])
  func copies(platform: RenderPlatform) throws {
    let (stage, plain) = (try Stage(platform), try Stage(platform))
    #expect(!stage.renderer.platform.importsDMABufs)
    for format in CADMABuf.Format.allCases {
      let picture = try TestDMABuf(format)
      for turn in 0..<3 as Range<UInt64> {
        let freed = Counter()
        plain.layer.queue.enqueue(try picture.fill(seed: turn))
        stage.layer.queue.enqueue(picture.buffer) { freed.add() }
        #expect(freed.value == 0)
        let shown = try stage.image(at: Double(turn))
        let expected = try plain.image(at: Double(turn))
        #expect(try shown.difference(from: expected).differingPixelCount == 0, "\(format)")
        #expect(Set(shown.pixels).count > 100)
        // The dma-buf may be filled at once.
        #expect(freed.value == 1)
      }
    }
  }

  @Test("show what lies in them, place and fade it, as pictures in memory are shown")
  func drawing() throws {
    let (stage, plain) = (
      try Stage(.software, servers: .importing), try Stage(.software)
    )
    #expect(stage.renderer.platform.importsDMABufs)
    let pictures = try [TestDMABuf(.argb8888), TestDMABuf(.argb8888)]
    let freed = Counter()
    for turn in 0..<6 {
      let picture = pictures[turn % 2]
      plain.layer.queue.enqueue(try picture.fill(seed: UInt64(turn)))
      stage.layer.queue.enqueue(picture.buffer) { freed.add() }
      for stage in [stage, plain] where turn > 2 {
        withoutActions { stage.layer.transform = CATransform3DMakeRotation(0.1, 0, 0, 1) }
        let fade = CATransition()
        fade.duration = 0.75
        stage.layer.add(fade, forKey: nil)
      }
      for time in [0, 0.25, 0.5] {
        let shown = try stage.image(at: Double(turn) + time)
        if turn <= 2 || time > 0 { #expect(stage.renderer.uploadedBytes == 0) }
        let expected = try plain.image(at: Double(turn) + time)
        #expect(try shown.difference(from: expected).differingPixelCount == 0)
      }
      // The one on screen is not free, those before it are.
      #expect(freed.value == turn)
    }
    stage.layer.queue.flushAndRemoveImage()
    _ = try stage.image(at: 9)
    #expect(freed.value == 6)
    #expect(stage.renderer.heldStores == 0)
  }

  @Test("tell of pictures that went unseen that they are free")
  func unseen() throws {
    let queue = CAImageQueue(capacity: 2)
    let picture = try TestDMABuf(.argb8888)
    let freed = Lock<[Int]>([])
    for number in 0..<4 {
      queue.enqueue(picture.buffer, at: Double(number)) { freed.withLock { $0.append(number) } }
    }
    #expect(freed.withLock { $0 } == [0, 1])
    queue.flush()
    #expect(freed.withLock { $0 } == [0, 1, 2, 3])
  }

  @Test(
    "show their last picture when another render process took the place of a dead one",
    arguments: 0..<4)
  func restoring(importingServers: Int) throws {
    let servers = Servers(importing: importingServers)
    let (stage, plain) = (
      try Stage(.software, servers: servers), try Stage(.software)
    )
    let pictures = try [TestDMABuf(.argb8888), TestDMABuf(.argb8888)]
    for turn in 0..<4 {
      let picture = pictures[turn % 2]
      plain.layer.queue.enqueue(try picture.fill(seed: UInt64(turn)))
      stage.layer.queue.enqueue(picture.buffer)
      for step in 0..<2 {
        let time = Double(turn) + Double(step) / 2
        let shown = try stage.image(at: time)
        #expect(
          try shown.difference(from: plain.image(at: time)).differingPixelCount == 0,
          "turn \(turn), step \(step)")
        if step == 0, turn < 2 {
          servers.endLast()
          for stage in [stage, plain] { stage.root.backgroundColor = .blue }
        }
      }
    }
    #expect(servers.count == 3)
  }

  @Test(
    "throw an error of a picture that can be neither drawn from nor copied, until the next comes")
  func unreadable() throws {
    let stage = try Stage(.software)
    stage.layer.queue.enqueue(try TestDMABuf(.argb8888).fill(seed: 1))
    let before = try stage.image(at: 0)
    let tiled = try TestDMABuf(.xrgb8888, modifier: 0x0100_0000_0000_0001)
    let freed = Counter()
    stage.layer.queue.enqueue(tiled.buffer) { freed.add() }
    let warnings = Lock<[String]>([])
    Warnings.$current.withValue(Warnings { line in warnings.withLock { $0.append(line) } }) {
      for time in 1...2 {
        let error = #expect(throws: RenderServerError.self) { try stage.image(at: Double(time)) }
        let words = error?.description ?? ""
        #expect(words.contains("the platform software does not draw from dma-bufs"))
        #expect(words.contains("64x48 XR24, modifier 0x100000000000001"))
      }
    }
    #expect(warnings.withLock { $0.count } == 1)
    #expect(freed.value == 1)
    stage.layer.queue.enqueue(try TestDMABuf(.argb8888).fill(seed: 1))
    #expect(try stage.image(at: 3).difference(from: before).differingPixelCount == 0)
  }

  @Test("throw an error, too, where only the render process that died could draw the last one")
  func unreadableNow() throws {
    let servers = Servers(importing: 1)
    let stage = try Stage(.software, servers: servers)
    let own = try TestDMABuf(.argb8888, modifier: ImportingRenderer.ownModifier)
    let plain = try Stage(.software)
    plain.layer.queue.enqueue(try own.fill(seed: 4))
    stage.layer.queue.enqueue(own.buffer)
    let expected = try plain.image(at: 0)
    #expect(try stage.image(at: 0).difference(from: expected).differingPixelCount == 0)
    Warnings.$current.withValue(Warnings { _ in }) {
      servers.endLast()
      // If the death is noticed in the middle of this frame, it lacks the picture.
      _ = try? stage.image(at: 1)
      let error = #expect(throws: RenderServerError.self) { try stage.image(at: 2) }
      #expect(error?.description.contains("64x48 AR24, modifier 0x100000000000009") == true)
    }
    stage.layer.queue.enqueue(try own.fill(seed: 4))
    #expect(try stage.image(at: 3).difference(from: expected).differingPixelCount == 0)
  }

  @Test("are shown by two renderers of two render processes, one of which does not draw from them")
  func twoProcesses() throws {
    let (importing, copying) = (
      try Stage(.software, servers: .importing), try Stage(.software)
    )
    let picture = try TestDMABuf(.argb8888)
    _ = try picture.fill(seed: 3)
    importing.layer.queue.enqueue(picture.buffer)
    let shown = try importing.image(at: 0)
    // The layer moves to the other one.
    importing.renderer.layer = nil
    copying.renderer.layer = importing.root
    #expect(try copying.image(at: 1).difference(from: shown).differingPixelCount == 0)
  }

  @Test("refuse what is no dma-buf, and layouts that do not fit, with the numbers")
  func refusals() throws {
    let memory = try SharedMemory.create(byteCount: 4096)
    func error(_ width: Int, _ planes: [CADMABuf.Plane]) -> String? {
      do throws(CAPixelBufferError) {
        _ = try CADMABuf(width: width, height: 8, format: .argb8888, planes: planes)
        return nil
      } catch {
        return error.description
      }
    }
    let plane = CADMABuf.Plane(fileDescriptor: memory.descriptor, bytesPerRow: 32)
    #expect(
      error(8, [plane]) == "dma-buf refused: the descriptor of plane 0 is no dma-buf's")
    #expect(error(9, [plane])?.contains("rows of 32 bytes in plane 0 of 9x8 AR24") == true)
    #expect(error(8, [])?.contains("cannot have 0 planes") == true)
    #expect(error(8, Array(repeating: plane, count: 9))?.contains("planes") == true)
    for bad in [-1, .min, .max] {
      var other = plane
      other.offset = bad
      #expect(error(8, [other])?.contains("a plane of a dma-buf at \(bad)") == true)
    }
    #expect(
      error(8, [CADMABuf.Plane(fileDescriptor: -1, bytesPerRow: 32)])?.contains("descriptor")
        == true)
  }
}

/// A memory file of 64 × 48 pixels that stands for a dma-buf.
private struct TestDMABuf {
  static let (width, height, stride) = (64, 48, 320)
  let memory: SharedMemory
  let buffer: CADMABuf

  init(_ format: CADMABuf.Format, modifier: UInt64 = CADMABuf.linear) throws {
    memory = try SharedMemory.create(byteCount: 64 + Self.stride * Self.height)
    buffer = try CADMABuf(
      width: Self.width, height: Self.height, format: format, modifier: modifier,
      planes: [
        CADMABuf.Plane(fileDescriptor: memory.descriptor, offset: 64, bytesPerRow: Self.stride)
      ], allowingMemoryFiles: true)
  }

  /// Fills it, and a pixel buffer with the same colours.
  func fill(seed: UInt64) throws -> CAPixelBuffer {
    var random = SeededGenerator(seed: seed)
    let plain = try CAPixelBuffer(width: Self.width, height: Self.height)
    let isOpaque = [.xrgb8888, .xbgr8888].contains(buffer.format)
    let isRedFirst = [.abgr8888, .xbgr8888].contains(buffer.format)
    plain.withUnsafeMutableBytes { bytes in
      for y in 0..<Self.height {
        for x in 0..<Self.width {
          let alpha = isOpaque ? 255 : UInt32(random.below(256))
          let (blue, green, red) = (
            UInt32(random.below(Int(alpha) + 1)), UInt32(random.below(Int(alpha) + 1)),
            UInt32(random.below(Int(alpha) + 1))
          )
          bytes.storeBytes(
            of: alpha << 24 | red << 16 | green << 8 | blue,
            toByteOffset: y * plain.bytesPerRow + x * 4, as: UInt32.self)
          let meaningless = isOpaque ? UInt32(random.below(256)) : alpha
          memory.base.storeBytes(
            of: meaningless << 24 | (isRedFirst ? blue << 16 | red : red << 16 | blue) | green << 8,
            toByteOffset: 64 + y * Self.stride + x * 4, as: UInt32.self)
        }
      }
    }
    return plain
  }
}

/// Render processes in threads, of which the first few stand for such that draw from dma-bufs.
private final class Servers: Sendable {
  private struct State {
    var sockets: [Socket] = []
  }

  private let state = Lock(State())
  private let importing: Int

  init(importing: Int) { self.importing = importing }

  static var importing: Servers { Servers(importing: .max) }

  var count: Int { state.withLock { $0.sockets.count } }

  /// Ends the server that was started last, as its death would.
  func endLast() { state.withLock { $0.sockets.last }?.shutDown() }

  var launcher: RenderServerLauncher {
    RenderServerLauncher(name: "dma-bufs \(UUID())") { () throws(ServerFailure) in
      do throws(SocketError) {
        let (client, server) = try Socket.pair()
        let number = self.state.withLock { state in
          state.sockets.append(server)
          return state.sockets.count
        }
        let imports = number <= self.importing
        let thread = Thread {
          let loop = imports ? ServerLoop(importingOn: server) : ServerLoop(socket: server)
          _ = loop.run()
          server.shutDown()
        }
        thread.stackSize = 8 << 20
        thread.start()
        return RenderServerLauncher.Started(socket: client)
      } catch {
        throw .couldNotStart("\(error)")
      }
    }
  }
}

/// A renderer of 100 × 100 points that shows a layer of 80 × 80.
private struct Stage {
  let renderer: CARenderer
  let root = CALayer()
  let layer = CAExternalLayer()

  init(_ platform: RenderPlatform, servers: Servers? = nil) throws {
    renderer = try CARenderer(
      size: CGSize(width: 100, height: 100), platform: platform,
      server: servers.map { RenderServer(launcher: $0.launcher) } ?? .process)
    root.frame = CGRect(x: 0, y: 0, width: 100, height: 100)
    layer.frame = CGRect(x: 10, y: 10, width: 80, height: 80)
    root.addSublayer(layer)
    renderer.layer = root
  }

  func image(at time: CFTimeInterval) throws -> CGImage { try renderer.image(at: time) }
}
