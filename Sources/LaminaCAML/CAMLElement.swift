/// An XML element of a document. It is a class because references depend on its identity.
final class CAMLElement {
  let name: String
  private(set) var attributes: [String: String]
  private(set) var children: [CAMLElement] = []
  /// The character data directly in this element.
  private(set) var text = ""
  /// The line and column at which the start tag ends, counted from 1; 0 for an element that is not
  /// in a file.
  let line: Int
  let column: Int
  /// Whether a reader has made something of the element, or has said that it is left out.
  var isRead = false
  /// Whether a reader has warned about the element.
  var hasWarning = false
  /// Whether the element is left out with all that is in it, and nothing more is to be said.
  var isLeftOut = false

  init(
    name: String, attributes: [String: String] = [:], children: [CAMLElement] = [], line: Int = 0,
    column: Int = 0
  ) {
    self.name = name
    self.attributes = attributes
    self.children = children
    self.line = line
    self.column = column
  }

  /// A value's element, named after a property, or after the value's type in a list.
  static func value(_ text: String, type: String, named name: String?) -> CAMLElement {
    name.map { CAMLElement(name: $0, attributes: ["type": type, "value": text]) }
      ?? CAMLElement(name: type, attributes: ["value": text])
  }

  subscript(attribute: String) -> String? {
    get { attributes[attribute] }
    set { attributes[attribute] = newValue }
  }

  func append(_ child: CAMLElement) { children.append(child) }
  func append(_ characters: String) { text += characters }

  func firstChild(named name: String) -> CAMLElement? { children.first { $0.name == name } }

  /// The attributes sorted by name: an order that does not depend on hashing.
  var sortedAttributes: [(name: String, value: String)] {
    attributes.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  /// The ID that this element refers to, if it is only a reference, such as `<x object="#2"/>`.
  var reference: String? {
    guard let object = attributes["object"], children.isEmpty else { return nil }
    return attributes.keys.allSatisfy { $0 == "object" || $0 == "type" || $0 == "key" }
      ? object : nil
  }

  /// This element and its descendants, in document order.
  var subtree: [CAMLElement] {
    var elements = [self]
    appendDescendants(to: &elements)
    return elements
  }

  private func appendDescendants(to elements: inout [CAMLElement]) {
    for child in children {
      elements.append(child)
      child.appendDescendants(to: &elements)
    }
  }
}
