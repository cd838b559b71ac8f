import LaminaValues

/// The drawing of one frame as plain data: what to upload, which passes to draw into which targets,
/// and with which batches. The renderer executes it and makes no decisions.
///
/// Coordinates are device pixels, from the target's top left corner with y down.
package struct FramePlan: Hashable, Sendable {
  package var size: PixelSize
  /// The area that may differ from the session's last frame.
  package var damage: PixelRect
  package var uploads: [Upload] = []
  /// Made after the uploads and before the passes.
  package var mipmaps: [Mipmaps] = []
  /// Textures that no later plan of this session names.
  package var releases: [TextureID] = []
  /// Textures to make before the passes, which draw into them. They stay for later plans.
  package var canvases: [Canvas] = []
  /// Sizes of the offscreen targets, by index. The surface itself is `.surface`.
  package var offscreens: [PixelSize] = []
  package var passes: [Pass] = []
  /// The time at which the frame will next look different without a commit, never before the plan's
  /// own time. It is the plan's own time while something runs, and infinite if nothing is pending.
  package var nextFrameTime = Double.infinity
  /// The vertices of all batches, as `Program.floatsPerVertex` numbers each.
  package var vertices: [Float] = []

  package init(size: PixelSize, damage: PixelRect) {
    self.size = size
    self.damage = damage
  }
}

/// A texture on the device. The planner gives the IDs out and releases them.
package struct TextureID: Hashable, Sendable, CustomStringConvertible {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  package var description: String { "texture \(rawValue)" }
}

extension FramePlan {
  /// Pixels to write into a texture before the passes.
  package struct Upload: Hashable, Sendable {
    package var texture: TextureID
    /// The size and format of the whole texture.
    package var size: PixelSize
    package var format: PixelFormat
    /// The part of the texture to write.
    package var region: PixelRect
    package var source: Source

    package enum Source: Hashable, Sendable {
      /// A part of an image's store. The pixel at the origin goes to the region's top left.
      case store(ImageID, originX: Int, originY: Int)
      /// Tightly packed rows made by the planner, such as a path's coverage.
      case bytes([UInt8])
    }

    package init(
      texture: TextureID, size: PixelSize, format: PixelFormat, region: PixelRect, source: Source
    ) {
      self.texture = texture
      self.size = size
      self.format = format
      self.region = region
      self.source = source
    }
  }

  /// Mipmap levels to make of a texture, each half as large as the one before it.
  package struct Mipmaps: Hashable, Sendable {
    package var texture: TextureID
    /// Number of levels, without the texture itself.
    package var count: Int

    package init(texture: TextureID, count: Int) {
      self.texture = texture
      self.count = count
    }
  }

  /// A texture of the surface's format, transparent at first.
  package struct Canvas: Hashable, Sendable {
    package var texture: TextureID
    package var size: PixelSize

    package init(texture: TextureID, size: PixelSize) {
      self.texture = texture
      self.size = size
    }
  }

  package enum Target: Hashable, Sendable {
    case surface
    case offscreen(Int)
    /// A canvas of this plan.
    case canvas(TextureID)
  }

  /// Uninterrupted drawing into one target.
  package struct Pass: Hashable, Sendable {
    package var target: Target
    /// The area to clear to transparent first; nil keeps everything.
    package var clear: PixelRect?
    package var batches: [Batch] = []

    package init(target: Target, clear: PixelRect?) {
      self.target = target
      self.clear = clear
    }
  }

  /// One draw call: triangles with one program and one state.
  package struct Batch: Hashable, Sendable {
    package var program: Program
    package var blend: Blend
    package var sources: [TextureSource]
    /// In the target's pixels; nothing outside is touched.
    package var scissor: PixelRect
    /// Index in the plan's `vertices` of the batch's first number.
    package var firstFloat: Int
    package var vertexCount: Int

    package init(
      program: Program, blend: Blend, sources: [TextureSource], scissor: PixelRect,
      firstFloat: Int, vertexCount: Int
    ) {
      self.program = program
      self.blend = blend
      self.sources = sources
      self.scissor = scissor
      self.firstFloat = firstFloat
      self.vertexCount = vertexCount
    }
  }

