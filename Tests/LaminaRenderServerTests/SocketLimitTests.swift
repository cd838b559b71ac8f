import Foundation
import LaminaCommit
import LaminaValues
import Testing

@Suite("Messages with descriptors")
struct SocketLimitTests {
  @Test("One whose descriptor the process may not have is an error that says so")
  func limit() async {
    await #expect(processExitsWith: .success) {
      let (sender, receiver) = try Socket.pair()
      try [1, 2, 3].withUnsafeBytes { _ = try sender.send($0, descriptors: [0]) }
      var limit = rlimit()
      getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = 0
      setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
      #expect(throws: SocketError.system(call: "recvmsg", code: EMFILE)) {
        _ = try receiver.receive(into: MessageBuffer())
      }
    }
  }
}
