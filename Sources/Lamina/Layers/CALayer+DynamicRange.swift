import LaminaCommit
import LaminaValues

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

/// Properties for screens with more than the standard range. Frames here have the standard range,
/// as they may on such screens, so these values are kept, committed and copied but change no pixel.
extension CALayer {
  /// Whether the contents are tone-mapped into the screen's range. Default: `automatic`.
  public var toneMapMode: CAToneMapMode {
    get { CAToneMapMode(modelValues.contentsDetail.toneMapMode) }
    set {
      change(.toneMapMode, modelValues.contentsDetail.toneMapMode, newValue.name) {
        $0.contentsDetail.toneMapMode = newValue.name
      }
    }
  }

  /// The dynamic range for this layer's contents, not for its sublayers'. Default: `standard`.
  public var preferredDynamicRange: CADynamicRange {
    get { CADynamicRange(modelValues.contentsDetail.preferredDynamicRange) }
    set {
      let range = newValue.name
      change(.preferredDynamicRange, modelValues.contentsDetail.preferredDynamicRange, range) {
        $0.contentsDetail.preferredDynamicRange = range
      }
    }
  }

  /// The brightest value of the contents as a multiple of white; 0 leaves it unspecified.
  /// Default: 0.
  public var contentsHeadroom: CGFloat {
    get { modelValues.contentsDetail.headroom }
    set {
      change(.contentsHeadroom, modelValues.contentsDetail.headroom, newValue) {
        $0.contentsDetail.headroom = newValue
      }
    }
  }

  /// Whether the contents may be brighter than white. Default: false.
  public var wantsExtendedDynamicRangeContent: Bool {
    get { modelValues.contentsDetail.wantsExtendedDynamicRange }
    set {
      let old = modelValues.contentsDetail.wantsExtendedDynamicRange
      change(.wantsExtendedDynamicRangeContent, old, newValue) {
        $0.contentsDetail.wantsExtendedDynamicRange = newValue
      }
    }
  }
}
