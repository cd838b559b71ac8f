import Foundation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing

@testable import LaminaRenderServer

@Suite("The render process's memory") struct MemoryBudgetTests {
  private static let side = 1000
  private static let budget = 24 << 20

  /// A store of which every byte of a half float, or every byte, is of this value.
  private static func store(_ value: UInt8, _ format: PixelFormat) throws -> PixelBuffer {
    let buffer = try PixelBuffer(width: side, height: side, format: format, use: .store)
    buffer.withUnsafeMutableBytes { bytes in
      switch format {
      case .rgba16f:
        let level = Float16(Float(value) / 255)
        bytes.bindMemory(to: Float16.self).update(repeating: level)
      default: bytes.initializeMemory(as: UInt8.self, repeating: value)
      }
    }
    return buffer
  }

  @Test(
    "Ten times the budget of images is drawn right, in the budget and 100 MB",
    arguments: [RenderPlatform.surfaceless, .software], [PixelFormat.bgra8, .rgba16f])
  func tenTimes(platform: RenderPlatform, format: PixelFormat) throws {
    let connection = try ServerConnection(
      launcher: .process, platform: platform, memoryBudget: UInt64(Self.budget))
    #expect(connection.platform.memoryBudget == UInt64(Self.budget))
    let session = try connection.openSession(options)
    let count = 10 * Self.budget / (Self.side * Self.side * format.bytesPerPixel)
    let images = (1...count).map { ImageID(rawValue: UInt64($0)) }
    let stores = try (1...count).map { try Self.store(UInt8($0), format) }
    var commit = Commit.filling(session, with: nil)
    commit.stores = zip(stores, images).map { $0.update($1) }
    try connection.send(commit, stores: stores)

    let process = try #require(connection.processID)
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    var (most, uploaded) = (0, 0 as UInt64)
    for _ in 0..<2 {
      for (place, image) in images.enumerated() {
        var show = Commit(sequence: 0)
        show.changes = [.color(nil, of: LayerID(index: 0, generation: 0)).showing(image)]
        try connection.send(show)
        uploaded += try connection.frame(.of(session), surface: surface).uploadedBytes
        #expect(surface.firstPixel == [UInt8](repeating: UInt8(place + 1), count: 4))
        most = max(most, ownMemory(of: process))
      }
    }
    let limit = sandboxIsOff ? .max : Self.budget + 100 << 20
    #expect((1 << 20...limit).contains(most), "\(most >> 20) MB")
    // Software draws pixels of 8 bits where they lie.
    let isCopied = platform != .software || format == .rgba16f
    let isUploadedTwice = uploaded >= 20 * UInt64(Self.budget) * 9 / 10
    #expect(isUploadedTwice == isCopied)
  }

  @Test("A frame that alone needs more ends its session, with the numbers; others go on")
  func tooMuch() throws {
    let connection = try ServerConnection(
      launcher: .process, platform: .surfaceless, memoryBudget: 2 << 20)
    let good = try connection.openSession(options)
    try connection.send(.filling(good, with: .red))
    let greedy = try connection.openSession(options)
    let (image, store) = (ImageID(rawValue: 1), try Self.store(9, .bgra8))
    var commit = Commit.filling(greedy, with: nil, contents: image, index: 1)
    commit.stores = [store.update(image)]
    try connection.send(commit, stores: [store])
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    for _ in 0..<2 {
      let error = #expect(throws: ServerFailure.self) { try connection.frame(.of(greedy)) }
      let words = "bytes of memory for one frame, at most 2097152 are allowed"
      #expect(error?.description.contains(words) == true, "\(String(describing: error))")
      _ = try connection.frame(.of(good), surface: surface)
      #expect(surface.firstPixel == [0, 0, 255, 255])
    }
    let wide = SessionOptions(size: PixelSize(width: 1000, height: 1000), scale: 1)
    let error = #expect(throws: ServerFailure.self) {
      try connection.frame(.of(connection.openSession(wide)))
    }
    let words = "bytes of surfaces, at most 2097152"
    #expect(error?.description.contains(words) == true)
  }

  @Test("Without a number it is half of what this process may have")
  func machine() throws {
    let whole = min(
      ProcessInfo.processInfo.physicalMemory, ControlGroup()?.memoryLimit ?? .max)
    #expect(MemoryBudget.half() == whole / 2)
    #expect(MemoryBudget.half(of: 8, root: "/nowhere") == 4)
  }

  // MARK: The machine's end

  /// Makes a control group with a limit of memory; nil if this process may not.
  private static func makeGroup(limit: Int) -> String? {
    let name = "/lamina-tests-\(UUID())"
    let files = FileManager.default
    for (mount, file) in [
      ("/sys/fs/cgroup/memory", "/memory.limit_in_bytes"), ("/sys/fs/cgroup", "/memory.max"),
    ] where files.fileExists(atPath: mount + "/cgroup.procs") {
      let folder = mount + name
      guard mkdir(folder, 0o755) == 0 else { continue }
      // Swapped memory would not count.
      try? "0".write(toFile: folder + "/memory.swappiness", atomically: false, encoding: .utf8)
      try? "0".write(toFile: folder + "/memory.swap.max", atomically: false, encoding: .utf8)
      if (try? "\(limit)".write(toFile: folder + file, atomically: false, encoding: .utf8)) != nil {
        return folder
      }
      rmdir(folder)
    }
    return nil
  }

  private static let mayMakeGroups: Bool = {
    guard let folder = makeGroup(limit: 1 << 30) else { return false }
    rmdir(folder)
    return true
  }()

  @Test(
    "A process that the kernel kills because memory ran out died of that, and is replaced",
    .enabled(if: mayMakeGroups, "this process may make no control group"))
  func outOfMemory() throws {
    let folder = try #require(Self.makeGroup(limit: 64 << 20))
    defer { rmdir(folder) }
    let faulty = RenderServerLauncher.faulty(["fills-memory", "0"])
    // The first of them runs in the group, and is told to take more than that has.
    let isFirst = Lock(true)
    let launcher = RenderServerLauncher(name: "out of memory") { () throws(ServerFailure) in
      guard
        isFirst.withLock({ first in
          defer { first = false }; return first
        })
      else {
        return try RenderServerLauncher.process.start()
      }
      let started = try faulty.start()
      try? "\(started.processID ?? 0)"
        .write(toFile: folder + "/cgroup.procs", atomically: false, encoding: .utf8)
      return started
    }
    let connection = try ServerConnection(launcher: launcher, platform: .software)
    let session = try connection.openSession(options)
    try connection.send(.filling(session, with: .red))
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    _ = try connection.frame(.of(session), surface: surface)
    #expect(surface.firstPixel == [0, 0, 255, 255])
    #expect(connection.restarts.last == .died(.outOfMemory))
    #expect(
      "\(ServerFailure.died(.outOfMemory))"
        == "the render process was killed by the kernel, because memory ran out")
  }
}
