import Foundation
import LaminaAnimation
import LaminaValues

extension Commit: CustomStringConvertible {
  /// One line per item, in the order of effect. Equal commits have equal texts.
  package var description: String {
    var lines = ["commit \(sequence)"]
    for store in stores { lines.append("  \(store)") }
    for creation in created { lines.append("  create \(creation.layer) \(creation.kind)") }
    for edit in edits { lines.append("  \(edit)") }
    for change in changes {
      for property in change.properties {
        let value = change.values.text(of: property)
        lines.append("  set \(change.layer) \(property.key) = \(value)")
      }
    }
    for animation in animations {
      switch animation {
      case .add(let layer, let key, let animation):
        let text = animation.text(indent: "    ")
        lines.append("  animate \(layer) \(key.quoted): \(text)")
      case .remove(let layer, let key): lines.append("  stop \(layer) \(key.quoted)")
      }
    }
    for root in roots {
      lines.append("  root of \(root.session): \(root.layer.map { "\($0)" } ?? "none")")
    }
    for layer in destroyed { lines.append("  destroy \(layer)") }
    for image in releasedStores { lines.append("  release \(image)") }
    return lines.joined(separator: "\n")
  }
}

extension Commit.TreeEdit: CustomStringConvertible {
  package var description: String {
    switch self {
    case .insert(let child, let parent, let index): "insert \(child) into \(parent) at \(index)"
    case .remove(let child): "remove \(child)"
    case .setMask(let mask, let layer): "mask \(layer) with \(mask)"
    }
  }
}

extension Commit.StoreUpdate: CustomStringConvertible {
  package var description: String {
    let changed = dirty.map { $0.map(\.description).joined(separator: " ") } ?? "all"
    let opaque = isOpaque ? " opaque" : ""
    let start = "store \(image) \(layout.size)\(opaque) \(layout.format), "
    return switch place {
    case .memory(let memory):
      start + "\(layout.stride) bytes a row, in \(memory.arena) at \(memory.offset), "
        + "changed: \(changed)"
    case .dmaBuf(let id): start + "in \(id)"
    }
  }
}

extension AnimationDescription {
  /// One line, and one more for each member of a group.
  func text(indent: String) -> String {
    var words: [String] = []
    var members: [AnimationDescription] = []
    switch content {
    case .basic(let target, let values): words = ["basic", target.text, values.text]
    case .keyframe(let target, let values): words = ["keyframes", target.text, values.text]
    case .spring(let target, let values, let spring):
      words = ["spring", target.text, values.text, spring.text]
    case .group(let animations):
      words = ["group of \(animations.count)"]
      members = animations
    case .transition(let values): words = ["transition", values.text]
    }
    words.append(timing.text)
    if let timingCurve { words.append("curve \(timingCurve.text)") }
    if !isRemovedOnCompletion { words.append("stays") }
    let line = words.filter { !$0.isEmpty }.joined(separator: ", ")
    return ([line] + members.map { indent + $0.text(indent: indent + "  ") })
      .joined(separator: "\n")
  }
}

extension AnimationDescription.PropertyTarget {
  fileprivate var text: String {
    keyPath + (valueFunction.map { " through \($0)" } ?? "") + (isAdditive ? " additive" : "")
      + (isCumulative ? " cumulative" : "")
  }
}

extension AnimationDescription.BasicValues {
  fileprivate var text: String {
    [("from", from), ("to", to), ("by", by)]
      .filter { $0.1 != .none }
      .map { "\($0.0) \($0.1.text)" }
      .joined(separator: " ")
  }
}

extension AnimationDescription.KeyframeValues {
  fileprivate var text: String {
    var words = ["\(calculationMode)"]
    if let path {
      words.append("along \(AnimationValue.path(path).text)")
    } else {
      words.append("values [\(values.map(\.text).joined(separator: ", "))]")
    }
    if let keyTimes { words.append("times \(keyTimes.text)") }
    if !timingCurves.isEmpty {
      words.append("curves [\(timingCurves.map(\.text).joined(separator: ", "))]")
    }
    if !tensionValues.isEmpty { words.append("tension \(tensionValues.text)") }
    if !continuityValues.isEmpty { words.append("continuity \(continuityValues.text)") }
    if !biasValues.isEmpty { words.append("bias \(biasValues.text)") }
    if rotationMode != .none { words.append("rotation \(rotationMode)") }
    return words.joined(separator: " ")
  }
}

