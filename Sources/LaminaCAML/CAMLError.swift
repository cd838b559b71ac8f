/// A place in a document's file. Lines and columns count from 1; an element's place is where its
/// start tag ends.
public struct CAMLLocation: Hashable, Sendable, CustomStringConvertible {
  /// The file's path, as it was reached from the path that the caller gave.
  public var file: String
  /// 0 where the whole file is meant.
  public var line: Int
  /// 0 where the whole line is meant.
  public var column: Int

  public init(file: String, line: Int = 0, column: Int = 0) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `file:line:column`, without what is 0.
  public var description: String {
    if line == 0 { return file }
    return column == 0 ? "\(file):\(line)" : "\(file):\(line):\(column)"
  }
}

/// Something in a document that was left out or looks wrong, and did not stop the reading.
public struct CAMLDiagnostic: Hashable, Sendable, CustomStringConvertible {
  public var location: CAMLLocation
  /// One line, without the location.
  public var message: String

  public init(location: CAMLLocation, message: String) {
    self.location = location
    self.message = message
  }

  /// `file:line: warning: message`.
  public var description: String {
    let place = CAMLLocation(file: location.file, line: location.line)
    return "\(place): warning: \(message)"
  }
}

/// Why a document cannot be read, or a state cannot be set.
public struct CAMLError: Error, Hashable, CustomStringConvertible {
  public enum Code: Hashable, Sendable {
    /// The file is not there, cannot be read, or is not of a kind that is understood.
    case unreadable
    /// The file's XML is not well formed, or exceeds a limit.
    case malformed
    /// The XML is no Core Animation document.
    case notADocument
    /// The document has no state of the name asked for.
    case unknownState
  }

  public var code: Code
  public var location: CAMLLocation
  /// One line, without the location.
  public var message: String

  public init(_ code: Code, at location: CAMLLocation, _ message: String) {
    self.code = code
    self.location = location
    self.message = message
  }

  /// `file:line:column: message`.
  public var description: String { "\(location): \(message)" }
}
