import LaminaCommit

/// How contents whose size differs from the bounds' are placed. The names assume a y axis that
/// points up: `bottom` is the edge of least y.
public struct CALayerContentsGravity: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// At their own size, in the middle.
  public static let center = Self(.center)
  /// At their own size, in the middle of the edge of the greatest y.
  public static let top = Self(.top)
  /// At their own size, in the middle of the edge of the least y.
  public static let bottom = Self(.bottom)
  /// At their own size, in the middle of the edge of the least x.
  public static let left = Self(.left)
  /// At their own size, in the middle of the edge of the greatest x.
  public static let right = Self(.right)
  /// At their own size, in the corner of the least x and the greatest y.
  public static let topLeft = Self(.topLeft)
  /// At their own size, in the corner of the greatest x and the greatest y.
  public static let topRight = Self(.topRight)
  /// At their own size, in the corner of the least x and the least y.
  public static let bottomLeft = Self(.bottomLeft)
  /// At their own size, in the corner of the greatest x and the least y.
  public static let bottomRight = Self(.bottomRight)
  /// As large as the bounds, in proportions of these.
  public static let resize = Self(.resize)
  /// As large as fits into the bounds, in their own proportions, in the middle.
  public static let resizeAspect = Self(.resizeAspect)
  /// As small as covers the bounds, in their own proportions, in the middle.
  public static let resizeAspectFill = Self(.resizeAspectFill)

  init(_ name: ContentsGravity) { rawValue = name.rawValue }
  /// An unknown name counts as `center`.
  var name: ContentsGravity { ContentsGravity(rawValue: rawValue) ?? .center }
}

/// The pixel format that a layer requests for its own drawing.
public struct CALayerContentsFormat: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Red, green, blue and alpha, 8 bits each.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let RGBA8Uint = Self(.rgba8)
  /// Red, green, blue and alpha, each a floating-point number of 16 bits.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let RGBA16Float = Self(.rgba16Float)
  /// A brightness of 8 bits.
  public static let gray8Uint = Self(.gray8)
  /// The system's choice.
  public static let automatic = Self(.automatic)

  init(_ name: ContentsFormat) { rawValue = name.rawValue }
  /// An unknown name counts as `RGBA8Uint`.
  var name: ContentsFormat { ContentsFormat(rawValue: rawValue) ?? .rgba8 }
}

/// How contents are sampled when they are drawn smaller or larger than they are.
public struct CALayerContentsFilter: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A weighted mean of the nearest four pixels.
  public static let linear = Self(.linear)
  /// The nearest pixel.
  public static let nearest = Self(.nearest)
  /// Linear, mixed between two of a chain of images, each half the size of the one before.
  public static let trilinear = Self(.trilinear)

  init(_ name: ContentsFilter) { rawValue = name.rawValue }
  /// An unknown name counts as `linear`.
  var name: ContentsFilter { ContentsFilter(rawValue: rawValue) ?? .linear }
}

/// Whether colours brighter than white are tone-mapped into the screen's range.
public struct CAToneMapMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The system's choice.
  public static let automatic = Self(rawValue: "automatic")
  /// No tone mapping.
  public static let never = Self(rawValue: "never")
  /// Tone mapping if the screen can do it.
  public static let ifSupported = Self(rawValue: "ifSupported")

  init(_ name: ToneMapMode) { rawValue = name.rawValue }
  /// An unknown name counts as `automatic`.
  var name: ToneMapMode { ToneMapMode(rawValue: rawValue) ?? .automatic }
}

/// How far above white a layer's contents may reach.
public struct CADynamicRange: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The system's choice.
  public static let automatic = Self(rawValue: "automatic")
  /// No brighter than white.
  public static let standard = Self(rawValue: "standard")
  /// Above white, but less than the screen could show.
  public static let constrainedHigh = Self(rawValue: "constrainedHigh")
  /// As far above white as the screen can show.
  public static let high = Self(rawValue: "high")

  init(_ name: DynamicRange) { rawValue = name.rawValue }
  /// An unknown name counts as `standard`.
  var name: DynamicRange { DynamicRange(rawValue: rawValue) ?? .standard }
}

/// The outline of a rounded corner.
public struct CALayerCornerCurve: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A quarter of a circle.
  public static let circular = Self(.circular)
  /// A curve whose curvature grows steadily; it begins `cornerCurveExpansionFactor` radii from the
  /// corner.
  public static let continuous = Self(.continuous)

  init(_ name: CornerCurve) { rawValue = name.rawValue }
  /// An unknown name counts as `circular`.
  var name: CornerCurve { CornerCurve(rawValue: rawValue) ?? .circular }
}

/// Corners of a layer, named by the ends of its axes: `layerMinXMinYCorner` is the top left one if
/// y points down.
public struct CACornerMask: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The corner of the least x and the least y.
  public static let layerMinXMinYCorner = Self(rawValue: 1)
  /// The corner of the greatest x and the least y.
  public static let layerMaxXMinYCorner = Self(rawValue: 2)
  /// The corner of the least x and the greatest y.
  public static let layerMinXMaxYCorner = Self(rawValue: 4)
  /// The corner of the greatest x and the greatest y.
  public static let layerMaxXMaxYCorner = Self(rawValue: 8)
}

/// Edges of a layer that are antialiased.
public struct CAEdgeAntialiasingMask: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The edge of the least x.
  public static let layerLeftEdge = Self(rawValue: 1)
  /// The edge of the greatest x.
  public static let layerRightEdge = Self(rawValue: 2)
  /// The edge of the least y.
  public static let layerBottomEdge = Self(rawValue: 4)
  /// The edge of the greatest y.
  public static let layerTopEdge = Self(rawValue: 8)
}

/// The rule for which points a path encloses.
public struct CAShapeLayerFillRule: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Points round which the path winds a number of times that is not 0, by direction.
  public static let nonZero = Self(.nonZero)
  /// Points from which a ray crosses the path an odd number of times.
  public static let evenOdd = Self(.evenOdd)

  init(_ name: FillRule) { rawValue = name.rawValue }
  /// An unknown name counts as `nonZero`.
  var name: FillRule { FillRule(rawValue: rawValue) ?? .nonZero }
}

/// The shape of the ends of an open stroked path.
public struct CAShapeLayerLineCap: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Straight, at the path's end.
  public static let butt = Self(.butt)
  /// Half a disc, beyond the path's end.
  public static let round = Self(.round)
  /// Straight, half the line's width beyond the path's end.
  public static let square = Self(.square)

  init(_ name: LineCap) { rawValue = name.rawValue }
  /// An unknown name counts as `butt`.
  var name: LineCap { LineCap(rawValue: rawValue) ?? .butt }
}

/// The shape of the corners of a stroked path.
public struct CAShapeLayerLineJoin: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Pointed, but straight where the point would be longer than the miter limit.
  public static let miter = Self(.miter)
  /// A disc of the line's width.
  public static let round = Self(.round)
  /// Cut straight.
  public static let bevel = Self(.bevel)

  init(_ name: LineJoin) { rawValue = name.rawValue }
  /// An unknown name counts as `miter`.
  var name: LineJoin { LineJoin(rawValue: rawValue) ?? .miter }
}
