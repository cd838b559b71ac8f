import Foundation

/// An open file descriptor with one owner, who closes it by dropping it.
package struct FileDescriptor: ~Copyable, Sendable {
  package let rawValue: Int32

  /// Takes over an open descriptor.
  package init(rawValue: Int32) { self.rawValue = rawValue }

  deinit { close(rawValue) }

  /// Hands the descriptor to the caller, who closes it.
  package consuming func take() -> Int32 {
    let rawValue = rawValue
    discard self
    return rawValue
  }
}
