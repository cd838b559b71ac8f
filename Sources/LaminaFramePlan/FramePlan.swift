import LaminaValues

/// The drawing of one frame as plain data: what to upload, which passes to draw into which targets,
/// and with which batches of items. The renderer executes it and makes no decisions.
///
/// Coordinates are device pixels, with y down: those of items from the origin of the space that
/// they lie in, all others from the target's top left corner.
@usableFromInline package struct FramePlan: Hashable, Sendable {
  package var size: PixelSize
  /// The parts of the surface that may differ from the session's last frame, disjoint. The passes
  /// paint these, and the surface keeps its other pixels.
  package var damage: [PixelRect]
  package var uploads: [Upload] = []
  /// Made after the uploads and before the passes.
  package var mipmaps: [Mipmaps] = []
  /// Textures to free before the uploads. Neither this plan nor a later one names them.
  package var releases: [TextureID] = []
  /// Textures to make before the passes, which draw into them. They stay for later plans.
  package var canvases: [Canvas] = []
  /// Sizes of the offscreen targets, by index. The surface itself is `.surface`.
  package var offscreens: [PixelSize] = []
  /// The offscreens that are sampled only where passes of this plan have painted them. What earlier
  /// frames left elsewhere in their memory may stay.
  package var sharedOffscreens: Set<Int> = []
  package var passes: [Pass] = []
  /// The time at which the frame will next look different without a commit, never before the plan's
  /// own time. It is the plan's own time while something runs, and infinite if nothing is pending.
  package var nextFrameTime = Double.infinity
  /// Number of the layers' instances that were evaluated for the frame, and of those that were
  /// drawn.
  package var instances = 0
  /// Number of bytes that offscreen targets may take while no frame draws into them.
  package var idleTargetLimit = Int.max
  /// Whether textures are released because memory is short, and not because nothing needs them.
  package var isShortOfMemory = false
  /// What the batches draw.
  package var items = ItemList()

  package init(size: PixelSize, damage: [PixelRect]) {
    self.size = size
    self.damage = damage
  }

  /// A frame that is drawn whole.
  package init(size: PixelSize) {
    self.init(size: size, damage: [PixelRect(size)])
  }

  /// Whether there is nothing to do for the device: the surface stays as it is.
  package var isEmpty: Bool {
    damage.isEmpty && uploads.isEmpty && mipmaps.isEmpty && releases.isEmpty && canvases.isEmpty
      && passes.isEmpty
  }
}

/// A texture on the device. The planner gives the IDs out and releases them.
@usableFromInline package struct TextureID: NumberedID, CustomStringConvertible {
  @usableFromInline package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  @usableFromInline package var description: String { "texture \(rawValue)" }
}

extension FramePlan {
  /// Pixels to write into a texture before the passes.
  @usableFromInline package struct Upload: Hashable, Sendable {
    package var texture: TextureID
    /// The size and format of the whole texture.
    package var size: PixelSize
    package var format: PixelFormat
    /// The part of the texture to write.
    package var region: PixelRect
    package var source: Source
    /// Whether the texture may lie in the store, or the dma-buf, itself, instead of being a copy.
    /// The store then keeps its pixels for as long as plans draw the texture. The region is all of
    /// the texture.
    package var sharesStore: Bool
    /// Whether the texture is a layer of an array texture, which has others of its `SizeClass`
    /// too. Only programs of images draw it: see `Program.samplesImages`.
    package var sharesTexture: Bool

    @usableFromInline package enum Source: Hashable, Sendable {
      /// A part of an image's store. The pixel at the origin goes to the region's top left.
      case store(ImageID, originX: Int, originY: Int)
      /// All of a dma-buf that was imported. The texture shares it.
      case dmaBuf(DMABufID)
      /// Tightly packed rows made by the planner, such as a path's coverage.
      case bytes([UInt8])

      /// Whether the pixels are the client's.
      var isStored: Bool { if case .bytes = self { false } else { true } }
    }

    package init(
      texture: TextureID, size: PixelSize, format: PixelFormat, region: PixelRect, source: Source,
      sharesStore: Bool = false, sharesTexture: Bool = false
    ) {
      self.texture = texture
      self.size = size
      self.format = format
      self.region = region
      self.source = source
      self.sharesStore = sharesStore
      self.sharesTexture = sharesTexture
    }
  }

  /// Mipmap levels to make of a texture, each half as large as the one before it.
  @usableFromInline package struct Mipmaps: Hashable, Sendable {
    package var texture: TextureID
    /// Number of levels, without the texture itself.
    package var count: Int

    package init(texture: TextureID, count: Int) {
      self.texture = texture
      self.count = count
    }
  }

  /// A texture of the surface's format, transparent at first.
  @usableFromInline package struct Canvas: Hashable, Sendable {
    package var texture: TextureID
    package var size: PixelSize

    package init(texture: TextureID, size: PixelSize) {
      self.texture = texture
      self.size = size
    }
  }

  @usableFromInline package enum Target: Hashable, Sendable {
    case surface
    case offscreen(Int)
    /// A canvas of this plan.
    case canvas(TextureID)
  }

