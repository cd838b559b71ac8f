import Foundation
import LaminaValues

/// A renderer's layers at a moment, as plain values: what each was set to and what it shows, where
/// it lies in the frame, what drawing it costs, and, if it does not show, why.
///
/// Encoded as JSON it is what `lamina dump --json` prints and what the inspector's page is made of.
public struct LayerTreeSnapshot: Codable, Hashable, Sendable {
  /// The moment, in seconds of the renderer's clock.
  public var time: Double
  /// The frame's size in points.
  public var size: CGSize
  /// Pixels in a point.
  public var scale: Double
  /// All occurrences of layers, each before those inside it, and siblings in the order of the tree.
  public var layers: [Layer]
  /// What drawing the whole frame costs.
  public var cost: FrameCost

  /// One occurrence of a layer. A layer in a replicator, or one that is also part of a transition,
  /// has several.
  public struct Layer: Codable, Hashable, Sendable {
    /// Its place in `layers`.
    public var index: Int
    /// The place of the one that it lies in, or that it masks; nil for the root.
    public var parent: Int?
    /// The layer. Equal for its occurrences, and in all snapshots of one renderer.
    public var layer: UInt64
    /// What tells it from all others, in this snapshot and in later ones: the layer's way from the
    /// root, such as `0/2/mask/1`, with a copy's number where a replicator made it, such as `1#3`.
    public var path: String
    /// The layer's class.
    public var className: String
    /// The layer's `name`; nil if it has none.
    public var name: String?
    /// Whether it is the mask of `parent`.
    public var isMask: Bool
    /// The smallest rectangle around its bounds on the frame, in points, y down. Null if all of it
    /// is behind the eye.
    public var frame: CGRect
    /// The corners of its bounds on the frame, in points, y down: minX minY first, then clockwise
    /// on the layer, where y points down. Empty if a part is behind the eye.
    public var corners: [CGPoint]
    /// The layer's bounds, as it shows.
    public var bounds: CGRect
    /// The properties that are not what a new layer of its class has, as set or as shown, in the
    /// order of their names.
    public var properties: [Property]
    /// The animations that run, or wait for their time, in the order in which they were added.
    public var animations: [Animation]
    /// The layer's own time at the moment, and what it follows from.
    public var clock: Clock
    /// Why nothing of it shows; nil if something may.
    public var hidden: Hidden?
    /// What drawing it costs.
    public var cost: Cost
  }

  /// A property that is not what a new layer of its class has.
  public struct Property: Codable, Hashable, Sendable {
    /// The name, such as `cornerRadius`.
    public var name: String
    /// The value that the layer was set to.
    public var set: Value
    /// The value with animations applied.
    public var shown: Value
  }

  /// A property's value. In JSON a number, a string, true or false, or null; a list of numbers for
  /// a point, a size, a rectangle or a transform's matrix; `{"color": [red, green, blue, alpha]}`;
  /// or a list.
  public enum Value: Hashable, Sendable {
    /// No value: nil.
    case none
    /// True or false.
    case flag(Bool)
    /// A number, in the property's unit.
    case number(Double)
    /// A name, or a sentence on what the value holds, such as `an image of 20 × 10 pixels`.
    case text(String)
    /// The numbers of a point, a size, a rectangle, or a transform's matrix row by row.
    case numbers([Double])
    /// Red, green, blue and alpha from 0 to 1, in sRGB.
    case color([Double])
    /// Values in the order of the property's array.
    case list([Value])
  }

  /// An animation of the layer.
  public struct Animation: Codable, Hashable, Sendable {
    /// The key under which it was added, or that it was given.
    public var key: String
    /// The animation's class.
    public var className: String
    /// What it animates, such as `position.x`; nil for groups and transitions.
    public var keyPath: String?
    /// When it begins, in seconds of the renderer's clock.
    public var begin: Double
    /// When it ends, in seconds of the renderer's clock; nil if it never does.
    public var end: Double?
    /// Seconds of one run, in the layer's time, without repeats.
    public var duration: Double
    /// Seconds of its own time, at the moment.
    public var localTime: Double
    /// How far the current run is, from 0 to 1, before its timing function; nil if it does not
    /// apply.
    public var progress: Double?
  }

  /// A layer's time.
  public struct Clock: Codable, Hashable, Sendable {
    /// Seconds of the layer's own time, at the moment.
    public var localTime: Double
    /// The layer's `beginTime`, in seconds of the layer around it.
    public var beginTime: Double
    /// The layer's `speed`, without those of the layers around it.
    public var speed: Double
    /// The layer's `timeOffset`, in seconds of its own time.
    public var timeOffset: Double
    /// The layer's seconds in one of the renderer's clock.
    public var rate: Double
  }

