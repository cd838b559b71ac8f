/// An XML element as it stands in a document. A class, since references are told apart by which
/// element they lead to.
final class CAMLElement {
  let name: String
  let attributes: [String: String]
  private(set) var children: [CAMLElement] = []
  /// The character data directly in this element.
  private(set) var text = ""
  /// Where the start tag ends, from 1.
  let line: Int
  let column: Int

  init(name: String, attributes: [String: String] = [:], line: Int, column: Int) {
    self.name = name
    self.attributes = attributes
    self.line = line
    self.column = column
  }

  subscript(attribute: String) -> String? { attributes[attribute] }

  func append(_ child: CAMLElement) { children.append(child) }
  func append(_ characters: String) { text += characters }

  func firstChild(named name: String) -> CAMLElement? { children.first { $0.name == name } }

  /// Attributes in an order that does not depend on hashing.
  var sortedAttributes: [(name: String, value: String)] {
    attributes.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  /// What this element refers to, where it is only a reference: `<x object="#2"/>`.
  var reference: String? {
    guard let object = attributes["object"], children.isEmpty else { return nil }
    return attributes.keys.allSatisfy { $0 == "object" || $0 == "type" || $0 == "key" }
      ? object : nil
  }

  /// This element and all below it, in document order.
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
