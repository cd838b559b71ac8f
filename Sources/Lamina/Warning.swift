import Foundation
import LaminaValues

/// Warnings for the programmer, one line each, about requests that Lamina did not carry out.
package final class Warnings: Sendable {
  /// The current task's warnings. Default: lines on standard error.
  @TaskLocal package static var current = Warnings { line in
    // The app may have closed its standard error.
    try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
  }

  private let write: @Sendable (String) -> Void
  private let subjects = Lock<Set<String>>([])
  /// Largest number of subjects remembered, so that an app that keeps making up new names cannot
  /// exhaust memory.
  private static let subjectLimit = 1024

  /// `write` gets whole lines, without the line break.
  package init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  func report(_ message: String) { write("lamina: warning: \(message)") }

  func report(_ message: @autoclosure () -> String, onceFor subject: String) {
    let isNew = subjects.withLock { subjects in
      subjects.count < Self.subjectLimit && subjects.insert(subject).inserted
    }
    if isNew { report(message()) }
  }
}

/// Writes one warning line.
func warn(_ message: String) { Warnings.current.report(message) }

/// Writes one warning line, unless there was one about the same subject before.
func warn(_ message: @autoclosure () -> String, onceFor subject: String) {
  Warnings.current.report(message(), onceFor: subject)
}
