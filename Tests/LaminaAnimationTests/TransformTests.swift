import Foundation
import LaminaAnimation
import LaminaValues
import TestSupport
import Testing

private func rotation(_ angle: Double, _ x: Double, _ y: Double, _ z: Double) -> CATransform3D {
  CATransform3D(rotationAngle: angle, x: x, y: y, z: z)
}

private func difference(_ a: CATransform3D, _ b: CATransform3D) -> Double {
  zip(a.rows.joined(), b.rows.joined()).map { abs($0 - $1) }.max()!
}

// The numbers are from QuartzCore, read by bitemyapp/sidestep's conformance tests (MIT).
@Suite("Transforms")
struct TransformTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var from = CATransform3D.identity
    var to: CATransform3D
    var fraction = 0.25
    var m: [Double]
    var others: @Sendable (CATransform3D) -> Bool = { _ in true }
  }

  static let rows = [
    Row(
      testDescription: "170° about z", to: rotation(170 * .pi / 180, 0, 0, 1),
      m: [0.73728, 0.67559, -0.67559, 0.73728]),
    Row(
      testDescription: "270° about z, the shorter way", to: rotation(270 * .pi / 180, 0, 0, 1),
      m: [0.92388, -0.38268, 0.38268, 0.92388]),
    Row(
      testDescription: "scale to rotation and translation", from: CATransform3D(scaleX: 2, y: 1),
      to: rotation(1, 0, 0, 1).concatenating(CATransform3D(translationX: 40, y: 0)),
      m: [1.6956, 0.43296, -0.2474, 0.96891], others: { isClose($0.m41, 10) }),
    Row(
      testDescription: "1.2 about y", to: rotation(1.2, 0, 1, 0), m: [0.95534, 0, 0, 1],
      others: {
        isClose($0.m13, -0.29552) && isClose($0.m31, 0.29552) && isClose($0.m33, 0.95534)
      }),
    Row(
      testDescription: "mirrored in x", to: CATransform3D(scaleX: -1, y: 1), m: [0.5, 0, 0, 1]),
    Row(
      testDescription: "mirrored in x, halfway", to: CATransform3D(scaleX: -1, y: 1),
      fraction: 0.5, m: [0, 0, 0, 1]),
    Row(
      testDescription: "mirrored in y", to: CATransform3D(scaleX: 1, y: -1), m: [1, 0, 0, 0.5]),
    // From here on checked on macOS, to the digits given.
    Row(testDescription: "sheared", to: shear(0.5), m: [1, 0, 0.1151, 1.0023]),
    Row(
      testDescription: "sheared, halfway", to: shear(0.5), fraction: 0.5,
      m: [1, 0, 0.2368, 1.0031]),
    Row(
      testDescription: "mirrored in x to mirrored in y", from: CATransform3D(scaleX: -1, y: 1),
      to: CATransform3D(scaleX: 1, y: -1), m: [-0.7071, -0.7071, -0.7071, 0.7071]),
    Row(
      testDescription: "half a turn, halfway", to: rotation(.pi, 0, 0, 1), fraction: 0.5,
      m: [0, -1, 1, 0]),
    Row(
      testDescription: "half a turn as scales", to: CATransform3D(scaleX: -1, y: -1),
      m: [0.7071, -0.7071, 0.7071, 0.7071]),
  ]

  private static func shear(_ x: Double) -> CATransform3D {
    CATransform3D(CGAffineTransform(a: 1, b: 0, c: x, d: 1, tx: 0, ty: 0))
  }

  @Test("Transforms are interpolated by their parts", arguments: rows)
  func interpolation(row: Row) throws {
    let value = AnimationValue.transform(row.from)
      .interpolated(to: .transform(row.to), fraction: row.fraction)
    let t = try #require(value.transform)
    for (actual, expected) in zip([t.m11, t.m12, t.m21, t.m22], row.m) {
      #expect(isClose(actual, expected))
    }
    #expect(row.others(t))
  }

  @Test("Half a turn goes the negative way about any axis, and from any turn about it")
  func halfTurns() throws {
    for axis in [SIMD3(1.0, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)] {
      for start in stride(from: -3.0, through: 3, by: 0.5) {
        let value = AnimationValue.transform(rotation(start, axis.x, axis.y, axis.z))
          .interpolated(
            to: .transform(rotation(start + .pi, axis.x, axis.y, axis.z)), fraction: 0.25)
        let expected = rotation(start - .pi / 4, axis.x, axis.y, axis.z)
        #expect(try difference(#require(value.transform), expected) < 1e-9, "\(axis) \(start)")
      }
    }
  }

  @Test("Transforms start and end where they are said to, sheared and mirrored or not")
  func ends() {
    var random = SeededGenerator(seed: 2)
    func transform() -> CATransform3D {
      func number() -> Double { .random(in: -2...2, using: &random) }
      var t = CATransform3D(
        CGAffineTransform(
          a: number(), b: number(), c: number(), d: number(), tx: number(), ty: number()))
      (t.m13, t.m23, t.m31, t.m32, t.m33) = (number(), number(), number(), number(), number())
      return t
    }
    for _ in 0..<2000 {
      let (from, to) = (transform(), transform())
      let parts = (TransformDecomposition(from), TransformDecomposition(to))
      #expect(difference(parts.0.transform(at: 0, to: parts.1), from) < 1e-9)
      #expect(difference(parts.0.transform(at: 1, to: parts.1), to) < 1e-9)
    }
  }

  @Test("What was taken apart goes together again")
  func roundTrip() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      func number() -> Double { .random(in: -3...3, using: &random) }
      var t = CATransform3D.identity
      (t.m11, t.m12, t.m13) = (number(), number(), number())
      (t.m21, t.m22, t.m23) = (number(), number(), number())
      (t.m31, t.m32, t.m33) = (number(), number(), number())
      (t.m41, t.m42, t.m43) = (number(), number(), number())
      #expect(difference(TransformDecomposition(t).transform, t) < 1e-9)
      (t.m14, t.m24, t.m34) = (number() / 100, number() / 100, number() / 100)
      #expect(difference(TransformDecomposition(t).transform, t) < 1e-6)
    }
  }

  @Test("The fourth column goes straight, whatever turns beside it")
  func perspective() throws {
    var perspective = CATransform3D.identity
    perspective.m34 = -1.0 / 500
    let end = rotation(1, 0, 1, 0).concatenating(perspective)
    let value = AnimationValue.transform(perspective)
      .interpolated(to: .transform(end), fraction: 0.25)
    let t = try #require(value.transform)
    #expect(isClose(t.m14, end.m14 / 4, 1e-12) && isClose(t.m24, 0, 1e-12))
    #expect(isClose(t.m34, perspective.m34 * 0.75 + end.m34 * 0.25, 1e-12) && t.m44 == 1)
    #expect(isClose(t.m11, cos(0.25), 1e-12) && isClose(t.m13, -sin(0.25), 1e-12))
  }

  @Test("A turn that is set under a perspective is seen in it")
  func rotationUnderPerspective() throws {
    var perspective = CATransform3D.identity
    perspective.m34 = -1.0 / 500
    let turned = AnimationValue.transform(perspective)
      .settingMember(.rotationY, to: .number(.pi / 2))
    let expected = rotation(.pi / 2, 0, 1, 0).concatenating(perspective)
    #expect(try difference(#require(turned?.transform), expected) < 1e-12)
  }

  @Test(
    "Transforms without a dimension, or with none, keep what they have",
    arguments: [
      CATransform3D(scaleX: 0, y: 1), CATransform3D(scaleX: 1, y: 0),
      CATransform3D(scaleX: 0, y: 0),
      CATransform3D(scaleX: 0, y: 0, z: 0), CATransform3D(), CATransform3D(scaleX: 1, y: 1, z: 0),
      CATransform3D(scaleX: 0, y: 3).concatenating(rotation(1, 0, 0, 1)),
      CATransform3D(scaleX: 3, y: 0).concatenating(rotation(1, 0, 0, 1)),
    ])
  func singular(transform: CATransform3D) {
    #expect(difference(TransformDecomposition(transform).transform, transform) < 1e-12)
    let half = AnimationValue.transform(transform)
      .interpolated(to: .transform(.identity), fraction: 0.5).transform
    #expect(half?.isFinite == true)
  }

  @Test("A layer that shrinks to nothing does not turn")
  func vanishing() throws {
    let value = AnimationValue.transform(.identity)
      .interpolated(to: .transform(CATransform3D(scaleX: 0, y: 0, z: 0)), fraction: 0.5)
    #expect(
      try difference(#require(value.transform), CATransform3D(scaleX: 0.5, y: 0.5, z: 0.5)) < 1e-12)
  }

  @Test("Setting a rotation keeps the scale")
  func rotationMember() throws {
    let value = AnimationValue.transform(CATransform3D(scaleX: 2, y: 2))
      .settingMember(.rotationZ, to: .number(0.5))
    let t = try #require(value?.transform)
    #expect(isClose(t.m11, 1.7551651237807455, 1e-12))
    #expect(isClose(t.m12, 0.958851077208406, 1e-12))
  }

  @Test(
    "A member that was set reads the same and leaves the others",
    arguments: [
      StructureMember.rotationX, .rotationY, .rotationZ, .scaleX, .scaleY, .scaleZ, .shearX,
      .shearY, .shearZ, .translationX, .translationY, .translationZ, .scale, .scaleXY,
    ])
  func members(member: StructureMember) throws {
    let start = AnimationValue.transform(
      CATransform3D(scaleX: 2, y: 3, z: 4).concatenating(rotation(0.3, 1, 2, 3))
        .concatenating(CATransform3D(translationX: 5, y: 6, z: 7)))
    let changed = try #require(start.settingMember(member, to: .number(0.75)))
    #expect(isClose(changed.value(of: member)?.number, 0.75, 1e-12))
    let family = member.rawValue.prefix { $0 != "." }
    for other in StructureMember.allCases where !other.rawValue.hasPrefix(family) {
      guard let before = start.value(of: other)?.number else { continue }
      #expect(isClose(changed.value(of: other)?.number, before, 1e-12), "\(other)")
    }
  }

  @Test(
    "A rotation about one axis reads as its angle, up to half a turn",
    arguments: [
      StructureMember.rotationX, .rotationY, .rotationZ,
    ])
  func angles(member: StructureMember) {
    for angle in stride(from: -3.1, through: 3.1, by: 0.1) {
      let value = AnimationValue.transform(.identity).settingMember(member, to: .number(angle))
      #expect(isClose(value?.value(of: member)?.number, angle, 1e-9), "\(angle)")
    }
  }

  @Test("Translations are sizes, and other structures have their members too")
  func structures() {
    let moved = AnimationValue.transform(.identity)
      .settingMember(.translation, to: .size(CGSize(width: 3, height: 4)))
    #expect(moved?.transform?.m42 == 4)
    #expect(moved?.value(of: .translation) == .size(CGSize(width: 3, height: 4)))
    let rect = AnimationValue.rect(CGRect(x: 1, y: 2, width: 3, height: 4))
    #expect(rect.value(of: .sizeWidth) == .number(3))
    #expect(
      rect.settingMember(.origin, to: .point(.zero))
        == .rect(CGRect(x: 0, y: 0, width: 3, height: 4)))
    #expect(AnimationValue.point(.zero).value(of: .width) == nil)
    #expect(AnimationValue.point(.zero).settingMember(.x, to: .size(.zero)) == nil)
  }

  @Test(
    "Key paths are a key and a member",
    arguments: [
      ("transform.rotation", "transform", StructureMember.rotationZ),
      ("transform.rotation.x", "transform", .rotationX),
      ("bounds.size.width", "bounds", .sizeWidth), ("position.x", "position", .x),
      ("transform.scale.xy", "transform", .scaleXY),
      ("shadowOffset.height", "shadowOffset", .height),
      ("transform.shear.x", "transform", .shearX), ("opacity", "opacity", nil),
    ])
  func keyPaths(keyPath: String, key: String, member: StructureMember?) {
    #expect(PropertyPath(keyPath) == PropertyPath(key: key, member: member))
  }

  @Test("A path to no member is none", arguments: ["position.z", "filters.blur.radius", "a."])
  func unknownMembers(keyPath: String) {
    #expect(PropertyPath(keyPath)?.member.map { AnimationValue.point(.zero).value(of: $0) } == nil)
  }
}
