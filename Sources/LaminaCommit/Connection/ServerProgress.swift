import LaminaValues
import Synchronization

/// A page that a server shares with its client, where it says what it is working on, so that the
/// client knows it after the server's death.
package final class ServerProgress: Sendable {
  /// A piece of work. One that ended two servers would end the next.
  package struct Work: Hashable, Sendable {
    /// Sequence of the commit that is applied, or of the one that a frame was asked for after.
    package var sequence: UInt64
    /// nil for a commit, which may be for many sessions.
    package var session: SessionID?
    /// The time of a frame.
    package var time: Double?

    package init(sequence: UInt64, session: SessionID? = nil, time: Double? = nil) {
      (self.sequence, self.session, self.time) = (sequence, session, time)
    }
  }

  private static let byteCount = 4096

  /// Words: whether there is work; its sequence; its session, and whether it has one; its time, and
  /// whether it has one.
  private let memory: SharedMemory

  /// Shares a new page, which names no work.
  package init() throws(SharedMemoryError) {
    memory = try SharedMemory.create(byteCount: Self.byteCount)
    try memory.populate(0..<Self.byteCount)
  }

  /// Maps the client's page.
  package init(_ file: consuming FileDescriptor) throws(SharedMemoryError) {
    memory = try SharedMemory.open(
      descriptor: file, byteCount: Self.byteCount, access: .readWrite)
    try memory.checkHoles(in: 0..<Self.byteCount)
  }

  var descriptor: Int32 { memory.descriptor }

  /// The work that was begun and not ended; nil for none. Whatever a server wrote, this is a value.
  package var work: Work? {
    guard word(0).pointee.load(ordering: .acquiring) == 1 else { return nil }
    let words = (1...5).map { word($0).pointee.load(ordering: .relaxed) }
    return Work(
      sequence: words[0],
      session: words[2] == 1 ? SessionID(rawValue: UInt32(truncatingIfNeeded: words[1])) : nil,
      time: words[4] == 1 ? Double(bitPattern: words[3]) : nil)
  }

  package func begin(_ work: Work) {
    word(1).pointee.store(work.sequence, ordering: .relaxed)
    word(2).pointee.store(UInt64(work.session?.rawValue ?? 0), ordering: .relaxed)
    word(3).pointee.store(work.session == nil ? 0 : 1, ordering: .relaxed)
    word(4).pointee.store(work.time?.bitPattern ?? 0, ordering: .relaxed)
    word(5).pointee.store(work.time == nil ? 0 : 1, ordering: .relaxed)
    word(0).pointee.store(1, ordering: .releasing)
  }

  package func end() { word(0).pointee.store(0, ordering: .releasing) }

  private func word(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    memory.base.assumingMemoryBound(to: Atomic<UInt64>.self) + index
  }
}