  /// Why nothing of a layer shows.
  public struct Hidden: Codable, Hashable, Sendable {
    /// What keeps a layer from showing.
    public enum Reason: String, Codable, CaseIterable, Hashable, Sendable {
      /// `isHidden` is true.
      case isHidden
      /// Its opacity is 0.
      case opacity
      /// Nothing is drawn by itself: no colour, contents, border or shadow.
      case empty
      /// Its bounds, or its transform, leave no area.
      case noArea
      /// It lies beyond the frame.
      case outside
      /// `masksToBounds` of `by` cuts it off.
      case clipped
      /// The mask `by` lets nothing of it through.
      case masked
      /// `by` is opaque and lies above.
      case covered
      /// It is turned away, and `isDoubleSided` is false.
      case backFace
      /// Its time has not come: it is before its `beginTime`, or past its duration.
      case time
      /// It lies behind the eye.
      case behindEye
      /// The layer `by` around it does not show.
      case parent
    }

    /// What keeps it from showing.
    public var reason: Reason
    /// The place in `layers` of the layer that is the cause, if it is another.
    public var by: Int?
  }

  /// What drawing one layer costs, without those inside it.
  public struct Cost: Codable, Hashable, Sendable {
    /// Things that are painted: backgrounds, images, borders.
    public var items = 0
    /// Targets beside the frame that are drawn for its opacity, mask, filters, shadow or clip.
    public var passes = 0
    /// Pixels painted, each as often as it is.
    public var pixels = 0
    /// How many of those are mixed with what is below.
    public var blendedPixels = 0
    /// Textures of its images, paths and gradients that were there.
    public var hits = 0
    /// Such textures that had to be made.
    public var misses = 0
    /// Whether it is drawn from pixels that were kept (`shouldRasterize`).
    public var isRasterized = false

    /// A cost of nothing.
    public init() {}
  }

  /// What drawing a whole frame costs.
  public struct FrameCost: Codable, Hashable, Sendable {
    /// Things that are painted, in all targets.
    public var items = 0
    /// Targets that are drawn, the frame among them.
    public var passes = 0
    /// Draw calls that the plan asks for.
    public var draws = 0
    /// Pixels painted, each as often as it is.
    public var pixels = 0

    /// A cost of nothing.
    public init() {}
  }
}

// A null rectangle is infinite, which JSON cannot say: it is written as null.
extension LayerTreeSnapshot.Layer {
  private enum CodingKeys: CodingKey {
    case index, parent, layer, path, className, name, isMask, frame, corners, bounds, properties
    case animations, clock, hidden, cost
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    index = try container.decode(Int.self, forKey: .index)
    parent = try container.decodeIfPresent(Int.self, forKey: .parent)
    layer = try container.decode(UInt64.self, forKey: .layer)
    path = try container.decode(String.self, forKey: .path)
    className = try container.decode(String.self, forKey: .className)
    name = try container.decodeIfPresent(String.self, forKey: .name)
    isMask = try container.decode(Bool.self, forKey: .isMask)
    frame = try container.decodeIfPresent(CGRect.self, forKey: .frame) ?? .null
    corners = try container.decode([CGPoint].self, forKey: .corners)
    bounds = try container.decodeIfPresent(CGRect.self, forKey: .bounds) ?? .null
    properties = try container.decode([LayerTreeSnapshot.Property].self, forKey: .properties)
    animations = try container.decode([LayerTreeSnapshot.Animation].self, forKey: .animations)
    clock = try container.decode(LayerTreeSnapshot.Clock.self, forKey: .clock)
    hidden = try container.decodeIfPresent(LayerTreeSnapshot.Hidden.self, forKey: .hidden)
    cost = try container.decode(LayerTreeSnapshot.Cost.self, forKey: .cost)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(index, forKey: .index)
    try container.encodeIfPresent(parent, forKey: .parent)
    try container.encode(layer, forKey: .layer)
    try container.encode(path, forKey: .path)
    try container.encode(className, forKey: .className)
    try container.encodeIfPresent(name, forKey: .name)
    try container.encode(isMask, forKey: .isMask)
    try container.encode(frame.isNull ? nil : frame, forKey: .frame)
    try container.encode(corners, forKey: .corners)
    try container.encode(bounds.isNull ? nil : bounds, forKey: .bounds)
    try container.encode(properties, forKey: .properties)
    try container.encode(animations, forKey: .animations)
    try container.encode(clock, forKey: .clock)
    try container.encodeIfPresent(hidden, forKey: .hidden)
    try container.encode(cost, forKey: .cost)
  }
}

extension LayerTreeSnapshot.Value: Codable {
  private enum Key: CodingKey { case color }

  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      self = .color(try container.decode([Double].self, forKey: .color))
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .none
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let numbers = try? container.decode([Double].self), !numbers.isEmpty {
      self = .numbers(numbers)
    } else {
      self = .list(try container.decode([LayerTreeSnapshot.Value].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    if case .color(let channels) = self {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(channels, forKey: .color)
      return
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .none, .color: try container.encodeNil()
    case .flag(let flag): try container.encode(flag)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .numbers(let numbers): try container.encode(numbers)
    case .list(let list): try container.encode(list)
    }
  }
}
