import CLinux
import Foundation

/// An open file descriptor with a single owner; dropping it closes the descriptor.
package struct FileDescriptor: ~Copyable, Sendable {
  package let rawValue: Int32

  /// Takes over an open descriptor.
  package init(rawValue: Int32) { self.rawValue = rawValue }

  deinit { close(rawValue) }

  /// Whether this process may open so many more files now, at most 16.
  package static func canOpen(_ count: Int) -> Bool { lamina_can_open(Int32(clamping: count)) }

  /// Passes the descriptor to the caller, who must close it.
  package consuming func take() -> Int32 {
    let rawValue = rawValue
    discard self
    return rawValue
  }
}
