/// A place in a document's file. Lines and columns count from 1; an element's place is where its
/// start tag ends.
public struct CAMLLocation: Hashable, Sendable, CustomStringConvertible {
  /// The file's path, beginning with the path that the caller gave.
  public var file: String
  /// The line; 0 for the whole file.
  public var line: Int
  /// The column; 0 for the whole line.
  public var column: Int

  /// A place in a file; a line or column of 0 stands for all of them.
  public init(file: String, line: Int = 0, column: Int = 0) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `file:line:column`, without the parts that are 0.
  public var description: String {
    if line == 0 { return file }
    return column == 0 ? "\(file):\(line)" : "\(file):\(line):\(column)"
  }
}

/// A warning about something in a document that was left out or looks wrong but did not prevent
/// reading it.
public struct CAMLDiagnostic: Hashable, Sendable, CustomStringConvertible {
  /// Where in the document's files it is.
  public var location: CAMLLocation
  /// One line, without the location.
  public var message: String

  /// A warning; `message` is one line without the location.
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

/// An error that prevents reading or writing a document, or applying a state.
public struct CAMLError: Error, Hashable, CustomStringConvertible {
  /// What is wrong.
  public enum Code: Hashable, Sendable {
    /// The file does not exist, cannot be read, or is of an unknown kind.
    case unreadable
    /// The file's XML is not well formed, or exceeds a limit.
    case malformed
    /// The XML is not a Core Animation document.
    case notADocument
    /// The document has no state of the name asked for.
    case unknownState
    /// The process has no memory or no descriptor left for an image or a font of the document.
    case noResources
    /// The document cannot be written.
    case unwritable
  }

  /// What is wrong.
  public var code: Code
  /// Where in the document's files it is.
  public var location: CAMLLocation
  /// One line, without the location.
  public var message: String

  /// An error; `message` is one line without the location.
  public init(_ code: Code, at location: CAMLLocation, _ message: String) {
    self.code = code
    self.location = location
    self.message = message
  }

  /// `file:line:column: message`.
  public var description: String { "\(location): \(message)" }
}
