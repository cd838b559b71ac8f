import Foundation

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

  /// Largest number of characters of a message that are shown: a value in it may have millions.
  package static let lengthLimit = 400

  package func report(_ message: String) {
    // Bytes need no counting, and are no fewer.
    let isShort = message.utf8.count <= Self.lengthLimit || message.count <= Self.lengthLimit
    let shown = isShort ? message : "\(message.prefix(Self.lengthLimit))…"
    write("lamina: warning: \(shown)")
  }

  package func report(_ message: @autoclosure () -> String, onceFor subject: String) {
    let isNew = subjects.withLock { subjects in
      subjects.count < Self.subjectLimit && subjects.insert(subject).inserted
    }
    if isNew { report(message()) }
  }

  /// As above, but for a kind of subjects of which a document may name thousands: from the
  /// `limit`th on, there are no more warnings, and the last one says so.
  package func report(
    _ message: @autoclosure () -> String, onceFor name: String, ofKind kind: String, limit: Int
  ) {
    let subject = "\(kind) \(name)"
    let number: Int? = subjects.withLock { subjects in
      let known = subjects.count { $0.hasPrefix("\(kind) ") }
      return known < limit && subjects.insert(subject).inserted ? known + 1 : nil
    }
    guard let number else { return }
    report(message() + (number == limit ? "; others are not named" : ""))
  }
}

/// Writes one warning line.
package func warn(_ message: String) { Warnings.current.report(message) }

/// Writes one warning line, unless there was one about the same subject before.
package func warn(_ message: @autoclosure () -> String, onceFor subject: String) {
  Warnings.current.report(message(), onceFor: subject)
}
