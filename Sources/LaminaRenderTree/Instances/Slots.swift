/// Values that keep their indices until they are removed. Free indices are used again.
package struct Slots<Element> {
  private var elements: [Element?] = []
  private var free: [Int] = []

  package init() {}

  var count: Int { elements.count - free.count }
  package var isEmpty: Bool { count == 0 }

  func holds(_ index: Int) -> Bool { elements[index] != nil }

  mutating func add(_ element: Element) -> Int {
    guard let index = free.popLast() else {
      elements.append(element)
      return elements.count - 1
    }
    elements[index] = element
    return index
  }

  mutating func remove(_ index: Int) {
    elements[index] = nil
    free.append(index)
  }

  /// Passes the elements, by index, to be read in place; nil if there are none.
  package func withElements<Result>(
    _ body: (UnsafePointer<Element?>?) -> Result
  ) -> Result {
    elements.withUnsafeBufferPointer { body($0.baseAddress) }
  }

  package subscript(index: Int) -> Element {
    get { elements[index]! }
    _modify { yield &elements[index]! }
  }
}
