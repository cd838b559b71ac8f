import CLinux

extension UnsafeRawPointer {
  /// Has the processor fetch what lies here, so many cache lines of it, while it does something
  /// else. Nothing need be there.
  @inlinable @inline(__always)
  package func prefetch(lines: Int) {
    for line in 0..<lines { lamina_prefetch(self + 64 * line) }
  }
}

extension RandomAccessCollection where Index == Int {
  /// The element whose memory to fetch while the one at `place` is worked on: a few places later,
  /// so that it is there in time. nil at the end.
  @inlinable @inline(__always)
  package func soon(after place: Int) -> Element? {
    place + 4 < endIndex ? self[place + 4] : nil
  }
}
