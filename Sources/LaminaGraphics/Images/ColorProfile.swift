import CColor
import LaminaValues

/// An ICC profile: what the numbers of an image file's pixels mean.
final class ColorProfile {
  /// The components of a pixel.
  enum Components {
    case rgb, gray, cmyk
  }

  let components: Components
  private let context: cmsContext
  private let profile: cmsHPROFILE

  /// Nil if `bytes` are no profile that pixels can be converted from.
  init?(_ bytes: [UInt8]) {
    guard let context = cmsCreateContext(nil, nil) else { return nil }
    guard let count = UInt32(exactly: bytes.count),
      let profile = cmsOpenProfileFromMemTHR(context, bytes, count)
    else {
      cmsDeleteContext(context)
      return nil
    }
    guard let components = Self.components(of: profile) else {
      cmsCloseProfile(profile)
      cmsDeleteContext(context)
      return nil
    }
    (self.context, self.profile, self.components) = (context, profile, components)
  }

  /// Nil for profiles of other components, and for those that describe no pixels.
  private static func components(of profile: cmsHPROFILE) -> Components? {
    let classes = [
      cmsSigInputClass, cmsSigDisplayClass, cmsSigOutputClass, cmsSigColorSpaceClass,
    ]
    guard classes.contains(cmsGetDeviceClass(profile)) else { return nil }
    switch cmsGetColorSpace(profile) {
    case cmsSigRgbData: return .rgb
    case cmsSigGrayData: return .gray
    case cmsSigCmykData: return .cmyk
    default: return nil
    }
  }

