import Foundation
import LaminaFramePlan
import LaminaValues

extension Compositor {
  /// The area that a layer's background fills.
  struct Area {
    var outline: CornerOutline
    /// The antialiased edges; all of them if the outline is rounded.
    var edges: EdgeSet

    /// The rectangle with its hard edges moved outwards, so that they do not reduce the coverage of
    /// any pixel.
    func coveredRect(_ projection: Projection) -> CGRect {
      let rect = outline.rect
      let far = Compositor.outset(rect, by: 2, projection)
      let (minX, maxX) = (
        edges.contains(.minX) ? rect.minX : far.minX, edges.contains(.maxX) ? rect.maxX : far.maxX
      )
      let (minY, maxY) = (
        edges.contains(.minY) ? rect.minY : far.minY, edges.contains(.maxY) ? rect.maxY : far.maxY
      )
      return CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY)
    }
  }

  func area(
    of row: Int, _ values: ValuesPointer, _ projection: Projection, in context: Context
  ) -> Area {
    if context.clippedLaterBy == row {
      // The outline clips this target later; here its edges must not show.
      let rect = Self.outset(values.pointee.bounds, by: 2, projection)
      return Area(outline: CornerOutline(rect: rect), edges: [])
    }
    let outline = values.outline
    guard outline.isRectangle else { return Area(outline: outline, edges: .all) }
    return Area(outline: outline, edges: antialiasedEdges(of: outline.rect, values, projection))
  }

  mutating func paintBackground(of row: Int, _ values: ValuesPointer, in context: Context) {
    guard let color = values.pointee.backgroundColor, color.alpha > 0 else { return }
    let projection = Projection(evaluated.rows[row].toSurface, origin: context.region)
    let area = area(of: row, values, projection, in: context)
    guard !area.outline.isRectangle else {
      paintSolid(area.outline.rect, color, edges: area.edges, projection, in: context)
      return
    }
    fill(area.outline, premultiplied(color, context.opacity), projection, in: context)
  }

  /// Fills a rounded outline.
  mutating func fill(
    _ outline: CornerOutline, _ tint: SIMD4<Float>, _ projection: Projection, in context: Context
  ) {
    let parts = OutlineParts(
      outline, thickness: 0, leastInside: OutlineParts.leastDrawnInside, projection)
    for (rect, edges) in parts.frame {
      guard let quad = ProjectedQuad(rect, through: projection, antialiased: edges) else {
        continue
      }
      add(.rounded.along(outline.curve), quad: quad, in: context) { vertex, out in
        out.append(tint)
        Self.emitCorners(vertex, outline, &out)
      }
    }
    for rect in parts.inside {
      guard let quad = ProjectedQuad(rect, through: projection, antialiased: []) else { continue }
      let blend: FramePlan.Blend = tint[3] >= 1 ? .copy : .sourceOver
      add(.solid, blend: blend, quad: quad, in: context) { _, out in out.append(tint) }
    }
  }

  mutating func paintBorder(of row: Int, _ values: ValuesPointer, in context: Context) {
    let width = CGFloat(values.pointee.borderWidth)
    guard width > 0, let color = values.pointee.borderColor, color.alpha > 0 else { return }
    let bounds = values.pointee.bounds
    let projection = Projection(evaluated.rows[row].toSurface, origin: context.region)
    let isClippedLater = context.clippedLaterBy == row
    let outline = values.outline
    if width * 2 >= min(bounds.width, bounds.height) {
      // The border leaves no opening in the middle.
      var filled = values.pointee
      filled.backgroundColor = color
      withUnsafePointer(to: filled) { paintBackground(of: row, $0, in: context) }
      return
    }
    let edges = antialiasedEdges(of: bounds, values, projection)
    let inner = bounds.insetBy(dx: width, dy: width)
    if outline.isRectangle, !isClippedLater, edges.isEmpty,
      antialiasedEdges(of: inner, values, projection).isEmpty
    {
      for side in bounds.parts(outside: inner) {
        paintSolid(side, color, edges: [], projection, in: context)
      }
      return
    }
    // If the outline clips the target later, the ring's outer edge lies beyond the outline. Its
    // inner edge stays where it is.
    let spread = isClippedLater ? 2 / max(projection.scale(at: bounds.center), 1e-6) : 0
    let outer = outline.inset(by: -spread)
    let tint = premultiplied(color, context.opacity)
    let ring = width + spread
    let parts = OutlineParts(
      outer, thickness: ring, leastInside: OutlineParts.leastOpenInside, projection)
    for (rect, edges) in parts.frame {
      guard let quad = ProjectedQuad(rect, through: projection, antialiased: edges) else {
        continue
      }
      add(.roundedBorder.along(outer.curve), quad: quad, in: context) { vertex, out in
        out.append(tint)
        Self.emitCorners(vertex, outer, &out)
        out.append(Float(ring))
      }
    }
  }

  private mutating func paintSolid(
    _ rect: CGRect, _ color: CGColor, edges: EdgeSet, _ projection: Projection,
    in context: Context
  ) {
    guard let quad = ProjectedQuad(rect, through: projection, antialiased: edges) else { return }
    let tint = premultiplied(color, context.opacity)
    if edges.isEmpty {
      let blend: FramePlan.Blend = tint[3] >= 1 ? .copy : .sourceOver
      add(.solid, blend: blend, quad: quad, in: context) { _, out in out.append(tint) }
    } else {
      add(.solidEdges, quad: quad, in: context) { vertex, out in
        out.append(tint)
        Self.emitEdges(vertex, &out)
      }
    }
  }

  /// The edges of a rectangle to antialias: those for which the layer asks for it and that do not
  /// lie on a pixel boundary.
  func antialiasedEdges(
    of rect: CGRect, _ values: ValuesPointer, _ projection: Projection
  ) -> EdgeSet {
    guard values.pointee.allowsEdgeAntialiasing else { return [] }
    var edges: EdgeSet = []
    // CAEdgeAntialiasingMask: left 1, right 2, bottom (min Y) 4, top (max Y) 8.
    let mask = values.pointee.edgeAntialiasingMask
    func note(_ edge: EdgeSet, _ bit: UInt32, _ from: Int, _ to: Int) {
      guard mask & bit != 0 else { return }
      guard projection.isAffine else {
        edges.insert(edge)
        return
      }
      let a = projection(rect.corner(from)).pixel
      let b = projection(rect.corner(to)).pixel
      let isOnBoundary =
        (abs(a.x - b.x) < 1e-6 && Self.isWhole(a.x)) || (abs(a.y - b.y) < 1e-6 && Self.isWhole(a.y))
      if !isOnBoundary { edges.insert(edge) }
    }
    note(.minX, 1, 3, 0)
    note(.maxX, 2, 1, 2)
    note(.minY, 4, 0, 1)
    note(.maxY, 8, 2, 3)
    return edges
  }

  /// A rectangle grown by a number of screen pixels.
  static func outset(_ rect: CGRect, by pixels: CGFloat, _ projection: Projection) -> CGRect {
    let spread = pixels / max(projection.scale(at: rect.center), 1e-6)
    return rect.insetBy(dx: -spread, dy: -spread)
  }

  /// Premultiplies a colour and multiplies it by an opacity. On an 8-bit target the values are
  /// rounded as the target would round them, so that no device has to break ties in its own way.
  func premultiplied(_ color: CGColor, _ opacity: Double) -> SIMD4<Float> {
    let (r, g, b, a) = color.extendedSRGB
    let alpha = min(max(a, 0), 1) * opacity
    return [channel(r * alpha), channel(g * alpha), channel(b * alpha), channel(alpha)]
  }

  /// A channel's value as a target stores it.
  func channel(_ value: Double) -> Float {
    guard isEightBit else { return Float(value) }
    return Float((min(max(value, 0), 1) * 255).rounded() / 255)
  }

  static func emitEdges(_ vertex: ProjectedQuad.Vertex, _ out: inout [Float]) {
    for i in 0..<4 { out.append(Float(vertex.edges[i] * Double(vertex.w))) }
  }

  static func emitCorners(
    _ vertex: ProjectedQuad.Vertex, _ outline: CornerOutline, _ out: inout [Float]
  ) {
    let rect = outline.rect
    out.append(Float(vertex.local.x - rect.midX))
    out.append(Float(vertex.local.y - rect.midY))
    out.append(Float(rect.width / 2))
    out.append(Float(rect.height / 2))
    for i in 0..<4 { out.append(Float(outline.radii[i])) }
  }
}

