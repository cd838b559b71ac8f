import Testing

@testable import Lamina

@Suite("Warnings") struct WarningTests {
  @Test("A value that a property refuses is a line with the property, the layer and the value")
  func refused() {
    let layer = CALayer()
    layer.name = "card"
    #expect(
      warnings { layer.opacity = .nan }
        == ["lamina: warning: opacity of CALayer \"card\" cannot be nan"])
    #expect(layer.opacity == 1)
  }

  @Test("A colour or a path that is not finite is named by what is wrong with it")
  func strangeValues() {
    let layer = CAShapeLayer()
    let path = CGMutablePath()
    path.move(to: .zero)
    path.addLine(to: CGPoint(x: CGFloat.nan, y: .nan))
    let said = warnings {
      layer.backgroundColor = CGColor(red: 0.25, green: .nan, blue: 1, alpha: 1)
      layer.path = path
    }
    #expect(
      said == [
        "lamina: warning: backgroundColor of CAShapeLayer cannot be "
          + "kCGColorSpaceSRGB (0.25, nan, 1.0, 1.0)",
        "lamina: warning: path of CAShapeLayer cannot be a path with (nan, nan)",
      ])
    #expect(layer.backgroundColor == nil && layer.path == nil)
  }

  @Test("A value of any length is shown as far as a reader would look")
  func long() {
    let gradient = CAGradientLayer()
    let said = warnings {
      gradient.colors = (0..<1000).map { "\($0)" }
      Warnings.current.report(String(repeating: "é", count: 400))
    }
    #expect(said.count == 2)
    #expect(said[0].hasPrefix("lamina: warning: colors of CAGradientLayer"))
    #expect(said[0].hasSuffix("…"))
    #expect(said[0].count == "lamina: warning: ".count + 401)
    #expect(said[1].hasSuffix("éé"))
  }

  @Test("Of one subject the first line is written, and of new ones while there are not too many")
  func once() {
    let said = warnings {
      for _ in 0..<2 {
        for subject in 0..<2000 {
          Warnings.current.report("this is \(subject)", onceFor: "\(subject)")
        }
      }
    }
    #expect(said.count == 1024)
    #expect(said.first == "lamina: warning: this is 0")
    #expect(said.last == "lamina: warning: this is 1023")
  }
}
