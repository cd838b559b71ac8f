import LaminaAnimation
import LaminaValues

/// A stored property of a layer. The raw value is its wire code: codes are never reused, and new
/// ones go at the end.
package enum LayerProperty: UInt8, CaseIterable, Sendable {
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
}

extension LayerProperty {
  /// What a change of the property makes out of date.
  package struct Invalidation: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// World transforms of the layer and all below it.
    package static let geometry = Invalidation(rawValue: 1)
    /// What the layer itself looks like.
    package static let appearance = Invalidation(rawValue: 2)
    /// The order of siblings.
    package static let order = Invalidation(rawValue: 4)
    /// The times of the layer and all below it.
    package static let timing = Invalidation(rawValue: 8)
    /// How many instances there are of the layer or below it.
    package static let structure = Invalidation(rawValue: 16)
    /// The layer's own drawing, which the client does again.
    package static let display = Invalidation(rawValue: 32)
  }

  /// What setting the property on a layer that is on screen starts, where nothing says otherwise.
  package enum ImplicitAction: Sendable {
    case none
    case animate
    case transition
  }

  /// One row of the table of properties.
  package struct Declaration: Sendable {
    package let property: LayerProperty
    /// The key of key-value coding, of animations and of documents.
    package let key: String
    package let action: ImplicitAction
    package let invalidates: Invalidation
    /// False for what only the client's side acts on, which never leaves it.
    package let crosses: Bool

    fileprivate init(
      _ property: LayerProperty, _ key: String, _ action: ImplicitAction,
      _ invalidates: Invalidation, crosses: Bool = true
    ) {
      self.property = property
      self.key = key
      self.action = action
      self.invalidates = invalidates
      self.crosses = crosses
    }
  }

  /// Every stored property, in the order of their codes. With `LayerValues.visit`, which names the
  /// field and so its type and default, this is all that is said of a property anywhere.
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
    Declaration(.scrollMode, "scrollMode", .none, [], crosses: false),
    Declaration(.path, "path", .none, [.appearance]),
    Declaration(.fillColor, "fillColor", .animate, [.appearance]),
    Declaration(.fillRule, "fillRule", .none, [.appearance]),
    Declaration(.strokeColor, "strokeColor", .animate, [.appearance]),
    Declaration(.strokeStart, "strokeStart", .animate, [.appearance]),
    Declaration(.strokeEnd, "strokeEnd", .animate, [.appearance]),
    Declaration(.lineWidth, "lineWidth", .animate, [.appearance]),
    Declaration(.miterLimit, "miterLimit", .animate, [.appearance]),
    Declaration(.lineCap, "lineCap", .none, [.appearance]),
    Declaration(.lineJoin, "lineJoin", .none, [.appearance]),
    Declaration(.lineDashPhase, "lineDashPhase", .animate, [.appearance]),
    Declaration(.lineDashPattern, "lineDashPattern", .none, [.appearance]),
    Declaration(.string, "string", .none, [.display], crosses: false),
    Declaration(.fontName, "font", .none, [.display], crosses: false),
    Declaration(.fontSize, "fontSize", .animate, [.display], crosses: false),
    Declaration(.foregroundColor, "foregroundColor", .animate, [.display], crosses: false),
    Declaration(.isWrapped, "wrapped", .none, [.display], crosses: false),
    Declaration(.truncationMode, "truncationMode", .none, [.display], crosses: false),
    Declaration(.alignmentMode, "alignmentMode", .none, [.display], crosses: false),
    Declaration(
      .allowsFontSubpixelQuantization, "allowsFontSubpixelQuantization", .none, [.display],
      crosses: false),
    Declaration(.colors, "colors", .animate, [.appearance]),
    Declaration(.locations, "locations", .animate, [.appearance]),
    Declaration(.startPoint, "startPoint", .animate, [.appearance]),
    Declaration(.endPoint, "endPoint", .animate, [.appearance]),
    Declaration(.gradientType, "type", .none, [.appearance]),
    Declaration(.instanceCount, "instanceCount", .animate, [.structure]),
    Declaration(.preservesDepth, "preservesDepth", .none, [.geometry]),
    Declaration(.instanceDelay, "instanceDelay", .animate, [.timing]),
    Declaration(.instanceTransform, "instanceTransform", .animate, [.geometry]),
    Declaration(.instanceColor, "instanceColor", .animate, [.appearance]),
    Declaration(.instanceRedOffset, "instanceRedOffset", .animate, [.appearance]),
    Declaration(.instanceGreenOffset, "instanceGreenOffset", .animate, [.appearance]),
    Declaration(.instanceBlueOffset, "instanceBlueOffset", .animate, [.appearance]),
    Declaration(.instanceAlphaOffset, "instanceAlphaOffset", .animate, [.appearance]),
    Declaration(.levelsOfDetail, "levelsOfDetail", .none, [.display], crosses: false),
    Declaration(.levelsOfDetailBias, "levelsOfDetailBias", .none, [.display], crosses: false),
    Declaration(.tileSize, "tileSize", .none, [.display], crosses: false),
    Declaration(.birthRate, "birthRate", .animate, [.appearance]),
    Declaration(.lifetime, "lifetime", .animate, [.appearance]),
    Declaration(.velocity, "velocity", .animate, [.appearance]),
    Declaration(.scale, "scale", .animate, [.appearance]),
    Declaration(.spin, "spin", .animate, [.appearance]),
    Declaration(.emitterPosition, "emitterPosition", .animate, [.appearance]),
    Declaration(.emitterZPosition, "emitterZPosition", .animate, [.appearance]),
    Declaration(.emitterSize, "emitterSize", .animate, [.appearance]),
    Declaration(.emitterDepth, "emitterDepth", .animate, [.appearance]),
    Declaration(.emitterShape, "emitterShape", .none, [.appearance]),
    Declaration(.emitterMode, "emitterMode", .none, [.appearance]),
    Declaration(.renderMode, "renderMode", .none, [.appearance]),
    Declaration(.seed, "seed", .none, [.appearance]),
  ]

  package var declaration: Declaration { Self.table[Int(rawValue)] }
  package var key: String { declaration.key }

  private static let byKey = Dictionary(
    uniqueKeysWithValues: table.map { ($0.key, $0.property) })

  /// The property of that key, such as "cornerRadius"; nil for a key path with members and for
  /// undefined keys.
  package init?(key: String) {
    guard let property = Self.byKey[key] else { return nil }
    self = property
  }
}

