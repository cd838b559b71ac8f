import CLinux
import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaPlanner
import LaminaValues

/// The render process: serves the client on descriptor 3, and ends when the client does.
package enum ServerProcess {
  package static let descriptor: Int32 = 3

  package typealias MakeRenderer =
    @Sendable (RenderPlatform, _ driverLoaded: () -> Void) throws(ExecutorError)
    -> any FrameExecutor

  /// Returns the exit status: 0 if the client closed the connection; 1 if the connection failed,
  /// and the client knows why; 2, after a line on standard error, if no client started this
  /// process. With the arguments of `LaminaRenderServerPlugin`, it only writes the source that
  /// these name. `makeRenderer` makes what draws on a platform, and tells when its driver is
  /// loaded.
  package static func run(
    _ arguments: [String],
    makeRenderer: @escaping MakeRenderer = { choice, driverLoaded throws(ExecutorError) in
      try makeExecutor(for: choice, driverLoaded: driverLoaded)
    }
  ) -> Int32 {
    if arguments.count == 3, arguments[1] == "--write-source" {
      return writeSource(to: arguments[2])
    }
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0,
      type == Int32(SOCK_SEQPACKET.rawValue)
    else {
      let usage =
        "usage: lamina-render-server is started by programs that use Lamina, with a socket as"
        + " descriptor \(descriptor)\n"
      FileHandle.standardError.write(Data(usage.utf8))
      return 2
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    standInForStandardStreams()
    signal(SIGPIPE, SIG_IGN)
    // What a terminal sends to the client's whole group. This process ends when its client does.
    for number in [SIGINT, SIGQUIT, SIGHUP] { signal(number, SIG_IGN) }
    let hello = hello()
    keepFreedMemory(budget: hello?.memoryBudget ?? .max)
    let sandbox = Lock(Sandbox.begin(usesDriver: hello?.platform != .software))

    let driverIsLoaded = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    let end = Lock<ServerLoop.End?>(nil)
    ServerThread.start(
      socket: Socket(FileDescriptor(rawValue: descriptor)),
      ended: { how in
        end.withLock { $0 = how }
        driverIsLoaded.signal()
        isDone.signal()
      },
      makeRenderer: { choice throws(ExecutorError) in
        reserveMemory()
        return try makeRenderer(choice) { driverIsLoaded.signal() }
      },
      confine: {
        sandbox.withLock { sandbox in
          prepareConfinement(&sandbox)
          sandbox?.finish()
          return sandbox?.report ?? SandboxReport()
        }
      })
    if hello?.memoryBudget == nil { keepFreedMemory(budget: MemoryBudget.usual) }
    // The driver goes on on the other thread. Before that, its libraries would be waited for.
    driverIsLoaded.wait()
    sandbox.withLock { prepareConfinement(&$0) }
    isDone.wait()
    return end.withLock { $0 } == .clientGone ? 0 : 1
  }

  /// Opens what cannot be opened in the sandbox, and makes ready what closes it.
  private static func prepareConfinement(_ sandbox: inout Sandbox?) {
    if sandbox == nil { return }
    PathRasterizer.prepare()
    sandbox?.prepare()
  }

  /// What the client asks for, according to its first message, which is not taken from the socket;
  /// nil if that cannot be understood.
  private static func hello() -> Hello? {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_PEEK))
    let message = bytes.prefix(max(0, count)).withUnsafeBytes { try? ClientMessage.decode($0) }
    guard case .hello(let hello) = message else { return nil }
    return hello
  }

  /// Writes a Swift source that declares nothing. It is the same wherever it was made, and is left
  /// alone if it is there, so that nothing is compiled anew.
  private static func writeSource(to path: String) -> Int32 {
    let source = Data("// lamina-render-server was built for this module.\n".utf8)
    if FileManager.default.contents(atPath: path) == source { return 0 }
    do {
      try source.write(to: URL(filePath: path), options: .atomic)
      return 0
    } catch {
      FileHandle.standardError.write(Data("lamina-render-server: \(path): \(error)\n".utf8))
      return 2
    }
  }

  /// Has malloc keep what one frame frees for the next.
  ///
  /// A frame's items, and what llvmpipe makes of them, are allocated anew each time, and glibc
  /// gives most of what is freed back to the system at once, until a large block was freed: that
  /// takes a third of the time of a frame of 200 images. These are the limits that it has after a
  /// block of 16 MB was freed, or less if the budget is small.
  private static func keepFreedMemory(budget: UInt64) {
    let limit = min(max(budget / 16, 1 << 20), 16 << 20)
    mallopt(M_MMAP_THRESHOLD, Int32(limit))
    mallopt(M_TRIM_THRESHOLD, Int32(2 * limit))
  }

  /// Gives malloc memory for the calling thread, other than the main one, in one piece. glibc would
  /// get it in pieces of 4 KB, which are 2,000 system calls until llvmpipe is loaded.
  private static func reserveMemory() {
    var memory: UnsafeMutableRawPointer?
    if posix_memalign(&memory, 4096, 12 << 20) == 0 { free(memory) }
  }

  /// Replaces standard input, so that no input of the client is read, and standard output, so that
  /// a driver's messages do not get into the client's.
  private static func standInForStandardStreams() {
    let null = open("/dev/null", O_RDONLY)
    if null >= 0 {
      dup2(null, 0)
      if null > 2 { close(null) }
    }
    dup2(2, 1)
  }
}
