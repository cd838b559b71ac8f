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
