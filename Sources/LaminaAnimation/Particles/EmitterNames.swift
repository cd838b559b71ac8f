// The closed lists of names that emitters take, with Apple's raw strings. The order is the wire
// code: append only.

/// The shape from which particles are emitted.
package enum EmitterShape: String, Sendable, CaseIterable {
  case point, line, rectangle, cuboid, circle, sphere
}

/// The part of the shape from which particles are emitted.
package enum EmitterMode: String, Sendable, CaseIterable {
  case volume, points, outline, surface
}

/// The order in which particles are drawn, or their blending.
package enum EmitterRenderMode: String, Sendable, CaseIterable {
  case unordered, oldestFirst, oldestLast, backToFront, additive
}

/// Whether particles face the viewer or are turned in space. Editors write this attribute.
package enum ParticleType: String, Sendable, CaseIterable {
  case sprite, plane
}
