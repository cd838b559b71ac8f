import Foundation
import LaminaCommit
import LaminaValues

/// What a layer's filters do, made ready for painting.
struct LayerFilters {
  enum Step {
    case colors(ColorMatrix)
    /// A Gaussian of that standard deviation in the layer's own units.
    case blur(Double)
  }

  /// For the layer's own picture.
  var steps: [Step] = []
  /// For what is behind it.
  var backdropSteps: [Step] = []
  var mode = BlendMode.normal

  /// nil where there is nothing to do. What is behind a mask does not matter to it, and a rasterized
  /// layer's own filters are in its picture.
  init?(_ values: LayerValues, isMask: Bool, isRasterized: Bool) {
    guard values.hasEffects else { return nil }
    let effects = values.effects
    if !isRasterized { steps = Self.steps(effects.filters) }
    if !isMask {
      backdropSteps = Self.steps(effects.backgroundFilters)
      if let filter = effects.compositingFilter, filter.isEnabled {
        mode = BlendMode(type: filter.type) ?? .normal
      }
    }
    if steps.isEmpty, backdropSteps.isEmpty, mode == .normal { return nil }
  }

  /// Colour filters that follow each other are one where the first cannot be cut to 0…1: then it makes
  /// no difference that this happens once and not twice.
  private static func steps(_ filters: [FilterValues]?) -> [Step] {
    var steps: [Step] = []
    for filter in filters ?? [] where filter.isEnabled {
      if FilterKind(type: filter.type) == .gaussianBlur {
        let radius = filter.number("inputRadius")
        if radius > 0 { steps.append(.blur(min(radius, largestSigma))) }
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

  /// What lies beyond spreads a picture so thin that nothing of it is left.
  private static let largestSigma = 1e6

  /// Whether they depend on what is behind the layer.
  var readsBackdrop: Bool { !backdropSteps.isEmpty || mode != .normal }

  var blurs: Bool { Self.blur(steps) }

  private static func blur(_ steps: [Step]) -> Bool {
    steps.contains { if case .blur = $0 { true } else { false } }
  }

  /// How many pixels further than its input the outcome of some steps goes, or what of its input it
  /// depends on.
  static func reach(of steps: [Step], through projection: Projection, at center: CGPoint) -> Int {
    steps.reduce(0) { reach, step in
      guard case .blur(let sigma) = step else { return reach }
      return reach + projection.blur(of: sigma, at: center).reach
    }
  }
}

extension Projection {
  /// A Gaussian of a layer's plane, with the same standard deviation in all directions, as it is on
  /// the screen near a point.
  func blur(of sigma: Double, at center: CGPoint) -> GaussianBlur {
    GaussianBlur(sigma: sigma, through: linear(at: center) ?? .identity)
  }
}
