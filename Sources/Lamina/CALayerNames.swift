import LaminaCommit

/// How contents that are not of the bounds' size are placed. In words of a y axis that points up:
/// `bottom` is the edge of the least y.
public struct CALayerContentsGravity: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let center = Self(rawValue: "center")
  public static let top = Self(rawValue: "top")
  public static let bottom = Self(rawValue: "bottom")
  public static let left = Self(rawValue: "left")
  public static let right = Self(rawValue: "right")
  public static let topLeft = Self(rawValue: "topLeft")
  public static let topRight = Self(rawValue: "topRight")
  public static let bottomLeft = Self(rawValue: "bottomLeft")
  public static let bottomRight = Self(rawValue: "bottomRight")
  public static let resize = Self(rawValue: "resize")
  public static let resizeAspect = Self(rawValue: "resizeAspect")
  public static let resizeAspectFill = Self(rawValue: "resizeAspectFill")

  init(_ name: ContentsGravity) { rawValue = name.rawValue }
  /// A name that is none of the above counts as `center`.
  var name: ContentsGravity { ContentsGravity(rawValue: rawValue) ?? .center }
}

/// The storage that a layer's own drawing asks for.
public struct CALayerContentsFormat: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let RGBA8Uint = Self(rawValue: "RGBA8")
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let RGBA16Float = Self(rawValue: "RGBAh")
  public static let gray8Uint = Self(rawValue: "Gray8")
  public static let automatic = Self(rawValue: "Automatic")

  init(_ name: ContentsFormat) { rawValue = name.rawValue }
  /// A name that is none of the above counts as `RGBA8Uint`.
  var name: ContentsFormat { ContentsFormat(rawValue: rawValue) ?? .rgba8 }
}

/// How contents are sampled when they are drawn smaller or larger than they are.
public struct CALayerContentsFilter: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let linear = Self(rawValue: "linear")
  public static let nearest = Self(rawValue: "nearest")
  /// Linear, between two of a chain of halved images.
  public static let trilinear = Self(rawValue: "trilinear")

  init(_ name: ContentsFilter) { rawValue = name.rawValue }
  /// A name that is none of the above counts as `linear`.
  var name: ContentsFilter { ContentsFilter(rawValue: rawValue) ?? .linear }
}

/// The outline of a rounded corner.
public struct CALayerCornerCurve: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let circular = Self(rawValue: "circular")
  /// A curve whose curvature grows steadily; it begins `cornerCurveExpansionFactor` radii from the
  /// corner.
  public static let continuous = Self(rawValue: "continuous")

  init(_ name: CornerCurve) { rawValue = name.rawValue }
  /// A name that is none of the above counts as `circular`.
  var name: CornerCurve { CornerCurve(rawValue: rawValue) ?? .circular }
}

/// Corners of a layer, by the ends of its axes: `layerMinXMinYCorner` is the top left one where y
/// points down.
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

/// Which points a path encloses.
public struct CAShapeLayerFillRule: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let nonZero = Self(rawValue: "non-zero")
  public static let evenOdd = Self(rawValue: "even-odd")

  init(_ name: FillRule) { rawValue = name.rawValue }
  /// A name that is none of the above counts as `nonZero`.
  var name: FillRule { FillRule(rawValue: rawValue) ?? .nonZero }
}

/// The ends of an open stroked path.
public struct CAShapeLayerLineCap: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let butt = Self(rawValue: "butt")
  public static let round = Self(rawValue: "round")
  public static let square = Self(rawValue: "square")

  init(_ name: LineCap) { rawValue = name.rawValue }
  /// A name that is none of the above counts as `butt`.
  var name: LineCap { LineCap(rawValue: rawValue) ?? .butt }
}

/// The corners of a stroked path.
public struct CAShapeLayerLineJoin: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let miter = Self(rawValue: "miter")
  public static let round = Self(rawValue: "round")
  public static let bevel = Self(rawValue: "bevel")

  init(_ name: LineJoin) { rawValue = name.rawValue }
  /// A name that is none of the above counts as `miter`.
  var name: LineJoin { LineJoin(rawValue: rawValue) ?? .miter }
}
