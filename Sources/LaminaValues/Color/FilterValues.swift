/// A filter as plain data: its type, the name by which key paths address it, and its inputs, sorted
/// by key, each once.
package struct FilterValues: Hashable, Sendable {
  package var type: String
  /// nil if the filter is named by its type.
  package var name: String?
  package var isEnabled = true
  package var inputs: [Input] = []

  package struct Input: Hashable, Sendable {
    package var key: String
    package var value: FilterInput

    package init(key: String, value: FilterInput) {
      self.key = key
      self.value = value
    }
  }

  package init(type: String, name: String? = nil) {
    self.type = type
    self.name = name
  }

  /// The filter's name in key paths.
  package var pathName: String { name ?? type }

  /// The value of an input: the one that was set, else the type's default; nil if there is neither.
  package subscript(key: String) -> FilterInput? {
    get {
      inputs.first { $0.key == key }?.value
        ?? FilterKind(type: type)?.defaults.first { $0.key == key }?.value
    }
    set {
      inputs.removeAll { $0.key == key }
      guard let newValue else { return }
      let place = inputs.firstIndex { $0.key > key } ?? inputs.count
      inputs.insert(Input(key: key, value: newValue), at: place)
    }
  }

  package func number(_ key: String) -> Double {
    if case .number(let number)? = self[key] { number } else { 0 }
  }

  /// Whether an input can have a value: one of its type, for an input that the filter has.
  package func accepts(_ input: FilterInput, for key: String) -> Bool {
    guard let known = self[key] else { return input.isImage == (key == imageKey) }
    return known.isLike(input)
  }

  private var imageKey: String? { FilterKind(type: type)?.imageKey }

  /// The image among the inputs; nil if none is set.
  package var image: ImageID? {
    guard let key = imageKey, case .image(let id)? = self[key] else { return nil }
    return id
  }
}

/// The value of a filter's input.
package enum FilterInput: Hashable, Sendable {
  case number(Double)
  case numbers([Double])
  case color(CGColor)
  case string(String)
  case image(ImageID)

  fileprivate var isImage: Bool { if case .image = self { true } else { false } }

  /// Whether `other` is of the same type.
  package func isLike(_ other: FilterInput) -> Bool {
    switch (self, other) {
    case (.number, .number), (.numbers, .numbers), (.color, .color), (.string, .string),
      (.image, .image):
      true
    default: false
    }
  }
}
