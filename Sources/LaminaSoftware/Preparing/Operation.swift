import LaminaFramePlan

/// Something to paint into a target, within a rectangle of it.
struct Operation {
  enum Kind: UInt8 {
    /// Makes the pixels transparent.
    case clear
    /// Replaces 8-bit pixels by a colour.
    case fill
    /// Paints a translucent colour over 8-bit pixels.
    case tint
    /// Paints a box with soft sides over 8-bit pixels.
    case box
    /// Paints with a brush.
    case brush
  }

  var kind: Kind
  /// The pass whose target it is, counted from the round's first.
  var pass: Int32
  /// In the target's pixels, within the target.
  var minX: Int32
  var minY: Int32
  var maxX: Int32
  var maxY: Int32
  /// A colour in BGRA8, or the index of a box or a brush.
  var value: UInt32

  /// Number of pixels of the rectangle.
  var area: Int { Int(maxX - minX) * Int(maxY - minY) }

  /// Whether it paints all of the other one's rectangle.
  @inline(__always)
  func covers(_ other: Operation) -> Bool {
    pass == other.pass && minX <= other.minX && minY <= other.minY && maxX >= other.maxX
      && maxY >= other.maxY
  }
}

/// A number that varies linearly over a target.
struct Plane {
  var across: Float
  var down: Float
  /// At the middle of the reference pixel.
  var start: Float

  /// The number at the middle of the reference pixel's column, that many rows below it.
  @inline(__always)
  func row(_ y: Float) -> Float { start + down * y }

  static let zero = Plane(across: 0, down: 0, start: 0)
}

/// The planes of the distances to the edges minX, maxX, minY and maxY.
struct EdgePlanes {
  var across: SIMD4<Float>
  var down: SIMD4<Float>
  var start: SIMD4<Float>

  init(_ minX: Plane, _ maxX: Plane, _ minY: Plane, _ maxY: Plane) {
    across = SIMD4(minX.across, maxX.across, minY.across, maxY.across)
    down = SIMD4(minX.down, maxX.down, minY.down, maxY.down)
    start = SIMD4(minX.start, maxX.start, minY.start, maxY.start)
  }

  static let zero = EdgePlanes(.zero, .zero, .zero, .zero)

  /// The distances in the middle of the reference pixel's column, that many rows below it.
  @inline(__always)
  func row(_ y: Float) -> SIMD4<Float> { start + down * y }
}

/// An item that is ready to be painted: all that does not vary from pixel to pixel.
struct Brush {
  /// The way in which its pixels are computed.
  enum Kernel: UInt8 {
    /// A colour, over 8-bit pixels.
    case color
    /// A colour times the program's coverage, over 8-bit pixels.
    case masked
    /// 8-bit pixels of a source at whole pixels' distance, times `opacity`, over 8-bit pixels or in
    /// their place. So are the next two.
    case pixels
    /// An 8-bit image moved by a fraction of a pixel, times `opacity`.
    case moved
    /// An 8-bit image in any place, times `opacity`.
    case placed
    /// 8-bit pixels of a source at a quarter of its resolution, at half, at twice or at four times,
    /// in the place of others.
    case quartered
    case halved
    case doubled
    case doubledDown
    case quadrupledDown
    /// As the program says, in floats.
    case program
  }

  var kernel = Kernel.program
  /// That of pixels that the program's edges or outline cover wholly, if it is another one.
  var interior: Kernel?
  var program: FramePlan.Program
  var blend: FramePlan.Blend
  /// Red, green, blue, alpha.
  var color: SIMD4<Float>
  /// The colour in BGRA8.
  var pixel: UInt32 = 0
  /// The colour as one factor from 0 to 255, for kernels that take one; 256 if it is none.
  var opacity: UInt32 = 255
  /// The pixel from which planes count.
  var x: Int32
  var y: Int32
  /// The convex polygons that it covers, in the round's list. None if it covers all of the
  /// operation's rectangle.
  var polygons: Range<Int32> = 0..<0
  /// One over w, if it varies; all other planes but `edges` are then times this.
  var perspective: Plane?
  /// The point of the layer, from the middle of its outline if it has one.
  var pointX = Plane.zero
  var pointY = Plane.zero
  /// The place in the first source, in its pixels.
  var sourceX = Plane.zero
  var sourceY = Plane.zero
  /// The target's place in the space of its items.
  var placeX: Int32 = 0
  var placeY: Int32 = 0
  /// The source's pixel under the target's, for programs and kernels that take whole pixels.
  var offsetX: Int32 = 0
  var offsetY: Int32 = 0
  var secondOffsetX: Int32 = 0
  var secondOffsetY: Int32 = 0
  /// How far kernel `moved` moves to the left and up within a pixel, in 1/256.
  var fractionX: UInt32 = 0
  var fractionY: UInt32 = 0
  /// The batch's sources, in the round's list.
  var sources: (Int32, Int32) = (-1, -1)
  var isNearest = false
  /// Number of smaller copies that follow the first source in the round's list, and what is added
  /// to the level that mixes them.
  var levelCount: Int32 = 0
  var levelBias: Float = 0
  /// Not in perspective.
  var edges = EdgePlanes.zero
  /// Half the outline's size, and its radii.
  var halfWidth: Float = 0
  var halfHeight: Float = 0
  var radii = SIMD4<Float>.zero
  /// A border's width, a shadow's sigma, or a ramp's factor and offset.
  var numbers = SIMD2<Float>.zero
  /// The item's index in `matrices` or `kernels`.
  var parameters: Int32 = 0
  /// The colour's planes in the round's list, if it varies.
  var ramp: Int32 = -1
}

/// What is asked of a brush for each row. Brushes are large, and one that answered itself would be
/// copied first.
extension UnsafePointer<Brush> {
  /// Whether nothing is painted in the middle.
  @inline(__always)
  var isBorder: Bool { pointee.kernel == .masked && pointee.program.basic == .roundedBorder }

  /// Whether coverage is computed at the item's sides only.
  @inline(__always)
  var hasSides: Bool { pointee.interior != nil || isBorder }

  /// Whether it paints an image or a group within a rectangle's edges.
  @inline(__always)
  var isImageBetweenEdges: Bool {
    switch pointee.program {
    case .imageEdges, .groupEdges: true
    default: false
    }
  }

  /// Whether it paints an 8-bit image in any place over other pixels, alone or within a rectangle's
  /// edges.
  @inline(__always)
  var isPlacedOver: Bool {
    let kernel = isImageBetweenEdges ? pointee.interior : hasSides ? nil : pointee.kernel
    return kernel == .placed && pointee.blend != .copy && !pointee.isNearest
  }

  /// Whether a column of the target is one of the layer's, and a row too.
  @inline(__always)
  var isUpright: Bool {
    pointee.perspective == nil && pointee.pointX.down == 0 && pointee.pointY.across == 0
  }
}
