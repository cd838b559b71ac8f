import CLinux
import Foundation
import LaminaValues

/// Why a message could not be sent or received.
package enum SocketError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The peer is gone.
  case closed
  /// A system call failed.
  case system(call: String, code: Int32)
  case tooLarge(byteCount: Int)
  /// A message is malformed, or the memory of its envelope could not be created or opened.
  case badEnvelope(String)

  package var description: String {
    switch self {
    case .closed: "the connection is closed"
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
    case .tooLarge(let byteCount):
      "a message of \(byteCount) bytes, at most \(ServerLimit.messageBytes) are allowed"
    case .badEnvelope(let why): "bad envelope: \(why)"
    }
  }
}

/// One end of a connection between two processes. It keeps messages whole and in order, and carries
/// descriptors with them.
///
/// A large message, or one for which the kernel has no room, travels as an envelope: a first byte
/// with which no message starts, then the message's length, and with them a sealed memory file. The
/// receiver copies the file's bytes before they are read, because the sender could still write to
/// them.
package final class Socket: Sendable {
  /// Largest message, in bytes, that travels without an envelope. Up to here the kernel copies it
  /// in less time than a memory file takes, and most systems' queues take it.
  package static let inlineLimit = 320_000
  static let envelopeCode: UInt8 = 0xff
  static let envelopeByteCount = 9

  private let file: FileDescriptor

  /// Takes over a connected SOCK_SEQPACKET socket.
  package init(_ file: consuming FileDescriptor) {
    self.file = file
    // As much as the system allows: a message that fits the queue need not wait for the peer.
    var byteCount: Int32 = 1 << 20
    setsockopt(
      self.file.rawValue, SOL_SOCKET, SO_SNDBUF, &byteCount,
      socklen_t(MemoryLayout<Int32>.size))
  }

  /// Creates two ends that are connected to each other and close on exec.
  package static func pair() throws(SocketError) -> (Socket, Socket) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw .system(call: "socketpair", code: errno)
    }
    return (Socket(FileDescriptor(rawValue: ends[0])), Socket(FileDescriptor(rawValue: ends[1])))
  }

  /// The descriptor, which this object still owns.
  package var descriptor: Int32 { file.rawValue }

  /// Sends one message; the caller keeps its `descriptors`. If `wait` is false and the peer's queue
  /// is full, sends nothing and returns false.
  @discardableResult
  package func send(
    _ bytes: UnsafeRawBufferPointer, descriptors: [Int32] = [], wait: Bool = true
  ) throws(SocketError) -> Bool {
    guard bytes.count <= ServerLimit.messageBytes else { throw .tooLarge(byteCount: bytes.count) }
    if bytes.count <= Self.inlineLimit,
      let isSent = try sendInline(bytes, descriptors, wait: wait)
    {
      return isSent
    }
    let memory: FileDescriptor
    do throws(SharedMemoryError) {
      memory = try SharedMemory.createFile(of: bytes)
    } catch {
      throw .badEnvelope("no memory for \(bytes.count) bytes, \(error)")
    }
    let envelope = ByteWriter(capacity: Self.envelopeByteCount)
    envelope.write(Self.envelopeCode)
    envelope.write(UInt64(bytes.count))
    let all = [memory.rawValue] + descriptors
    guard let isSent = try sendInline(envelope.bytes, all, wait: wait) else {
      throw .system(call: "sendmsg", code: ENOBUFS)
    }
    return isSent
  }

  /// Returns false if the peer's queue is full, and nil if it takes no message of that size or the
  /// kernel has no memory of it in one piece.
  private func sendInline(
    _ bytes: UnsafeRawBufferPointer, _ descriptors: [Int32], wait: Bool
  ) throws(SocketError) -> Bool? {
    let result = lamina_send_message(
      file.rawValue, bytes.baseAddress, bytes.count, descriptors, descriptors.count, wait)
    switch Int32(clamping: -result) {
    case EAGAIN: return false
    case EMSGSIZE, ENOBUFS: return nil
    case EPIPE, ECONNRESET: throw .closed
    case let code where code > 0: throw .system(call: "sendmsg", code: code)
    default: return true
    }
  }

  /// Receives one message, replacing the contents of `buffer`. If `wait` is false and there is no
  /// message, returns false.
  @discardableResult
  package func receive(
    into buffer: MessageBuffer, wait: Bool = true
  ) throws(SocketError) -> Bool {
    // If the peer closed without reading everything, an error comes once, before its messages.
    var resets = 0
    while true {
      let result = buffer.receive(from: file.rawValue, wait: wait)
      switch Int32(clamping: -result) {
      case EAGAIN: return false
      case ECONNRESET where resets == 0: resets += 1
      case 0, ECONNRESET: throw .closed
      case EMSGSIZE: throw .badEnvelope("a message of more than \(Self.inlineLimit) bytes")
      case E2BIG: throw .badEnvelope("too many descriptors")
      case let code where code > 0: throw .system(call: "recvmsg", code: code)
      default:
        try buffer.openEnvelope()
        return true
      }
    }
  }

  /// Waits until there is a message or the connection has ended. Returns false if `seconds` passed
  /// first.
  package func waitUntilReadable(seconds: Double) throws(SocketError) -> Bool {
    try wait(for: POLLIN, seconds: seconds)
  }

  /// Waits until a message can be sent or the connection has ended. Returns false if `seconds`
  /// passed first.
  @discardableResult
  package func waitUntilWritable(seconds: Double? = nil) throws(SocketError) -> Bool {
    try wait(for: POLLOUT, seconds: seconds)
  }

  /// Waits until there is a message, one can be sent, or the connection has ended.
  package func waitUntilReadableOrWritable() throws(SocketError) {
    _ = try wait(for: POLLIN | POLLOUT, seconds: nil)
  }

  private func wait(for events: Int32, seconds: Double?) throws(SocketError) -> Bool {
    let clock = ContinuousClock()
    let deadline = seconds.map { clock.now.advanced(by: .seconds($0)) }
    while true {
      var nanoseconds: Int64 = -1
      if let deadline {
        let left = max(.zero, clock.now.duration(to: deadline)) / .nanoseconds(1)
        nanoseconds = Int64(min(left.rounded(.up), 1e18))
      }
      let result = lamina_poll(file.rawValue, Int16(events), nanoseconds)
      if result >= 0 { return result > 0 }
      guard result == -EINTR else { throw .system(call: "ppoll", code: -result) }
    }
  }

  /// Ends the connection in both directions, even for a thread that waits in `receive`.
  package func shutDown() { shutdown(file.rawValue, Int32(SHUT_RDWR)) }

  /// Stops all arrivals: `receive` returns the messages already there, then throws `closed`. The
  /// peer notices when it sends.
  package func shutDownReceiving() { shutdown(file.rawValue, Int32(SHUT_RD)) }
}

