import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

// The one place that converts between the `Any` values of the public interface and the values that
// the evaluator knows.

extension AnimationValue {
  /// Converts numbers of every type, structures (bare or in an NSValue), names, colours, paths,
  /// images, filters, and arrays of these, also in optionals. nil and NSNull become `none`. Fails
  /// for anything else, and for arrays that hold anything else.
  init?(_ object: Any?) {
    guard let object else {
      self = .none
      return
    }
    if let number = Self.number(object) {
      self = .number(number)
      return
    }
    switch object {
    case is NSNull: self = .none
    case let point as CGPoint: self = .point(point)
    case let size as CGSize: self = .size(size)
    case let rect as CGRect: self = .rect(rect)
    case let transform as CATransform3D: self = .transform(transform)
    case let transform as CGAffineTransform: self = .transform(CATransform3D(transform))
    case let transform as AffineTransform:
      self = .transform(
        CATransform3D(
          CGAffineTransform(
            a: transform.m11, b: transform.m12, c: transform.m21, d: transform.m22,
            tx: transform.tX, ty: transform.tY)))
    case let color as CGColor: self = .color(color)
    case let path as CGPath: self = .path(path.storage)
    case let filter as CAFilter: self = .filter(filter.committed)
    case let cell as CAEmitterCell: self = .cell(cell.snapshot)
    case let behavior as CAEmitterBehavior: self = .filter(behavior.values)
    case let matrix as CAColorMatrix: self = .array(matrix.numbers.map { .number($0) })
    case let image as CGImage: self = .image(image.id)
    case let store as LayerStore: self = store.image.map { .image($0.id) } ?? .none
    case let string as String: self = .string(string)
    case let value as NSValue: self.init(boxed: value)
    case let array as [Any]: self.init(array: array)
    case let array as NSArray: self.init(array: array.map { $0 })
    default:
      let mirror = Mirror(reflecting: object)
      if mirror.displayStyle == .optional {
        self.init(mirror.children.first?.value)
      } else if let name = Self.name(object) {
        self = .string(name)
      } else {
        return nil
      }
    }
  }

  private init?(array: [Any]) {
    let values = array.map { AnimationValue($0) }
    guard values.allSatisfy({ $0 != nil }) else { return nil }
    self = .array(values.compactMap { $0 })
  }

  private init?(boxed value: NSValue) {
    switch String(cString: value.objCType) {
    case NSValue.transformType: self = .transform(value.caTransform3DValue)
    case NSValue.colorMatrixType: self = .array(value.colorMatrix.map { .number(Double($0)) })
    case String(cString: NSValue(point: .zero).objCType): self = .point(value.pointValue)
    case String(cString: NSValue(size: .zero).objCType): self = .size(value.sizeValue)
    case String(cString: NSValue(rect: .zero).objCType): self = .rect(value.rectValue)
    default: return nil
    }
  }

  private static func number(_ object: Any) -> Double? {
    switch object {
    case let number as Double: number
    case let number as CGFloat: Double(number)
    case let number as Float: Double(number)
    case let number as any BinaryInteger: Double(number)
    case let flag as Bool: flag ? 1 : 0
    case let number as NSNumber: number.doubleValue
    default: nil
    }
  }

  /// The number that the value counts as where a number is wanted, though it is none: 0 for nil,
  /// and a string's number if the whole string is one. nil for other values and for numbers.
  var convertedToNumber: Double? {
    switch self {
    case .none: return 0
    case .string(let text):
      let number = Double(text.trimmingCharacters(in: .whitespaces))
      return number?.isFinite == true ? number : nil
    default: return nil
    }
  }

  /// The value if it is a number, else the one that it counts as; nil if there is none.
  var asNumber: Double? {
    if case .number(let number) = self { return number }
    return convertedToNumber
  }

  /// The value as a number if `other` is one and the value counts as one; else the value itself.
  func converted(toTypeOf other: AnimationValue?) -> AnimationValue {
    guard case .number? = other, let number = convertedToNumber else { return self }
    return .number(number)
  }

  /// The raw name of Apple's string constants, such as a `CALayerContentsGravity`.
  private static func name(_ object: Any) -> String? {
    (object as? any RawRepresentable).flatMap { $0.rawValue as? String }
  }

  /// The value as apps read it. Numbers are NSNumbers, which cast to Swift's number types. `image`
  /// finds an image by its ID.
  func publicValue(image: (ImageID) -> CGImage?) -> Any? {
    switch self {
    case .none: nil
    case .number(let number): NSNumber(value: number)
    case .point(let point): point
    case .size(let size): size
    case .rect(let rect): rect
    case .transform(let transform): transform
    case .color(let color): color
    case .path(let path): CGPath(path)
    case .image(let id): image(id)
    case .string(let string): string
    case .filter(let filter): filter.object(image: image)
    case .cell(let cell): CAEmitterCell(cell, image: image)
    case .array(let values): values.map { $0.publicValue(image: image) ?? NSNull() }
    }
  }
}

extension NSValue {
  /// Foundation's NSValue cannot encode our structures, so the members are stored as an array.
  static var transformType: String { "[16d]" }

  /// A value that holds a transform.
  public convenience init(caTransform3D transform: CATransform3D) {
    let members = transform.rows.flatMap { $0 }.map { Double($0) }
    self.init(bytes: members, objCType: Self.transformType)
  }

  /// The transform in the value; the identity if it holds no transform.
  public var caTransform3DValue: CATransform3D {
    guard String(cString: objCType) == Self.transformType else { return .identity }
    var members = [Double](repeating: 0, count: 16)
    getValue(&members)
    return CATransform3D(elements: members.map { CGFloat($0) }) ?? .identity
  }

  /// A value that holds a point; the same as `NSValue(point:)`.
  public convenience init(cgPoint point: CGPoint) { self.init(point: point) }
  /// A value that holds a size; the same as `NSValue(size:)`.
  public convenience init(cgSize size: CGSize) { self.init(size: size) }
  /// A value that holds a rectangle; the same as `NSValue(rect:)`.
  public convenience init(cgRect rect: CGRect) { self.init(rect: rect) }
  /// The point that the value holds; the same as `pointValue`.
  public var cgPointValue: CGPoint { pointValue }
  /// The size that the value holds; the same as `sizeValue`.
  public var cgSizeValue: CGSize { sizeValue }
  /// The rectangle that the value holds; the same as `rectValue`.
  public var cgRectValue: CGRect { rectValue }
}

extension CGImage {
  /// The images in a value or an array of values, which an animation has to keep alive.
  static func images(in object: Any?) -> [CGImage] {
    switch object {
    case let image as CGImage: [image]
    case let store as LayerStore: store.image.map { [$0] } ?? []
    case let filter as CAFilter: filter.image.map { [$0] } ?? []
    case let array as [Any]: array.flatMap { images(in: $0) }
    default: []
    }
  }
}
