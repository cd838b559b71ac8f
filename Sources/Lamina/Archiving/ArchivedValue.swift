import Foundation
import LaminaAnimation
import LaminaGraphics
import LaminaValues

// Stand-ins that archives hold for values that are not Foundation objects. The classes, keys and
// numbers are those of Core Animation's own archives.

/// The object to archive for `object`; nil, with a warning that names `key`, if it cannot be
/// archived.
func archivedObject(_ object: Any, key: String, by coder: NSCoder) -> NSObject? {
  if let archived = archivedObject(object, by: coder) { return archived }
  warn("\(key) is not archived: it is or holds a \(type(of: object)), or something it lies in")
  return nil
}

private func archivedObject(_ object: Any, by coder: NSCoder) -> NSObject? {
  switch object {
  case let object as NSObject where NSCoder.enclosing.contains(ObjectIdentifier(object)): return nil
  case let image as CGImage: return ArchivedImage(image)
  case let store as LayerStore: return store.image.map { ArchivedImage($0) }
  case let font as CTFont: return ArchivedFont(font)
  case let font as CGFont: return ArchivedFont(font)
  case let style as CTParagraphStyle: return ArchivedParagraphStyle(style)
  case let text as NSAttributedString: return ArchivedText(text, by: coder)
  case is CALayer, is CAAnimation, is CAFilter, is CAMediaTimingFunction, is CAValueFunction,
    is CAConstraint, is CAEmitterCell, is CAEmitterBehavior,
    is CAConstraintLayoutManager, is NSNumber, is NSNull, is NSData, is NSDate:
    return object as? NSObject
  case let data as Data: return NSData(data: data)
  case let date as Date:
    return NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
  case let array as [Any]:
    let objects = array.compactMap { archivedObject($0, by: coder) }
    return objects.count == array.count ? ArchivedArray(objects) : nil
  case let dictionary as [String: Any]:
    let objects = dictionary.compactMapValues { archivedObject($0, by: coder) }
    return objects.count == dictionary.count ? ArchivedDictionary(objects) : nil
  default: break
  }
  switch AnimationValue(object) {
  case .none?: return NSNull()
  case .number(let number)?: return NSNumber(value: number)
  case .string(let string)?: return NSString(string: string)
  case .point(let point)?: return ArchivedStructure(.point, [point.x, point.y])
  case .size(let size)?: return ArchivedStructure(.size, [size.width, size.height])
  case .rect(let rect)?:
    return ArchivedStructure(
      .rect, [rect.origin.x, rect.origin.y, rect.size.width, rect.size.height])
  case .transform(let transform)?:
    return ArchivedStructure(.transform, transform.rows.flatMap { $0 })
  case .color(let color)?: return ArchivedColor(color)
  case .path(let path)?: return ArchivedPath(path)
  case .image?, .array?, .filter?, .cell?, nil:
    // Secure decoding reads only the classes that the reader lists, and Lamina cannot list the
    // app's.
    return coder.requiresSecureCoding || !(object is any NSCoding) ? nil : object as? NSObject
  }
}

/// The value that `object`, read from an archive, stands for.
private func valueOfArchived(_ object: Any) -> Any {
  switch object {
  case let archived as any ArchivedValue: archived.value
  case let array as [Any]: array.map(valueOfArchived)
  case let dictionary as [AnyHashable: Any]: dictionary.mapValues(valueOfArchived)
  default: object
  }
}

extension NSCoder {
  /// The key under which an object's archive lists the keys of its properties.
  static let contentsKey = "__CACodingContents"