  /// The profile of sRGB's primaries with a linear curve, or of Display P3.
  private init?(primaries: cmsCIExyYTRIPLE, isLinear: Bool) {
    guard let context = cmsCreateContext(nil, nil) else { return nil }
    var (white, primaries) = (cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1), primaries)
    // Type 4 is sRGB's curve: ((a x + b) ^ g), and c x below d.
    let sRGB = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
    let curve =
      isLinear ? cmsBuildGamma(context, 1) : cmsBuildParametricToneCurve(context, 4, sRGB)
    var curves = [curve, curve, curve]
    let profile = cmsCreateRGBProfileTHR(context, &white, &primaries, &curves)
    cmsFreeToneCurve(curve)
    guard let profile else {
      cmsDeleteContext(context)
      return nil
    }
    (self.context, self.profile, components) = (context, profile, .rgb)
  }

  /// Display P3, as `CGColor` understands it.
  static func displayP3() -> ColorProfile? {
    ColorProfile(
      primaries: cmsCIExyYTRIPLE(
        Red: cmsCIExyY(x: 0.680, y: 0.320, Y: 1), Green: cmsCIExyY(x: 0.265, y: 0.690, Y: 1),
        Blue: cmsCIExyY(x: 0.150, y: 0.060, Y: 1)), isLinear: false)
  }

  private static func linearSRGB() -> ColorProfile? {
    ColorProfile(
      primaries: cmsCIExyYTRIPLE(
        Red: cmsCIExyY(x: 0.640, y: 0.330, Y: 1), Green: cmsCIExyY(x: 0.300, y: 0.600, Y: 1),
        Blue: cmsCIExyY(x: 0.150, y: 0.060, Y: 1)), isLinear: true)
  }

  deinit {
    cmsCloseProfile(profile)
    cmsDeleteContext(context)
  }

  /// The profile's own name; nil if it has none.
  var name: String? {
    var characters = [CChar](repeating: 0, count: 128)
    let count = cmsGetProfileInfoASCII(
      profile, cmsInfoDescription, "en", "US", &characters, UInt32(characters.count))
    let bytes = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return count > 0 && !bytes.isEmpty ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

// MARK: - Well-known spaces

extension ColorProfile {
  /// The red, green and blue primaries of a space, as CIE XYZ for D50.
  private typealias Primaries = [SIMD3<Double>]

  private static let sRGBPrimaries: Primaries = [
    SIMD3(0.43607, 0.22249, 0.01392), SIMD3(0.38515, 0.71687, 0.09708),
    SIMD3(0.14307, 0.06061, 0.71410),
  ]
  private static let displayP3Primaries: Primaries = [
    SIMD3(0.51512, 0.24120, -0.00105), SIMD3(0.29198, 0.69225, 0.04189),
    SIMD3(0.15710, 0.06657, 0.78407),
  ]

  /// The space that pixels of this profile are in already; nil if they need to be converted.
  var knownSpace: CGColorSpace.Kind? {
    switch components {
    case .rgb:
      guard cmsIsMatrixShaper(profile) != 0, cmsIsTag(profile, cmsSigAToB0Tag) == 0,
        [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag].allSatisfy(hasCurveOfSRGB)
      else { return nil }
      if hasPrimaries(Self.sRGBPrimaries) { return .sRGB }
      return hasPrimaries(Self.displayP3Primaries) ? .displayP3 : nil
    case .gray: return hasCurveOfSRGB(cmsSigGrayTRCTag) ? .sRGB : nil
    case .cmyk: return nil
    }
  }

  private func hasPrimaries(_ primaries: Primaries) -> Bool {
    let tags = [cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag]
    return zip(tags, primaries).allSatisfy { tag, primary in
      guard let value = cmsReadTag(profile, tag)?.assumingMemoryBound(to: cmsCIEXYZ.self).pointee
      else { return false }
      let difference = SIMD3(value.X, value.Y, value.Z) - primary
      return (difference * difference).sum().squareRoot() < 0.002
    }
  }

  private func hasCurveOfSRGB(_ tag: cmsTagSignature) -> Bool {
    guard let curve = cmsReadTag(profile, tag) else { return false }
    return (0...32).allSatisfy { step in
      let value = Double(step) / 32
      let linear = cmsEvalToneCurveFloat(OpaquePointer(curve), Float(value))
      return abs(Double(linear) - CGColor.linear(value)) < 0.002
    }
  }
}

// MARK: - Conversion

extension ColorProfile {
  /// Converts straight BGRA8 pixels to sRGB in place; of gray, each channel has the level, and of
  /// inks, the four bytes are cyan, magenta, yellow and black, 255 for none, and become opaque.
  /// False, and nothing is changed, if the profile cannot do it.
  func convertBytes(of buffer: PixelBuffer) -> Bool {
    let format =
      switch components {
      case .rgb: LAMINA_BGRA8
      case .gray: LAMINA_GRAY8
      case .cmyk: LAMINA_CMYK8
      }
    guard let target = cmsCreate_sRGBProfileTHR(context) else { return false }
    defer { cmsCloseProfile(target) }
    guard let transform = makeTransform(from: format, to: target, LAMINA_BGRA8) else {
      return false
    }
    defer { cmsDeleteTransform(transform) }
    let layout = buffer.layout
    buffer.withUnsafeMutableBytes { bytes in
      for y in 0..<layout.height {
        guard let row = bytes.baseAddress.map({ $0 + y * layout.stride }) else { return }
        cmsDoTransform(transform, row, row, UInt32(layout.width))
        guard components == .cmyk else { continue }
        for x in 0..<layout.width {
          row.storeBytes(of: 255, toByteOffset: x * 4 + 3, as: UInt8.self)
        }
      }
    }
    return true
  }

  /// Returns a closure that converts a row of straight RGBA to extended sRGB in place; of gray,
  /// each channel has the level. Nil if the profile cannot do it.
  func rowConverter(width: Int) -> ((inout [Float]) -> Void)? {
    guard components != .cmyk, let target = Self.linearSRGB() else { return nil }
    let format = components == .gray ? LAMINA_GRAY_FLOAT : LAMINA_RGBA_FLOAT
    let made = withExtendedLifetime(target) {
      makeTransform(from: format, to: target.profile, LAMINA_RGBA_FLOAT)
    }
    guard let transform = made else { return nil }
    let converter = RowConverter(transform: transform, profile: self)
    return { row in
      let count = min(width, row.count / 4)
      row.withUnsafeMutableBytes {
        cmsDoTransform(converter.transform, $0.baseAddress, $0.baseAddress, UInt32(count))
      }
      for index in row.indices where index % 4 != 3 {
        let value = CGColor.encoded(Double(row[index]))
        // Far beyond what any space holds: damaged profiles make such numbers.
        row[index] = value.isFinite ? Float(min(max(value, -128), 128)) : 0
      }
    }
  }

  /// A conversion and the profile whose context it uses.
  private final class RowConverter {
    let transform: cmsHTRANSFORM
    private let profile: ColorProfile

    init(transform: cmsHTRANSFORM, profile: ColorProfile) {
      self.transform = transform
      self.profile = profile
    }

    deinit { cmsDeleteTransform(transform) }
  }

  private func makeTransform(
    from format: UInt32, to target: cmsHPROFILE, _ targetFormat: UInt32
  ) -> cmsHTRANSFORM? {
    cmsCreateTransformTHR(
      context, profile, format, target, targetFormat, UInt32(INTENT_PERCEPTUAL), 0)
  }
}
