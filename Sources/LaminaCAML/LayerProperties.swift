/// The properties that documents give to layers, by the name they have there, which is the key
/// that key-value coding takes.
enum LayerProperties {
  static let common: [String: CAMLKind] = [
    "bounds": .rect, "position": .point, "zPosition": .number, "anchorPoint": .point,
    "anchorPointZ": .number, "transform": .transform, "sublayerTransform": .transform,
    "hidden": .bool, "doubleSided": .bool, "geometryFlipped": .bool, "masksToBounds": .bool,
    "backgroundColor": .color, "opacity": .number, "cornerRadius": .number,
    "borderWidth": .number, "borderColor": .color, "maskedCorners": .integer,
    "cornerCurve": .name(["circular", "continuous"]),
    "allowsGroupOpacity": .bool, "allowsEdgeAntialiasing": .bool, "edgeAntialiasingMask": .integer,
    "contents": .image, "contentsRect": .rect, "contentsCenter": .rect, "contentsScale": .number,
    "contentsGravity": .name([
      "resize", "resizeAspect", "resizeAspectFill", "center", "top", "bottom", "left", "right",
      "topLeft", "topRight", "bottomLeft", "bottomRight",
    ]),
    "contentsFormat": .name(["RGBA8", "RGBAh", "Gray8", "Automatic"]),
    "contentsMultiplyColor": .color,
    "minificationFilter": .name(filters), "magnificationFilter": .name(filters),
    "minificationFilterBias": .number,
    "compositingFilter": .string, "shouldRasterize": .bool, "rasterizationScale": .number,
    "opaque": .bool,
    "shadowColor": .color, "shadowOpacity": .number, "shadowOffset": .size,
    "shadowRadius": .number, "shadowPath": .path,
    "beginTime": .timing, "duration": .timing, "speed": .number, "timeOffset": .number,
    "repeatCount": .timing, "repeatDuration": .timing, "autoreverses": .bool,
    "fillMode": .name(fillModes),
    "name": .string, "needsDisplayOnBoundsChange": .bool, "drawsAsynchronously": .bool,
    "autoresizingMask": .integer, "wantsExtendedDynamicRangeContent": .bool,
  ]

  static let fillModes = ["removed", "forwards", "backwards", "both"]
  private static let filters = ["linear", "nearest", "trilinear"]

  private static let shape: [String: CAMLKind] = [
    "path": .path, "fillColor": .color, "strokeColor": .color,
    "fillRule": .name(["non-zero", "even-odd"]), "lineCap": .name(["butt", "round", "square"]),
    "lineJoin": .name(["miter", "round", "bevel"]), "lineWidth": .number, "miterLimit": .number,
    "strokeStart": .number, "strokeEnd": .number, "lineDashPhase": .number,
    "lineDashPattern": .numbers,
  ]

  private static let gradient: [String: CAMLKind] = [
    "colors": .colors, "locations": .numbers, "startPoint": .point, "endPoint": .point,
    "type": .name(["axial", "radial", "conic"]),
  ]

  private static let text: [String: CAMLKind] = [
    "string": .string, "font": .string, "fontSize": .number, "foregroundColor": .color,
    "wrapped": .bool, "truncationMode": .name(["none", "start", "middle", "end"]),
    "alignmentMode": .name(["natural", "left", "right", "center", "justified"]),
    "allowsFontSubpixelQuantization": .bool,
  ]

  private static let replicator: [String: CAMLKind] = [
    "instanceCount": .integer, "preservesDepth": .bool, "instanceDelay": .number,
    "instanceTransform": .transform, "instanceColor": .color, "instanceRedOffset": .number,
    "instanceGreenOffset": .number, "instanceBlueOffset": .number, "instanceAlphaOffset": .number,
  ]

  private static let tiled: [String: CAMLKind] = [
    "levelsOfDetail": .integer, "levelsOfDetailBias": .integer, "tileSize": .size,
  ]

  private static let scroll: [String: CAMLKind] = [
    "scrollMode": .name(["both", "none", "vertically", "horizontally"])
  ]

  private static let emitter: [String: CAMLKind] = [
    "birthRate": .number, "lifetime": .number, "velocity": .number, "scale": .number,
    "spin": .number, "emitterPosition": .point, "emitterZPosition": .number,
    "emitterSize": .size, "emitterDepth": .number, "seed": .integer, "preservesDepth": .bool,
    "spinBias": .number,
    "emitterShape": .name(["point", "line", "rectangle", "cuboid", "circle", "sphere"]),
    "emitterMode": .name(["volume", "points", "outline", "surface"]),
    "renderMode": .name([
      "unordered", "oldestFirst", "oldestLast", "backToFront", "additive",
    ]),
  ]

  private static let byClass: [String: [String: CAMLKind]] = [
    "CAShapeLayer": shape, "CAGradientLayer": gradient, "CATextLayer": text,
    "CAReplicatorLayer": replicator, "CATiledLayer": tiled, "CAScrollLayer": scroll,
    "CAEmitterLayer": emitter,
  ]

  /// The kind of the property `key` of a class; nil for what is no property of it.
  static func kind(of key: String, className: String) -> CAMLKind? {
    byClass[className]?[key] ?? common[key]
  }

  /// The kind of what a key path leads to, members of structures included.
  static func kind(ofKeyPath keyPath: String, className: String) -> CAMLKind? {
    guard let dot = keyPath.firstIndex(of: ".") else {
      return kind(of: keyPath, className: className)
    }
    if isInFilter(keyPath), let last = keyPath.lastIndex(of: ".") {
      let key = String(keyPath[keyPath.index(after: last)...])
      return key == "enabled" ? .bool : filterInput(key)
    }
    return kind(of: String(keyPath[..<dot]), className: className)?
      .member(keyPath[keyPath.index(after: dot)...])
  }
}

/// Names that files carry for the editors that wrote them.
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
