import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

/// What the particles of a cell draw: a part of an image, with its middle at the origin.
struct ParticleSprite {
  /// The image's number among the frame's images.
  let image: Int
  let imageHeight: Int
  var parts: [Part]
  private let minification: ContentsFilter
  private let magnification: ContentsFilter
  private let bias: Double

  /// What one tile of the image draws.
  struct Part {
    var tile: Int
    var rect: CGRect
    /// Pixels of the image per point of the rectangle.
    var pixels: SIMD2<Double>
    /// The item that all its particles with the same filter share, but for place and colour.
    var items: [(filter: FramePlan.TextureSource.Filter, item: Item)] = []
    let piece: ContentsPlacement.Piece
    let pixelsOfTile: ImageTile
  }

  /// nil if nothing is drawn.
  init?(
    _ look: ParticleCloud.Look, image: Int, size: PixelSize, of layer: LayerDrawing
  ) {
    guard let values = look.layerValues(imageSize: size) else { return nil }
    (self.image, imageHeight) = (image, size.height)
    (minification, magnification) = (look.minificationFilter, look.magnificationFilter)
    bias = min(max(look.minificationFilterBias, -16), 16)
    parts = []
    let tiles = ImageTiles(of: size, limit: layer.format.maxTextureSize)
    for piece in ContentsPlacement(values, imageSize: size).pieces {
      for (index, tile) in tiles.enumerated() {
        guard let part = piece.part(in: tile, of: size, isFlipped: layer.isFlipped) else {
          continue
        }
        parts.append(
          Part(
            tile: index, rect: part.destination,
            pixels: SIMD2(
              part.source.width / part.destination.width,
              part.source.height / part.destination.height),
            piece: part, pixelsOfTile: tile))
      }
    }
  }

  /// The filter of a particle whose image has a scale in the surface's pixels, as for the contents
  /// of a layer.
  func filter(_ part: Part, scale: () -> SIMD2<Double>) -> FramePlan.TextureSource.Filter {
    if minification == magnification, minification != .trilinear {
      return minification == .nearest ? .nearest : .linear
    }
    let pixels = scale() / part.pixels
    let isTrilinear = minification == .trilinear
    guard min(pixels.x, pixels.y) < (isTrilinear ? exp2(bias) : 1) - 1e-6 else {
      return magnification == .nearest ? .nearest : .linear
    }
    if isTrilinear { return .trilinear(bias: Float(bias)) }
    return minification == .nearest ? .nearest : .linear
  }
}

/// Where the particles of an emitter lie on the surface.
struct ParticlePlacement {
  /// From the layer's space to the surface's pixels.
  let toSurface: CATransform3D
  /// Whether particles keep their distances from the layer's plane.
  let preservesDepth: Bool

  /// The projection of a particle's own space, whose unit is a point of a particle of scale 1.
  func projection(of particle: Particle) -> Projection {
    let (x, y, at) = (particle.xAxis, particle.yAxis, particle.position)
    var own = CATransform3D.identity
    (own.m11, own.m12) = (x.x, x.y)
    (own.m21, own.m22) = (y.x, y.y)
    (own.m41, own.m42) = (at.x, at.y)
    if preservesDepth { (own.m13, own.m23, own.m43) = (x.z, y.z, at.z) }
    return Projection(own.concatenating(toSurface))
  }
}

extension DrawnItems {
  /// Adds an emitter's particles. `sprites` has what those of each look draw, if anything.
  mutating func addParticles(
    _ cloud: ParticleCloud, _ sprites: [ParticleSprite?], _ placement: ParticlePlacement,
    isAdditive: Bool, of layer: LayerDrawing
  ) {
    var sprites = sprites
    let blend = layer.blend ?? (isAdditive ? .plus : .sourceOver)
    cloud.particles.withUnsafeBufferPointer { particles in
      for place in particles.indices {
        let particle = particles.baseAddress! + place
        let look = Int(particle.pointee.look)
        guard sprites[look] != nil else { continue }
        let color = color(
          straight: particle.pointee.color, tint: layer.tint, layer.format)
        let projection = placement.projection(of: particle.pointee)
        for part in sprites[look]!.parts.indices {
          add(&sprites[look]!, part, color, blend, projection, layer)
        }
      }
    }
  }

  /// Adds what a tile of the image draws of a particle. Its edges are hard: images of particles end
  /// in transparent pixels, or are too small for their edges to be seen.
  private mutating func add(
    _ sprite: inout ParticleSprite, _ place: Int, _ color: ItemColor, _ blend: FramePlan.Blend,
    _ projection: Projection, _ layer: LayerDrawing
  ) {
    let rect = sprite.parts[place].rect
    let filter = sprite.filter(sprite.parts[place]) {
      let scales = projection.scales(at: .zero)
      return SIMD2(scales.across, scales.down)
    }
    var item = item(of: &sprite, place, filter, layer)
    (item.color, item.blend) = (color, blend)
    if filter.isTrilinear {
      item.program = .mipmappedImage
    } else if isWhite(color) {
      item.program = .plainImage
    }
    if projection.isAffine, !item.program.hasEdges {
      list.add(item, rect, through: projection, within: layer.visible)
    } else if let quad = ProjectedQuad(rect, through: projection, antialiased: []) {
      list.add(item, quad, within: layer.visible)
    }
  }

  private mutating func item(
    of sprite: inout ParticleSprite, _ place: Int, _ filter: FramePlan.TextureSource.Filter,
    _ layer: LayerDrawing
  ) -> Item {
    for known in sprite.parts[place].items where known.filter == filter { return known.item }
    let part = sprite.parts[place]
    let map = CGAffineTransform(
      texelsOf: part.piece, in: part.pixelsOfTile, imageHeight: sprite.imageHeight,
      isFlipped: layer.isFlipped, isNearest: filter == .nearest)
    let item = Item(
      .image, parameters: list.map(map),
      sources: SIMD2(source(.image(sprite.image, tile: part.tile), filter), 0))
    sprite.parts[place].items.append((filter, item))
    return item
  }
}
