import Foundation
import LaminaCommit
import LaminaValues

/// A layer's filters, prepared for compositing.
struct LayerFilters {
  enum Step {
    case colors(ColorMatrix)
    case blur(Blur)
  }

  struct Blur {
    /// The standard deviation in the layer's own units.
    var sigma: Double
    /// The image whose alpha, over the layer's bounds, is the part of the standard deviation that
    /// applies there; nil if all of it applies everywhere.
    var mask: ImageID?
    /// Whether the pixels at the edges of the bounds count as going on outside.
    var normalizesEdges = false
  }

  /// For the layer's own pixels.
  var steps: [Step] = []
  /// For the backdrop.
  var backdropSteps: [Step] = []
  var mode = BlendMode.normal
  /// The name of the backdrops that share one capture; nil if this one is captured by itself.
  var group: String?

  /// nil if there is nothing to do. A mask has no backdrop, and a rasterized layer's bitmap already
  /// includes its own filters. Those of a CABackdropLayer are for the backdrop.
  init?(_ kind: LayerKind, _ values: LayerValues, isMask: Bool, isRasterized: Bool) {
    guard values.hasEffects else { return nil }
    let effects = values.effects
    let isBackdrop = kind == .backdrop
    if !isRasterized, !isBackdrop { steps = Self.steps(effects.filters) }
    if !isMask {
      let ofBackdrop = isBackdrop ? effects.filters ?? [] : []
      backdropSteps = Self.steps(ofBackdrop + (effects.backgroundFilters ?? []))
      if isBackdrop, !backdropSteps.isEmpty { group = effects.groupName }
      mode = values.blendMode
    }
    if steps.isEmpty, backdropSteps.isEmpty, mode == .normal { return nil }
  }

  /// Merges consecutive colour filters if the first cannot leave 0…1: clamping once instead of
  /// twice then makes no difference.
  private static func steps(_ filters: [FilterValues]?) -> [Step] {
    var steps: [Step] = []
    for filter in filters ?? [] where filter.isEnabled {
      if let blur = blur(filter) {
        if blur.sigma > 0 { steps.append(.blur(blur)) }
      } else if let matrix = filter.colorMatrix, matrix != .identity {
        if case .colors(let first)? = steps.last, first.staysInRange, first.scalesAlpha,
          matrix.scalesAlpha
        {
          steps[steps.count - 1] = .colors(first.followed(by: matrix))
        } else {
          steps.append(.colors(matrix))
        }
      }
    }
    return steps
  }

  /// nil if the filter is no blur.
  private static func blur(_ filter: FilterValues) -> Blur? {
    switch FilterKind(type: filter.type) {
    case .gaussianBlur, .variableBlur:
      Blur(
        sigma: min(filter.number("inputRadius"), largestSigma), mask: filter.image,
        normalizesEdges: filter.number("inputNormalizeEdges") != 0)
    default: nil
    }
  }

  /// Largest standard deviation in the layer's own units. A wider blur leaves nothing visible.
  private static let largestSigma = 1e6

  /// Whether the layer depends on what is behind it.
  var readsBackdrop: Bool { !backdropSteps.isEmpty || mode != .normal }

  var blurs: Bool { Self.blur(steps) }

  private static func blur(_ steps: [Step]) -> Bool {
    steps.contains { if case .blur = $0 { true } else { false } }
  }

  /// How many pixels the result of some steps extends beyond their input, which is also how far
  /// they read beyond their result.
  static func reach(of steps: [Step], through projection: Projection, at center: CGPoint) -> Int {
    steps.reduce(0) { reach, step in
      guard case .blur(let blur) = step else { return reach }
      return reach + projection.blur(of: blur.sigma, at: center).reach
    }
  }
}

extension Projection {
  /// A Gaussian in the layer's plane, with the same standard deviation in all directions, as it
  /// appears on the screen near a point.
  func blur(of sigma: Double, at center: CGPoint) -> GaussianBlur {
    GaussianBlur(sigma: sigma, through: linear(at: center) ?? .identity)
  }
}
