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

  @Test("A message that the queue does not take travels in memory of its own", arguments: [0, 1])
  func smallQueue(descriptorCount: Int) throws {
    let (sender, receiver) = try Socket.pair()
    var byteCount: Int32 = 8192
    setsockopt(
      sender.descriptor, SOL_SOCKET, SO_SNDBUF, &byteCount, socklen_t(MemoryLayout<Int32>.size))
    let message = (0..<Socket.inlineLimit).map { UInt8(truncatingIfNeeded: $0 / 3) }
    let descriptors = [Int32](repeating: 0, count: descriptorCount)
    #expect(try message.withUnsafeBytes { try sender.send($0, descriptors: descriptors) })
    let buffer = MessageBuffer()
    #expect(try receiver.receive(into: buffer, wait: false))
    #expect(buffer.bytes.elementsEqual(message))
    #expect(buffer.remainingDescriptors == descriptorCount)
  }
}
