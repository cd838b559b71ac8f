import LaminaFramePlan

/// The numbers that a vertex of a batch has, in order.
struct VertexLayout: Hashable {
  var program: FramePlan.Program
  /// Whether the source is a layer of an array texture. The vertex then ends with the middle of the
  /// image's last pixel in texture coordinates and the layer's index.
  var hasLayer = false
  /// Whether the image fills that layer. The vertex then ends with the index alone.
  var fillsLayer = false
  /// Whether the source is an array texture.
  var samplesArray: Bool { hasLayer && !isInAtlas }
  /// Whether every w is 1. What is the same at all corners of a polygon can then be interpolated
  /// like all else, since it comes out as it was; llvmpipe draws rectangles as two triangles, in up
  /// to 1.3 times the time, if something is flat.
  var isAffine = false
  /// Whether outlines are even: see `OutlineForm.even`. They are in pixels then.
  var hasEvenOutlines = false
  /// Whether outlines are upright: see `OutlineForm.upright`. In the place of the point from the
  /// middle of the outline, all corners then have the point from there to the target's origin, in
  /// pixels. After it comes half the outline's size without its radius; of a shadow, half its size
  /// as always, and the vertex then ends with the width of a pixel.
  var isUpright = false
  /// Whether an image's colour is white at all corners, and left out.
  var isWhite = false
  /// Whether the source is a layer in which images are shifted: see `ItemList.shift(of:in:)`. The
  /// vertex then has pixels of the image in place of texture coordinates, and ends with the image's
  /// last pixel and the layer's index.
  var isShifted = false
  /// Whether such an image is sampled where it lies in the atlas. The vertex then has texture
  /// coordinates again, and no use for what it ends with.
  var isInAtlas = false
  /// The number of a Gaussian's taps on either side, if the program is built for that.
  var taps: Int?

  /// Attributes by location, with the number of floats in each.
  var attributes: [(location: Int, count: Int)] {
    var attributes = program.attributeSizes.enumerated().map { (location: $0, count: $1) }
    if hasNoColor { attributes.remove(at: 1) }
    if samplesArray { attributes.append((location: 7, count: layerFloatCount)) }
    if hasPixelWidth { attributes.append((location: 4, count: 1)) }
    return attributes
  }

  var floatCount: Int {
    program.floatsPerVertex - (hasNoColor ? 4 : 0) + (hasLayer ? layerFloatCount : 0)
      + (hasPixelWidth ? 1 : 0)
  }

  private var hasPixelWidth: Bool { isUpright && program.isShadow }

  /// Whether images are drawn in their own colours.
  var hasNoColor: Bool { isWhite || program == .plainImage }

  private var layerFloatCount: Int { fillsLayer ? 1 : 3 }
}

extension FramePlan.Program {
  /// The number of floats in each attribute, by location, in the order in which a vertex has them.
  ///
  /// - Position (3): x, y in pixels times w, then w.
  /// - Colour or weights (4).
  /// - Edges (4): signed distances times w.
  /// - Texture coordinates (2).
  /// - An offset for each source (2): added to the fragment's pixel to get the source's.
  /// - Corners (4, 4): the point from the middle of the outline, half the outline's size; the
  ///   radii. A shadow's are in sigmas times the square root of two.
  /// - A border's width (1).
  /// - The place in a gradient, and the factor and offset of its ramp (4).
  /// - The columns of a colour matrix and its bias (4 each).
  /// - A blur: the origins of target and source; sigma, centre, taps, 1 if edges repeat; step and
  ///   lift (4, 4, 3).
  var attributeSizes: [Int] {
    switch basic {
    case .solid: [3, 4]
    case .solidEdges: [3, 4, 4]
    case .plainImage, .image, .coverage, .group, .alpha: [3, 4, 2]
    case .imageEdges, .groupEdges: [3, 4, 2, 4]
    case .rounded: [3, 4, 4, 4]
    case _ where isShadow: [3, 4, 4, 4]
    case .roundedBorder: [3, 4, 4, 4, 1]
    case .roundedImage: [3, 4, 4, 4, 2]
    case .groupRounded: [3, 4, 2, 4, 4]
    case .groupMasked, .groupMix, .blended: [3, 4, 2, 2]
    case .colorMatrix: [3, 2, 4, 4, 4, 4, 4]
    case _ where hasKernel: [3, 4, 4, 3]
    case .radial, .conic: [3, 4, 4, 4, 4]
    default: []  // No basic program.
    }
  }

  var floatsPerVertex: Int {
    switch basic {
    case .solid: 7
    case .solidEdges: 11
    case .plainImage, .image, .coverage, .group, .alpha: 9
    case .imageEdges, .groupEdges: 13
    case .rounded: 15
    case _ where isShadow: 15
    case .roundedBorder: 16
    case .roundedImage, .groupRounded: 17
    case .groupMasked, .groupMix, .blended: 11
    case _ where hasKernel: 14
    case .radial, .conic: 19
    case .colorMatrix: 25
    default: 0  // No basic program.
    }
  }
}

extension ItemList {
  /// The number of taps of a batch that is one Gaussian, if all lie on pixels and are few enough to
  /// build a program for their number.
  func tapsOnPixels(of batch: FramePlan.Batch) -> Int? {
    guard batch.program == .gaussian, batch.items.count == 1,
      batch.sources.first?.filter == .nearest, let first = batch.items.first
    else { return nil }
    let taps = kernels[Int(items[first].parameters)].taps
    return (1...12).contains(taps) ? taps : nil
  }
}