/// Memory for received messages, reused from one to the next, and the descriptors that came with
/// the message. Descriptors that are not taken are closed.
package final class MessageBuffer {
  /// The most memory that waits for the next message that needs memory of its own.
  private static let keptByteCount = 1 << 20

  private let inline = UnsafeMutableRawBufferPointer.allocate(
    byteCount: Socket.inlineLimit, alignment: 16)
  /// For a message that travelled in memory of its own; none in `inline` then.
  private var enclosed = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var enclosedCount = 0
  private var count = 0
  private var descriptors = [Int32](repeating: -1, count: Int(lamina_max_descriptors))
  private var descriptorCount = 0

  package init() {}

  deinit {
    removeAll()
    inline.deallocate()
    enclosed.deallocate()
  }

  /// The bytes of the last message, valid until the next is received.
  package var bytes: UnsafeRawBufferPointer {
    enclosedCount > 0
      ? UnsafeRawBufferPointer(rebasing: enclosed[..<enclosedCount])
      : UnsafeRawBufferPointer(rebasing: inline[..<count])
  }

  /// Returns the first descriptor of the message that was not taken yet.
  package func takeDescriptor() -> FileDescriptor? {
    guard descriptorCount > 0 else { return nil }
    let first = descriptors[0]
    descriptorCount -= 1
    for i in 0..<descriptorCount { descriptors[i] = descriptors[i + 1] }
    return FileDescriptor(rawValue: first)
  }

  /// Number of descriptors not yet taken.
  package var remainingDescriptors: Int { descriptorCount }

  private func removeAll() {
    while takeDescriptor() != nil {}
    if enclosed.count > Self.keptByteCount { reserve(0) }
    (enclosedCount, count) = (0, 0)
  }

  private func reserve(_ byteCount: Int) {
    enclosed.deallocate()
    enclosed = .allocate(byteCount: byteCount, alignment: 16)
  }

  fileprivate func receive(from socket: Int32, wait: Bool) -> Int {
    removeAll()
    var received = 0
    let result = lamina_receive_message(
      socket, inline.baseAddress, inline.count, &descriptors, &received, wait)
    descriptorCount = received
    count = max(0, result)
    return result
  }

  /// Copies a message out of the memory in which it travelled.
  fileprivate func openEnvelope() throws(SocketError) {
    guard inline[0] == Socket.envelopeCode else { return }
    guard count == Socket.envelopeByteCount, let file = takeDescriptor() else {
      throw .badEnvelope("\(count) bytes and no memory")
    }
    let length = inline.loadUnaligned(fromByteOffset: 1, as: UInt64.self)
    guard length > 0, length <= UInt64(ServerLimit.messageBytes) else {
      throw .tooLarge(byteCount: Int(clamping: length))
    }
    do throws(SharedMemoryError) {
      try SharedMemory.read(Int(length), from: file) {
        if enclosed.count < Int(length) { reserve(Int(length)) }
        return enclosed.baseAddress!
      }
      enclosedCount = Int(length)
    } catch {
      throw .badEnvelope("\(error)")
    }
  }
}
