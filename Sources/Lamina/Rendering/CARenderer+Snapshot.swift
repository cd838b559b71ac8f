import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CARenderer {
  /// Commits all changes and returns the layers as they are at `time`, in seconds of the clock:
  /// what they were set to and show, where, at what cost, and why others do not show. The clock
  /// stays where it is.
  public func snapshotTree(at time: CFTimeInterval) throws -> LayerTreeSnapshot {
    try commitChanges()
    try commitContents(at: time)
    guard case .layers(let records) = try inspect(.layers, at: time) else {
      throw RenderServerError(.badMessage("another inspection than was asked for"))
    }
    var cost = LayerTreeSnapshot.FrameCost()
    cost.items = Int(records.items)
    cost.passes = Int(records.passes)
    cost.draws = Int(records.draws)
    cost.pixels = Int(clamping: records.pixels)
    let photographer = TreePhotographer(tree: tree, scale: Double(scale), time: time)
    return LayerTreeSnapshot(
      time: time, size: size, scale: Double(scale), layers: photographer.layers(records.layers),
      cost: cost)
  }
}

/// Joins what the render process tells of the occurrences of layers with the client's layers.
private struct TreePhotographer {
  let container: LayerID?
  let scale: Double
  let time: Double
  /// The layers of the tree.
  private var layers: [LayerID: CALayer] = [:]

  init(tree: LayerTree, scale: Double, time: Double) {
    (container, self.scale, self.time) = (tree.container, scale, time)
    var pending = tree.root.map { [$0] } ?? []
    while let layer = pending.popLast() {
      if let rendered = layer.rendered { layers[rendered.id] = layer }
      pending += layer.sublayerStorage
      if let mask = layer.maskStorage { pending.append(mask) }
    }
  }

  func layers(_ records: [LayerRecord]) -> [LayerTreeSnapshot.Layer] {
    // The container that places the root is none of the app's layers.
    var places: [Int?] = []
    var made: [LayerTreeSnapshot.Layer] = []
    for record in records {
      guard record.layer != container else {
        places.append(nil)
        continue
      }
      places.append(made.count)
      let parent = record.parent.flatMap { places[Int($0)] }
      made.append(
        layer(record, index: made.count, parent: parent, above: parent.map { made[$0].path }))
    }
    for (place, record) in zip(places, records) {
      guard let place, let reason = record.reason else { continue }
      // Where nothing is inside the frame, so is the container.
      let cause = record.cause.flatMap { places[Int($0)] }
      made[place].hidden = LayerTreeSnapshot.Hidden(reason: reason.publicReason, by: cause)
    }
    return made
  }

  private func layer(
    _ record: LayerRecord, index: Int, parent: Int?, above: String?
  ) -> LayerTreeSnapshot.Layer {
    // A layer as it was before a transition has only what the render process kept of it.
    let layer = record.isOld ? nil : layers[record.layer]
    let shown = shown(record, layer)
    let frame = record.frame.map {
      CGRect(
        x: $0.minX / scale, y: $0.minY / scale, width: $0.width / scale, height: $0.height / scale)
    }
    var made = LayerTreeSnapshot.Layer(
      index: index, parent: parent,
      layer: UInt64(record.layer.generation) << 32 | UInt64(record.layer.index),
      path: above.map { $0 + "/" + record.step } ?? "0",
      className: layer.map { "\(type(of: $0))" } ?? record.kind.className,
      name: layer.map { $0.name } ?? shown.client.name, isMask: record.place == .mask,
      frame: frame ?? .null,
      corners: record.corners.map { CGPoint(x: $0.x / scale, y: $0.y / scale) },
      bounds: record.bounds, properties: [], animations: [], clock: clock(record, layer, shown),
      cost: LayerTreeSnapshot.Cost(record.cost))
    made.properties = properties(of: layer, record, shown)
    if let layer { made.animations = animations(of: layer, record, rate: made.clock.rate) }
    return made
  }

  // MARK: Values

  /// The values with animations applied. Copies of a replicator may each have others.
  private func shown(_ record: LayerRecord, _ layer: CALayer?) -> LayerValues {
    var values = layer?.presentationValues(at: time) ?? LayerValues(kind: record.kind)
    for property in record.animated { values.copy(property, from: record.values) }
    return values
  }