/// The parts of a rounded rectangle: its frame, which holds the edges and the corners, and its
/// inside. A pixel inside costs a fifth of one in the frame. A small rectangle is all frame.
private struct OutlineParts {
  /// Each with those of its edges that are edges of the whole.
  var frame: [(rect: CGRect, edges: EdgeSet)]
  var inside: [CGRect] = []

  /// Smallest area of an inside that is drawn, in pixels. A smaller one saves less than its own draw
  /// and the change of programs cost.
  static let leastDrawnInside: CGFloat = 16384
  /// The same for one that is left out.
  static let leastOpenInside: CGFloat = 1024

  /// Along an edge the frame is as wide as `thickness`, at a corner as the corner, each with two
  /// pixels more for antialiasing.
  init(
    _ outline: CornerOutline, thickness: CGFloat, leastInside: CGFloat, _ projection: Projection
  ) {
    let rect = outline.rect
    frame = [(rect, .all)]
    guard projection.isAffine, let unit = projection.unitsPerPixel(at: rect.center) else { return }
    let corner = max(CGFloat(outline.radii.max()) * outline.curve.expansion, thickness)
    let middle = rect.insetBy(dx: corner + 2 * unit.x, dy: corner + 2 * unit.y)
    guard !middle.isNull,
      middle.width * middle.height * abs(projection.affine.determinant) >= leastInside
    else { return }
    // Where parts meet along a side of another, only sides along the pixels have no gaps.
    let edge = projection.isAxisAligned ? thickness : corner
    let inner = rect.insetBy(dx: edge + 2 * unit.x, dy: edge + 2 * unit.y)
    func part(_ minX: CGFloat, _ minY: CGFloat, _ maxX: CGFloat, _ maxY: CGFloat) -> CGRect {
      CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY)
    }
    frame = [
      (part(rect.minX, rect.minY, middle.minX, middle.minY), [.minX, .minY]),
      (part(middle.minX, rect.minY, middle.maxX, inner.minY), .minY),
      (part(middle.maxX, rect.minY, rect.maxX, middle.minY), [.maxX, .minY]),
      (part(rect.minX, middle.minY, inner.minX, middle.maxY), .minX),
      (part(inner.maxX, middle.minY, rect.maxX, middle.maxY), .maxX),
      (part(rect.minX, middle.maxY, middle.minX, rect.maxY), [.minX, .maxY]),
      (part(middle.minX, inner.maxY, middle.maxX, rect.maxY), .maxY),
      (part(middle.maxX, middle.maxY, rect.maxX, rect.maxY), [.maxX, .maxY]),
    ]
    inside = [part(inner.minX, middle.minY, inner.maxX, middle.maxY)]
    if edge < corner {
      inside += [
        part(middle.minX, inner.minY, middle.maxX, middle.minY),
        part(middle.minX, middle.maxY, middle.maxX, inner.maxY),
      ]
    }
  }
}

extension CGRect {
  /// The rectangle less another one, as up to four that do not overlap rectangles.
  func parts(outside hole: CGRect) -> [CGRect] {
    guard hole.minX < maxX, hole.maxX > minX, hole.minY < maxY, hole.maxY > minY else {
      return [self]
    }
    let (top, bottom) = (max(minY, hole.minY), min(maxY, hole.maxY))
    let (left, right) = (max(minX, hole.minX), min(maxX, hole.maxX))
    return [
      CGRect(x: minX, y: minY, width: width, height: top - minY),
      CGRect(x: minX, y: top, width: left - minX, height: bottom - top),
      CGRect(x: right, y: top, width: maxX - right, height: bottom - top),
      CGRect(x: minX, y: bottom, width: width, height: maxY - bottom),
    ].filter { $0.width > 0 && $0.height > 0 }
  }
}

extension [Float] {
  /// Appends four numbers of a vertex without an intermediate array.
  mutating func append(_ four: SIMD4<Float>) {
    for i in 0..<4 { append(four[i]) }
  }
}
