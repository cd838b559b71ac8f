import LaminaValues

extension FramePlan {
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
    /// position, weights of both sources (2, then two unused numbers), offset, second source's
    /// offset: the sum of both sources at the fragment's own pixel, each multiplied by its weight
    case groupMix
    /// position, texture coordinates: the texture itself, 1.4 times as fast as a white `image` on
    /// llvmpipe
    case plainImage
    /// position, colour, corners, sigma in the layer's units: colour × the rounded rectangle under
    /// a Gaussian
    case shadow
    /// Numbers as in `shadow`, for parts of a rectangle that is much larger than the Gaussian. In
    /// parts for `shadowEdge` at most straight edges show; in parts for `shadowCorner` one round
    /// corner shows, and the other radii are 0.
    case shadowEdge, shadowCorner
    /// position, colour, offset: colour × the source's alpha at the fragment's own pixel
    case alpha
    /// position, offset, the four columns of a colour matrix and the constants it adds (20): the
    /// matrix applied to the source at the fragment's own pixel
    case colorMatrix
    /// position, place, kernel, step: the source blurred by a Gaussian along a line. Place: the
    /// origins of the target and the source in pixels of their own resolutions (4). Kernel: sigma
    /// in taps, the centre's offset, number of taps on either side, 1 if the source's edge pixels
    /// repeat without end (4). Step: from tap to tap in pixels (2).
    case gaussian
    /// Numbers as in `gaussian`: the source at half or at twice its resolution
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
