import Foundation
import Lamina

/// The layers of several snapshots, each frame as what changed since the one before.
struct LayerHistory {
  /// What never changes of a layer. Its place among the layers is its number on the page.
  struct Layer: Encodable {
    let path: String
    let className: String
    let name: String?
    let isMask: Bool
    let layer: String
    let parent: Int?
  }

  /// What changed of a layer. All is nil that did not.
  struct Record: Encodable {
    let id: Int
    /// The frame, if it is not what is around the corners.
    var frame: [Double?]?
    var corners: [Double]?
    /// The bounds, if they are not a property.
    var bounds: [Double?]?
    /// The values as set, and the properties that are as in a new layer again.
    var set: [String: LayerTreeSnapshot.Value]?
    var unset: [String]?
    /// The values that are shown and differ, and the properties that show what is set again.
    var shown: [String: LayerTreeSnapshot.Value]?
    var unshown: [String]?
    var animations: [Animation]?
    /// Seconds of each animation's own time, and how far its run is.
    var progress: [[Double?]]?
    var clock: [Double]?
    var hidden: Hidden??
    var cost: [Int]?
    /// The place of the layer's own picture.
    var picture: Int??

    var isEmpty: Bool {
      frame == nil && corners == nil && bounds == nil && set == nil && unset == nil
        && shown == nil && unshown == nil
        && animations == nil && progress == nil && clock == nil && hidden == nil && cost == nil
        && picture == nil
    }
  }

  struct Animation: Encodable, Equatable {
    let key: String
    let className: String
    let keyPath: String?
    let begin: Double?
    let end: Double?
    let duration: Double?
  }

  struct Hidden: Encodable, Equatable {
    let reason: LayerTreeSnapshot.Hidden.Reason
    let by: Int?
  }

  /// All that a frame says of a layer.
  struct State {
    var frame: [Double?]
    var corners: [Double]
    var bounds: [Double?]
    var set: [String: LayerTreeSnapshot.Value]
    /// Those that differ from `set`.
    var shown: [String: LayerTreeSnapshot.Value]
    var animations: [Animation]
    var progress: [[Double?]]
    var clock: [Double]
    var hidden: Hidden?
    var cost: [Int]
    var picture: Int?
  }

  private(set) var layers: [Layer] = []
  private var numbers: [String: Int] = [:]
  private var states: [State?] = []
  private var order: [Int] = []

  /// Adds a snapshot. `pictures` has the place of each layer's own picture.
  mutating func add(
    _ snapshot: LayerTreeSnapshot, pictures: [Int?]
  ) -> (order: [Int]?, records: [Record]) {
    let ids = snapshot.layers.map { number(of: $0, in: snapshot) }
    var records: [Record] = []
    for (layer, (id, picture)) in zip(snapshot.layers, zip(ids, pictures)) {
      let state = State(layer, ids: ids, picture: picture, time: snapshot.time)
      let record = Record(id: id, from: states[id], to: state)
      if !record.isEmpty { records.append(record) }
      states[id] = state
    }
    let isSame = ids == order
    order = ids
    return (isSame ? nil : ids, records)
  }

  private mutating func number(
    of layer: LayerTreeSnapshot.Layer, in snapshot: LayerTreeSnapshot
  ) -> Int {
    // A path may lead to another layer later.
    let key = "\(layer.path) \(layer.layer)"
    if let number = numbers[key] { return number }
    let parent = layer.parent.flatMap { place in
      snapshot.layers.indices.contains(place) ? snapshot.layers[place] : nil
    }
    numbers[key] = layers.count
    layers.append(
      Layer(
        path: layer.path, className: layer.className, name: layer.name, isMask: layer.isMask,
        layer: String(layer.layer), parent: parent.flatMap { numbers["\($0.path) \($0.layer)"] }))
    states.append(nil)
    return layers.count - 1
  }
}

