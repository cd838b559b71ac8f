import Foundation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing

@testable import LaminaFramePlan
@testable import LaminaPlanner

/// What one layer draws, from its values and a transform: there is no tree, no pass and no device.
@Suite("Items of one layer")
struct DrawingTests {
  private static let surface = PixelRect(PixelSize(width: 200, height: 200))

  /// What `draw` adds for a layer of 40 x 30 points at (10, 20).
  private func items(
    moved: CGSize = .zero, wide: Bool = false, _ set: (inout LayerValues) -> Void,
    context: (inout LayerDrawing) -> Void = { _ in },
    _ draw: (inout DrawnItems, LayerDrawing) -> Void
  ) -> DrawnItems {
    var values = LayerValues()
    values.bounds = CGRect(x: 0, y: 0, width: 40, height: 30)
    set(&values)
    return withUnsafePointer(to: values) { values in
      let place = CATransform3D(translationX: 10 + moved.width, y: 20 + moved.height)
      var layer = LayerDrawing(
        values: values, projection: Projection(place),
        format: TargetFormat(isEightBit: !wide, maxTextureSize: 256), visible: Self.surface)
      context(&layer)
      var drawn = DrawnItems()
      draw(&drawn, layer)
      return drawn
    }
  }

  private func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRect {
    PixelRect(minX: x, minY: y, maxX: x + width, maxY: y + height)
  }

  /// Rounded to millionths.
  private func mapped(_ x: CGFloat, _ y: CGFloat, _ map: CGAffineTransform) -> [CGFloat] {
    let point = CGPoint(x: x, y: y).applying(map)
    return [point.x, point.y].map { ($0 * 1e6).rounded() / 1e6 }
  }

  @Test("An item is 64 bytes without references")
  func size() {
    #expect(MemoryLayout<Item>.stride == 64)
    #expect(_isPOD(Item.self))
  }

  @Test("An opaque background on whole pixels is one item that replaces what it covers")
  func background() {
    let drawn = items {
      $0.backgroundColor = .red
    } _: {
      $0.addBackground(of: $1)
    }
    #expect(drawn.list.items.map(\.program) == [.solid])
    #expect(drawn.list.items.map(\.blend) == [.copy])
    #expect(drawn.list.items.map(\.color) == [.bytes(0xff00_00ff)])
    #expect(drawn.list.items.map(\.box) == [box(10, 20, 40, 30)])
  }

