import Foundation

/// The variables of a process's environment.
package struct Environment: Sendable, ExpressibleByDictionaryLiteral {
  /// nil for those of this process.
  private let variables: [String: String]?

  /// This process's. Foundation's copies all of them, each time that one is asked for.
  package static let process = Environment(variables: nil)

  private init(variables: [String: String]?) { self.variables = variables }

  package init(_ variables: [String: String]) { self.init(variables: variables) }

  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(Dictionary(elements) { $1 })
  }

  package subscript(name: String) -> String? {
    if let variables { return variables[name] }
    return getenv(name).map { String(cString: $0) }
  }
}
