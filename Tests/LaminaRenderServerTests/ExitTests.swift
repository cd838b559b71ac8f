import Foundation
import LaminaCommit
import LaminaRenderServer
import LaminaValues
import Synchronization
import Testing

@Suite("A program that exits")
struct ExitTests {
  @Test("In exit, a server's thread lets go of its driver first, and its client is not told")
  func threadEnds() async {
    await #expect(processExitsWith: .exitCode(ExitTests.orderly)) {
      // Exit handlers run from the last to the first, so this one runs after all that come later.
      atexit { _exit(ExitTests.isOrderly ? ExitTests.orderly : EXIT_FAILURE) }
      let (client, server) = try Socket.pair()
      ServerThread.start(socket: server) { _ in ExitTests.hasEnded.store(true, ordering: .relaxed) }
      let writer = ByteWriter()
      ClientMessage.hello(Hello(platform: .surfaceless)).encode(to: writer)
      try client.send(writer.bytes)
      let buffer = MessageBuffer()
      _ = try client.receive(into: buffer)
      guard case .welcome = try ServerMessage.decode(buffer.bytes) else { _exit(EXIT_FAILURE) }
      ExitTests.client.withLock { $0 = client }
      exit(EXIT_SUCCESS)
    }
  }

  private static let orderly: Int32 = 7
  private static let hasEnded = Atomic(false)
  private static let client = Lock<Socket?>(nil)

  private static var isOrderly: Bool {
    guard hasEnded.load(ordering: .relaxed), let client = client.withLock({ $0 }) else {
      return false
    }
    return (try? client.receive(into: MessageBuffer(), wait: false)) == false
  }
}
