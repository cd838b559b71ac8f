import Foundation

/// The motion of a damped spring from 0 to 1, with its constants computed once.
///
/// A spring whose mass or stiffness is not positive and finite does not move: it is at 1 at once.
package struct Spring: Hashable, Sendable {
  private enum Motion: Hashable, Sendable {
    case immediate
    /// 1 − e^(−decay·t) (cos(frequency·t) + sine·sin(frequency·t))
    case underdamped(decay: Double, frequency: Double, sine: Double)
    /// 1 − (1 + slope·t) e^(−decay·t)
    case critical(decay: Double, slope: Double)
    /// 1 − weight·e^(slow·t) − (1 − weight) e^(fast·t)
    case overdamped(slow: Double, fast: Double, weight: Double)
  }

  private let motion: Motion

  package init(_ parameters: AnimationDescription.SpringParameters) {
    let (mass, stiffness) = (parameters.mass, parameters.stiffness)
    let velocity = parameters.initialVelocity.numberOrZero
    let damping = max(parameters.damping.numberOrZero, 0)
    let frequency = (stiffness / mass).squareRoot()
    let ratio = damping / (2 * (stiffness * mass).squareRoot())
    guard mass > 0, stiffness > 0, frequency > 0, frequency.isFinite, ratio.isFinite else {
      motion = .immediate
      return
    }
    let damped = frequency * (1 - ratio * ratio).squareRoot()
    if ratio < 1, damped > 0 {
      motion = .underdamped(
        decay: ratio * frequency, frequency: damped,
        sine: (ratio * frequency - velocity) / damped)
    } else if ratio > 1, parameters.allowsOverdamping {
      let root = ratio + ((ratio - 1) * (ratio + 1)).squareRoot()
      // ratio − root, without cancellation.
      let (slow, fast) = (-frequency / root, -frequency * root)
      motion = .overdamped(
        slow: slow, fast: fast, weight: (-velocity - fast) / (slow - fast))
    } else {
      motion = .critical(decay: frequency, slope: frequency - velocity)
    }
  }

  /// The spring's position `time` seconds after its release; beyond 1 while it overshoots.
  package func value(at time: Double) -> Double {
    guard time > 0 else { return motion == .immediate ? 1 : 0 }
    let distance: Double
    switch motion {
    case .immediate: distance = 0
    case .underdamped(let decay, let frequency, let sine):
      let angle = frequency * time
      distance = exp(-decay * time) * (cos(angle) + sine * sin(angle))
    case .critical(let decay, let slope):
      distance = (1 + slope * time) * exp(-decay * time)
    case .overdamped(let slow, let fast, let weight):
      distance = weight * exp(slow * time) + (1 - weight) * exp(fast * time)
    }
    return distance.isFinite ? 1 - distance : 1
  }

  /// Seconds until the spring stays within 0.001 of 1. Exact for the envelope if the spring
  /// oscillates, otherwise a multiple of 0.1. The largest Float if it never settles.
  package var settlingDuration: Double {
    switch motion {
    case .immediate: return 0
    case .underdamped(let decay, _, let sine):
      let duration = (log(1000) + log(1 + abs(sine))) / decay
      return duration.isFinite ? min(duration, Self.never) : Self.never
    case .critical(let decay, _): return steppedSettlingDuration(slowestRate: decay)
    case .overdamped(let slow, _, _): return steppedSettlingDuration(slowestRate: -slow)
    }
  }

  private static let never = Double(Float.greatestFiniteMagnitude)

  private func steppedSettlingDuration(slowestRate: Double) -> Double {
    let estimate = log(1000) / slowestRate
    // Steps of 0.1 s suit springs that visibly move; for slower ones, the estimate is enough.
    guard estimate < 10_000 else { return min(estimate, Self.never) }
    var time = 0.0
    for _ in 0..<200_000 {
      time += 0.1
      if abs(1 - value(at: time)) < 0.001 { break }
    }
    return time
  }
}

extension AnimationDescription.SpringParameters {
  /// Creates a spring of mass 1 from its perceived duration in seconds and its bounce: 0 for none,
  /// up to 1 for endless bouncing, below 0 for a sluggish spring.
  package init(perceptualDuration: Double, bounce: Double) {
    let duration = perceptualDuration > 0 ? max(perceptualDuration, 1e-6) : 1e-6
    let bounce = min(max(bounce.numberOrZero, -0.999_999), 1)
    let ratio = bounce >= 0 ? 1 - bounce : 1 / (1 + bounce)
    let frequency = 2 * Double.pi / duration
    self.init(
      mass: 1, stiffness: frequency * frequency, damping: 2 * ratio * frequency,
      allowsOverdamping: true)
  }

  /// Seconds until the spring seems to have arrived: one undamped oscillation.
  package var perceptualDuration: Double {
    let duration = 2 * Double.pi * (mass / stiffness).squareRoot()
    return duration.isFinite ? duration : 0
  }

  /// The spring's perceived bounce: 1 minus its damping ratio, or below 0 for ratios above 1.
  package var bounce: Double {
    let ratio = damping / (2 * (stiffness * mass).squareRoot())
    guard ratio.isFinite else { return 0 }
    return ratio <= 1 ? 1 - ratio : 1 / ratio - 1
  }

  package var settlingDuration: Double { Spring(self).settlingDuration }
}
