import LaminaCommit

/// How contents whose size differs from the bounds' are placed. The names assume a y axis that
/// points up: `bottom` is the edge of least y.
public struct CALayerContentsGravity: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let center = Self(.center)
  public static let top = Self(.top)
  public static let bottom = Self(.bottom)
  public static let left = Self(.left)
  public static let right = Self(.right)
  public static let topLeft = Self(.topLeft)
  public static let topRight = Self(.topRight)
  public static let bottomLeft = Self(.bottomLeft)
  public static let bottomRight = Self(.bottomRight)
  public static let resize = Self(.resize)
  public static let resizeAspect = Self(.resizeAspect)
  public static let resizeAspectFill = Self(.resizeAspectFill)

  init(_ name: ContentsGravity) { rawValue = name.rawValue }
  /// An unknown name counts as `center`.
  var name: ContentsGravity { ContentsGravity(rawValue: rawValue) ?? .center }
}

/// The pixel format that a layer requests for its own drawing.
public struct CALayerContentsFormat: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let RGBA8Uint = Self(.rgba8)
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let RGBA16Float = Self(.rgba16Float)
  public static let gray8Uint = Self(.gray8)
  public static let automatic = Self(.automatic)

  init(_ name: ContentsFormat) { rawValue = name.rawValue }
  /// An unknown name counts as `RGBA8Uint`.
  var name: ContentsFormat { ContentsFormat(rawValue: rawValue) ?? .rgba8 }
}

/// How contents are sampled when they are drawn smaller or larger than they are.
public struct CALayerContentsFilter: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let linear = Self(.linear)
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

  public static let automatic = Self(rawValue: "automatic")
  public static let never = Self(rawValue: "never")
  public static let ifSupported = Self(rawValue: "ifSupported")

  init(_ name: ToneMapMode) { rawValue = name.rawValue }
  /// An unknown name counts as `automatic`.
  var name: ToneMapMode { ToneMapMode(rawValue: rawValue) ?? .automatic }
}

/// How far above white a layer's contents may reach.
public struct CADynamicRange: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let automatic = Self(rawValue: "automatic")
  public static let standard = Self(rawValue: "standard")
  public static let constrainedHigh = Self(rawValue: "constrainedHigh")
  public static let high = Self(rawValue: "high")

  init(_ name: DynamicRange) { rawValue = name.rawValue }
  /// An unknown name counts as `standard`.
  var name: DynamicRange { DynamicRange(rawValue: rawValue) ?? .standard }
}

/// The outline of a rounded corner.
public struct CALayerCornerCurve: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

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

  public static let layerMinXMinYCorner = Self(rawValue: 1)
  public static let layerMaxXMinYCorner = Self(rawValue: 2)
  public static let layerMinXMaxYCorner = Self(rawValue: 4)
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

  public static let nonZero = Self(.nonZero)
  public static let evenOdd = Self(.evenOdd)

  init(_ name: FillRule) { rawValue = name.rawValue }
  /// An unknown name counts as `nonZero`.
  var name: FillRule { FillRule(rawValue: rawValue) ?? .nonZero }
}

/// The shape of the ends of an open stroked path.
public struct CAShapeLayerLineCap: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let butt = Self(.butt)
  public static let round = Self(.round)
  public static let square = Self(.square)

  init(_ name: LineCap) { rawValue = name.rawValue }
  /// An unknown name counts as `butt`.
  var name: LineCap { LineCap(rawValue: rawValue) ?? .butt }
}

/// The shape of the corners of a stroked path.
public struct CAShapeLayerLineJoin: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let miter = Self(.miter)
  public static let round = Self(.round)
  public static let bevel = Self(.bevel)

  init(_ name: LineJoin) { rawValue = name.rawValue }
  /// An unknown name counts as `miter`.
  var name: LineJoin { LineJoin(rawValue: rawValue) ?? .miter }
}
