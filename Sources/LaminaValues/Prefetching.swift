import CLinux

extension UnsafeRawPointer {
  /// Has the processor fetch what lies here, so many cache lines of it, while it does something
  /// else. Nothing need be there.
  @inlinable @inline(__always)
  package func prefetch(lines: Int) {
    for line in 0..<lines { lamina_prefetch(self + 64 * line) }
  }
}
