import Foundation

/// A vector in two dimensions.
public struct CGVector: Hashable, Sendable {
  /// The distance along x.
  public var dx: CGFloat
  /// The distance along y.
  public var dy: CGFloat

  /// The vector of no length.
  public static let zero = CGVector(dx: 0, dy: 0)

  /// The vector of no length.
  public init() { self.init(dx: 0, dy: 0) }
  /// A vector of distances along x and y.
  public init(dx: CGFloat, dy: CGFloat) {
    self.dx = dx
    self.dy = dy
  }
}

/// A 2D affine transform for row vectors: `[x y 1] × [a b 0; c d 0; tx ty 1]`.
public struct CGAffineTransform: Hashable, Sendable {
  /// What a unit of x adds to x.
  public var a: CGFloat
  /// What a unit of x adds to y.
  public var b: CGFloat
  /// What a unit of y adds to x.
  public var c: CGFloat
  /// What a unit of y adds to y.
  public var d: CGFloat
  /// The translation along x.
  public var tx: CGFloat
  /// The translation along y.
  public var ty: CGFloat

  /// The transform that changes nothing.
  public static let identity = CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  /// The identity.
  public init() { self = .identity }

  /// A transform of the given members.
  public init(
    a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat
  ) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.tx = tx
    self.ty = ty
  }

  /// A transform of the given members.
  public init(_ a: CGFloat, _ b: CGFloat, _ c: CGFloat, _ d: CGFloat, _ tx: CGFloat, _ ty: CGFloat)
  {
    self.init(a: a, b: b, c: c, d: d, tx: tx, ty: ty)
  }

  /// A translation.
  public init(translationX tx: CGFloat, y ty: CGFloat) {
    self.init(a: 1, b: 0, c: 0, d: 1, tx: tx, ty: ty)
  }

  /// A scale about the origin.
  public init(scaleX sx: CGFloat, y sy: CGFloat) {
    self.init(a: sx, b: 0, c: 0, d: sy, tx: 0, ty: 0)
  }

  /// Creates a rotation by `angle` radians, from +x toward +y.
  public init(rotationAngle angle: CGFloat) {
    let (sine, cosine) = (sin(angle), cos(angle))
    self.init(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
  }

  /// Whether the transform is the identity.
  public var isIdentity: Bool { self == .identity }

  /// Returns the transform that applies this one first, then `t2`.
  public func concatenating(_ t2: CGAffineTransform) -> CGAffineTransform {
    CGAffineTransform(
      a: a * t2.a + b * t2.c, b: a * t2.b + b * t2.d,
      c: c * t2.a + d * t2.c, d: c * t2.b + d * t2.d,
      tx: tx * t2.a + ty * t2.c + t2.tx, ty: tx * t2.b + ty * t2.d + t2.ty)
  }

  /// Returns the transform that translates first, then applies this one.
  public func translatedBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
    CGAffineTransform(translationX: x, y: y).concatenating(self)
  }

  /// Returns the transform that scales first, then applies this one.
  public func scaledBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
    CGAffineTransform(scaleX: x, y: y).concatenating(self)
  }

  /// Returns the transform that rotates first, by radians from +x toward +y, then applies this one.
  public func rotated(by angle: CGFloat) -> CGAffineTransform {
    CGAffineTransform(rotationAngle: angle).concatenating(self)
  }

  package var determinant: CGFloat { a * d - b * c }

  /// Returns the inverse, or the transform itself if it is singular, as Core Graphics does.
  public func inverted() -> CGAffineTransform {
    let determinant = determinant
    guard determinant != 0, determinant.isFinite else { return self }
    return CGAffineTransform(
      a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
      tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
  }
}

extension CGPoint {
  /// Returns the transformed point.
  public func applying(_ t: CGAffineTransform) -> CGPoint {
    CGPoint(x: x * t.a + y * t.c + t.tx, y: x * t.b + y * t.d + t.ty)
  }
}

extension CGSize {
  /// Returns the transformed size, without the translation. A length may become negative.
  public func applying(_ t: CGAffineTransform) -> CGSize {
    CGSize(width: width * t.a + height * t.c, height: width * t.b + height * t.d)
  }
}

extension CGRect {
  /// Returns the smallest rectangle that contains the transformed corners.
  public func applying(_ t: CGAffineTransform) -> CGRect {
    if isNull || isInfinite { return self }
    var box = BoundingBox()
    for index in 0..<4 { box.add(corner(index).applying(t)) }
    return box.rect
  }

  /// The four corners, from the origin and along x first: (minX, minY), (maxX, minY), (maxX, maxY),
  /// (minX, maxY).
  package var corners: [CGPoint] { (0..<4).map(corner) }

  /// One of the corners, 0 to 3 in the order of `corners`.
  @inlinable package func corner(_ index: Int) -> CGPoint {
    CGPoint(x: index == 1 || index == 2 ? maxX : minX, y: index < 2 ? minY : maxY)
  }

  /// The bounding box of `points`; null if there are none.
  package init(enclosing points: some Sequence<CGPoint>) {
    var box = BoundingBox()
    for point in points { box.add(point) }
    self = box.rect
  }

  package var center: CGPoint { CGPoint(x: midX, y: midY) }
}

extension CGAffineTransform {
  /// The map from a rectangle to 0…1 in both directions.
  package init(unitOf rect: CGRect) {
    self.init(
      a: 1 / rect.width, b: 0, c: 0, d: 1 / rect.height, tx: -rect.minX / rect.width,
      ty: -rect.minY / rect.height)
  }
}

/// The extent of some points, one by one.
private struct BoundingBox {
  private var (minX, minY) = (CGFloat.infinity, CGFloat.infinity)
  private var (maxX, maxY) = (-CGFloat.infinity, -CGFloat.infinity)

  mutating func add(_ point: CGPoint) {
    minX = min(minX, point.x)
    minY = min(minY, point.y)
    maxX = max(maxX, point.x)
    maxY = max(maxY, point.y)
  }

  /// Null if there are no points.
  var rect: CGRect {
    minX <= maxX && minY <= maxY
      ? CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY) : .null
  }
}