  /// Every class of objects in the archives of layers and animations. The name is the one that Core
  /// Animation's archives use, if they have a class of their own for it.
  package static let archivedClasses: [(class: AnyClass, name: String?)] = [
    (ArchivedStructure.self, "LKNSValueCodingProxy"), (ArchivedColor.self, "LKCGColorCodingProxy"),
    (ArchivedPath.self, "CACGPathCodingProxy"),
    (ArchivedPathSegment.self, "CACGPathCodingSegment"),
    (ArchivedArray.self, "LKNSArrayCodingProxy"), (ArchivedDictionary.self, nil),
    (ArchivedImage.self, nil), (ArchivedText.self, nil), (ArchivedFont.self, nil),
    (ArchivedParagraphStyle.self, nil),
    (CALayer.self, "CALayer"), (CAShapeLayer.self, "CAShapeLayer"),
    (CAGradientLayer.self, "CAGradientLayer"), (CAScrollLayer.self, "CAScrollLayer"),
    (CATransformLayer.self, "CATransformLayer"), (CABackdropLayer.self, "CABackdropLayer"),
    (CATextLayer.self, "CATextLayer"), (CAEmitterLayer.self, "CAEmitterLayer"),
    (CAEmitterCell.self, "CAEmitterCell"), (CAEmitterBehavior.self, "CAEmitterBehavior"),
    (CAReplicatorLayer.self, "CAReplicatorLayer"), (CATiledLayer.self, "CATiledLayer"),
    (CAAnimation.self, "CAAnimation"), (CAPropertyAnimation.self, "CAPropertyAnimation"),
    (CABasicAnimation.self, "CABasicAnimation"), (CASpringAnimation.self, "CASpringAnimation"),
    (CAKeyframeAnimation.self, "CAKeyframeAnimation"),
    (CAAnimationGroup.self, "CAAnimationGroup"),
    (CATransition.self, "CATransition"), (CAValueFunction.self, "CAValueFunction"),
    (CAMediaTimingFunction.self, "CAMediaTimingFunction"), (CAConstraint.self, "CAConstraint"),
    (CAConstraintLayoutManager.self, "CAConstraintLayoutManager"), (CAFilter.self, "CAFilter"),
    (NSNumber.self, nil),
    (NSString.self, nil), (NSData.self, nil), (NSDate.self, nil), (NSNull.self, nil),
    (NSArray.self, nil),
  ]

  /// The objects that contain the one being archived. An object that contains itself is not
  /// archived there, since Foundation's unarchiver could not read it.
  @TaskLocal fileprivate static var enclosing: Set<ObjectIdentifier> = []

  /// Runs `body`, which archives the contents of `object`.
  final func archiving(_ object: NSObject, _ body: () -> Void) {
    Self.$enclosing.withValue(Self.enclosing.union([ObjectIdentifier(object)]), operation: body)
  }

  /// The number of archived objects that contain the one being read.
  @TaskLocal private static var nesting = 0

  /// The deepest nesting that is read: far deeper than real trees, and shallow enough for a
  /// thread's stack. It also stops at objects that an archive nests in themselves.
  private static let maximumNesting = 400

  /// Whether the contents of the object being read lie too deep to be read.
  final var isTooDeep: Bool { Self.nesting >= Self.maximumNesting }

  /// The value under a key; nil if there is none or it cannot be read.
  final func archivedValue(forKey key: String) -> Any? {
    guard containsValue(forKey: key) else { return nil }
    guard !isTooDeep else { return nil }
    return Self.$nesting.withValue(Self.nesting + 1) {
      decodeObject(of: Self.archivedClasses.map(\.class), forKey: key).map(valueOfArchived)
    }
  }

  /// The finite number under a key; nil if there is none.
  final func archivedNumber(forKey key: String) -> Double? {
    guard containsValue(forKey: key) else { return nil }
    let number = decodeDouble(forKey: key)
    return number.isFinite ? number : nil
  }

  /// The keys under which an object's properties were archived.
  final var archivedKeys: Set<String> {
    Set((archivedValue(forKey: Self.contentsKey) as? [Any] ?? []).compactMap { $0 as? String })
  }
}

/// An object that stands in an archive for a value that is not a Foundation object.
protocol ArchivedValue: NSObject, NSSecureCoding {
  var value: Any { get }
}

/// A point, a size, a rectangle or a transform.
final class ArchivedStructure: NSObject, ArchivedValue {
  enum Kind: Int, CaseIterable {
    case point, size, rect, transform