  @Test("Edges between pixels are moved out by a pixel and know their distances")
  func edges() {
    let drawn = items(moved: CGSize(width: 0.25, height: 0)) {
      $0.backgroundColor = .red
    } _: {
      $0.addBackground(of: $1)
    }
    #expect(drawn.list.items.map(\.program) == [.solidEdges])
    #expect(drawn.list.items.map(\.box) == [box(9, 20, 43, 30)])
    #expect(drawn.list.corners.map(\.x) == [9.25, 51.25, 51.25, 9.25])
    // A pixel outside minX, 41 inside maxX; the edges on pixel boundaries are not shaded.
    #expect(drawn.list.edges[0].x == -1 && drawn.list.edges[0].y == 41)
    #expect(
      drawn.list.edges[0].z == ProjectedQuad.far && drawn.list.edges[0].w == ProjectedQuad.far)
  }

  @Test("What lies outside the visible pixels makes no item")
  func culling() {
    let drawn = items(moved: CGSize(width: 190, height: 0)) {
      $0.backgroundColor = .red
    } _: {
      $0.addBackground(of: $1)
    }
    #expect(drawn.count == 0)
  }

  @Test("Opacity multiplies premultiplied colours, in steps of 1/255 or as floats")
  func opacity() {
    func half(wide: Bool) -> DrawnItems {
      items(wide: wide) {
        $0.backgroundColor = CGColor(red: 1, green: 0.5, blue: 0, alpha: 1)
      } context: {
        $0.tint = SIMD4(repeating: 0.5)
      } _: {
        $0.addBackground(of: $1)
      }
    }
    #expect(half(wide: false).list.items[0].color == .bytes(0x8000_4080))
    #expect(half(wide: true).list.items[0].color == .floats(0))
    #expect(half(wide: true).list.colors == [[0.5, 0.25, 0, 0.5]])
    #expect(half(wide: true).list.items[0].blend == .sourceOver)
  }

  @Test("Components of a colour that are no numbers, or beyond 0 and 1, are clamped")
  func strangeColors() {
    #expect(ItemColor(.nan, 2, -1, .infinity) == .bytes(0xff00_ff00))
    let drawn = items {
      $0.backgroundColor = CGColor(red: .nan, green: .infinity, blue: 1, alpha: 1)
    } _: {
      $0.addBackground(of: $1)
    }
    #expect(drawn.list.items.map(\.color) == [.bytes(0xffff_ff00)])
    let gradient = items {
      $0.gradient.type = .conic
      $0.gradient.colors = [CGColor(red: .nan, green: 2, blue: -1, alpha: 1), .red]
    } _: {
      $0.addGradient(of: $1)
    }
    #expect(gradient.ramps.map { Array($0.bytes.prefix(4)) } == [[0, 255, 0, 255]])
  }

  private static func setLargeAndRounded(_ values: inout LayerValues) {
    values.bounds = CGRect(x: 0, y: 0, width: 180, height: 170)
    values.backgroundColor = .red
    values.cornerRadius = 12
  }

  @Test("A large rounded rectangle is a frame of eight parts around plain ones")
  func rounded() {
    let drawn = items(Self.setLargeAndRounded) { $0.addBackground(of: $1) }
    let programs = drawn.list.items.map(\.program)
    #expect(
      programs == [FramePlan.Program](repeating: .rounded, count: 8) + [.solid, .solid, .solid])
    #expect(drawn.list.outlines.count == 1)
    // As high as the corners leave, then what is above and below it between them.
    let inside = drawn.list.items.suffix(3).map(\.box)
    #expect(inside == [box(11, 33, 178, 144), box(23, 21, 154, 12), box(23, 177, 154, 12)])
  }

  @Test("It is one item for an executor that finds the inside by itself")
  func roundedWhole() {
    let drawn = items {
      Self.setLargeAndRounded(&$0)
      $0.borderWidth = 3
    } context: {
      $0.format.drawsInsidesApart = false
    } _: {
      $0.addBackground(of: $1)
      $0.addBorder(of: $1)
    }
    #expect(drawn.list.items.map(\.program) == [.rounded, .roundedBorder])
  }

  @Test("An image is read without a filter where each of its pixels is one of the target's")
  func pixelOnPixel() {
    func filter(
      moved: CGSize = .zero, _ set: (inout LayerValues) -> Void = { _ in }
    ) -> FramePlan.TextureSource.Filter {
      let drawn = items(moved: moved, set) {
        $0.addContents(7, PixelSize(width: 40, height: 30), of: $1)
      }
      return drawn.sources[Int(drawn.list.items[0].sources[0])].filter
    }
    #expect(filter() == .nearest)
    #expect(filter(moved: CGSize(width: 3, height: -2)) == .nearest)
    #expect(filter(moved: CGSize(width: 0.5, height: 0)) == .linear)
    #expect(filter(moved: CGSize(width: 0, height: 1.0 / 256)) == .linear)
    #expect(filter { $0.bounds.size.width = 80 } == .linear)
    #expect(filter { $0.bounds.size.height = 29 } == .linear)
    #expect(
      filter { $0.contentsDetail.rect = CGRect(x: 0.5, y: 0, width: 0.5, height: 1) } == .linear)
  }

  @Test("A border between whole pixels is four plain sides")
  func border() {
    let drawn = items {
      $0.borderWidth = 2
      $0.borderColor = .green
    } _: {
      $0.addBorder(of: $1)
    }
    #expect(
      drawn.list.items.map(\.box) == [
        box(10, 20, 40, 2), box(10, 22, 2, 26), box(48, 22, 2, 26), box(10, 48, 40, 2),
      ])
    #expect(drawn.list.items.allSatisfy { $0.program == .solid && $0.blend == .copy })
  }

  @Test("A layer whose outline clips the target later draws hard edges beyond it")
  func clippedLater() {
    let drawn = items {
      $0.backgroundColor = .red
      $0.cornerRadius = 5
    } context: {
      $0.isClippedLater = true
    } _: {
      $0.addBackground(of: $1)
    }
    #expect(drawn.list.items.map(\.program) == [.solid])
    #expect(drawn.list.items.map(\.box) == [box(8, 18, 44, 34)])
  }

  @Test("An axial gradient is cut at its stops, and each part mixes two colours")
  func axial() throws {
    let drawn = items {
      $0.gradient.colors = [.red, .green, .red]
      $0.gradient.startPoint = CGPoint(x: 0, y: 0.5)
      $0.gradient.endPoint = CGPoint(x: 1, y: 0.5)
      $0.gradient.locations = [0, 0.25, 1]
    } _: {
      $0.addGradient(of: $1)
    }
    #expect(drawn.list.items.map(\.box) == [box(10, 20, 10, 30), box(20, 20, 30, 30)])
    guard case .ramp(let index) = try #require(drawn.list.items.last).color else {
      Issue.record("no ramp")
      return
    }
    let ramp = drawn.list.colorRamps[Int(index)]
    #expect(ramp.color(x: 10, y: 0) == [0, 1, 0, 1])
    #expect(ramp.color(x: 25, y: 30) == [0.5, 0.5, 0, 1])
    // Beyond the stops the colours go on.
    #expect(ramp.color(x: 50, y: 0) == [1, 0, 0, 1])
  }

  @Test("A radial gradient names its ramp and maps the layer to its place in it")
  func radial() throws {
    let drawn = items {
      $0.gradient.type = .radial
      $0.gradient.colors = [.red, .green]
      $0.gradient.startPoint = CGPoint(x: 0.5, y: 0.5)
      $0.gradient.endPoint = CGPoint(x: 1, y: 1)
    } _: {
      $0.addGradient(of: $1)
    }
    let item = try #require(drawn.list.items.first)
    #expect(item.program == .radial)
    #expect(drawn.sources[Int(item.sources.x)].content == .ramp(0))
    let map = drawn.list.maps[Int(item.parameters)]
    #expect(mapped(20, 15, map) == [0, 0] && mapped(40, 0, map) == [1, -1])
  }

  @Test("Contents name an image and a tile of it, and map the layer to its texels")
  func contents() throws {
    let drawn = items {
      $0.contentsGravity = .resize
    } _: {
      $0.addContents(7, PixelSize(width: 80, height: 60), of: $1)
    }
    let item = try #require(drawn.list.items.first)
    #expect(drawn.count == 1 && item.program == .plainImage)
    #expect(drawn.sources[Int(item.sources.x)].content == .image(7, tile: 0))
    let map = drawn.list.maps[Int(item.parameters)]
    #expect(mapped(40, 15, map) == [1, 0.5])
  }

  @Test("Opaque contents replace what they cover if their edges are hard, in 8 bits")
  func opaqueContents() {
    func blends(
      _ set: (inout LayerValues) -> Void = { _ in }, wide: Bool = false,
      context: (inout LayerDrawing) -> Void = { _ in }
    ) -> [FramePlan.Blend] {
      let drawn = items(wide: wide, set, context: context) {
        $0.addContents(0, PixelSize(width: 80, height: 600), isOpaque: true, of: $1)
      }
      return drawn.list.items.map(\.blend)
    }
    #expect(blends().count > 1 && blends().allSatisfy { $0 == .copy })
    #expect(blends { $0.bounds.size.width = 39.5 }.allSatisfy { $0 == .sourceOver })
    #expect(blends(wide: true).allSatisfy { $0 == .sourceOver })
    #expect(blends(context: { $0.tint = SIMD4(repeating: 0.5) }).allSatisfy { $0 == .sourceOver })
    #expect(blends(context: { $0.blend = .sourceAtop }).allSatisfy { $0 == .sourceAtop })
  }

  @Test("An image larger than a texture is an item for each tile")
  func tiles() {
    let drawn = items {
      $0.contentsGravity = .resize
    } _: {
      $0.addContents(0, PixelSize(width: 400, height: 60), of: $1)
    }
    #expect(
      drawn.list.items.map { drawn.sources[Int($0.sources.x)].content }
        == (0..<4).map { .image(0, tile: $0) })
    // Each begins where the one before it ends.
    let edges = drawn.list.corners.map(\.x)
    #expect(edges[0] == 10 && abs(edges[13] - 50) < 1e-9)
    #expect(edges[1] == edges[4] && edges[5] == edges[8] && edges[9] == edges[12])
  }

  @Test("Contents under round corners that clip are shaded by the outline, without a group")
  func clippedContents() {
    let drawn = items {
      $0.contentsGravity = .resize
      $0.masksToBounds = true
      $0.cornerRadius = 6
    } _: {
      $0.addContents(0, PixelSize(width: 4, height: 4), of: $1)
    }
    #expect(drawn.list.items.map(\.program) == [.roundedImage])
    #expect(drawn.list.outlines.map { $0.radii.max() } == [6])
  }

  @Test("A path that moves by whole pixels names the same coverage, by a fraction another")
  func path() {
    func mask(_ x: CGFloat) -> (PathMask, PixelRect) {
      let drawn = items(moved: CGSize(width: x, height: 0)) {
        $0.shape.path = Path([
          .move(.zero), .line(CGPoint(x: 20, y: 0)), .line(CGPoint(x: 0, y: 20)),
        ])
        $0.shape.fillColor = .red
      } _: {
        $0.addShapeFill(of: $1)
      }
      return (drawn.masks[0], drawn.list.items[0].box)
    }
    #expect(mask(0).0 == mask(33).0)
    #expect(mask(0).0 != mask(0.5).0)
    #expect(mask(33).1 == mask(0).1.offset(x: 33, y: 0))
  }

  /// The programs that draw the shadow of a layer, whose sigma is 4, and how often.
  private func shadowPrograms(
    _ size: CGSize, _ radii: SIMD4<Double>, hidden: [CGRect] = []
  ) -> [FramePlan.Program: Int] {
    let drawn = items {
      $0.bounds = CGRect(origin: .zero, size: size)
    } _: { drawn, layer in
      let style = ShadowStyle(offset: .zero, sigma: 4, color: .black)
      let caster = CornerOutline(rect: layer.bounds, radii: radii)
      drawn.addShadow(style, of: caster, hidden: hidden, layer)
    }
    return Dictionary(grouping: drawn.list.items, by: \.program).mapValues(\.count)
  }

  @Test("A shadow is nine slices, less what the layer's own background hides")
  func shadow() {
    let size = CGSize(width: 100, height: 100)
    #expect(
      shadowPrograms(size, [8, 8, 8, 8]) == [.shadowCorner: 4, .shadowEdge: 4, .solid: 1])
    // The middle is hidden whole, and each edge loses its inner part.
    let inside = CGRect(x: 4, y: 4, width: 92, height: 92)
    #expect(shadowPrograms(size, [8, 8, 8, 8], hidden: [inside])[.solid] == nil)
  }

  @Test("Between its corners, the layer's background hides a shadow up to its edges")
  func hiddenShadow() {
    let drawn = items {
      $0.bounds = CGRect(x: 0, y: 0, width: 100, height: 100)
      $0.cornerRadius = 8
    } _: { drawn, layer in
      let style = ShadowStyle(offset: .zero, sigma: 4, color: .black)
      drawn.addShadow(
        style, of: layer.values.outline, hidden: layer.opaqueRects, layer)
    }
    // The layer lies at (10, 20).
    let edges = drawn.list.items.filter { $0.program == .shadowEdge }.map(\.box)
    #expect(edges.count == 4)
    #expect(edges.map(\.maxY).min() == 21 && edges.map(\.minY).max() == 119, "\(edges)")
    #expect(edges.map(\.maxX).min() == 11 && edges.map(\.minX).max() == 109, "\(edges)")
  }

  @Test("A shadow reaches as far as it is a third of a step of 8 bits")
  func shadowReach() {
    func steps(_ color: CGColor, strength: Double) -> Double {
      let style = ShadowStyle(offset: .zero, sigma: 8, color: color)
      return 255 * strength * erfc(style.reach / 8 / 2.0.squareRoot()) / 2
    }
    for alpha in [1, 0.8, 0.5, 0.35, 0.1, 0.02] {
      let steps = steps(CGColor(gray: 0, alpha: alpha), strength: alpha)
      #expect(steps > 0.31 && steps < 0.334, "alpha \(alpha)")
    }
    let bright = CGColor(kind: .extendedSRGB, 0.1, 3, 0, alpha: 0.5)
    #expect(steps(bright, strength: 1.5) < 0.334)
    let faint = ShadowStyle(offset: .zero, sigma: 8, color: CGColor(gray: 0, alpha: 0.001))
    #expect(faint.reach == 0)
  }

  @Test("A shadow is cut along the axes on which its caster is large, and drawn by what shows")
  func shadowSlices() {
    let (small, wide, high) = (
      CGSize(width: 26, height: 26), CGSize(width: 200, height: 26),
      CGSize(width: 26, height: 200)
    )
    #expect(shadowPrograms(small, [8, 8, 8, 8]) == [.shadowTight: 1])
    #expect(shadowPrograms(small, [13, 13, 13, 13]) == [.shadow: 1])
    #expect(shadowPrograms(small, [8, 8, 0, 0]) == [.shadowUneven: 1])
    #expect(shadowPrograms(small, .zero) == [.shadowRectangle: 1])
    #expect(shadowPrograms(wide, [8, 8, 8, 8]) == [.shadowTight: 2, .shadowRectangle: 1])
    #expect(shadowPrograms(high, [13, 13, 13, 13]) == [.shadow: 2, .shadowRectangle: 1])
    #expect(shadowPrograms(wide, .zero) == [.shadowRectangle: 3])
    let large = CGSize(width: 170, height: 170)
    #expect(
      shadowPrograms(large, [20, 20, 20, 20]) == [.shadow: 4, .shadowEdge: 4, .solid: 1])
    #expect(
      shadowPrograms(large, [8, 8, 0, 0]) == [.shadowCorner: 2, .shadowEdge: 6, .solid: 1])
  }

  @Test("A piece of a layer is made of triangles that share the plane of the whole")
  func pieces() throws {
    var drawn = items {
      $0.backgroundColor = .red
    } _: {
      $0.addBackground(of: $1)
    }
    let cut = CutPiece(
      lines: [CutLine(a: 1, b: 0, c: -30)], steps: [CutStep(cut: 0, isPositive: true)])
    drawn.list.cut(from: 0, to: cut)
    let item = try #require(drawn.list.items.first)
    #expect(item.shape == .triangles && item.vertexCount == 12)
    let corners = drawn.list.corners.suffix(12)
    #expect(corners.allSatisfy { $0.x >= 30 && $0.x <= 50 })
    #expect(corners.allSatisfy { abs($0.localX - ($0.x - 10)) < 1e-9 })
  }
}
