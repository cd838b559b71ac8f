import Lamina

/// The layer properties that documents set, by their names in documents, which are also their keys
/// in key-value coding.
enum DocumentedProperties {
  /// The kind of the property `key` of a class; nil if the class has no such property.
  static func kind(of key: String, className: String) -> CAMLKind? {
    // This is a property of emitter cells, but files also set it on emitter layers.
    if key == "spinBias", className == "CAEmitterLayer" { return .number }
    guard let kind = CALayer.kind(ofKey: key, className: className) else { return nil }
    return unbounded.contains(key) ? .timing : CAMLKind(kind)
  }

  /// Times and counts that may be infinite.
  private static let unbounded: Set<String> = [
    "beginTime", "duration", "repeatCount", "repeatDuration",
  ]

  static let fillModes = kind(of: "fillMode", className: "CALayer")?.names ?? []

  /// The kind of the value at a key path, including members of structures.
  static func kind(ofKeyPath keyPath: String, className: String) -> CAMLKind? {
    guard let dot = keyPath.firstIndex(of: ".") else {
      return kind(of: keyPath, className: className)
    }
    if keyPath.hasPrefix("emitterCells."), className == "CAEmitterLayer" {
      return cellKind(ofKeyPath: keyPath)
    }
    if keyPath.hasPrefix("emitterBehaviors."), className == "CAEmitterLayer",
      let last = keyPath.lastIndex(of: ".")
    {
      return behaviorInput(String(keyPath[keyPath.index(after: last)...]))
    }
    if isInFilter(keyPath), let last = keyPath.lastIndex(of: ".") {
      let key = String(keyPath[keyPath.index(after: last)...])
      return key == "enabled" ? .bool : filterInput(key)
    }
    return kind(of: String(keyPath[..<dot]), className: className)?
      .member(keyPath[keyPath.index(after: dot)...])
  }
}

extension DocumentedProperties {
  /// The kind of a property of an emitter cell; nil if cells have no such property, or one that is
  /// an object of its own.
  static func cellKind(of key: String) -> CAMLKind? {
    guard let kind = CAEmitterCell.kind(ofKey: key) else { return nil }
    return unbounded.contains(key) || key == "lifetime" ? .timing : CAMLKind(kind)
  }

  /// The kind of the value at a path such as `emitterCells.NAME.birthRate`. Names may be any text
  /// without dots.
  private static func cellKind(ofKeyPath keyPath: String) -> CAMLKind? {
    var words = keyPath.split(separator: ".", omittingEmptySubsequences: false)
    while words.count >= 3, words[0] == "emitterCells" { words.removeFirst(2) }
    guard let key = words.first, let kind = cellKind(of: String(key)) else { return nil }
    return words.count == 1
      ? kind : kind.member(Substring(words.dropFirst().joined(separator: ".")))
  }

  /// The kind of an emitter behaviour's input in animations and states.
  private static func behaviorInput(_ key: String) -> CAMLKind {
    switch key {
    case "enabled": .bool
    case "position": .point
    case "force", "colors", "values", "locations": .numbers
    case "keyPath", "attractorType": .string
    default: .number
    }
  }

  /// The attributes of cells in files that are read without an effect: nothing is known of what
  /// they do. The frames are those of images that hold several, side by side.
  static let unusedInCells: Set<String> = [
    "contentsFrameCount", "contentsFrameMode", "contentsFramesPerSecond", "spinBias",
    "velocityBias", "scaleBias", "lifetimeBias", "mass", "massRange",
  ]
}

/// Names in files that only the editors that wrote them use.
enum IgnoredNames {
  private static let names: Set<String> = [
    "MicaAssetManifest", "hash", "animationType", "delegate", "locked", "relativePath",
    "scriptObject", "scriptComponents", "modules", "description", "debugDescription",
  ]
  private static let prefixes = ["caplay", "mica_", "CUI_", "xmlns"]

  static func contains(_ name: String) -> Bool {
    names.contains(name) || prefixes.contains { name.hasPrefix($0) }
  }
}
