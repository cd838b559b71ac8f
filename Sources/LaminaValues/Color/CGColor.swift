import Foundation

/// The kind of a colour space's components.
public enum CGColorSpaceModel: Int32, Sendable {
  /// A kind that is not known.
  case unknown = -1
  /// A brightness.
  case monochrome
  /// Components of light, of inks, of perception, of any device, or numbers of colours in a table.
  case rgb, cmyk, lab, deviceN, indexed, pattern
  /// CIE's XYZ.
  case XYZ
}

/// A colour space: the meaning of the components of a colour or an image.
public final class CGColorSpace: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: UInt8, CaseIterable, Sendable {
    case sRGB, extendedSRGB, displayP3, gray
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// Creates a colour space by name; nil if the name is not one of the constants below.
  public convenience init?(name: String) {
    switch name {
    case Self.sRGB: self.init(.sRGB)
    case Self.extendedSRGB: self.init(.extendedSRGB)
    case Self.displayP3: self.init(.displayP3)
    case Self.genericGrayGamma2_2: self.init(.gray)
    default: return nil
    }
  }

  /// The name of sRGB.
  public static let sRGB = "kCGColorSpaceSRGB"
  /// The name of sRGB with components below 0 and above 1.
  public static let extendedSRGB = "kCGColorSpaceExtendedSRGB"
  /// The name of Display P3: the primaries of P3 with sRGB's transfer curve.
  public static let displayP3 = "kCGColorSpaceDisplayP3"
  /// The gray colour space. It has the sRGB transfer curve here, so that (0.5) equals sRGB (0.5,
  /// 0.5, 0.5).
  public static let genericGrayGamma2_2 = "kCGColorSpaceGenericGrayGamma2_2"

  /// The space's name, one of the above.
  public var name: String {
    switch kind {
    case .sRGB: Self.sRGB
    case .extendedSRGB: Self.extendedSRGB
    case .displayP3: Self.displayP3
    case .gray: Self.genericGrayGamma2_2
    }
  }

  /// `monochrome` for gray, otherwise `rgb`.
  public var model: CGColorSpaceModel { kind == .gray ? .monochrome : .rgb }

  /// Whether the space has colours that sRGB lacks.
  public var isWideGamutRGB: Bool { kind == .displayP3 || kind == .extendedSRGB }

  /// The number of components of a colour, not counting alpha.
  public var numberOfComponents: Int { kind == .gray ? 1 : 3 }

  public var description: String { name }

  public static func == (a: CGColorSpace, b: CGColorSpace) -> Bool { a.kind == b.kind }
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

/// Returns the device's RGB space, which is sRGB here.
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace(.sRGB) }
/// Returns the device's gray space, which has sRGB's transfer curve here.
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { CGColorSpace(.gray) }

/// A colour: components in a colour space, and an alpha with which they are not multiplied.
public struct CGColor: Hashable, Sendable, CustomStringConvertible {
  package var spaceKind: CGColorSpace.Kind
  package var c0: Double
  package var c1: Double
  package var c2: Double
  /// The alpha, from 0 for transparent to 1 for opaque.
  public package(set) var alpha: CGFloat

  package init(kind: CGColorSpace.Kind, _ c0: Double, _ c1: Double, _ c2: Double, alpha: Double) {
    spaceKind = kind
    (self.c0, self.c1, self.c2) = (c0, c1, c2)
    self.alpha = alpha
  }

