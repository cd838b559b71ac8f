import LaminaValues

/// One thing to paint: a polygon, what its pixels are computed from, and how they are combined with
/// the target. 64 bytes without references, whose indices point into the tables of an `ItemList`.
///
/// Coordinates are pixels of the space that the polygon lies in; a pass's origin is in the same.
@usableFromInline package struct Item: Hashable, Sendable {
  package var program: FramePlan.Program
  package var blend: FramePlan.Blend
  package var shape = Shape.fan
  /// Whether every corner has a w of 1.
  package internal(set) var isAffine = true
  /// The polygon's first corner in `corners`, and the number of its corners.
  package var firstCorner: UInt32 = 0
  package var cornerCount: UInt32 = 0
  /// The first corner's distances in `edges`, if the program has them.
  package var firstEdges: UInt32 = 0
  package var color: ItemColor
  /// In `outlines`, if the program has corners.
  package var outline: UInt32
  /// In `maps`, `kernels` or `matrices`, as the program says.
  package var parameters: UInt32
  /// A border's width or a shadow's sigma in the layer's own units, then nothing; or the factor and
  /// the offset that turn a location in a gradient into a texture coordinate of its ramp.
  package var numbers: SIMD2<Float>
  /// What it samples, as many as the program has sources: numbers of the list's owner.
  package var sources: SIMD2<UInt32>
  private var minX: Int32 = 0
  private var minY: Int32 = 0
  private var maxX: Int32 = 0
  private var maxY: Int32 = 0

  @usableFromInline package enum Shape: UInt8, Hashable, Sendable {
    /// A convex polygon, drawn as triangles around its first corner.
    case fan
    /// Triangles, three corners each.
    case triangles
  }

  @usableFromInline package init(
    _ program: FramePlan.Program, blend: FramePlan.Blend = .sourceOver,
    color: ItemColor = .white, outline: UInt32 = 0, parameters: UInt32 = 0,
    numbers: SIMD2<Float> = .zero, sources: SIMD2<UInt32> = .zero
  ) {
    self.program = program
    self.blend = blend
    self.color = color
    self.outline = outline
    self.parameters = parameters
    self.numbers = numbers
    self.sources = sources
  }

  /// The pixels that the polygon touches.
  @usableFromInline package var box: PixelRect {
    get { PixelRect(minX: Int(minX), minY: Int(minY), maxX: Int(maxX), maxY: Int(maxY)) }
    set {
      (minX, minY) = (Int32(clamping: newValue.minX), Int32(clamping: newValue.minY))
      (maxX, maxY) = (Int32(clamping: newValue.maxX), Int32(clamping: newValue.maxY))
    }
  }

  /// Number of vertices of its triangles.
  @usableFromInline package var vertexCount: Int {
    shape == .triangles ? Int(cornerCount) : max(Int(cornerCount) - 2, 0) * 3
  }
}

/// The colour of an item, premultiplied.
@usableFromInline package enum ItemColor: Hashable, Sendable {
  /// Red, green, blue and alpha in steps of 1/255, from the lowest byte.
  case bytes(UInt32)
  /// In `colors`, for targets of more than 8 bits a channel.
  case floats(UInt32)
  /// In `colorRamps`: it varies over the layer's plane.
  case ramp(UInt32)

  @usableFromInline package static let white = ItemColor.bytes(0xffff_ffff)
  @usableFromInline package static let black = ItemColor.bytes(0xff00_0000)

  /// Components from 0 to 1, rounded to steps of 1/255.
  @usableFromInline package init(_ red: Double, _ green: Double, _ blue: Double, _ alpha: Double) {
    // Components may be anything, NaN too.
    func byte(_ v: Double) -> UInt32 { v > 0 ? UInt32(min(v, 1) * 255 + 0.5) : 0 }
    self = .bytes(byte(red) | byte(green) << 8 | byte(blue) << 16 | byte(alpha) << 24)
  }

  /// Red, green, blue and alpha of such bytes, each from 0 to 255.
  @inlinable
  package static func channels(of bytes: UInt32) -> SIMD4<UInt32> {
    SIMD4(bytes, bytes >> 8, bytes >> 16, bytes >> 24) & 255
  }

  /// The same, each from 0 to 1.
  @inlinable
  package static func components(of bytes: UInt32) -> SIMD4<Float> {
    SIMD4<Float>(channels(of: bytes)) / 255
  }
}

/// A corner of an item's polygon.
@usableFromInline package struct ItemCorner: Hashable, Sendable {
  /// In pixels, divided by w.
  package var x: Double
  package var y: Double
  /// The factor that x and y are multiplied by again, so that interpolation is in perspective.
  package var w: Double
  /// In the layer's own space.
  package var localX: Double
  package var localY: Double

  @usableFromInline package init(
    x: Double, y: Double, w: Double = 1, localX: Double, localY: Double
  ) {
    (self.x, self.y, self.w) = (x, y, w)
    (self.localX, self.localY) = (localX, localY)
  }
}

/// The mix of two colours along a line in a layer's plane.
@usableFromInline package struct ColorRamp: Hashable, Sendable {
  /// The colours at the locations `from` and `to`, and beyond them.
  @usableFromInline package var first: SIMD4<Double>
  @usableFromInline package var second: SIMD4<Double>
  @usableFromInline package var from: Double
  @usableFromInline package var to: Double
  /// The location of a point of the layer's own space: x · across + y · down + origin.
  @usableFromInline package var across: Double
  @usableFromInline package var down: Double
  @usableFromInline package var origin: Double

  @usableFromInline package init(
    first: SIMD4<Double>, second: SIMD4<Double>, from: Double, to: Double, across: Double,
    down: Double, origin: Double
  ) {
    (self.first, self.second) = (first, second)
    (self.from, self.to) = (from, to)
    (self.across, self.down, self.origin) = (across, down, origin)
  }

  @inlinable
  package func color(x: Double, y: Double) -> SIMD4<Float> {
    guard to > from else { return SIMD4<Float>(first) }
    let location = x * across + y * down + origin
    let t = min(max((location - from) / (to - from), 0), 1)
    return SIMD4<Float>(first + (second - first) * t)
  }
}

/// A Gaussian along a line.
package struct BlurKernel: Hashable, Sendable {
  /// Standard deviation, in taps.
  package var sigma: Double
  /// Offset of the centre, in taps.
  package var center: Double
  /// Number of taps on either side of the centre.
  package var taps: Int
  /// From tap to tap, in pixels.
  package var step: SIMD2<Double>
  /// Whether the source's edge pixels repeat without end; otherwise there is nothing beyond them.
  package var repeatsEdges: Bool
  /// What is added to the result before it is rounded, in sixteenths of 1/255: less than 8, so that
  /// whole 255ths stay as they are.
  package var lift: Int

  package init(
    sigma: Double = 0, center: Double = 0, taps: Int = 0, step: SIMD2<Double> = .zero,
    repeatsEdges: Bool, lift: Int = 0
  ) {
    (self.sigma, self.center, self.taps) = (sigma, center, taps)
    (self.step, self.repeatsEdges, self.lift) = (step, repeatsEdges, lift)
  }
}
