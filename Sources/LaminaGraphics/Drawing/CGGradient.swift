import Foundation
import LaminaValues

/// Whether a gradient's end colours extend beyond its ends.
public struct CGGradientDrawingOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The first colour extends before the start.
  public static let drawsBeforeStartLocation = CGGradientDrawingOptions(rawValue: 1)
  /// The last colour extends beyond the end.
  public static let drawsAfterEndLocation = CGGradientDrawingOptions(rawValue: 2)
}

/// Colours along a line, from location 0 to 1.
///
/// Between two locations, colours are mixed in the gradient's space, straight rather than
/// premultiplied: halfway from a transparent black to white lies a gray. Before the first location
/// and after the last, their colours continue.
public final class CGGradient: Hashable, Sendable {
  struct Stop: Hashable {
    var location: CGFloat
    var color: CGColor
  }

  /// In ascending order of location.
  let stops: [Stop]
  private let space: CGColorSpace

  /// The colour space in which colours are mixed.
  public var colorSpace: CGColorSpace? { space }

  /// A gradient of `CGColor`s, mixed in `space`, or in sRGB if that is nil. `locations` has one
  /// location, 0…1, for each colour; nil spaces them evenly. Nil if `colors` is empty or holds
  /// anything but `CGColor`s.
  public convenience init?(
    colorsSpace space: CGColorSpace?, colors: CFArray, locations: UnsafePointer<CGFloat>?
  ) {
    let colorValues = colors.compactMap { $0 as? CGColor }
    guard colorValues.count == colors.count else { return nil }
    self.init(space ?? CGColorSpace(.sRGB), colorValues, locations)
  }

  /// A gradient of `count` colours, each given by its components in `space`, alpha last.
  public convenience init?(
    colorSpace space: CGColorSpace, colorComponents: UnsafePointer<CGFloat>,
    locations: UnsafePointer<CGFloat>?, count: Int
  ) {
    let length = space.numberOfComponents + 1
    let colors = (0..<max(0, count)).compactMap {
      CGColor(colorSpace: space, components: colorComponents + $0 * length)
    }
    self.init(space, colors, locations)
  }

  private init?(
    _ space: CGColorSpace, _ colors: [CGColor], _ locations: UnsafePointer<CGFloat>?
  ) {
    guard !colors.isEmpty else { return nil }
    var stops: [Stop] = []
    for (index, color) in colors.enumerated() {
      let even = colors.count > 1 ? CGFloat(index) / CGFloat(colors.count - 1) : 0
      let location = locations?[index] ?? even
      let converted = color.converted(to: space, intent: .defaultIntent)
      guard !location.isNaN, let converted, converted.isFinite else { return nil }
      stops.append(Stop(location: min(max(location, 0), 1), color: converted))
    }
    // Stable: two colours at one location form an edge, and their order matters.
    self.stops = stops.enumerated().sorted {
      ($0.element.location, $0.offset) < ($1.element.location, $1.offset)
    }.map(\.element)
    self.space = space
  }

  /// The stops to hand to Cairo, which mixes linearly between them. `subdividing` adds stops in
  /// between, for a gradient whose space is not the target's.
  func stops(subdividing: Bool) -> [Stop] {
    var result: [Stop] = []
    if let first = stops.first { result.append(Stop(location: 0, color: first.color)) }
    for stop in stops {
      if subdividing, let last = result.last, stop.location > last.location {
        for step in 1..<16 {
          result.append(last.mixed(with: stop, CGFloat(step) / 16))
        }
      }
      result.append(stop)
    }
    if let last = stops.last { result.append(Stop(location: 1, color: last.color)) }
    return result
  }

  public static func == (a: CGGradient, b: CGGradient) -> Bool {
    a === b || (a.stops == b.stops && a.space == b.space)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(stops) }
}

extension CGGradient.Stop {
  fileprivate func mixed(with other: CGGradient.Stop, _ t: CGFloat) -> CGGradient.Stop {
    func mix(_ a: CGFloat, _ b: CGFloat) -> CGFloat { a + (b - a) * t }
    let (a, b) = (color, other.color)
    return CGGradient.Stop(
      location: mix(location, other.location),
      color: CGColor(
        kind: a.spaceKind, mix(a.c0, b.c0), mix(a.c1, b.c1), mix(a.c2, b.c2),
        alpha: mix(a.alpha, b.alpha)))
  }
}
