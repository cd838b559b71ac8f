import LaminaValues

// The closed lists of names that layer properties take, with Apple's raw strings. Order is the
// wire code: append only.

package enum LayerKind: UInt8, Sendable, CaseIterable {
  case layer, shape, text, gradient, replicator, scroll, tiled, transform, emitter
}

package enum ContentsGravity: String, LayerName {
  case resize, resizeAspect, resizeAspectFill, center, top, bottom, left, right
  case topLeft, topRight, bottomLeft, bottomRight
  package static let allCases: [Self] = [
    .resize, .resizeAspect, .resizeAspectFill, .center, .top, .bottom, .left, .right,
    .topLeft, .topRight, .bottomLeft, .bottomRight,
  ]
}

package enum ContentsFilter: String, LayerName {
  case linear, nearest, trilinear
  package static let allCases: [Self] = [.linear, .nearest, .trilinear]
}

package enum ContentsFormat: String, LayerName {
  case rgba8 = "RGBA8"
  case rgba16Float = "RGBAh"
  case gray8 = "Gray8"
  case automatic = "Automatic"
  package static let allCases: [Self] = [.rgba8, .rgba16Float, .gray8, .automatic]
}

package enum CornerCurve: String, LayerName {
  case circular, continuous
  package static let allCases: [Self] = [.circular, .continuous]
}

package enum ToneMapMode: String, LayerName {
  case automatic, never, ifSupported
  package static let allCases: [Self] = [.automatic, .never, .ifSupported]
}

package enum DynamicRange: String, LayerName {
  case automatic, standard, constrainedHigh, high
  package static let allCases: [Self] = [.automatic, .standard, .constrainedHigh, .high]
}

package enum FillRule: String, LayerName {
  case nonZero = "non-zero"
  case evenOdd = "even-odd"
  package static let allCases: [Self] = [.nonZero, .evenOdd]
}

package enum LineCap: String, LayerName {
  case butt, round, square
  package static let allCases: [Self] = [.butt, .round, .square]
}

package enum LineJoin: String, LayerName {
  case miter, round, bevel
  package static let allCases: [Self] = [.miter, .round, .bevel]
}

package enum TextTruncation: String, LayerName {
  case none, start, middle, end
  package static let allCases: [Self] = [.none, .start, .middle, .end]
}

package enum TextAlignment: String, LayerName {
  case natural, left, right, center, justified
  package static let allCases: [Self] = [.natural, .left, .right, .center, .justified]
}

package enum GradientType: String, LayerName {
  case axial, radial, conic
  package static let allCases: [Self] = [.axial, .radial, .conic]
}

package enum ScrollMode: String, LayerName {
  case both, none, vertically, horizontally
  package static let allCases: [Self] = [.both, .none, .vertically, .horizontally]
}

package enum EmitterShape: String, LayerName {
  case point, line, rectangle, cuboid, circle, sphere
  package static let allCases: [Self] = [.point, .line, .rectangle, .cuboid, .circle, .sphere]
}

package enum EmitterMode: String, LayerName {
  case volume, points, outline, surface
  package static let allCases: [Self] = [.volume, .points, .outline, .surface]
}

package enum EmitterRenderMode: String, LayerName {
  case unordered, oldestFirst, oldestLast, backToFront, additive
  package static let allCases: [Self] = [
    .unordered, .oldestFirst, .oldestLast, .backToFront, .additive,
  ]
}
