import LaminaCommit
import LaminaValues

/// Sends answers without ever waiting for the client. Those that do not fit into its queue wait
/// here, in their order.
struct Outbox {
  /// What an answer costs beside its bytes.
  private static let overhead = 64
  /// How long the end of a connection waits for the client to read why.
  private static let patience = 1.0

  private var waiting: [[UInt8]] = []
  private(set) var byteCount = 0

  var isEmpty: Bool { waiting.isEmpty }
  var isFull: Bool { byteCount > ServerLimit.unreadBytes }

  mutating func send(
    _ bytes: UnsafeRawBufferPointer, over socket: Socket
  ) throws(SocketError) {
    try flush(over: socket)
    if waiting.isEmpty, try socket.send(bytes, wait: false) { return }
    waiting.append(Array(bytes))
    byteCount += bytes.count + Self.overhead
  }

  /// Sends what fits into the client's queue by now.
  mutating func flush(over socket: Socket) throws(SocketError) {
    var count = 0
    defer {
      for sent in waiting[..<count] { byteCount -= sent.count + Self.overhead }
      waiting.removeFirst(count)
    }
    while count < waiting.count {
      let isSent = try waiting[count].withBytes { bytes throws(SocketError) in
        try socket.send(bytes, wait: false)
      }
      guard isSent else { return }
      count += 1
    }
  }

  /// Sends the rest to a client that reads it in time.
  mutating func flushAtEnd(over socket: Socket) {
    let deadline = ContinuousClock.now.advanced(by: .seconds(Self.patience))
    while !isEmpty {
      let left = ContinuousClock.now.duration(to: deadline) / .seconds(1)
      guard left > 0, (try? socket.waitUntilWritable(seconds: left)) == true,
        (try? flush(over: socket)) != nil
      else { return }
    }
  }
}
