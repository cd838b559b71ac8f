import Foundation

/// An open file descriptor with a single owner; dropping it closes the descriptor.
package struct FileDescriptor: ~Copyable, Sendable {
  package let rawValue: Int32

  /// Takes over an open descriptor.
  package init(rawValue: Int32) { self.rawValue = rawValue }

  deinit { close(rawValue) }

  /// Passes the descriptor to the caller, who must close it.
  package consuming func take() -> Int32 {
    let rawValue = rawValue
    discard self
    return rawValue
  }
}
