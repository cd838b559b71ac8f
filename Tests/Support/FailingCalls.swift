import Foundation

/// Has calls of another program fail, by the library FailingCalls, which it loads first. Its header
/// says what the numbers mean.
public final class FailingCalls {
  /// As `failing_call` in the header.
  public enum Call: UInt32, Sendable {
    case mmap = 1, open, thread, spawn, memfd, sendmsg, recvmsg, socketpair, graphics, reset
    case robustness, fonts
  }

  /// What the other program needs in its environment.
  public let environment: [String: String]
  private let page: UnsafeMutableRawPointer
  private let path: String

  private static let byteCount = 40

  /// Affects processes of the program with this file name.
  public init(of program: String) throws {
    path = NSTemporaryDirectory() + "/lamina-failing-\(UUID().uuidString)"
    try Data(count: Self.byteCount).write(to: URL(fileURLWithPath: path))
    let file = Glibc.open(path, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    guard file >= 0,
      let page = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      page != MAP_FAILED
    else { throw CocoaError(.fileReadUnknown) }
    self.page = page
    let library = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("libFailingCalls.so")
    environment = [
      "LD_PRELOAD": library.path, "LAMINA_FAILING_CALLS": path, "LAMINA_FAILING_PROGRAM": program,
    ]
  }

  deinit {
    munmap(page, Self.byteCount)
    unlink(path)
  }

  /// From now on, has the call of this number fail, and then each so many-th; 0 stands for none.
  public func fail(_ call: Call, code: Int32 = 0, at place: UInt64, every interval: UInt64 = 0) {
    // In between, no call is counted.
    store(0 as UInt32, 0)
    store(UInt32(bitPattern: code), 4)
    store(place, 8)
    store(interval, 16)
    store(0 as UInt64, 24)
    store(0 as UInt64, 32)
    store(call.rawValue, 0)
  }

  /// The number of calls since `fail`.
  public var count: UInt64 { page.load(fromByteOffset: 24, as: UInt64.self) }
  /// The number of calls that failed since then.
  public var failures: UInt64 { page.load(fromByteOffset: 32, as: UInt64.self) }

  private func store<Value: BitwiseCopyable>(_ value: Value, _ offset: Int) {
    page.storeBytes(of: value, toByteOffset: offset, as: Value.self)
  }
}
