import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

// Particles as `render(in:)` draws them: those that the render process draws, pressed onto the
// emitter's plane, with hard edges as there.

extension LayerPainter {
  /// Paints the particles of an emitter in a context whose space is the layer's own.
  func paintParticles(of layer: CALayer, _ values: LayerValues, _ setting: Setting) {
    let cloud = layer.particles(at: setting.time)
    guard !cloud.particles.isEmpty else { return }
    let sprites = cloud.looks.map { Sprite($0, of: layer) }
    context.saveGState()
    context.setShouldAntialias(false)
    if values.emitter.renderMode == .additive { context.setBlendMode(.plusLighter) }
    for particle in cloud.particles {
      guard let sprite = sprites[Int(particle.look)] else { continue }
      paint(particle, sprite, setting)
    }
    context.restoreGState()
  }

  /// What the particles of a cell draw.
  private struct Sprite {
    let image: CGImage
    /// Those of a layer that looks like a particle of scale 1.
    let values: LayerValues
    let pieces: ContentsPlacement.Pieces

    /// nil if nothing is drawn.
    init?(_ look: ParticleCloud.Look, of layer: CALayer) {
      guard let image = layer.image(look.contents),
        let values = look.layerValues(imageSize: image.buffer.size)
      else { return nil }
      (self.image, self.values) = (image, values)
      pieces = ContentsPlacement(values, imageSize: image.buffer.size).pieces
    }
  }

  private func paint(_ particle: Particle, _ sprite: Sprite, _ setting: Setting) {
    let color = particle.color
    let alpha = color.w * setting.opacity
    guard alpha > 0 else { return }
    context.saveGState()
    context.concatenate(
      CGAffineTransform(
        a: particle.xAxis.x, b: particle.xAxis.y, c: particle.yAxis.x, d: particle.yAxis.y,
        tx: particle.position.x, ty: particle.position.y))
    for piece in sprite.pieces {
      paint(
        piece, of: sprite.image, sprite.values, isFlipped: setting.isFlipped,
        tint: SIMD4(color.x * alpha, color.y * alpha, color.z * alpha, alpha))
    }
    context.restoreGState()
  }
}
