import LaminaAnimation
import LaminaCommit

extension CALayer {
  /// Warns, once for each class and key path, of animations of properties that do not exist and of
  /// values that the property cannot have.
  final func checkTargets(of description: AnimationDescription) {
    switch description.content {
    case .basic(let target, let values), .spring(let target, let values, _):
      check(target, [values.from, values.to, values.by])
    case .keyframe(let target, let keyframes):
      check(target, keyframes.path == nil ? keyframes.values : [.point(.zero)])
    case .group(let members):
      for member in members { checkTargets(of: member) }
    case .transition: break
    }
  }

  private func check(
    _ target: AnimationDescription.PropertyTarget, _ values: [AnimationValue]
  ) {
    let keyPath = target.keyPath
    var className: String { String(describing: Swift.type(of: self)) }
    guard let (property, part) = storedTarget(keyPath) else {
      guard !declares(keyPath) else { return }
      warn(
        "an animation of \(keyPath) does nothing: a \(className) has no such property to animate",
        onceFor: "\(className).\(keyPath)")
      return
    }
    let refused = values.first {
      !$0.isNone && !canAnimate(property, part, to: $0, by: target.valueFunction)
    }
    guard let refused else { return }
    warn(
      "an animation of \(keyPath) of a \(className) cannot take \(refused.kindName)",
      onceFor: "\(className).\(keyPath) value")
  }

  private func storedTarget(_ keyPath: String) -> (property: StoredProperty, part: ValuePart?)? {
    if let whole = storedProperty(keyPath) { return (whole, nil) }
    guard let path = PropertyPath(keyPath), let part = path.part,
      let property = storedProperty(path.key)
    else { return nil }
    // The filter may be added to the list later, so an unknown member is no reason to warn.
    if case .member(let member) = part, modelValues.value(of: property).value(of: member) == nil {
      return nil
    }
    return (property, part)
  }

  /// Whether the app declares the key path, or its part before the first dot: by setting a value
  /// for it, in `style`, or in the layer's class.
  private func declares(_ keyPath: String) -> Bool {
    let key = String(keyPath.prefix { $0 != "." })
    return [keyPath, key].contains {
      undefinedValues[$0] != nil || styleValue(forKey: $0) != nil || isDeclaredByClass($0)
    }
  }

  private func isDeclaredByClass(_ key: String) -> Bool {
    guard isOfProgramClass, storedProperty(key) == nil else { return false }
    let type = Swift.type(of: self)
    return type.needsDisplay(forKey: key) || type.defaultValue(forKey: key) != nil
      || unsetValue(forKey: key) != nil
      || value(forUndefinedKey: key) != nil
      || publicValue(forKey: key) == nil && value(forKey: key) != nil
  }

  private func canAnimate(
    _ property: StoredProperty, _ part: ValuePart?, to value: AnimationValue,
    by function: ValueFunction?
  ) -> Bool {
    if let function, function.input(from: value) == nil { return false }
    let value = function == nil ? value : .transform(.identity)
    switch part {
    case nil:
      var values = modelValues
      return values.set(property, to: value)
    case .member(let member):
      return modelValues.value(of: property).settingMember(member, to: value) != nil
    case .input: return true
    case .cell:
      // Cells may get their names later.
      guard let part, case .array = modelValues.value(of: property) else { return true }
      let whole = modelValues.value(of: property)
      return whole.value(of: part) == nil || whole.setting(part, to: value) != nil
    }
  }
}

extension AnimationValue {
  fileprivate var kindName: String {
    switch self {
    case .none: "nothing"
    case .number(let number): "the number \(number)"
    case .point(let point): "the point (\(point.x), \(point.y))"
    case .size(let size): "the size \(size.width) × \(size.height)"
    case .rect: "a rectangle"
    case .transform: "a transform"
    case .color: "a color"
    case .path: "a path"
    case .image: "an image"
    case .string(let string): "the string \"\(string)\""
    case .filter(let filter): "the filter \(filter.type)"
    case .cell: "an emitter cell"
    case .array(let values): "an array of \(values.count)"
    }
  }
}
