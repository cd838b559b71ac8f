import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaRenderServer
import LaminaValues
import ServerSupport
import TestSupport
import Testing

/// Clients that do not read what they are answered.
@Suite("Answers that nobody reads")
struct UnreadAnswersTests {
  /// A server on a thread of its own, and how it ended.
  private struct Served {
    let client: Socket
    private let ended = DispatchSemaphore(value: 0)
    private let end = EndBox()

    private final class EndBox: Sendable { let value = Lock<ServerLoop.End?>(nil) }

    init() throws {
      let (client, server) = try Socket.pair()
      self.client = client
      let thread = Thread { [end, ended] in
        let how = ServerLoop(recordingOn: server).run()
        end.value.withLock { $0 = how }
        server.shutDown()
        ended.signal()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }

    /// nil if it has not ended in a minute.
    func waitForEnd() -> ServerLoop.End? {
      guard ended.wait(timeout: .now() + 60) == .success else { return nil }
      return end.value.withLock { $0 }
    }

    /// Returns false if the server takes nothing more for a minute.
    func send(_ message: ClientMessage) throws -> Bool {
      let writer = ByteWriter()
      message.encode(to: writer)
      while try !client.send(writer.bytes, wait: false) {
        guard try client.waitUntilWritable(seconds: 60) else { return false }
      }
      return true
    }

    /// A session with a layer whose description is long, since the key of its animation is.
    func begin() throws {
      var commit = Commit.filling(MessageStream.session, with: .red)
      commit.animations = [
        .add(
          layer: LayerID(index: 0, generation: 0), key: String(repeating: "k", count: 100_000),
          animation: AnimationDescription(
            timing: MediaTiming(duration: 1), content: .basic(.init(keyPath: "opacity"), .init())))
      ]
      commit.sequence = 1
      for message in [
        .hello(Hello(platform: .auto)), .openSession(MessageStream.session, options),
        .commit(commit),
      ] as [ClientMessage] {
        try #require(try send(message))
      }
    }

    /// Has the server serve all requests so far before it reads on: closing a session, even one
    /// that is not there, waits for a commit, and the commit for them.
    func settle(_ turn: UInt32) throws -> Bool {
      var commit = Commit(sequence: 2 + UInt64(turn))
      commit.changes = [.color(.red, of: LayerID(index: 0, generation: 0))]
      return try send(.commit(commit)) && send(.closeSession(SessionID(rawValue: 99)))
    }

    static func question(_ number: UInt32) -> ClientMessage {
      .inspect(
        Inspect(
          request: number, session: MessageStream.session, time: 0, afterSequence: 1,
          subject: .tree))
    }
  }

  @Test("are kept up to a bound, at which the connection ends, and why is said")
  func flood() throws {
    let served = try Served()
    try served.begin()
    var number: UInt32 = 0
    do {
      // Fewer at a time than a session may have waiting.
      while number < 100_000 {
        try #require(try served.send(Served.question(number)))
        number += 1
        if number.isMultiple(of: 32) { try #require(try served.settle(number / 32)) }
      }
      Issue.record("it goes on after \(number) requests")
    } catch SocketError.closed {}
    guard case .failed(let why)? = served.waitForEnd() else {
      Issue.record("it did not end with an error")
      return
    }
    #expect(why.hasSuffix("bytes of answers wait for a client that does not read"))
  }

  @Test("do not keep a server from noticing that its client is gone")
  func gone() throws {
    let served = try Served()
    try served.begin()
    for number in 0..<32 { try #require(try served.send(Served.question(UInt32(number)))) }
    try #require(try served.settle(0))
    served.client.shutDown()
    #expect(served.waitForEnd() == .clientGone)
  }

  @Test("arrive whole and in order once they are read")
  func late() throws {
    let served = try Served()
    try served.begin()
    for number in 0..<60 { try #require(try served.send(Served.question(UInt32(number)))) }
    try #require(try served.settle(0))
    let buffer = MessageBuffer()
    var numbers: [UInt32] = []
    var lengths: Set<Int> = []
    while numbers.count < 60 {
      _ = try served.client.receive(into: buffer)
      guard case .inspected(let number, let result) = try ServerMessage.decode(buffer.bytes)
      else { continue }
      numbers.append(number)
      lengths.insert(result.text.utf8.count)
    }
    #expect(numbers == Array(0..<60))
    #expect(lengths.count == 1 && lengths.allSatisfy { $0 > 10_000 })
    served.client.shutDown()
    #expect(served.waitForEnd() == .clientGone)
  }
}
