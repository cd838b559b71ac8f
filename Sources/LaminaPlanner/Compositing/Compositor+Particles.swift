import LaminaAnimation
import LaminaCommit
import LaminaRenderTree
import LaminaValues

extension Compositor {
  /// The particles of an emitter's row; nil for any other row.
  func particles(of row: Int) -> ParticleCloud? {
    let place = evaluated.rows[row]
    guard place.kind == .emitter, place.animated >= 0 else { return nil }
    return evaluated.animatedValues.cloud(place.animated)
  }

  /// Adds the particles of an emitter.
  mutating func addParticles(of row: Int, _ values: ValuesPointer, in context: Context) {
    guard let cloud = particles(of: row), !cloud.particles.isEmpty else { return }
    let layer = layer(row, values, in: context)
    let sprites = cloud.looks.map { look -> ParticleSprite? in
      // A look that nothing has was never included.
      guard look.largestScale > 0,
        let image = number(of: look.contents, in: row)
      else { return nil }
      return ParticleSprite(
        look, image: image, size: graph.images.drawn[image].image.layout.size, of: layer)
    }
    let placement = ParticlePlacement(
      toSurface: evaluated.toPixels[row],
      preservesDepth: values.pointee.replicator.preservesDepth)
    let isAdditive = values.pointee.emitter.renderMode == .additive
    addItems(in: context) {
      $0.addParticles(cloud, sprites, placement, isAdditive: isAdditive, of: layer)
    }
  }
}