extension LayerHistory.State {
  init(
    _ layer: LayerTreeSnapshot.Layer, ids: [Int], picture: Int?, time: Double
  ) {
    corners = layer.corners.flatMap {
      [Double($0.x).rounded(digits: 2), Double($0.y).rounded(digits: 2)]
    }
    frame = corners.isEmpty && !layer.frame.isNull ? layer.frame.numbers : []
    let isProperty = layer.properties.contains { $0.name == "bounds" }
    bounds = isProperty ? [] : layer.bounds.numbers
    (set, shown) = ([:], [:])
    for property in layer.properties {
      let (own, now) = (property.set.rounded, property.shown.rounded)
      set[property.name] = own
      if own != now { shown[property.name] = now }
    }
    animations = layer.animations.map {
      LayerHistory.Animation(
        key: $0.key, className: $0.className, keyPath: $0.keyPath, begin: $0.begin.finite(6),
        end: $0.end?.finite(6), duration: $0.duration.finite(6))
    }
    progress = layer.animations.map { [$0.localTime.finite(3), $0.progress?.finite(4)] }
    // The layer's time at the clock's zero stays the same while the layer's time passes evenly.
    let clock = layer.clock
    self.clock = [
      clock.localTime - clock.rate * time, clock.beginTime, clock.speed, clock.timeOffset,
      clock.rate,
    ].map { $0.finite(6) ?? 0 }
    hidden = layer.hidden.map { hidden in
      LayerHistory.Hidden(
        reason: hidden.reason,
        by: hidden.by.flatMap { ids.indices.contains($0) ? ids[$0] : nil })
    }
    let cost = layer.cost
    self.cost = [
      cost.items, cost.passes, cost.pixels, cost.blendedPixels, cost.hits, cost.misses,
      cost.isRasterized ? 1 : 0,
    ]
    self.picture = picture
  }
}

extension LayerHistory.Record {
  init(id: Int, from old: LayerHistory.State?, to new: LayerHistory.State) {
    func changed<Value: Equatable>(_ key: KeyPath<LayerHistory.State, Value>) -> Value? {
      old?[keyPath: key] == new[keyPath: key] ? nil : new[keyPath: key]
    }
    self.id = id
    frame = changed(\.frame)
    corners = changed(\.corners)
    bounds = changed(\.bounds)
    animations = changed(\.animations)
    progress = changed(\.progress)
    clock = changed(\.clock)
    cost = changed(\.cost)
    if old == nil ? new.hidden != nil : old?.hidden != new.hidden { hidden = .some(new.hidden) }
    if old == nil ? new.picture != nil : old?.picture != new.picture {
      picture = .some(new.picture)
    }
    (set, unset) = Self.changes(from: old?.set ?? [:], to: new.set)
    (shown, unshown) = Self.changes(from: old?.shown ?? [:], to: new.shown)
  }

  /// The values that are new, and the names of those that are gone.
  private static func changes(
    from old: [String: LayerTreeSnapshot.Value], to new: [String: LayerTreeSnapshot.Value]
  ) -> (values: [String: LayerTreeSnapshot.Value]?, gone: [String]?) {
    let values = new.filter { old[$0.key] != $0.value }
    let gone = old.keys.filter { new[$0] == nil }.sorted()
    return (values.isEmpty ? nil : values, gone.isEmpty ? nil : gone)
  }
}

extension LayerTreeSnapshot.Value {
  /// With fewer digits, as a page needs.
  fileprivate var rounded: LayerTreeSnapshot.Value {
    switch self {
    case .number(let number):
      // JSON has no infinity.
      number.isFinite ? .number(number.rounded(digits: 6)) : .text("\(number)")
    case .numbers(let numbers):
      numbers.allSatisfy(\.isFinite)
        ? .numbers(numbers.map { $0.rounded(digits: 6) })
        : .list(numbers.map { LayerTreeSnapshot.Value.number($0).rounded })
    case .color(let channels): .color(channels.map { $0.finite(4) ?? 0 })
    case .list(let values): .list(values.map(\.rounded))
    case .none, .flag, .text: self
    }
  }
}

extension CGRect {
  fileprivate var numbers: [Double?] {
    [minX, minY, width, height].map { Double($0).finite(3) }
  }
}

extension Double {
  /// The number with so many digits after the point.
  fileprivate func rounded(digits: Int) -> Double {
    let unit = pow(10, Double(digits))
    let number = (self * unit).rounded() / unit
    return number.isFinite ? (number == 0 ? 0 : number) : self
  }

  /// The same, or nil if it is not finite.
  fileprivate func finite(_ digits: Int) -> Double? { isFinite ? rounded(digits: digits) : nil }
}
