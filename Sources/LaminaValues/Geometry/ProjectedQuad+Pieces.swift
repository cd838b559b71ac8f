import Foundation

extension ProjectedQuad {
  /// The part of the quad that belongs to a piece, as triangles around a point in its middle. Other
  /// triangles could overlap, since rounding moves the corners a little.
  package func triangles(of piece: CutPiece) -> [Vertex] {
    let whole = ConvexPolygon(vertices.map(\.pixel))
    guard let part = piece.part(of: whole), let vertex = interpolation() else { return [] }
    let center = vertex(part.center)
    let corners = part.points.map(vertex)
    var triangles: [Vertex] = []
    triangles.reserveCapacity(corners.count * 3)
    for i in corners.indices {
      triangles.append(center)
      triangles.append(corners[i])
      triangles.append(corners[i + 1 < corners.count ? i + 1 : 0])
    }
    return triangles
  }

  /// Returns a function that gives the vertex at a pixel of the quad's plane, the same for every
  /// part: the values of a vertex, divided by w, are linear on the screen. nil for a quad without
  /// an area.
  private func interpolation() -> ((CGPoint) -> Vertex)? {
    // The largest triangle of the fan.
    let o = vertices[0]
    var (p, q, area) = (o, o, CGFloat(0))
    for i in 1..<max(vertices.count - 1, 1) {
      let (a, b) = (vertices[i].pixel, vertices[i + 1].pixel)
      let found =
        (a.x - o.pixel.x) * (b.y - o.pixel.y) - (b.x - o.pixel.x) * (a.y - o.pixel.y)
      if abs(found) > abs(area) { (p, q, area) = (vertices[i], vertices[i + 1], found) }
    }
    guard area != 0 else { return nil }
    return { pixel in
      let (x, y) = (pixel.x - o.pixel.x, pixel.y - o.pixel.y)
      let s = (x * (q.pixel.y - o.pixel.y) - y * (q.pixel.x - o.pixel.x)) / area
      let t = (y * (p.pixel.x - o.pixel.x) - x * (p.pixel.y - o.pixel.y)) / area
      let (ko, kp, kq) = ((1 - s - t) / o.w, s / p.w, t / q.w)
      // Their sum, but exact if all are the same, such as 1.
      let w = 1 / (1 / o.w + (1 / p.w - 1 / o.w) * s + (1 / q.w - 1 / o.w) * t)
      let local = CGPoint(
        x: (o.local.x * ko + p.local.x * kp + q.local.x * kq) * w,
        y: (o.local.y * ko + p.local.y * kp + q.local.y * kq) * w)
      let edges =
        o.edges * Double(1 - s - t) + p.edges * Double(s) + q.edges * Double(t)
      return Vertex(pixel: pixel, w: w, local: local, edges: edges)
    }
  }
}