  package enum Blend: Hashable, Sendable {
    /// Replaces the target.
    case copy
    /// Premultiplied source over.
    case sourceOver
    /// The sum of source and target.
    case plus
    /// The sum of source and target, less their product.
    case screen
    /// The target's colour times the source's, as far as the source covers it. The target's alpha
    /// stays.
    case multiply
    /// The source under the target's colours, as far as the target is transparent.
    case fill
    // Porter and Duff's operators, except those that change the target outside the source.
    case sourceAtop, destinationOver, destinationOut, xor
    /// Replaces the target by what the program `blended` makes of the source and a copy of the
    /// target.
    case formula(BlendMode)
  }

  package struct TextureSource: Hashable, Sendable {
    package var texture: Texture
    package var filter: Filter

    package enum Texture: Hashable, Sendable {
      case texture(TextureID)
      /// A canvas drawn by this plan or an earlier one.
      case canvas(TextureID)
      /// An offscreen target drawn by an earlier pass.
      case offscreen(Int)
      case surface
    }

    package enum Filter: Hashable, Sendable {
      case nearest, linear
      /// Mixes the two mipmap levels whose sizes are nearest to the drawn one. `bias` is added to
      /// the level; each level halves the size. For programs of mipmapped images only.
      case trilinear(bias: Float)
    }

    package init(texture: Texture, filter: Filter) {
      self.texture = texture
      self.filter = filter
    }
  }

