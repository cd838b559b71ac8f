import Foundation
import Lamina
import LaminaCAML

/// The exit status of the process.
enum ExitStatus: Int32 {
  case success = 0
  /// A comparison found a difference.
  case different = 1
  /// Bad usage, input that cannot be read, output that cannot be written.
  case badInput = 2
  /// The render process failed.
  case renderFailed = 3
}

/// What an error is to the user: a line and an exit status.
struct ToolFailure {
  let message: String
  let status: ExitStatus

  init(_ error: any Error) {
    switch error {
    case let error as UsageError: (message, status) = (error.message, .badInput)
    case let error as OutputError: (message, status) = (error.message, .badInput)
    case let error as InputError: (message, status) = (error.message, .badInput)
    case is CAMLError, is ImageError: (message, status) = ("\(error)", .badInput)
    default: (message, status) = ("\(error)", .renderFailed)
    }
  }
}

/// An input that cannot be used. The message is one line.
struct InputError: Error, Equatable {
  var message: String
  init(_ message: String) { self.message = message }
}

/// Prints messages for the user to standard error.
enum Report {
  static func error(_ message: String) { line("lamina: \(oneLine(message))") }

  static func note(_ message: String) { line("lamina: \(message)") }

  static func warning(_ diagnostic: CAMLDiagnostic) { line("lamina: \(oneLine("\(diagnostic)"))") }

  private static func line(_ text: String) { write(text + "\n") }

  /// Writes to standard error; does nothing if that is closed.
  static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// The message without line breaks and control characters, which quotes from files may contain.
  static func oneLine(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
