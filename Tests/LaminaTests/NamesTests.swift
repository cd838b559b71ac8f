import Lamina
import Testing

// Measured on Apple's QuartzCore by others.
@Suite("Names") struct NamesTests {
  @Test("Each constant is the string that Apple's documents and archives hold")
  func rawStrings() {
    let gravities: [CALayerContentsGravity] = [
      .center, .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft, .bottomRight,
      .resize, .resizeAspect, .resizeAspectFill,
    ]
    #expect(
      gravities.map(\.rawValue) == [
        "center", "top", "bottom", "left", "right", "topLeft", "topRight", "bottomLeft",
        "bottomRight", "resize", "resizeAspect", "resizeAspectFill",
      ])
    let formats: [CALayerContentsFormat] = [.RGBA8Uint, .RGBA16Float, .gray8Uint, .automatic]
    #expect(formats.map(\.rawValue) == ["RGBA8", "RGBAh", "Gray8", "Automatic"])
    let filters: [CALayerContentsFilter] = [.nearest, .linear, .trilinear]
    #expect(filters.map(\.rawValue) == ["nearest", "linear", "trilinear"])
    let curves: [CALayerCornerCurve] = [.circular, .continuous]
    #expect(curves.map(\.rawValue) == ["circular", "continuous"])
    #expect(
      [kCAOnOrderIn, kCAOnOrderOut, kCATransition] == ["onOrderIn", "onOrderOut", "transition"])
  }

  @Test("A layer takes each gravity, format, filter and curve by its string")
  func byString() {
    let layer = CALayer()
    let names = [
      "contentsGravity": [
        "center", "top", "bottom", "left", "right", "topLeft", "topRight", "bottomLeft",
        "bottomRight", "resizeAspect", "resizeAspectFill", "resize",
      ],
      "contentsFormat": ["RGBAh", "Gray8", "Automatic", "RGBA8"],
      "minificationFilter": ["nearest", "trilinear", "linear"],
      "magnificationFilter": ["nearest", "trilinear", "linear"],
      "cornerCurve": ["continuous", "circular"],
    ]
    for (key, values) in names {
      for value in values {
        layer.setValue(value, forKey: key)
        #expect(layer.value(forKey: key) as? String == value)
      }
    }
  }
}