  /// The computation of a batch's fragments. Each is a program of its own on the device. The
  /// numbers of a vertex are those named here, in this order.
  ///
  /// - position: x, y in pixels times w, then w.
  /// - colour: premultiplied red, green, blue, alpha.
  /// - edges: signed distances in pixels to the quad's four edges (left, right, top, bottom; inside
  ///   is positive) times w, so that they interpolate linearly on the screen; large if an edge is
  ///   not antialiased.
  /// - texture coordinates: 0…1 across the texture, top left first.
  /// - offset: added to the fragment's pixel to get the source's pixel.
  /// - corners: the point in the layer's own units from the centre of its bounds (2), half the
  ///   bounds' size (2), and the radii at minX minY, maxX minY, maxX maxY, minX maxY (4).
  /// - border: the border's width in the layer's units (1).
  /// - place: the point's place in a gradient, relative to its start (2); the factor and the offset
  ///   that turn a location in the gradient into a texture coordinate of its ramp (2).
  package enum Program: UInt8, Hashable, Sendable, CaseIterable {
    /// position, colour
    case solid
    /// position, colour, edges
    case solidEdges
    /// position, colour, texture coordinates: colour × texture
    case image
    /// position, colour, texture coordinates, edges
    case imageEdges
    /// position, colour, corners: colour inside the rounded rectangle
    case rounded
    /// position, colour, corners, border: colour between the outline and the one inset by border
    case roundedBorder
    /// position, colour, corners, texture coordinates: colour × texture inside the outline
    case roundedImage
    /// position, colour, texture coordinates: colour × the texture's coverage (A8)
    case coverage
    /// position, colour, offset: colour × the source at the fragment's own pixel
    case group
    /// position, colour, offset, edges
    case groupEdges
    /// position, colour, offset, corners: as group, inside the rounded rectangle
    case groupRounded
    /// position, colour, offset, mask's offset: colour × first source × second source's alpha
    case groupMasked
    /// position, weights of both sources (2, then two of no meaning), offset, second source's
    /// offset: the sum of both sources at the fragment's own pixel, each times its weight
    case groupMix
    /// position, texture coordinates: the texture itself, 1.4 times as fast as a white `image` on
    /// llvmpipe
    case plainImage
    /// position, colour, corners, sigma in the layer's units: colour × the rounded rectangle under
    /// a Gaussian
    case shadow
    /// The same numbers, for parts of a rectangle that is large beside the Gaussian: where at most
    /// its straight edges show, and where one round corner does, the only one with a radius.
    case shadowEdge, shadowCorner
    /// position, colour, offset: colour × the source's alpha at the fragment's own pixel
    case alpha
    /// position, offset, the four columns of a colour matrix and the constants it adds (20): the
    /// source at the fragment's own pixel through the matrix
    case colorMatrix
    /// position, place, kernel, step: the source under a Gaussian along a line. Place: the origins
    /// of the target and the source in pixels of their own resolutions (4). Kernel: sigma in taps,
    /// the centre's offset, number of taps on either side, 1 if the source's edges are extended
    /// without end (4). Step: from tap to tap in pixels (2).
    case gaussian
    /// Numbers as in `gaussian`: the source at half its resolution, or at twice
    case halved, doubled
    /// position, colour, offset, second source's offset: colour × first source, blended onto the
    /// second by the blend's formula
    case blended
    /// position, colour, corners, place: colour × the ramp at the length of place, inside the
    /// outline
    case radial
    /// position, colour, corners, place: colour × the ramp at the angle of place in turns, inside
    /// the outline
    case conic
    // Like their namesakes, with continuous corners.
    case continuous, continuousBorder, continuousImage, groupContinuous
    case continuousRadial, continuousConic
    // Like imageEdges, roundedImage and continuousImage, between two mipmap levels.
    case mipmappedImage, mipmappedRounded, mipmappedContinuous

    /// The variant of this program, which has circular corners, for corners of `curve`.
    package func along(_ curve: CornerOutline.Curve) -> Self {
      guard curve == .continuous else { return self }
      return switch self {
      case .rounded: .continuous
      case .roundedBorder: .continuousBorder
      case .roundedImage: .continuousImage
      case .mipmappedRounded: .mipmappedContinuous
      case .groupRounded: .groupContinuous
      case .radial: .continuousRadial
      case .conic: .continuousConic
      default: self
      }
    }

    /// The program with the same vertices whose corners are circular, if it has any, and whose
    /// texture has no mipmaps.
    package var basic: Self {
      switch self {
      case .continuous: .rounded
      case .continuousBorder: .roundedBorder
      case .continuousImage: .roundedImage
      case .groupContinuous: .groupRounded
      case .continuousRadial: .radial
      case .continuousConic: .conic
      case .mipmappedImage: .imageEdges
      case .mipmappedRounded, .mipmappedContinuous: .roundedImage
      default: self
      }
    }

    /// Whether its texture has mipmaps.
    package var isMipmapped: Bool {
      self == .mipmappedImage || self == .mipmappedRounded || self == .mipmappedContinuous
    }

    package var hasContinuousCorners: Bool {
      self == .mipmappedContinuous || !isMipmapped && self != basic
    }

    package var floatsPerVertex: Int {
      switch basic {
      case .plainImage: 5
      case .solid: 7
      case .solidEdges: 11
      case .image, .coverage, .group, .alpha: 9
      case .imageEdges, .groupEdges: 13
      case .rounded: 15
      case .roundedBorder, .shadow, .shadowEdge, .shadowCorner: 16
      case .roundedImage, .groupRounded: 17
      case .groupMasked, .groupMix, .blended: 11
      case .gaussian, .halved, .doubled: 13
      case .radial, .conic: 19
      case .colorMatrix: 25
      default: 0  // No basic program.
      }
    }

    package var sourceCount: Int {
      switch basic {
      case .solid, .solidEdges, .rounded, .roundedBorder: 0
      case .shadow, .shadowEdge, .shadowCorner: 0
      case .groupMasked, .groupMix, .blended: 2
      default: 1
      }
    }
  }
}

/// The device's limits, and the way of lowering frames that suits it.
package struct DeviceProfile: Hashable, Sendable {
  package var maxTextureSize: Int
  /// Whether BGRA8 targets work; if not, frames are drawn as RGBA8 and swizzled.
  package var hasBGRA: Bool
  /// Whether the CPU rasterises, as with llvmpipe.
  package var isSoftware: Bool

  package init(maxTextureSize: Int, hasBGRA: Bool, isSoftware: Bool) {
    self.maxTextureSize = maxTextureSize
    self.hasBGRA = hasBGRA
    self.isSoftware = isSoftware
  }
}