  /// Uninterrupted drawing into one target.
  @usableFromInline package struct Pass: Hashable, Sendable {
    package var target: Target
    /// The place of the target's first pixel in the space of its items.
    package var originX: Int
    package var originY: Int
    /// The parts of the target that are painted, disjoint, in its own pixels. Nothing outside is
    /// touched. The batches are drawn once for each.
    package var parts: [PixelRect]
    /// Rectangles in these parts that nothing samples. An executor may leave them undefined.
    package var unsampled: [PixelRect] = []
    /// Whether the parts are cleared to transparent first.
    package var isCleared: Bool
    package var batches: [Batch] = []

    package init(
      target: Target, originX: Int = 0, originY: Int = 0, parts: [PixelRect],
      isCleared: Bool = true
    ) {
      self.target = target
      (self.originX, self.originY) = (originX, originY)
      self.parts = parts
      self.isCleared = isCleared
    }
  }

  /// Consecutive items with one program and one state.
  @usableFromInline package struct Batch: Hashable, Sendable {
    package var program: Program
    package var blend: Blend
    package var sources: Sources
    /// In the target's pixels; nothing outside is touched.
    package var scissor: PixelRect
    package var items: Range<Int>
    /// The sum of the items'.
    package var vertexCount: Int
    /// What is known of the outlines of all items. Those of which more is known may be drawn in
    /// another way, so a batch has items of one form.
    package var outlines: OutlineForm
    /// The same for items that are affine.
    package var isAffine: Bool

    package init(
      program: Program, blend: Blend, sources: Sources, scissor: PixelRect, items: Range<Int>,
      vertexCount: Int, outlines: OutlineForm = .any, isAffine: Bool = false
    ) {
      self.program = program
      self.blend = blend
      self.sources = sources
      self.scissor = scissor
      self.items = items
      self.vertexCount = vertexCount
      self.outlines = outlines
      self.isAffine = isAffine
    }

    /// A batch of one item of a list, which samples these sources.
    package init(
      _ place: Int, of list: borrowing ItemList, _ sources: Sources, scissor: PixelRect
    ) {
      let item = list.items[place]
      self.init(
        program: item.program, blend: item.blend, sources: sources, scissor: scissor,
        items: place..<place + 1, vertexCount: item.vertexCount,
        outlines: list.outlineForm(of: item), isAffine: item.isAffine)
    }

    /// Takes in items of the list, all of which sample these sources, as far as they follow the
    /// batch's items and have the same state. Returns how many.
    package mutating func extend(
      by places: Range<Int>, of list: ItemList, _ sources: Sources, scissor: PixelRect
    ) -> Int {
      guard items.upperBound == places.lowerBound, self.scissor == scissor, self.sources == sources
      else { return 0 }
      return list.items.withUnsafeBufferPointer { items in
        var next = places.lowerBound
        while next < places.upperBound {
          let item = items.baseAddress! + next
          guard program == item.pointee.program, blend == item.pointee.blend,
            isAffine == item.pointee.isAffine,
            outlines == list.outlineForm(of: item.pointee)
          else { break }
          vertexCount += item.pointee.vertexCount
          next += 1
        }
        self.items = self.items.lowerBound..<next
        return next - places.lowerBound
      }
    }
  }

  @usableFromInline package enum Blend: Hashable, Sendable {
    /// Replaces the target.
    case copy
    /// Premultiplied source over.
    case sourceOver
    /// The sum of source and target.
    case plus
    /// The sum of source and target, less their product.
    case screen
    /// Multiplies the target's colour by the source's, in proportion to the source's coverage. The
    /// target's alpha does not change.
    case multiply
    /// Adds the source's colour behind the target's, in proportion to the target's transparency.
    /// Alpha is as in `sourceOver`.
    case fill
    // Porter and Duff's operators, except those that change the target outside the source.
    case sourceAtop, destinationOver, destinationOut, xor
    /// Replaces the target by the result of the program `blended` for the source and a copy of the
    /// target.
    case formula(BlendMode)
  }

  @usableFromInline package struct TextureSource: Hashable, Sendable {
    package var texture: Texture
    package var filter: Filter
    /// The place of a target's first pixel in the space of the items that sample it pixel on pixel.
    /// A blur's source has pixels, and a space, of its own size.
    package var originX: Int
    package var originY: Int

    @usableFromInline package enum Texture: Hashable, Sendable {
      case texture(TextureID)
      /// A canvas drawn by this plan or an earlier one.
      case canvas(TextureID)
      /// An offscreen target drawn by an earlier pass.
      case offscreen(Int)
      case surface

      /// A pass's target, as later passes name it.
      package init(_ target: Target) {
        self =
          switch target {
          case .surface: .surface
          case .offscreen(let index): .offscreen(index)
          case .canvas(let id): .canvas(id)
          }
      }

      /// The index of the offscreen target, if it is one.
      package var offscreen: Int? { if case .offscreen(let index) = self { index } else { nil } }
    }

    @usableFromInline package enum Filter: Hashable, Sendable {
      case nearest, linear
      /// Mixes the two mipmap levels whose sizes are nearest to the drawn one. `bias` is added to
      /// the level; each level halves the size. For programs of mipmapped images only.
      case trilinear(bias: Float)
    }

    package init(texture: Texture, filter: Filter, originX: Int = 0, originY: Int = 0) {
      self.texture = texture
      self.filter = filter
      (self.originX, self.originY) = (originX, originY)
    }
  }
}
