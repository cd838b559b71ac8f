import LaminaValues

extension FramePlan {
  /// The computation of an item's pixels from what it names:
  ///
  /// - colour: premultiplied.
  /// - edges: coverage by the distances to the edges of the polygon's rectangle.
  /// - corners: coverage by the item's outline.
  /// - texture coordinates: the item's map of the layer's own space.
  /// - pixel: the source at the painted pixel itself, by the places of target and source.
  /// - place: the point's place in a gradient by the item's map, relative to its start; the ramp's
  ///   texture coordinate by the item's numbers.
  @usableFromInline package enum Program: UInt8, Hashable, Sendable, CaseIterable {
    /// colour
    case solid
    /// colour, edges
    case solidEdges
    /// colour, texture coordinates: colour × texture
    case image
    /// colour, texture coordinates, edges
    case imageEdges
    /// colour, corners: colour inside the rounded rectangle
    case rounded
    /// colour, corners, a width: colour between the outline and the one inset by the width
    case roundedBorder
    /// colour, corners, texture coordinates: colour × texture inside the outline
    case roundedImage
    /// colour, texture coordinates: colour × the texture's coverage (A8)
    case coverage
    /// colour, pixel: colour × the source
    case group
    /// colour, pixel, edges
    case groupEdges
    /// colour, pixel, corners: as group, inside the rounded rectangle
    case groupRounded
    /// colour, pixel of both sources: colour × first source × second source's alpha
    case groupMasked
    /// weights of both sources in the place of red and green, pixel of both: the sum of the
    /// sources, each multiplied by its weight
    case groupMix
    /// texture coordinates: the texture itself, 1.4 times as fast as a white `image` on
    /// llvmpipe
    case plainImage
    /// colour, corners, sigma in the layer's units: colour × the rounded rectangle under a
    /// Gaussian, for corners that are alike
    case shadow
    /// As `shadow`: for radii of at most `tightShadow` sigmas, for any corners, and for corners
    /// none of which is round.
    case shadowTight, shadowUneven, shadowRectangle
    /// As `shadow`, for parts of a rectangle that is much larger than the Gaussian. In
    /// parts for `shadowEdge` at most straight edges show; in parts for `shadowCorner` one round
    /// corner shows, whose radius is at most `tightShadow` sigmas, and the other radii are 0.
    case shadowEdge, shadowCorner
    /// colour, pixel: colour × the source's alpha
    case alpha
    /// matrix, pixel: the colour matrix applied to the source
    case colorMatrix
    /// kernel: the source blurred along a line. Target and source have places in pixels of their
    /// own resolutions.
    case gaussian
    /// The source at a quarter, at half or at twice its resolution: six by six pixels weighted
    /// 1 3 4 4 3 1 in each direction; four by four weighted 1 3 3 1; interpolated linearly, with
    /// the kernel's lift. Of the kernel only that and `repeatsEdges` count.
    case quartered, halved, doubled
    /// The source at twice or at four times its resolution, interpolated along rows and then along
    /// columns. What comes out of each is rounded down to a whole 255th.
    case doubledDown, quadrupledDown
    /// colour, pixel of both sources: colour × first source, blended onto the second by the blend's
    /// formula
    case blended
    /// colour, corners, place: colour × the ramp at the length of place, inside the outline
    case radial
    /// colour, corners, place: colour × the ramp at the angle of place in turns, inside the outline
    case conic
    // Like their namesakes, with continuous corners.
    case continuous, continuousBorder, continuousImage, groupContinuous
    case continuousRadial, continuousConic
    // Like imageEdges, roundedImage and continuousImage, between two mipmap levels.
    case mipmappedImage, mipmappedRounded, mipmappedContinuous

    /// The variant of this program, which has circular corners, for corners of `curve`.
    @usableFromInline package func along(_ curve: CornerOutline.Curve) -> Self {
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

    /// The program with the same parameters whose corners are circular, if it has any, and whose
    /// texture has no mipmaps.
    @usableFromInline package var basic: Self {
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
    @usableFromInline package var isMipmapped: Bool {
      self == .mipmappedImage || self == .mipmappedRounded || self == .mipmappedContinuous
    }

    @usableFromInline package var hasContinuousCorners: Bool {
      self == .mipmappedContinuous || !isMipmapped && self != basic
    }

    @usableFromInline package var hasEdges: Bool {
      switch basic {
      case .solidEdges, .imageEdges, .groupEdges: true
      default: false
      }
    }

    @usableFromInline package var hasOutline: Bool {
      switch basic {
      case .rounded, .roundedBorder, .roundedImage, .groupRounded, .radial, .conic: true
      default: isShadow
      }
    }

    /// The largest radius, in sigmas, of a shadow's corners for which a few points of a curve stand
    /// for it.
    @usableFromInline package static let tightShadow = 2.25

    /// Whether it draws an outline under a Gaussian.
    @usableFromInline package var isShadow: Bool {
      switch self {
      case .shadow, .shadowTight, .shadowUneven, .shadowRectangle: true
      case .shadowEdge, .shadowCorner: true
      default: false
      }
    }

    /// Whether it covers pixels by how far they are from an outline.
    @usableFromInline package var coversOutline: Bool {
      switch basic {
      case .rounded, .roundedBorder, .roundedImage, .groupRounded, .radial, .conic: true
      default: false
      }
    }

    @usableFromInline package var hasMap: Bool {
      switch basic {
      case .plainImage, .image, .imageEdges, .roundedImage, .coverage, .radial, .conic: true
      default: false
      }
    }

    /// Whether it draws images and coverage, which may be layers of an array texture.
    @usableFromInline package var samplesImages: Bool {
      switch basic {
      case .plainImage, .image, .imageEdges, .roundedImage, .coverage: true
      default: false
      }
    }

    @usableFromInline package var hasKernel: Bool {
      switch self {
      case .gaussian, .quartered, .halved, .doubled, .doubledDown, .quadrupledDown: true
      default: false
      }
    }

    @usableFromInline package var sourceCount: Int {
      switch basic {
      case .solid, .solidEdges, .rounded, .roundedBorder: 0
      case _ where isShadow: 0
      case .groupMasked, .groupMix, .blended: 2
      default: 1
      }
    }
  }
}
