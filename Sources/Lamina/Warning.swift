import Foundation
import LaminaValues

/// Lines for the programmer, about what Lamina did not do as asked.
package final class Warnings: Sendable {
  /// Those of this task. Default: lines on standard error.
  @TaskLocal package static var current = Warnings { line in
    // A program may have closed its standard error.
    try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
  }

  private let write: @Sendable (String) -> Void
  private let subjects = Lock<Set<String>>([])
  /// The most subjects that are remembered, so that a program which makes up names without end
  /// does not fill the memory.
  private static let subjectLimit = 1024

  /// `write` is handed whole lines, without the line break.
  package init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  func report(_ message: String) { write("lamina: warning: \(message)") }

  func report(_ message: @autoclosure () -> String, onceFor subject: String) {
    let isNew = subjects.withLock { subjects in
      subjects.count < Self.subjectLimit && subjects.insert(subject).inserted
    }
    if isNew { report(message()) }
  }
}

/// Tells the programmer something, in a line.
func warn(_ message: String) { Warnings.current.report(message) }

/// Tells the programmer something, unless something was told of that subject before.
func warn(_ message: @autoclosure () -> String, onceFor subject: String) {
  Warnings.current.report(message(), onceFor: subject)
}