    var keys: [String] {
      switch self {
      case .point: ["x", "y"]
      case .size: ["width", "height"]
      case .rect: ["x", "y", "width", "height"]
      case .transform: (1...4).flatMap { row in (1...4).map { "m\(row)\($0)" } }
      }
    }
  }

  private let kind: Kind
  private let members: [CGFloat]

  init(_ kind: Kind, _ members: [CGFloat]) {
    self.kind = kind
    self.members = members
  }

  static var supportsSecureCoding: Bool { true }

  func encode(with coder: NSCoder) {
    coder.encode(kind.rawValue, forKey: "kind")
    // A transform without members is the identity.
    if kind == .transform, CATransform3D(elements: members)?.isIdentity == true { return }
    for (key, member) in zip(kind.keys, members) { coder.encode(Double(member), forKey: key) }
  }

  init?(coder: NSCoder) {
    guard let code = coder.archivedNumber(forKey: "kind"),
      let kind = Int(exactly: code).flatMap(Kind.init(rawValue:))
    else { return nil }
    let members = kind.keys.compactMap { key in
      // Null rectangles have infinite origins.
      coder.containsValue(forKey: key) ? CGFloat(coder.decodeDouble(forKey: key)) : nil
    }
    self.kind = kind
    if kind == .transform, members.isEmpty {
      self.members = CATransform3D.identity.rows.flatMap { $0 }
    } else {
      guard members.count == kind.keys.count, !members.contains(where: \.isNaN) else { return nil }
      self.members = members
    }
  }

  var value: Any {
    switch kind {
    case .point: CGPoint(x: members[0], y: members[1])
    case .size: CGSize(width: members[0], height: members[1])
    case .rect: CGRect(x: members[0], y: members[1], width: members[2], height: members[3])
    case .transform: CATransform3D(elements: members) ?? .identity
    }
  }
}

/// A colour: its components as Core Animation writes them, and the name of their space.
final class ArchivedColor: NSObject, ArchivedValue {
  private let color: CGColor

  init(_ color: CGColor) { self.color = color }

  static var supportsSecureCoding: Bool { true }

  func encode(with coder: NSCoder) {
    coder.encode(color.c0, forKey: "r")
    coder.encode(color.c1, forKey: "g")
    coder.encode(color.c2, forKey: "b")
    coder.encode(Double(color.alpha), forKey: "a")
    coder.encode(CGColorSpace(color.spaceKind).name as NSString, forKey: "colorSpace")
  }

  init?(coder: NSCoder) {
    guard let red = coder.archivedNumber(forKey: "r"),
      let green = coder.archivedNumber(forKey: "g"), let blue = coder.archivedNumber(forKey: "b"),
      let alpha = coder.archivedNumber(forKey: "a")
    else { return nil }
    let name = coder.archivedValue(forKey: "colorSpace") as? String
    let space = CGColorSpace(name: name ?? CGColorSpace.sRGB) ?? CGColorSpace(.sRGB)
    color = CGColor(kind: space.kind, red, green, blue, alpha: alpha)
  }

  var value: Any { color }
}

/// A path, as a list of its elements.
final class ArchivedPath: NSObject, ArchivedValue {
  private let path: Path

  init(_ path: Path) { self.path = path }

  static var supportsSecureCoding: Bool { true }

  func encode(with coder: NSCoder) {
    let segments = path.elements.map { ArchivedPathSegment($0) }
    coder.encode(NSArray(array: segments), forKey: "LKCGPathSegments")
  }

  init?(coder: NSCoder) {
    guard let objects = coder.archivedValue(forKey: "LKCGPathSegments") as? [Any] else {
      return nil
    }
    let segments = objects.compactMap { $0 as? ArchivedPathSegment }
    guard segments.count == objects.count else { return nil }
    path = Path(segments.map(\.element))
  }

  var value: Any { CGPath(path) }
}

/// An element of a path.
final class ArchivedPathSegment: NSObject, NSSecureCoding {
  let element: Path.Element

  init(_ element: Path.Element) { self.element = element }

  static var supportsSecureCoding: Bool { true }