extension AnimationDescription.SpringParameters {
  fileprivate var text: String {
    "mass \(mass.text) stiffness \(stiffness.text) damping \(damping.text) "
      + "velocity \(initialVelocity.text)" + (allowsOverdamping ? " overdamping" : "")
  }
}

extension AnimationDescription.TransitionValues {
  fileprivate var text: String {
    "\(style) \(side) \(startProgress.text) to \(endProgress.text)"
  }
}

extension TimingCurve {
  fileprivate var text: String { [c1x, c1y, c2x, c2y].text }
}

extension MediaTiming {
  /// The members that differ from the defaults, and always the begin time and the duration.
  fileprivate var text: String {
    var words = ["begin \(beginTime.text)", "duration \(duration.text)"]
    if speed != 1 { words.append("speed \(speed.text)") }
    if timeOffset != 0 { words.append("offset \(timeOffset.text)") }
    if repeatCount != 0 { words.append("repeat \(repeatCount.text)") }
    if repeatDuration != 0 { words.append("repeat for \(repeatDuration.text)") }
    if autoreverses { words.append("autoreverses") }
    if fillMode != .removed { words.append("fill \(fillMode)") }
    return words.joined(separator: " ")
  }
}

private struct FieldDescriber: LayerFieldReader {
  var text = ""
  mutating func read<Field: LayerField>(_ field: Field) {
    text =
      switch field {
      case let flag as Bool: "\(flag)"
      default: field.animationValue.text
      }
  }
}

extension LayerValues {
  fileprivate func text(of property: StoredProperty) -> String {
    var describer = FieldDescriber()
    withUnsafePointer(to: self) { Self.read(property, at: $0, with: &describer) }
    return describer.text
  }
}

extension FilterValues {
  package var text: String {
    let values = inputs.map { "\($0.key): \($0.value.animationValue.text)" }
    return type + (name.map { " \($0.quoted)" } ?? "") + "(\(values.joined(separator: ", ")))"
      + (isEnabled ? "" : " disabled")
  }
}

extension AnimationValue {
  /// The value in a few words, on one line.
  package var text: String {
    switch self {
    case .none: "none"
    case .number(let number): number.text
    case .point(let point): "(\(point.text))"
    case .size(let size): "\(Double(size.width).text)x\(Double(size.height).text)"
    case .rect(let rect):
      "(\(rect.origin.text) \(Double(rect.width).text)x\(Double(rect.height).text))"
    case .transform(let m):
      m.isIdentity
        ? "identity"
        : [
          m.m11, m.m12, m.m13, m.m14, m.m21, m.m22, m.m23, m.m24, m.m31, m.m32, m.m33, m.m34,
          m.m41, m.m42, m.m43, m.m44,
        ].map { Double($0) }.text
    case .color(let color):
      "\(color.spaceKind)(\(color.c0.text) \(color.c1.text) \(color.c2.text), "
        + "\(Double(color.alpha).text))"
    case .path(let path):
      "path of \(path.elements.count) [\(path.elements.map(\.text).joined(separator: " "))]"
    case .image(let id): "\(id)"
    case .string(let string): string.quoted
    case .filter(let filter): filter.text
    case .cell(let cell): cell.text
    case .array(let values): "[\(values.map(\.text).joined(separator: ", "))]"
    }
  }
}

extension Path.Element {
  fileprivate var text: String {
    switch self {
    case .move(let p): "M\(p.text)"
    case .line(let p): "L\(p.text)"
    case .quad(let c, let p): "Q\(c.text) \(p.text)"
    case .cubic(let c1, let c2, let p): "C\(c1.text) \(c2.text) \(p.text)"
    case .close: "Z"
    }
  }
}

extension CGPoint {
  fileprivate var text: String { "\(Double(x).text),\(Double(y).text)" }
}

extension [Double] {
  fileprivate var text: String { "[\(map(\.text).joined(separator: " "))]" }
}

extension Double {
  /// The shortest text that reads back as the same number, without a trailing ".0".
  fileprivate var text: String {
    let text = description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension String {
  /// The string as a literal, always on one line.
  fileprivate var quoted: String { debugDescription }
}

extension EmitterCellValues {
  /// The properties that differ from the defaults.
  fileprivate var text: String {
    let usual = EmitterCellValues()
    let words = EmitterCellProperty.allCases.compactMap { property -> String? in
      let value = value(of: property)
      return value == usual.value(of: property) ? nil : "\(property.rawValue) \(value.text)"
    }
    return "cell(\(words.joined(separator: ", ")))"
  }
}
