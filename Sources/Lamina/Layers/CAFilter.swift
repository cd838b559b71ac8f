import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// A filter for a layer's picture, for what lies behind the layer, or for compositing the two. A
/// layer stores a copy: to change a filter that a layer has, set the layer's key path
/// `filters.NAME.inputRadius`, for example. Such key paths can be animated.
///
/// The types and their inputs, with the defaults:
/// - `gaussianBlur`: `inputRadius`, the standard deviation in points (10), and
///   `inputNormalizeEdges`. With that flag a layer's picture is blurred as if its pixels at the
///   edges of the bounds went on outside, and ends with the bounds; if they are turned on the
///   screen, and for what lies behind a layer, it has no effect (false)
/// - `variableBlur`: the same, and `inputMaskImage`, a CGImage that is stretched over the bounds,
///   and whose edge pixels go on outside: where its alpha is 1, the standard deviation is
///   `inputRadius`, where it is 0, nothing is blurred, and in between it is a part of the radius.
///   Without an image, all is blurred as by `gaussianBlur`
/// - `colorMatrix`: `inputColorMatrix`, a `CAColorMatrix` or its twenty numbers (the identity)
/// - `colorSaturate`, `colorContrast`: `inputAmount` (1); `colorBrightness`: `inputAmount`, which
///   is added (0); `colorHueRotate`: `inputAngle` in radians (0); `colorInvert`
/// - `multiplyColor`: `inputColor` (white)
///
/// A layer's `compositingFilter` is of another type, such as `multiplyBlendMode`, without inputs.
/// The class is private on Apple's systems.
public final class CAFilter: NSObject, NSCopying, NSSecureCoding {
  var values: FilterValues
  /// The image among the inputs, which is kept with it.
  private(set) var image: CGImage?

  /// A filter with given values. `image` finds an image by its ID.
  init(_ values: FilterValues, image find: (ImageID) -> CGImage? = { _ in nil }) {
    self.values = values
    image = values.image.flatMap(find)
  }

  /// The values that a layer stores. A filter without a name gets its type as its name, which tells
  /// it from a bare type string.
  var committed: FilterValues {
    var named = values
    named.name = values.pathName
    return named
  }

  /// Makes a filter of the given type. Frames of a layer with a filter of unknown type throw an
  /// error.
  public convenience init(type: String) { self.init(FilterValues(type: type)) }

  /// The same as `init(type:)`.
  public convenience init(name: String) { self.init(type: name) }

  /// The type, such as `gaussianBlur`.
  public var type: String { values.type }

  /// The filter's name in key paths; nil stands for its type. Default: nil.
  public var name: String? {
    get { values.name }
    set { values.name = newValue }
  }

  /// Whether the filter has an effect. Default: true.
  public var isEnabled: Bool {
    get { values.isEnabled }
    set { values.isEnabled = newValue }
  }

  /// Has no effect: the render process decides whether to keep the picture that a filter is applied
  /// to. Default: false.
  public var cachesInputImage = false

  /// The keys of the inputs that the filter's type has.
  public var inputKeys: [String] {
    guard let kind = FilterKind(type: type) else { return [] }
    return (kind.defaults.map(\.key) + (kind.imageKey.map { [$0] } ?? [])).sorted()
  }

  /// Resets all inputs to their defaults.
  public func setDefaults() { (values.inputs, image) = ([], nil) }

  /// All filter types, blend modes included.
  public class func filterTypes() -> [String] {
    FilterKind.allCases.map(\.rawValue) + BlendMode.allCases.map(\.rawValue)
  }

  /// The value of an input, `name`, `type`, `enabled` or `cachesInputImage`; nil for other keys.
  public func value(forKey key: String) -> Any? {
    switch key {
    case "name": name
    case "type": type
    case "enabled", "isEnabled": NSNumber(value: isEnabled)
    case "cachesInputImage": NSNumber(value: cachesInputImage)
    default:
      values[key]?.animationValue.publicValue { id in image.flatMap { $0.id == id ? $0 : nil } }
    }
  }

  /// Sets an input, `name`, `enabled` or `cachesInputImage`. Inputs are numbers, colours, names,
  /// arrays of numbers, a `CAColorMatrix` or a CGImage; nil resets an input to its default. A value
  /// that does not suit the key is refused with a warning.
  public func setValue(_ value: Any?, forKey key: String) {
    let new = AnimationValue(value)
    switch (key, new) {
    case ("name", .none?): name = nil
    case ("name", .string(let text)?): name = text
    case ("enabled", .number(let number)?), ("isEnabled", .number(let number)?):
      isEnabled = number != 0
    case ("cachesInputImage", .number(let number)?): cachesInputImage = number != 0
    case (_, .none?): values[key] = nil
    default:
      guard let new, let input = FilterInput(new), values.accepts(input, for: key) else {
        let shown = value.map { "\($0), a \(Swift.type(of: $0))" } ?? "nil"
        return warn("\(key) of the filter \(type) cannot be \(shown)")
      }
      values[key] = input
    }
    // Only the input that is an image can have one as its value.
    guard values.image != image?.id else { return }
    image = values.image == nil ? nil : value as? CGImage
  }

