import LaminaValues

/// The part of a property's value that a key path names after the property.
package enum ValuePart: Hashable, Sendable {
  case member(StructureMember)
  /// An input of a filter: of the first one with that name in a list, or of the property's only
  /// one.
  case input(String, ofFilter: String?)
  /// A property of the emitter cell that the names lead to, from the emitter's own cells down, or a
  /// part of that property.
  case cell([String], EmitterCellProperty, StructureMember?)

  /// The part with this key path after the first dot, in this property; nil if unknown.
  package init?(path: some StringProtocol, of property: some StringProtocol) {
    switch property {
    case "emitterCells":
      guard let part = Self.cellPart(path) else { return nil }
      self = part
    case "filters", "backgroundFilters", "emitterBehaviors":
      guard let dot = path.lastIndex(of: ".") else { return nil }
      self = .input(String(path[path.index(after: dot)...]), ofFilter: String(path[..<dot]))
    case "compositingFilter":
      guard !path.contains(".") else { return nil }
      self = .input(String(path), ofFilter: nil)
    default:
      guard let member = StructureMember(path: path) else { return nil }
      self = .member(member)
    }
  }

  /// The part with a path such as "NAME.birthRate" or "NAME.emitterCells.NAME.contentsRect.size".
  private static func cellPart(_ path: some StringProtocol) -> ValuePart? {
    var words = String(path).split(separator: ".", omittingEmptySubsequences: false)
      .map { String($0) }
    var names: [String] = []
    while words.count >= 2, names.count < TreeLimit.emitterCellDepth {
      names.append(words.removeFirst())
      let key = words.removeFirst()
      guard let property = EmitterCellProperty(rawValue: key) else { return nil }
      guard property != .emitterCells || words.isEmpty else { continue }
      if words.isEmpty { return .cell(names, property, nil) }
      return StructureMember(path: words.joined(separator: ".")).map { .cell(names, property, $0) }
    }
    return nil
  }
}

extension AnimationValue {
  /// A part of this value; nil if values of this type have no such part.
  package func value(of part: ValuePart) -> AnimationValue? {
    switch part {
    case .member(let member): return value(of: member)
    case .input(let key, let name):
      guard let place = place(ofFilter: name), case .filter(let filter) = self[place] else {
        return nil
      }
      return key == "enabled" ? .number(filter.isEnabled ? 1 : 0) : filter[key]?.animationValue
    case .cell(let names, let property, let member):
      guard case .array(let cells) = self, let cell = Self.cell(names[...], in: cells) else {
        return nil
      }
      let whole = cell.value(of: property)
      return member.map { whole.value(of: $0) } ?? whole
    }
  }

  /// This value with one part replaced; nil if values of this type have no such part, or the part
  /// is of another type.
  package func setting(_ part: ValuePart, to new: AnimationValue) -> AnimationValue? {
    switch part {
    case .member(let member): return settingMember(member, to: new)
    case .input(let key, let name):
      guard let place = place(ofFilter: name), case .filter(var filter) = self[place] else {
        return nil
      }
      if key == "enabled" {
        guard case .number(let number) = new else { return nil }
        filter.isEnabled = number != 0
      } else {
        guard let input = FilterInput(new), filter.accepts(input, for: key) else { return nil }
        filter[key] = input
      }
      var changed = self
      changed[place] = .filter(filter)
      return changed
    case .cell(let names, let property, let member):
      guard case .array(var cells) = self else { return nil }
      let isSet = Self.change(names[...], in: &cells) { cell in
        guard let member else { return cell.set(property, to: new) }
        let whole = cell.value(of: property).settingMember(member, to: new)
        return whole.map { cell.set(property, to: $0) } ?? false
      }
      return isSet ? .array(cells) : nil
    }
  }

  private static func place(of name: String?, in cells: [AnimationValue]) -> Int? {
    cells.firstIndex { if case .cell(let cell) = $0 { cell.name == name } else { false } }
  }

  /// The cell that the names lead to.
  private static func cell(
    _ names: ArraySlice<String>, in cells: [AnimationValue]
  ) -> EmitterCellValues? {
    guard let place = place(of: names.first, in: cells), case .cell(let cell) = cells[place] else {
      return nil
    }
    guard names.count > 1 else { return cell }
    guard case .array(let inner) = cell.value(of: .emitterCells) else { return nil }
    return Self.cell(names.dropFirst(), in: inner)
  }

  /// Changes the cell that the names lead to; returns false if there is none or it refuses.
  private static func change(
    _ names: ArraySlice<String>, in cells: inout [AnimationValue],
    _ body: (inout EmitterCellValues) -> Bool
  ) -> Bool {
    guard let place = place(of: names.first, in: cells), case .cell(var cell) = cells[place] else {
      return false
    }
    if names.count == 1 {
      guard body(&cell) else { return false }
    } else {
      guard case .array(var inner) = cell.value(of: .emitterCells),
        change(names.dropFirst(), in: &inner, body),
        cell.set(.emitterCells, to: .array(inner))
      else { return false }
    }
    cells[place] = .cell(cell)
    return true
  }

  /// Index of the filter in the list, or −1 if the value itself is the filter.
  private func place(ofFilter name: String?) -> Int? {
    switch (self, name) {
    case (.filter, nil): -1
    case (.array(let elements), let name?):
      elements.firstIndex {
        if case .filter(let filter) = $0 { filter.pathName == name } else { false }
      }
    default: nil
    }
  }

  private subscript(place: Int) -> AnimationValue {
    get {
      if place >= 0, case .array(let elements) = self { elements[place] } else { self }
    }
    set {
      if place >= 0, case .array(var elements) = self {
        elements[place] = newValue
        self = .array(elements)
      } else {
        self = newValue
      }
    }
  }
}

extension FilterInput {
  package var animationValue: AnimationValue {
    switch self {
    case .number(let number): .number(number)
    case .numbers(let numbers): .array(numbers.map { .number($0) })
    case .color(let color): .color(color)
    case .string(let string): .string(string)
    case .image(let image): .image(image)
    }
  }

  package init?(_ value: AnimationValue) {
    switch value {
    case .number(let number) where !number.isNaN: self = .number(number)
    case .color(let color) where color.isFinite: self = .color(color)
    case .string(let string): self = .string(string)
    case .image(let image): self = .image(image)
    case .point(let point) where point.x.isFinite && point.y.isFinite:
      self = .numbers([Double(point.x), Double(point.y)])
    case .array(let values):
      let numbers = values.compactMap { value -> Double? in
        if case .number(let number) = value, !number.isNaN { number } else { nil }
      }
      guard numbers.count == values.count else { return nil }
      self = .numbers(numbers)
    default: return nil
    }
  }
}

extension FilterValues {
  /// Interpolates the inputs that two filters of the same type share, if the inputs' types match;
  /// everything else switches halfway.
  func interpolated(to end: FilterValues, fraction: Double) -> FilterValues {
    var mixed = fraction < 0.5 ? self : end
    guard type == end.type else { return mixed }
    for key in Set((inputs + end.inputs).map(\.key)).sorted() {
      guard let from = self[key], let to = end[key], from.isLike(to) else { continue }
      let value = from.animationValue.interpolated(to: to.animationValue, fraction: fraction)
      if let input = FilterInput(value) { mixed[key] = input }
    }
    return mixed
  }
}