extension LayerKind {
  /// The stored property of that key; nil for one that layers of this class do not have, which is
  /// then an undefined key.
  package func property(key: String) -> LayerProperty? {
    LayerProperty(key: key).flatMap { has($0) ? $0 : nil }
  }

  package func has(_ property: LayerProperty) -> Bool {
    switch property.rawValue {
    case ..<LayerProperty.scrollMode.rawValue: true
    case ..<LayerProperty.path.rawValue: self == .scroll
    case ..<LayerProperty.string.rawValue: self == .shape
    case ..<LayerProperty.colors.rawValue: self == .text
    case ..<LayerProperty.instanceCount.rawValue: self == .gradient
    case LayerProperty.preservesDepth.rawValue: self == .replicator || self == .emitter
    case ..<LayerProperty.levelsOfDetail.rawValue: self == .replicator
    case ..<LayerProperty.birthRate.rawValue: self == .tiled
    default: self == .emitter
    }
  }
}

/// Does one thing to a field of `LayerValues`, whatever its type.
package protocol LayerFieldVisitor {
  mutating func visit<Field: LayerField>(_ field: inout Field) throws(CommitError)
}

extension LayerValues {
  /// Hands the field of `property` to `visitor`: the one place that knows which field that is.
  package mutating func visit(
    _ property: LayerProperty, with visitor: inout some LayerFieldVisitor
  ) throws(CommitError) {
    switch property {
    case .bounds: try visitor.visit(&bounds)
    case .position: try visitor.visit(&position)
    case .zPosition: try visitor.visit(&zPosition)
    case .anchorPoint: try visitor.visit(&anchorPoint)
    case .anchorPointZ: try visitor.visit(&anchorPointZ)
    case .transform: try visitor.visit(&transform)
    case .sublayerTransform: try visitor.visit(&effects.sublayerTransform)
    case .isHidden: try visitor.visit(&isHidden)
    case .isDoubleSided: try visitor.visit(&isDoubleSided)
    case .isGeometryFlipped: try visitor.visit(&isGeometryFlipped)
    case .masksToBounds: try visitor.visit(&masksToBounds)
    case .backgroundColor: try visitor.visit(&backgroundColor)
    case .opacity: try visitor.visit(&opacity)
    case .cornerRadius: try visitor.visit(&cornerRadius)
    case .borderWidth: try visitor.visit(&borderWidth)
    case .borderColor: try visitor.visit(&borderColor)
    case .maskedCorners: try visitor.visit(&maskedCorners)
    case .cornerCurve: try visitor.visit(&cornerCurve)
    case .allowsGroupOpacity: try visitor.visit(&allowsGroupOpacity)
    case .allowsEdgeAntialiasing: try visitor.visit(&allowsEdgeAntialiasing)
    case .edgeAntialiasingMask: try visitor.visit(&edgeAntialiasingMask)
    case .contents: try visitor.visit(&contents)
    case .contentsGravity: try visitor.visit(&contentsGravity)
    case .contentsScale: try visitor.visit(&contentsScale)
    case .contentsRect: try visitor.visit(&contentsDetail.rect)
    case .contentsCenter: try visitor.visit(&contentsDetail.center)
    case .contentsFormat: try visitor.visit(&contentsDetail.format)
    case .minificationFilter: try visitor.visit(&contentsDetail.minificationFilter)
    case .magnificationFilter: try visitor.visit(&contentsDetail.magnificationFilter)
    case .minificationFilterBias: try visitor.visit(&contentsDetail.minificationFilterBias)
    case .contentsMultiplyColor: try visitor.visit(&contentsDetail.multiplyColor)
    case .toneMapMode: try visitor.visit(&contentsDetail.toneMapMode)
    case .preferredDynamicRange: try visitor.visit(&contentsDetail.preferredDynamicRange)
    case .contentsHeadroom: try visitor.visit(&contentsDetail.headroom)
    case .wantsExtendedDynamicRangeContent:
      try visitor.visit(&contentsDetail.wantsExtendedDynamicRange)
    case .wantsDynamicContentScaling: try visitor.visit(&contentsDetail.wantsDynamicScaling)
    case .filters: try visitor.visit(&effects.filters)
    case .backgroundFilters: try visitor.visit(&effects.backgroundFilters)
    case .compositingFilter: try visitor.visit(&effects.compositingFilter)
    case .shouldRasterize: try visitor.visit(&effects.shouldRasterize)
    case .rasterizationScale: try visitor.visit(&effects.rasterizationScale)
    case .shadowColor: try visitor.visit(&effects.shadowColor)
    case .shadowOpacity: try visitor.visit(&effects.shadowOpacity)
    case .shadowOffset: try visitor.visit(&effects.shadowOffset)
    case .shadowRadius: try visitor.visit(&effects.shadowRadius)
    case .shadowPath: try visitor.visit(&effects.shadowPath)
    case .beginTime: try visitor.visit(&timing.beginTime)
    case .duration: try visitor.visit(&timing.duration)
    case .speed: try visitor.visit(&timing.speed)
    case .timeOffset: try visitor.visit(&timing.timeOffset)
    case .repeatCount: try visitor.visit(&timing.repeatCount)
    case .repeatDuration: try visitor.visit(&timing.repeatDuration)
    case .autoreverses: try visitor.visit(&timing.autoreverses)
    case .fillMode: try visitor.visit(&timing.fillMode)
    case .name: try visitor.visit(&client.name)
    case .isOpaque: try visitor.visit(&client.isOpaque)
    case .needsDisplayOnBoundsChange: try visitor.visit(&client.needsDisplayOnBoundsChange)
    case .drawsAsynchronously: try visitor.visit(&client.drawsAsynchronously)
    case .autoresizingMask: try visitor.visit(&client.autoresizingMask)
    case .scrollMode: try visitor.visit(&client.scrollMode)
    case .path: try visitor.visit(&shape.path)
    case .fillColor: try visitor.visit(&shape.fillColor)
    case .fillRule: try visitor.visit(&shape.fillRule)
    case .strokeColor: try visitor.visit(&shape.strokeColor)
    case .strokeStart: try visitor.visit(&shape.strokeStart)
    case .strokeEnd: try visitor.visit(&shape.strokeEnd)
    case .lineWidth: try visitor.visit(&shape.lineWidth)
    case .miterLimit: try visitor.visit(&shape.miterLimit)
    case .lineCap: try visitor.visit(&shape.lineCap)
    case .lineJoin: try visitor.visit(&shape.lineJoin)
    case .lineDashPhase: try visitor.visit(&shape.lineDashPhase)
    case .lineDashPattern: try visitor.visit(&shape.lineDashPattern)
    case .string: try visitor.visit(&text.string)
    case .fontName: try visitor.visit(&text.fontName)
    case .fontSize: try visitor.visit(&text.fontSize)
    case .foregroundColor: try visitor.visit(&text.foregroundColor)
    case .isWrapped: try visitor.visit(&text.isWrapped)
    case .truncationMode: try visitor.visit(&text.truncationMode)
    case .alignmentMode: try visitor.visit(&text.alignmentMode)
    case .allowsFontSubpixelQuantization: try visitor.visit(&text.allowsFontSubpixelQuantization)
    case .colors: try visitor.visit(&gradient.colors)
    case .locations: try visitor.visit(&gradient.locations)
    case .startPoint: try visitor.visit(&gradient.startPoint)
    case .endPoint: try visitor.visit(&gradient.endPoint)
    case .gradientType: try visitor.visit(&gradient.type)
    case .instanceCount: try visitor.visit(&replicator.instanceCount)
    case .preservesDepth: try visitor.visit(&replicator.preservesDepth)
    case .instanceDelay: try visitor.visit(&replicator.instanceDelay)
    case .instanceTransform: try visitor.visit(&replicator.instanceTransform)
    case .instanceColor: try visitor.visit(&replicator.instanceColor)
    case .instanceRedOffset: try visitor.visit(&replicator.redOffset)
    case .instanceGreenOffset: try visitor.visit(&replicator.greenOffset)
    case .instanceBlueOffset: try visitor.visit(&replicator.blueOffset)
    case .instanceAlphaOffset: try visitor.visit(&replicator.alphaOffset)
    case .levelsOfDetail: try visitor.visit(&tiling.levelsOfDetail)
    case .levelsOfDetailBias: try visitor.visit(&tiling.levelsOfDetailBias)
    case .tileSize: try visitor.visit(&tiling.tileSize)
    case .birthRate: try visitor.visit(&emitter.birthRate)
    case .lifetime: try visitor.visit(&emitter.lifetime)
    case .velocity: try visitor.visit(&emitter.velocity)
    case .scale: try visitor.visit(&emitter.scale)
    case .spin: try visitor.visit(&emitter.spin)
    case .emitterPosition: try visitor.visit(&emitter.position)
    case .emitterZPosition: try visitor.visit(&emitter.zPosition)
    case .emitterSize: try visitor.visit(&emitter.size)
    case .emitterDepth: try visitor.visit(&emitter.depth)
    case .emitterShape: try visitor.visit(&emitter.shape)
    case .emitterMode: try visitor.visit(&emitter.mode)
    case .renderMode: try visitor.visit(&emitter.renderMode)
    case .seed: try visitor.visit(&emitter.seed)
    }
  }
}