  /// The same as for a key: inputs have no members.
  public func value(forKeyPath keyPath: String) -> Any? { value(forKey: keyPath) }

  /// The same as for a key: inputs have no members.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    setValue(value, forKey: keyPath)
  }

  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = CAFilter(values) { _ in image }
    copy.cachesInputImage = cachesInputImage
    return copy
  }

  /// Filters are equal if type, name, inputs and `isEnabled` are.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CAFilter)?.values == values
  }

  public override var hash: Int { values.hashValue }

  public override var description: String { "CAFilter \(values.text)" }

  public static var supportsSecureCoding: Bool { true }

  /// Archives the type, name, inputs and `isEnabled`.
  public func encode(with coder: NSCoder) {
    coder.archive(values, of: "a filter") { value(forKey: $0) }
  }

  /// Reads a filter from an archive; nil if the archive has no type.
  public init?(coder: NSCoder) {
    guard let archived = coder.archivedFilter else { return nil }
    values = archived.values
    super.init()
    for (key, value) in archived.inputs { setValue(value, forKey: key) }
  }
}

extension FilterValues {
  /// The object that a layer returns: the bare type if the filter was set as one, else a
  /// `CAFilter`.
  /// `image` finds an image by its ID.
  func object(image: (ImageID) -> CGImage? = { _ in nil }) -> Any {
    guard name != nil else { return type }
    return CAFilter(self, image: image)
  }
}

/// A linear map of colours that are not premultiplied, for the filter `colorMatrix`. Each row gives
/// a component of the result, in the order red, green, blue and alpha: the factors for the red,
/// green, blue and alpha of the input, and a constant that is added.
public struct CAColorMatrix: Hashable, Sendable {
  /// The result's red: the factors for red, green, blue and alpha, and what is added.
  public var m11, m12, m13, m14, m15: Float
  /// The result's green: the factors for red, green, blue and alpha, and what is added.
  public var m21, m22, m23, m24, m25: Float
  /// The result's blue: the factors for red, green, blue and alpha, and what is added.
  public var m31, m32, m33, m34, m35: Float
  /// The result's alpha: the factors for red, green, blue and alpha, and what is added.
  public var m41, m42, m43, m44, m45: Float

  /// A matrix of all its members, row by row.
  public init(
    m11: Float, m12: Float, m13: Float, m14: Float, m15: Float,
    m21: Float, m22: Float, m23: Float, m24: Float, m25: Float,
    m31: Float, m32: Float, m33: Float, m34: Float, m35: Float,
    m41: Float, m42: Float, m43: Float, m44: Float, m45: Float
  ) {
    (self.m11, self.m12, self.m13, self.m14, self.m15) = (m11, m12, m13, m14, m15)
    (self.m21, self.m22, self.m23, self.m24, self.m25) = (m21, m22, m23, m24, m25)
    (self.m31, self.m32, self.m33, self.m34, self.m35) = (m31, m32, m33, m34, m35)
    (self.m41, self.m42, self.m43, self.m44, self.m45) = (m41, m42, m43, m44, m45)
  }

  /// The identity.
  public init() {
    self.init(
      m11: 1, m12: 0, m13: 0, m14: 0, m15: 0, m21: 0, m22: 1, m23: 0, m24: 0, m25: 0,
      m31: 0, m32: 0, m33: 1, m34: 0, m35: 0, m41: 0, m42: 0, m43: 0, m44: 1, m45: 0)
  }

  var numbers: [Double] {
    [
      m11, m12, m13, m14, m15, m21, m22, m23, m24, m25,
      m31, m32, m33, m34, m35, m41, m42, m43, m44, m45,
    ].map(Double.init)
  }
}

extension NSValue {
  /// The members are stored as an array, since Foundation's NSValue cannot encode Lamina's
  /// structures.
  static var colorMatrixType: String { "[20f]" }

  /// A value that holds a colour matrix, as the filter's input takes it.
  public convenience init(caColorMatrix matrix: CAColorMatrix) {
    let members = matrix.numbers.map(Float.init)
    self.init(bytes: members, objCType: Self.colorMatrixType)
  }

  /// The members of the colour matrix that the value holds; it must hold one.
  var colorMatrix: [Float] {
    var members = [Float](repeating: 0, count: 20)
    getValue(&members)
    return members
  }
}
