import Foundation

extension ProjectedQuad {
  /// Cuts the polygon in the layer's plane wherever `location`, which must be linear in that plane,
  /// has one of the values of `limits`, which must rise. Returns one part more than there are
  /// limits; empty ones are nil. Neighbours have exactly the same vertices on their cut.
  package func cut(
    at limits: some Sequence<Double>, _ location: (CGPoint) -> Double
  ) -> [ProjectedQuad?] {
    var parts: [ProjectedQuad?] = []
    var rest = vertices.map { Located(vertex: $0, location: location($0.local)) }
    for limit in limits {
      var (below, above): ([Located], [Located]) = ([], [])
      for (index, a) in rest.enumerated() {
        let b = rest[(index + 1) % rest.count]
        if a.location <= limit { below.append(a) }
        if a.location >= limit { above.append(a) }
        if (a.location < limit && limit < b.location) || (b.location < limit && limit < a.location)
        {
          let t = (limit - a.location) / (b.location - a.location)
          let cut = Located(vertex: a.vertex.mixed(with: b.vertex, t), location: limit)
          below.append(cut)
          above.append(cut)
        }
      }
      parts.append(part(below))
      rest = above
    }
    parts.append(part(rest))
    return parts
  }

  private struct Located {
    var vertex: Vertex
    var location: Double
  }

  private func part(_ polygon: [Located]) -> ProjectedQuad? {
    guard polygon.count >= 3 else { return nil }
    var part = self
    part.vertices = polygon.map(\.vertex)
    return part
  }
}

extension ProjectedQuad.Vertex {
  /// The vertex `t` of the way to another one in the layer's plane. On the screen, `pixel` and
  /// `edges` are mixed in perspective.
  fileprivate func mixed(with other: Self, _ t: Double) -> Self {
    func mix(_ a: CGFloat, _ b: CGFloat) -> CGFloat { a + (b - a) * t }
    let w = mix(w, other.w)
    let mixedEdges = edges * Double(self.w) * (1 - t) + other.edges * Double(other.w) * t
    return Self(
      pixel: CGPoint(
        x: mix(pixel.x * self.w, other.pixel.x * other.w) / w,
        y: mix(pixel.y * self.w, other.pixel.y * other.w) / w),
      w: w,
      local: CGPoint(x: mix(local.x, other.local.x), y: mix(local.y, other.local.y)),
      edges: mixedEdges / Double(w))
  }
}