  func encode(with coder: NSCoder) {
    coder.encode(element.archivedType, forKey: "LKCGPathType")
    for (index, point) in Path([element]).points.enumerated() {
      coder.encode(Double(point.x), forKey: "LKCGPathPoint\(index)_x")
      coder.encode(Double(point.y), forKey: "LKCGPathPoint\(index)_y")
    }
  }

  init?(coder: NSCoder) {
    func point(_ index: Int) -> CGPoint? {
      guard let x = coder.archivedNumber(forKey: "LKCGPathPoint\(index)_x"),
        let y = coder.archivedNumber(forKey: "LKCGPathPoint\(index)_y")
      else { return nil }
      return CGPoint(x: x, y: y)
    }
    let points = (0..<3).compactMap(point)
    switch coder.archivedNumber(forKey: "LKCGPathType") {
    case 0 where points.count > 0: element = .move(points[0])
    case 1 where points.count > 0: element = .line(points[0])
    case 2 where points.count > 1: element = .quad(control: points[0], end: points[1])
    case 3 where points.count > 2:
      element = .cubic(control1: points[0], control2: points[1], end: points[2])
    case 4: element = .close
    default: return nil
    }
  }
}

extension Path.Element {
  fileprivate var archivedType: Int {
    switch self {
    case .move: 0
    case .line: 1
    case .quad: 2
    case .cubic: 3
    case .close: 4
    }
  }
}

/// A list.
final class ArchivedArray: NSObject, ArchivedValue {
  private let objects: [Any]

  init(_ objects: [NSObject]) { self.objects = objects }

  static var supportsSecureCoding: Bool { true }

  func encode(with coder: NSCoder) { coder.encode(NSArray(array: objects), forKey: "array") }

  init?(coder: NSCoder) {
    guard let objects = coder.archivedValue(forKey: "array") as? [Any] else { return nil }
    self.objects = objects
  }

  var value: Any { objects }
}

/// A dictionary, as its sorted keys and their values. It replaces Foundation's dictionary, which
/// reads memory out of bounds if an archive has fewer values than keys.
final class ArchivedDictionary: NSObject, ArchivedValue {
  private let objects: [String: Any]

  init(_ objects: [String: NSObject]) { self.objects = objects }

  static var supportsSecureCoding: Bool { true }

  func encode(with coder: NSCoder) {
    let sorted = objects.sorted { $0.key < $1.key }
    coder.encode(NSArray(array: sorted.map { NSString(string: $0.key) }), forKey: "keys")
    coder.encode(NSArray(array: sorted.map(\.value)), forKey: "values")
  }

  init?(coder: NSCoder) {
    guard let keys = coder.archivedValue(forKey: "keys") as? [String],
      let values = coder.archivedValue(forKey: "values") as? [Any], keys.count == values.count
    else { return nil }
    objects = Dictionary(zip(keys, values)) { $1 }
  }

  var value: Any { objects }
}

/// An image, as a PNG and the name of its colour space.
final class ArchivedImage: NSObject, ArchivedValue {
  private let image: CGImage

  init(_ image: CGImage) { self.image = image }

  static var supportsSecureCoding: Bool { true }

  func encode(with coder: NSCoder) {
    do throws(ImageError) {
      // The components are not converted: the colour space is archived under its own key.
      let data = try CGImage(image.buffer).pngData()
      coder.encode(NSData(data: data), forKey: "data")
    } catch {
      warn("an image is not archived: \(error)")
    }
    coder.encode((image.colorSpace?.name ?? CGColorSpace.sRGB) as NSString, forKey: "colorSpace")
  }

  init?(coder: NSCoder) {
    guard let data = coder.archivedValue(forKey: "data") as? Data,
      let image = try? CGImage(data: data, named: "an archived image", wants16Bits: true)
    else { return nil }
    let name = coder.archivedValue(forKey: "colorSpace") as? String
    let space = name.flatMap { CGColorSpace(name: $0) }
    self.image = space.map { CGImage(image.buffer, colorSpace: $0) } ?? image
  }

  var value: Any { image }
}
