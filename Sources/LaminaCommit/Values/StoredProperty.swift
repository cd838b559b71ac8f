import LaminaAnimation
import LaminaValues

/// A stored property of a layer. The raw value is its wire code: codes are never reused, and new
/// ones go at the end.
@usableFromInline package enum StoredProperty: UInt8, CaseIterable, Sendable {
  case bounds, position, zPosition, anchorPoint, anchorPointZ, transform, sublayerTransform
  case isHidden, isDoubleSided, isGeometryFlipped, masksToBounds, backgroundColor, opacity
  case cornerRadius, borderWidth, borderColor, maskedCorners, cornerCurve, allowsGroupOpacity
  case allowsEdgeAntialiasing, edgeAntialiasingMask, contents, contentsGravity, contentsScale
  case contentsRect, contentsCenter, contentsFormat, minificationFilter, magnificationFilter
  case minificationFilterBias, contentsMultiplyColor, toneMapMode, preferredDynamicRange
  case contentsHeadroom, wantsExtendedDynamicRangeContent, wantsDynamicContentScaling, filters
  case backgroundFilters, compositingFilter, shouldRasterize, rasterizationScale, shadowColor
  case shadowOpacity, shadowOffset, shadowRadius, shadowPath, beginTime, duration, speed
  case timeOffset, repeatCount, repeatDuration, autoreverses, fillMode, name, isOpaque
  case needsDisplayOnBoundsChange, drawsAsynchronously, autoresizingMask, scrollMode, path
  case fillColor, fillRule, strokeColor, strokeStart, strokeEnd, lineWidth, miterLimit, lineCap
  case lineJoin, lineDashPhase, lineDashPattern, string, fontName, fontSize, foregroundColor
  case isWrapped, truncationMode, alignmentMode, allowsFontSubpixelQuantization, colors
  case locations, startPoint, endPoint, gradientType, instanceCount, preservesDepth
  case instanceDelay, instanceTransform, instanceColor, instanceRedOffset, instanceGreenOffset
  case instanceBlueOffset, instanceAlphaOffset, levelsOfDetail, levelsOfDetailBias, tileSize
  case birthRate, lifetime, velocity, scale, spin, emitterPosition, emitterZPosition
  case emitterSize, emitterDepth, emitterShape, emitterMode, renderMode, seed
  case groupName
  case emitterCells, emitterBehaviors, emissionHistory
}

extension StoredProperty {
  /// The raw value. Raw values count up from 0, so that the case is stored as the same number;
  /// `rawValue` itself is not inlined in other modules.
  @inlinable @inline(__always) var bit: UInt8 { unsafeBitCast(self, to: UInt8.self) }

