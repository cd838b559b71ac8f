import LaminaCommit
import LaminaFramePlan
import LaminaValues

/// What layers draw: items in painting order, and the content that they sample, by name. Which
/// textures hold it is decided later.
struct DrawnItems {
  var list = ItemList()
  /// What items sample; an item's sources are indices in here.
  var sources: [ItemSource] = []
  var masks: [PathMask] = []
  var ramps: [GradientRamp] = []

  var count: Int { list.items.count }

  /// Removes everything, and keeps the memory for the next frame.
  mutating func startAgain() {
    list.startAgain()
    sources.startAgain()
    forgetPaths()
  }

  /// Removes what holds paths and colours.
  mutating func forgetPaths() {
    (masks, ramps) = ([], [])
  }

  /// Adds something to sample. `region` is its place if it is sampled pixel on pixel.
  mutating func source(
    _ content: ItemSource.Content, _ filter: FramePlan.TextureSource.Filter,
    at region: PixelRect = .empty
  ) -> UInt32 {
    sources.append(
      ItemSource(content: content, filter: filter, originX: region.minX, originY: region.minY))
    return UInt32(sources.count - 1)
  }

  /// A colour, premultiplied and multiplied by a tint. For a target of 8 bits the components are
  /// rounded as the target would round them, so that no device has to break ties in its own way.
  mutating func color(
    _ color: CGColor, tint: SIMD4<Double>, _ format: TargetFormat
  ) -> ItemColor {
    let (r, g, b, a) = color.extendedSRGB
    let alpha = min(max(a, 0), 1) * tint.w
    let color = SIMD4(r * alpha, g * alpha, b * alpha, alpha)
    // For a tint without colour, which is an opacity, these are the same numbers.
    if tint.x == tint.w, tint.y == tint.w, tint.z == tint.w { return self.color(color, format) }
    let straight = SIMD4(r, g, b, 1) * min(max(a, 0), 1)
    return self.color(straight * tint, format)
  }

  /// A colour of straight components from 0 to 1, premultiplied and multiplied by a tint.
  mutating func color(
    straight color: SIMD4<Double>, tint: SIMD4<Double>, _ format: TargetFormat
  ) -> ItemColor {
    let premultiplied = SIMD4(color.x * color.w, color.y * color.w, color.z * color.w, color.w)
    return self.color(premultiplied * tint, format)
  }

  /// The colour that multiplies what is sampled by a tint.
  mutating func color(tint: SIMD4<Double>, _ format: TargetFormat) -> ItemColor {
    tint == SIMD4(repeating: 1) ? .white : color(tint, format)
  }

  private mutating func color(_ components: SIMD4<Double>, _ format: TargetFormat) -> ItemColor {
    guard format.isEightBit else { return list.color(SIMD4<Float>(components)) }
    return ItemColor(components.x, components.y, components.z, components.w)
  }

  func isOpaque(_ color: ItemColor) -> Bool {
    switch color {
    case .bytes(let bytes): bytes >> 24 == 255
    case .floats(let index): list.colors[Int(index)].w >= 1
    case .ramp: false
    }
  }
}

/// What an item samples, and how it is filtered.
struct ItemSource: Hashable {
  var content: Content
  var filter: FramePlan.TextureSource.Filter
  /// The place of its first pixel, if it is sampled pixel on pixel.
  var originX: Int
  var originY: Int

  enum Content: Hashable {
    /// A tile of an image, in `DrawnItems.images`.
    case image(Int, tile: Int)
    /// In `DrawnItems.masks`.
    case mask(Int)
    /// In `DrawnItems.ramps`.
    case ramp(Int)
    /// What a group paints.
    case group(Int)
    /// What a group has painted up to here.
    case backdrop(Int)
    /// A canvas, by its number among the frame's.
    case canvas(Int)
  }
}

/// What drawing needs to know of the targets.
struct TargetFormat: Hashable {
  /// Whether they have 8 bits a channel.
  var isEightBit: Bool
  /// Longest side of a texture, in pixels.
  var maxTextureSize: Int
  /// Whether the inside of a rounded rectangle is drawn apart from its frame.
  var drawsInsidesApart = true

  var pixelFormat: PixelFormat { isEightBit ? .bgra8 : .rgba16f }

  /// A channel's value as a target stores it.
  func channel(_ value: Double) -> Float {
    Float(isEightBit ? (min(max(value, 0), 1) * 255).rounded() / 255 : value)
  }
}
