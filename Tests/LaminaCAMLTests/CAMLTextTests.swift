import Foundation
import Lamina
import Testing

@testable import LaminaCAML

@Suite("Values as documents write them")
struct CAMLTextTests {
  @Test(
    "Numbers may be exponential or infinite",
    arguments: [
      ("1", 1), (" -2.5 ", -2.5), ("1e-100", 1e-100), ("inf", .infinity), ("+infinity", .infinity),
      ("-inf", -.infinity),
    ] as [(String, Double)])
  func numbers(text: String, value: Double) {
    #expect(CAMLText.anyNumber(text) == value)
  }

  @Test(
    "What is no number is none",
    arguments: ["", "nan", "NaN", "-nan", "0x10", "1 2", "1,2", "one", "1e", "infinite", "٣"])
  func noNumbers(text: String) {
    #expect(CAMLText.anyNumber(text) == nil)
  }

  @Test("A length is finite and of a size that a screen could have", arguments: ["inf", "1e300"])
  func lengths(text: String) {
    #expect(CAMLText.number(text) == nil)
    #expect(CAMLText.integer(text) == nil)
    #expect(CAMLText.rect("0 0 1 \(text)") == nil)
    #expect(CAMLText.transform("scale(\(text))") == nil)
    #expect(CAMLText.transform("rotate(\(text)deg)") == nil)
  }

  @Test("Points, sizes and rectangles hold exactly their numbers")
  func structures() {
    #expect(CAMLText.point("1 -2") == CGPoint(x: 1, y: -2))
    #expect(CAMLText.point("1") == nil)
    #expect(CAMLText.size("3, 4") == CGSize(width: 3, height: 4))
    #expect(CAMLText.rect("0 1 2 3") == CGRect(x: 0, y: 1, width: 2, height: 3))
    #expect(CAMLText.rect("0 1 2 3 4") == nil)
  }

  @Test("A colour has three components, and may have values above 1 and an opacity of its own")
  func colors() {
    #expect(CAMLText.color("1 0.5 0") == CGColor(red: 1, green: 0.5, blue: 0, alpha: 1))
    #expect(CAMLText.color("2 0 0")?.components == [2, 0, 0, 1])
    #expect(
      CAMLText.color("1 1 1", opacity: 0.25) == CGColor(red: 1, green: 1, blue: 1, alpha: 0.25))
    #expect(
      CAMLText.color("0 0 0 0.5", opacity: 0.5) == CGColor(red: 0, green: 0, blue: 0, alpha: 0.25))
    #expect(CAMLText.color("1 2 3 4 5") == nil)
  }

  @Test("No functions at all are the identity")
  func identity() {
    #expect(CAMLText.transform("") == CATransform3DIdentity)
    #expect(CAMLText.transform("  ") == CATransform3DIdentity)
  }

  @Test("Of several functions the last is applied first")
  func chain() throws {
    let transform = try #require(CAMLText.transform("translate(10, 20, 0) scale(2, 3, 1)"))
    let expected = CATransform3DScale(CATransform3DMakeTranslation(10, 20, 0), 2, 3, 1)
    #expect(transform == expected)
    #expect(transform.m41 == 10)
  }

  @Test("Rotations are about z unless they name an axis")
  func rotations() throws {
    let z = try #require(CAMLText.transform("rotate(90deg)"))
    #expect(abs(z.m12 - 1) < 1e-15)
    let y = try #require(CAMLText.transform("rotate(90deg, 0, 1, 0)"))
    #expect(abs(y.m13 + 1) < 1e-15)
    #expect(CAMLText.transform("rotate(1deg, 0, 1)") == nil)
  }

  @Test("A matrix is in row order, and perspective is m34")
  func matrices() throws {
    let numbers = (1...16).map(String.init).joined(separator: ", ")
    let matrix = try #require(CAMLText.transform("matrix(\(numbers))"))
    #expect(matrix.rowElements == (1...16).map { CGFloat($0) })
    #expect(CAMLText.transform("perspective(500)")?.m34 == -1 / 500.0)
    #expect(CAMLText.transform("perspective(0)") == nil)
  }

  @Test(
    "A broken transform is none",
    arguments: [
      "scale(", "scale)", "scale(1", "(1)", "turn(1)", "scale(a)", "matrix(1 2)", "rotate()",
      "rotate(deg)", ")(", "scale(1e9) scale(1e9) scale(1e9) rotate(1",
    ])
  func brokenTransforms(text: String) {
    #expect(CAMLText.transform(text) == nil)
  }
}