  /// The results that a change of the property makes out of date.
  @frozen @usableFromInline package struct Invalidation: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// World transforms of the layer and all below it.
    @inlinable package static var geometry: Invalidation { Invalidation(rawValue: 1) }
    /// The layer's own look.
    @inlinable package static var appearance: Invalidation { Invalidation(rawValue: 2) }
    /// The order of siblings.
    @inlinable package static var order: Invalidation { Invalidation(rawValue: 4) }
    /// The times of the layer and all below it.
    @inlinable package static var timing: Invalidation { Invalidation(rawValue: 8) }
    /// The number of instances of the layer or of those below it.
    @inlinable package static var structure: Invalidation { Invalidation(rawValue: 16) }
    /// The layer's backing store, which the client draws again.
    @inlinable package static var display: Invalidation { Invalidation(rawValue: 32) }
    package static let all: Invalidation = [
      .geometry, .appearance, .order, .timing, .structure, .display,
    ]
  }

  /// The default action for a change of the property on a layer that is on screen.
  package enum ImplicitAction: Sendable {
    case none
    case animate
    case transition
  }

  /// One row of the table of properties.
  package struct Declaration: Sendable {
    package let property: StoredProperty
    /// The key in key-value coding, in animations and in documents.
    package let key: String
    package let action: ImplicitAction
    package let invalidates: Invalidation
    /// The classes of layers that have the property.
    package let owners: LayerKindSet
    /// False if only the client uses the property, which then never leaves the client.
    package let crosses: Bool

    fileprivate init(
      _ property: StoredProperty, _ key: String, _ action: ImplicitAction,
      _ invalidates: Invalidation, of owners: LayerKindSet = .all, crosses: Bool = true
    ) {
      self.property = property
      self.key = key
      self.action = action
      self.invalidates = invalidates
      self.owners = owners
      self.crosses = crosses
    }
  }

  /// Every stored property, in the order of their codes. Together with `LayerValues.visit`, which
  /// names the field and so gives its type and default, this is the whole definition of each
  /// property.
  package static let table: [Declaration] = [
    Declaration(.bounds, "bounds", .animate, [.geometry, .appearance]),
    Declaration(.position, "position", .animate, [.geometry]),
    Declaration(.zPosition, "zPosition", .animate, [.geometry, .order]),
    Declaration(.anchorPoint, "anchorPoint", .animate, [.geometry]),
    Declaration(.anchorPointZ, "anchorPointZ", .animate, [.geometry]),
    Declaration(.transform, "transform", .animate, [.geometry]),
    Declaration(.sublayerTransform, "sublayerTransform", .animate, [.geometry]),
    Declaration(.isHidden, "hidden", .transition, [.appearance, .structure]),
    Declaration(.isDoubleSided, "doubleSided", .none, [.appearance]),
    Declaration(.isGeometryFlipped, "geometryFlipped", .transition, [.geometry]),
    Declaration(.masksToBounds, "masksToBounds", .transition, [.appearance]),
    Declaration(.backgroundColor, "backgroundColor", .animate, [.appearance]),
    Declaration(.opacity, "opacity", .animate, [.appearance]),
    Declaration(.cornerRadius, "cornerRadius", .animate, [.appearance]),
    Declaration(.borderWidth, "borderWidth", .animate, [.appearance]),
    Declaration(.borderColor, "borderColor", .animate, [.appearance]),
    Declaration(.maskedCorners, "maskedCorners", .transition, [.appearance]),
    Declaration(.cornerCurve, "cornerCurve", .none, [.appearance]),
    Declaration(.allowsGroupOpacity, "allowsGroupOpacity", .none, [.appearance]),
    Declaration(.allowsEdgeAntialiasing, "allowsEdgeAntialiasing", .none, [.appearance]),
    Declaration(.edgeAntialiasingMask, "edgeAntialiasingMask", .none, [.appearance]),
    Declaration(.contents, "contents", .animate, [.appearance]),
    Declaration(.contentsGravity, "contentsGravity", .none, [.appearance]),
    Declaration(.contentsScale, "contentsScale", .animate, [.appearance]),
    Declaration(.contentsRect, "contentsRect", .animate, [.appearance]),
    Declaration(.contentsCenter, "contentsCenter", .animate, [.appearance]),
    Declaration(.contentsFormat, "contentsFormat", .none, [.appearance]),
    Declaration(.minificationFilter, "minificationFilter", .none, [.appearance]),
    Declaration(.magnificationFilter, "magnificationFilter", .none, [.appearance]),
    Declaration(.minificationFilterBias, "minificationFilterBias", .animate, [.appearance]),
    Declaration(.contentsMultiplyColor, "contentsMultiplyColor", .animate, [.appearance]),
    Declaration(.toneMapMode, "toneMapMode", .none, [.appearance]),
    Declaration(.preferredDynamicRange, "preferredDynamicRange", .none, [.appearance]),
    Declaration(.contentsHeadroom, "contentsHeadroom", .none, [.appearance]),
    Declaration(
      .wantsExtendedDynamicRangeContent, "wantsExtendedDynamicRangeContent", .none, [.appearance]),
    Declaration(
      .wantsDynamicContentScaling, "wantsDynamicContentScaling", .none, [], crosses: false),
    Declaration(.filters, "filters", .transition, [.appearance]),
    Declaration(.backgroundFilters, "backgroundFilters", .transition, [.appearance]),
    Declaration(.compositingFilter, "compositingFilter", .transition, [.appearance]),
    Declaration(.shouldRasterize, "shouldRasterize", .none, [.appearance]),
    Declaration(.rasterizationScale, "rasterizationScale", .animate, [.appearance]),
    Declaration(.shadowColor, "shadowColor", .animate, [.appearance]),
    Declaration(.shadowOpacity, "shadowOpacity", .animate, [.appearance]),
    Declaration(.shadowOffset, "shadowOffset", .animate, [.appearance]),
    Declaration(.shadowRadius, "shadowRadius", .animate, [.appearance]),
    Declaration(.shadowPath, "shadowPath", .none, [.appearance]),
    Declaration(.beginTime, "beginTime", .none, [.timing]),
    Declaration(.duration, "duration", .none, [.timing]),
    Declaration(.speed, "speed", .none, [.timing]),
    Declaration(.timeOffset, "timeOffset", .none, [.timing]),
    Declaration(.repeatCount, "repeatCount", .none, [.timing]),
    Declaration(.repeatDuration, "repeatDuration", .none, [.timing]),
    Declaration(.autoreverses, "autoreverses", .none, [.timing]),
    Declaration(.fillMode, "fillMode", .none, [.timing]),
    Declaration(.name, "name", .none, []),
    Declaration(.isOpaque, "opaque", .none, [], crosses: false),
    Declaration(
      .needsDisplayOnBoundsChange, "needsDisplayOnBoundsChange", .none, [], crosses: false),
    Declaration(.drawsAsynchronously, "drawsAsynchronously", .none, [], crosses: false),
    Declaration(.autoresizingMask, "autoresizingMask", .none, [], crosses: false),
    Declaration(.scrollMode, "scrollMode", .none, [], of: .scroll, crosses: false),
    Declaration(.path, "path", .none, [.appearance], of: .shape),
    Declaration(.fillColor, "fillColor", .animate, [.appearance], of: .shape),
    Declaration(.fillRule, "fillRule", .none, [.appearance], of: .shape),
    Declaration(.strokeColor, "strokeColor", .animate, [.appearance], of: .shape),
    Declaration(.strokeStart, "strokeStart", .animate, [.appearance], of: .shape),
    Declaration(.strokeEnd, "strokeEnd", .animate, [.appearance], of: .shape),
    Declaration(.lineWidth, "lineWidth", .animate, [.appearance], of: .shape),
    Declaration(.miterLimit, "miterLimit", .animate, [.appearance], of: .shape),
    Declaration(.lineCap, "lineCap", .none, [.appearance], of: .shape),
    Declaration(.lineJoin, "lineJoin", .none, [.appearance], of: .shape),
    Declaration(.lineDashPhase, "lineDashPhase", .animate, [.appearance], of: .shape),
    Declaration(.lineDashPattern, "lineDashPattern", .none, [.appearance], of: .shape),
    Declaration(.string, "string", .none, [.display], of: .text, crosses: false),
    Declaration(.fontName, "font", .none, [.display], of: .text, crosses: false),
    Declaration(.fontSize, "fontSize", .animate, [.display], of: .text, crosses: false),
    Declaration(
      .foregroundColor, "foregroundColor", .animate, [.display], of: .text, crosses: false),
    Declaration(.isWrapped, "wrapped", .none, [.display], of: .text, crosses: false),
    Declaration(.truncationMode, "truncationMode", .none, [.display], of: .text, crosses: false),
    Declaration(.alignmentMode, "alignmentMode", .none, [.display], of: .text, crosses: false),
    Declaration(
      .allowsFontSubpixelQuantization, "allowsFontSubpixelQuantization", .none, [],
      of: .text, crosses: false),
    Declaration(.colors, "colors", .animate, [.appearance], of: .gradient),
    Declaration(.locations, "locations", .animate, [.appearance], of: .gradient),
    Declaration(.startPoint, "startPoint", .animate, [.appearance], of: .gradient),
    Declaration(.endPoint, "endPoint", .animate, [.appearance], of: .gradient),
    Declaration(.gradientType, "type", .none, [.appearance], of: .gradient),
    Declaration(.instanceCount, "instanceCount", .animate, [.structure], of: .replicator),
    Declaration(
      .preservesDepth, "preservesDepth", .none, [.geometry], of: [.replicator, .emitter]),
    Declaration(.instanceDelay, "instanceDelay", .animate, [.timing], of: .replicator),
    Declaration(.instanceTransform, "instanceTransform", .animate, [.geometry], of: .replicator),
    Declaration(.instanceColor, "instanceColor", .animate, [.appearance], of: .replicator),
    Declaration(.instanceRedOffset, "instanceRedOffset", .animate, [.appearance], of: .replicator),
    Declaration(
      .instanceGreenOffset, "instanceGreenOffset", .animate, [.appearance], of: .replicator),
    Declaration(
      .instanceBlueOffset, "instanceBlueOffset", .animate, [.appearance], of: .replicator),
    Declaration(
      .instanceAlphaOffset, "instanceAlphaOffset", .animate, [.appearance], of: .replicator),
    Declaration(.levelsOfDetail, "levelsOfDetail", .none, [.display], of: .tiled, crosses: false),
    Declaration(
      .levelsOfDetailBias, "levelsOfDetailBias", .none, [.display], of: .tiled, crosses: false),
    Declaration(.tileSize, "tileSize", .none, [.display], of: .tiled, crosses: false),
    Declaration(.birthRate, "birthRate", .animate, [.appearance], of: .emitter),
    Declaration(.lifetime, "lifetime", .animate, [.appearance], of: .emitter),
    Declaration(.velocity, "velocity", .animate, [.appearance], of: .emitter),
    Declaration(.scale, "scale", .animate, [.appearance], of: [.emitter, .backdrop]),
    Declaration(.spin, "spin", .animate, [.appearance], of: .emitter),
    Declaration(.emitterPosition, "emitterPosition", .animate, [.appearance], of: .emitter),
    Declaration(.emitterZPosition, "emitterZPosition", .animate, [.appearance], of: .emitter),
    Declaration(.emitterSize, "emitterSize", .animate, [.appearance], of: .emitter),
    Declaration(.emitterDepth, "emitterDepth", .animate, [.appearance], of: .emitter),
    Declaration(.emitterShape, "emitterShape", .none, [.appearance], of: .emitter),
    Declaration(.emitterMode, "emitterMode", .none, [.appearance], of: .emitter),
    Declaration(.renderMode, "renderMode", .none, [.appearance], of: .emitter),
    Declaration(.seed, "seed", .none, [.appearance], of: .emitter),
    Declaration(.groupName, "groupName", .none, [.appearance], of: .backdrop),
    Declaration(.emitterCells, "emitterCells", .none, [.appearance], of: .emitter),
    Declaration(.emitterBehaviors, "emitterBehaviors", .none, [.appearance], of: .emitter),
    // What the client keeps for the render process; apps do not see it.
    Declaration(.emissionHistory, "emissionHistory", .none, [.appearance], of: .emitter),
  ]

  package var declaration: Declaration { Self.table[Int(rawValue)] }
  package var key: String { declaration.key }

  private static let byKey = Dictionary(
    uniqueKeysWithValues: table.map { ($0.key, $0.property) })

  /// The property with that key, such as "cornerRadius"; nil for a key path with members and for an
  /// undefined key.
  package init?(key: String) {
    guard let property = Self.byKey[key] else { return nil }
    self = property
  }
}

extension StoredProperty {
  private struct KindGetter: LayerFieldReader {
    var kind = FieldKind.number
    mutating func read<Field: LayerField>(_ field: Field) { kind = Field.kind }
  }

  private static let kinds: [FieldKind] = allCases.map { property in
    var getter = KindGetter()
    withUnsafePointer(to: LayerValues()) { LayerValues.read(property, at: $0, with: &getter) }
    return getter.kind
  }

  /// The kind of the property's values, taken from its field.
  package var kind: FieldKind { Self.kinds[Int(rawValue)] }
}

extension LayerKind {
  /// The stored property with that key; nil if layers of this class do not have it, so that the key
  /// is undefined.
  package func property(key: String) -> StoredProperty? {
    StoredProperty(key: key).flatMap { has($0) ? $0 : nil }
  }

  package func has(_ property: StoredProperty) -> Bool {
    property.declaration.owners.contains(LayerKindSet(self))
  }
}