  private func properties(
    of layer: CALayer?, _ record: LayerRecord, _ shown: LayerValues
  ) -> [LayerTreeSnapshot.Property] {
    let kind = record.kind
    var defaults = LayerValues(kind: kind)
    for (property, value) in layer.flatMap({ LayerDefaults.of(type(of: $0)) })?.values ?? [] {
      defaults.set(property, to: value)
    }
    let set = layer?.modelValues ?? shown
    var made: [LayerTreeSnapshot.Property] = []
    // Others are the defaults of the class.
    var candidates = layer?.written.union(record.animated) ?? record.animated
    for attached in layer?.attachedAnimations ?? [] {
      for property in attached.track?.properties ?? [] { candidates.insert(property) }
    }
    for property in candidates
    where kind.has(property) && property != .name && property != .emissionHistory {
      let (usual, own, now) = (
        defaults.publicValue(of: property), set.publicValue(of: property),
        shown.publicValue(of: property)
      )
      guard own.value != usual.value || now.value != usual.value else { continue }
      made.append(
        LayerTreeSnapshot.Property(
          name: property.key, set: value(own.value, own.flag, of: layer),
          shown: value(now.value, now.flag, of: layer)))
    }
    if let layer, !layer.undefinedValues.isEmpty {
      let presented = layer.presentation(at: time) ?? layer
      for key in layer.undefinedValues.keys {
        made.append(
          LayerTreeSnapshot.Property(
            name: key, set: value(ofObject: layer.undefinedValues[key], of: layer),
            shown: value(ofObject: presented.undefinedValues[key], of: layer)))
      }
    }
    return made.sorted { $0.name < $1.name }
  }

  private func value(ofObject object: Any?, of layer: CALayer) -> LayerTreeSnapshot.Value {
    guard let object else { return .none }
    guard let found = AnimationValue(object) else {
      return .text("an object of \(type(of: object))")
    }
    return value(found, object as? Bool, of: layer)
  }

  private func value(
    _ value: AnimationValue, _ flag: Bool?, of layer: CALayer?
  ) -> LayerTreeSnapshot.Value {
    if let flag { return .flag(flag) }
    switch value {
    case .none: return .none
    case .number(let number): return number.isFinite ? .number(number) : .text(number.words)
    case .point(let point): return .numbers(ofFinite: [point.x, point.y])
    case .size(let size): return .numbers(ofFinite: [size.width, size.height])
    case .rect(let rect):
      return .numbers(ofFinite: [rect.origin.x, rect.origin.y, rect.size.width, rect.size.height])
    case .transform(let transform): return .numbers(ofFinite: transform.rows.flatMap { $0 })
    case .color(let color):
      let (red, green, blue, alpha) = color.extendedSRGB
      return .color([red, green, blue, alpha])
    case .path(let path):
      let box = CGPath(path).boundingBoxOfPath
      let count = "\(path.elements.count) element\(path.elements.count == 1 ? "" : "s")"
      return .text(
        box.isNull
          ? "a path of \(count)"
          : "a path of \(count) in \(box.width) × \(box.height) at \(box.minX), \(box.minY)")
    case .image(let id):
      switch layer?.contents(id) {
      case let image as CGImage:
        return .text("an image of \(image.width) × \(image.height) pixels")
      case let store as LayerStore:
        let size =
          switch store.pixels {
          case .memory(let buffer): buffer.size
          case .dmaBuf(let picture): picture.buffer.layout.size
          }
        return .text("a drawing of \(size.width) × \(size.height) pixels")
      default: return .text("an image")
      }
    case .string(let string): return .text(string)
    case .filter(let filter): return .text(filter.words)
    case .cell(let cell): return .text("the cell \(cell.name ?? "without a name")")
    case .array(let values):
      let numbers = values.compactMap { value -> Double? in
        if case .number(let number) = value, number.isFinite { number } else { nil }
      }
      if !values.isEmpty, numbers.count == values.count { return .numbers(numbers) }
      return .list(values.map { self.value($0, nil, of: layer) })
    }
  }

  // MARK: Times

