import Foundation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing

@testable import LaminaRenderServer

@Suite("The render process's memory") struct MemoryBudgetTests {
  private static let side = 1000
  private static let budget = 24 << 20

  /// Bytes of memory that a process alone has.
  private static func ownMemory(_ process: pid_t) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
    return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) << 10
  }

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
        show.changes = [.color(nil, of: LayerID(index: 0, generation: 0))]
        show.changes[0].values.contents = image
        show.changes[0].properties.insert(.contents)
        try connection.send(show)
        uploaded += try connection.frame(.of(session), surface: surface).uploadedBytes
        #expect(surface.firstPixel == [UInt8](repeating: UInt8(place + 1), count: 4))
        most = max(most, try Self.ownMemory(process))
      }
    }
    #expect(most <= Self.budget + (100 << 20), "\(most >> 20) MB")
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

  @Test(
    "Without a number it is half of the machine's memory, or of the smallest limit of its groups",
    arguments: [
      ("", [:], 4000), ("0::/a/b\n", ["/a/b/memory.max": "max\n", "/a/memory.max": "600\n"], 300),
      ("0::/\n", ["/memory.max": "1000"], 500),
      (
        "4:cpu,memory:/c\n0::/x\n",
        ["/memory/c/memory.limit_in_bytes": "9223372036854771712", "/x/memory.max": "5000"], 2500
      ), ("7:memory:/gone\n", ["/memory/memory.limit_in_bytes": "200"], 100),
      ("nonsense\n1:cpu:/\n", ["/memory.max": "1000"], 4000),
    ] as [(String, [String: String], UInt64)])
  func machine(groups: String, limits: [String: String], half: UInt64) throws {
    let root = NSTemporaryDirectory() + "/lamina-groups-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: root) }
    func write(_ text: String, to path: String) throws {
      let file = URL(filePath: root + path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: false, encoding: .utf8)
    }
    try write(groups, to: "/proc/self/cgroup")
    for (path, limit) in limits { try write(limit, to: "/sys/fs/cgroup" + path) }
    #expect(MemoryBudget.half(of: 8000, root: root) == half)
  }
}