  /// Creates a colour in the device's RGB space, which is sRGB here.
  public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(kind: .sRGB, red, green, blue, alpha: alpha)
  }

  /// Creates a colour in sRGB, with components from 0 to 1.
  public init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(kind: .sRGB, red, green, blue, alpha: alpha)
  }

  /// Creates a gray, from 0 for black to 1 for white.
  public init(gray: CGFloat, alpha: CGFloat) {
    self.init(kind: .gray, gray, gray, gray, alpha: alpha)
  }

  /// Creates a colour from four inks, each from 0 to 1. It is stored in sRGB: each component is (1
  /// − ink) × (1 − black), because inks have no profile here.
  public init(
    genericCMYKCyan cyan: CGFloat, magenta: CGFloat, yellow: CGFloat, black: CGFloat, alpha: CGFloat
  ) {
    self.init(
      kind: .sRGB, (1 - cyan) * (1 - black), (1 - magenta) * (1 - black),
      (1 - yellow) * (1 - black), alpha: alpha)
  }

  /// Creates a colour from `components`, which must point to the space's components followed by
  /// alpha. Never returns nil.
  public init?(colorSpace space: CGColorSpace, components: UnsafePointer<CGFloat>) {
    let count = space.numberOfComponents
    self.init(
      kind: space.kind, components[0], components[count == 1 ? 0 : 1],
      components[count == 1 ? 0 : 2], alpha: components[count])
  }

  /// Opaque black, in the gray space.
  public static let black = CGColor(gray: 0, alpha: 1)
  /// Opaque white, in the gray space.
  public static let white = CGColor(gray: 1, alpha: 1)
  /// Transparent black, in the gray space.
  public static let clear = CGColor(gray: 0, alpha: 0)
  /// Black with four components, which layers' colours are by default on macOS.
  package static let blackRGB = CGColor(red: 0, green: 0, blue: 0, alpha: 1)

  /// The space of the components. Never nil.
  public var colorSpace: CGColorSpace? { CGColorSpace(spaceKind) }
  /// The number of components with the alpha: 2 for gray, else 4.
  public var numberOfComponents: Int { spaceKind == .gray ? 2 : 4 }
  /// The colour's components, with alpha last.
  public var components: [CGFloat]? { spaceKind == .gray ? [c0, alpha] : [c0, c1, c2, alpha] }

  /// Returns the colour with another alpha. Never nil.
  public func copy(alpha: CGFloat) -> CGColor? {
    var copy = self
    copy.alpha = alpha
    return copy
  }

  /// The components and the alpha, in parentheses after the space's name.
  public var description: String {
    let numbers = (components ?? []).map { "\($0)" }.joined(separator: ", ")
    return "\(CGColorSpace(spaceKind)) (\(numbers))"
  }

  package var isFinite: Bool { c0.isFinite && c1.isFinite && c2.isFinite && alpha.isFinite }

  /// Straight components in extended sRGB: below 0 or above 1 if the colour lies outside sRGB.
  package var extendedSRGB: (red: Double, green: Double, blue: Double, alpha: Double) {
    guard spaceKind == .displayP3 else { return (c0, c1, c2, alpha) }
    // Linear Display P3 to linear sRGB, both D65.
    let (r, g, b) = (Self.linear(c0), Self.linear(c1), Self.linear(c2))
    return (
      Self.encoded(1.2249401762805598 * r - 0.2249401762805597 * g),
      Self.encoded(-0.0420569547096881 * r + 1.0420569547096880 * g),
      Self.encoded(
        -0.0196375545903344 * r - 0.0786360455506319 * g + 1.0982736001409663 * b),
      alpha
    )
  }

  /// Returns this colour in `space`. Components are clamped unless the space is extended.
  public func converted(
    to space: CGColorSpace, intent: CGColorRenderingIntent, options: [String: Any]? = nil
  ) -> CGColor? {
    if space.kind == spaceKind { return self }
    let (r, g, b, a) = extendedSRGB
    func clamped(_ v: Double) -> Double { min(max(v, 0), 1) }
    switch space.kind {
    case .extendedSRGB: return CGColor(kind: .extendedSRGB, r, g, b, alpha: a)
    case .sRGB: return CGColor(kind: .sRGB, clamped(r), clamped(g), clamped(b), alpha: a)
    case .gray:
      let y =
        0.2126390058715104 * Self.linear(r) + 0.7151686787677559 * Self.linear(g)
        + 0.0721923153607337 * Self.linear(b)
      return CGColor(gray: clamped(Self.encoded(y)), alpha: a)
    case .displayP3:
      let (lr, lg, lb) = (Self.linear(r), Self.linear(g), Self.linear(b))
      return CGColor(
        kind: .displayP3,
        clamped(Self.encoded(0.8224619687143623 * lr + 0.1775380312856378 * lg)),
        clamped(Self.encoded(0.0331941988509595 * lr + 0.9668058011490404 * lg)),
        clamped(
          Self.encoded(0.0170826307211200 * lr + 0.0723974407362010 * lg + 0.9105199285426790 * lb)),
        alpha: a)
    }
  }

  /// The sRGB transfer curve, mirrored below zero.
  package static func linear(_ v: Double) -> Double {
    let m = abs(v)
    let l = m <= 0.04045 ? m / 12.92 : pow((m + 0.055) / 1.055, 2.4)
    return v < 0 ? -l : l
  }

  package static func encoded(_ v: Double) -> Double {
    let m = abs(v)
    let e = m <= 0.0031308 ? m * 12.92 : 1.055 * pow(m, 1 / 2.4) - 0.055
    return v < 0 ? -e : e
  }
}

/// The ways to bring a colour into the gamut of another space. All of them clamp here.
public enum CGColorRenderingIntent: Int32, Sendable {
  /// By Apple's names; which one it is makes no difference here.
  case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}