  private func clock(
    _ record: LayerRecord, _ layer: CALayer?, _ shown: LayerValues
  ) -> LayerTreeSnapshot.Clock {
    let timing = shown.timing
    var rate = layer == nil ? timing.speed : 1
    var next = layer
    while let current = next {
      rate *= current.committedTiming?.speed ?? 1
      next = current.superlayer
    }
    return LayerTreeSnapshot.Clock(
      localTime: record.time.bounded, beginTime: timing.beginTime.bounded,
      speed: timing.speed.bounded, timeOffset: timing.timeOffset.bounded, rate: rate.bounded)
  }

  private func animations(
    of layer: CALayer, _ record: LayerRecord, rate: Double
  ) -> [LayerTreeSnapshot.Animation] {
    guard !layer.attachedAnimations.isEmpty else { return [] }
    // A replicator's copies are late by its delay.
    let lag = layer.localTime(at: time, by: \.committedTiming) - record.time
    let delay = rate != 0 && lag.isFinite ? lag / rate : 0
    return layer.attachedAnimations.filter(\.isSent).map { attached in
      let timing = attached.description.timing
      let end = attached.stop + delay
      return LayerTreeSnapshot.Animation(
        key: attached.key, className: "\(type(of: attached.animation))",
        keyPath: attached.description.keyPath, begin: (attached.start + delay).bounded,
        end: end.isFinite ? end : nil, duration: timing.duration.bounded,
        localTime: timing.localTime(at: record.time).bounded,
        progress: timing.progress(at: record.time)?.fraction)
    }
  }
}

extension LayerRecord {
  /// The last step of its path.
  fileprivate var step: String {
    switch place {
    case .root: "0"
    case .mask: "mask"
    case .old: "old"
    case .sublayer(let number): copy.map { "\(number)#\($0)" } ?? "\(number)"
    }
  }
}

extension LayerRecord.Reason {
  fileprivate var publicReason: LayerTreeSnapshot.Hidden.Reason {
    switch self {
    case .isHidden: .isHidden
    case .opacity: .opacity
    case .empty: .empty
    case .noArea: .noArea
    case .outside: .outside
    case .clipped: .clipped
    case .masked: .masked
    case .covered: .covered
    case .backFace: .backFace
    case .time: .time
    case .behindEye: .behindEye
    case .parent: .parent
    }
  }
}

extension LayerTreeSnapshot.Cost {
  fileprivate init(_ cost: LayerRecord.Cost) {
    items = Int(cost.items)
    passes = Int(cost.passes)
    pixels = Int(clamping: cost.pixels)
    blendedPixels = Int(clamping: cost.blendedPixels)
    hits = Int(cost.hits)
    misses = Int(cost.misses)
    isRasterized = cost.isRasterized
  }
}

extension LayerTreeSnapshot.Value {
  /// Numbers, or a sentence if there are some that JSON cannot say.
  fileprivate static func numbers(ofFinite numbers: [CGFloat]) -> Self {
    numbers.allSatisfy(\.isFinite)
      ? .numbers(numbers.map { Double($0) })
      : .text(numbers.map { $0.isFinite ? "\($0)" : Double($0).words }.joined(separator: ", "))
  }
}

extension Double {
  fileprivate var words: String { isNaN ? "not a number" : self > 0 ? "infinite" : "-infinite" }

  /// A number that JSON can say, and that is as good as infinite if this one is.
  fileprivate var bounded: Double { isNaN ? 0 : min(max(self, -1e15), 1e15) }
}

extension FilterValues {
  /// Such as `gaussianBlur, inputRadius 3`.
  fileprivate var words: String {
    var words = [type]
    if let name, name != type { words.append("named \(name)") }
    if !isEnabled { words.append("not enabled") }
    words += inputs.map { "\($0.key) \($0.value.words)" }
    return words.joined(separator: ", ")
  }
}

extension FilterInput {
  fileprivate var words: String {
    switch self {
    case .number(let number): "\(number)"
    case .numbers(let numbers): numbers.map { "\($0)" }.joined(separator: " ")
    case .color(let color):
      (color.components ?? []).map { "\($0)" }.joined(separator: " ")
    case .string(let string): string
    case .image: "an image"
    }
  }
}

extension AnimationDescription {
  fileprivate var keyPath: String? {
    switch content {
    case .basic(let target, _), .keyframe(let target, _), .spring(let target, _, _): target.keyPath
    case .group, .transition: nil
    }
  }
}
