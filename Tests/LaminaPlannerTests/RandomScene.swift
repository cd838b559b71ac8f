import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaRenderTree
import LaminaValues
import TestSupport
import TreeSupport

/// A tree of random layers that changes at random, the same way for the same seed: every kind of
/// layer that is drawn, with every property that changes pixels.
struct RandomScene {
  /// What an edit changes.
  enum Edit: CaseIterable {
    case insert, remove, move, mask, geometry, transform, look, content, shape, group, shadow
    case filter, backdrop, blend, rasterize, image, animation, transition, space, timing, copies
    case nothing, emitter, fade
  }

  private(set) var tree = RenderTree()
  private(set) var time = 0.0
  /// The pixels of the images.
  private(set) var pixels: [ImageID: (layout: PixelLayout, bytes: [UInt8])] = [:]
  /// As of the last commit that was applied.
  private var appliedPixels: [ImageID: [UInt8]] = [:]
  private var random: SeededGenerator
  private var commit = Commit(sequence: 1)
  private var children: [LayerID: [LayerID]] = [:]
  private var parents: [LayerID: LayerID] = [:]
  private var masks: [LayerID: LayerID] = [:]
  private var values: [LayerID: LayerValues] = [:]
  private var layers: [LayerID] = []
  private var nextLayer: UInt32 = 0

  let size: PixelSize

  init(seed: UInt64, format: PixelFormat = .bgra8) throws {
    random = SeededGenerator(seed: seed)
    size = PixelSize(width: 80 + random.below(80), height: 60 + random.below(80))
    try tree.openSession(
      TestTree.session, SessionOptions(size: size, scale: 1, format: format))
    for number in 1...3 as ClosedRange<UInt64> { drawImage(ImageID(rawValue: number)) }
    let root = create(.layer)
    commit.roots.append(Commit.RootChange(session: TestTree.session, layer: root))
    change(root) { [size] values, random in
      values.bounds = CGRect(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
      values.position = values.bounds.center
      values.opacity = 1
      values.backgroundColor = Self.color(&random)
    }
    for _ in 0..<4 + random.below(14) { insert() }
  }

  /// Changes one thing, or a few. Returns what.
  mutating func edit() -> Edit {
    // What fades needs to fade for some frames.
    let edit = random.one(in: 4) ? .fade : random.pick(Edit.allCases)
    for _ in 0..<(random.one(in: 5) ? 3 : 1) { perform(edit) }
    if random.one(in: 2) { time += random.pick([0.05, 0.3, 1.7]) }
    return edit
  }

  /// Applies what was changed. Returns what became of images and layers.
  mutating func apply() throws -> [RenderTree.Event] {
    guard !commit.isEmpty else { return [] }
    defer { commit = Commit(sequence: commit.sequence + 1) }
    defer { appliedPixels = pixels.mapValues(\.bytes) }
    let appliedPixels = appliedPixels
    return try tree.apply(commit) { image, _ in appliedPixels[image] }
  }

  // MARK: Edits

  private mutating func perform(_ edit: Edit) {
    let layer = random.pick(layers)
    let isRoot = parents[layer] == nil
    switch edit {
    case .nothing: break
    case .insert: insert()
    case .remove: if !isRoot { remove(layer) }
    case .move: if !isRoot { move(layer) }
    case .mask: mask(layer)
    case .image: drawImage(ImageID(rawValue: UInt64(1 + random.below(3))))
    case .animation: animate(layer)
    case .transition: if !isRoot { addTransition(to: layer) }
    case .fade:
      let group = layers.first { !children[$0]!.isEmpty && values[$0]!.opacity < 1 } ?? layer
      change(group) { values, random in values.opacity = .random(in: 0.1...0.9, using: &random) }
    case .geometry where isRoot, .transform where isRoot: break
    default: change(layer) { Self.change(&$0, edit, &$1) }
    }
  }

  private mutating func insert() {
    let kinds: [LayerKind] = [
      .layer, .layer, .layer, .layer, .shape, .gradient, .transform, .emitter, .replicator,
      .backdrop, .backdrop,
    ]
    let layer = create(random.pick(kinds))
    place(layer)
    change(layer) { values, random in
      for edit in [Edit.geometry, .look, .content, .shape, .emitter] {
        Self.change(&values, edit, &random)
      }
      let further: [Edit] = [
        .transform, .group, .shadow, .filter, .backdrop, .blend, .rasterize, .space,
      ]
      Self.change(&values, .copies, &random)
      for edit in further where random.one(in: 9) { Self.change(&values, edit, &random) }
    }
  }

  private mutating func create(_ kind: LayerKind) -> LayerID {
    let layer = LayerID(index: nextLayer, generation: 0)
    nextLayer += 1
    commit.created.append(Commit.Creation(layer: layer, kind: kind))
    values[layer] = LayerValues(kind: kind)
    children[layer] = []
    layers.append(layer)
    return layer
  }

  /// Puts a layer that has no place anywhere but below itself.
  private mutating func place(_ layer: LayerID) {
    let below = subtree(of: layer)
    let parent = random.pick(layers.filter { $0 != layer && !below.contains($0) })
    let index = random.below(children[parent]!.count + 1)
    commit.edits.append(.insert(child: layer, parent: parent, index: UInt32(index)))
    children[parent]!.insert(layer, at: index)
    parents[layer] = parent
  }

  private mutating func detach(_ layer: LayerID) {
    guard let parent = parents.removeValue(forKey: layer) else { return }
    children[parent]!.removeAll { $0 == layer }
    if masks[parent] == layer { masks[parent] = nil }
  }

  private mutating func move(_ layer: LayerID) {
    detach(layer)
    place(layer)
  }

  private mutating func mask(_ layer: LayerID) {
    if let mask = masks[layer] {
      remove(mask)
    } else {
      let mask = create(random.pick([.layer, .shape]))
      commit.edits.append(.setMask(mask: mask, layer: layer))
      (masks[layer], parents[mask]) = (mask, layer)
      change(mask) { values, random in
        for edit in [Edit.geometry, .look, .shape] { Self.change(&values, edit, &random) }
      }
    }
  }

  private func subtree(of layer: LayerID) -> [LayerID] {
    var found = [layer]
    var next = 0
    while next < found.count {
      found += children[found[next]]! + [masks[found[next]]].compactMap(\.self)
      next += 1
    }
    return found
  }

  private mutating func remove(_ layer: LayerID) {
    // A layer of the same commit is simply left.
    let gone = subtree(of: layer)
    guard !commit.created.contains(where: { gone.contains($0.layer) }) else { return }
    detach(layer)
    commit.edits.append(.remove(child: layer))
    for layer in gone {
      commit.destroyed.append(layer)
      commit.changes.removeAll { $0.layer == layer }
      commit.animations.removeAll { $0.layer == layer }
      (children[layer], values[layer], masks[layer], parents[layer]) = (nil, nil, nil, nil)
      layers.removeAll { $0 == layer }
    }
  }

  private mutating func change(
    _ layer: LayerID, _ body: (inout LayerValues, inout SeededGenerator) -> Void
  ) {
    var changed = values[layer]!
    body(&changed, &random)
    var properties = StoredPropertySet()
    for property in StoredProperty.allCases
    where values[layer]!.value(of: property) != changed.value(of: property) {
      properties.insert(property)
    }
    values[layer] = changed
    commit.changes.append(
      Commit.LayerChange(layer: layer, properties: properties, values: changed))
  }

  private static func change(
    _ values: inout LayerValues, _ edit: Edit, _ random: inout SeededGenerator
  ) {
    func number(_ range: ClosedRange<Double>) -> Double {
      let number = Double.random(in: range, using: &random)
      return random.one(in: 2) ? number.rounded() : number
    }
    func color() -> CGColor { Self.color(&random) }
    switch edit {
    case .geometry:
      values.position = CGPoint(x: number(-10...130), y: number(-10...120))
      if random.one(in: 2) {
        values.bounds.size = CGSize(width: number(2...70), height: number(2...60))
      }
      if random.one(in: 6) { values.zPosition = number(-2...2) }
      if random.one(in: 9) { values.anchorPoint = CGPoint(x: 0, y: number(0...1)) }
      if random.one(in: 9) { values.isGeometryFlipped.toggle() }
    case .transform:
      let angle = number(-3...3)
      values.transform = random.pick([
        .identity, CATransform3D(rotationAngle: angle, x: 0, y: 0, z: 1),
        CATransform3D(scaleX: 1.5, y: -0.7), CATransform3D(translationX: 3.3, y: 0.7, z: 4),
        CATransform3D(rotationAngle: angle, x: 0.2, y: 1, z: 0),
      ])
    case .space:
      var perspective = CATransform3D.identity
      perspective.m34 = -1 / 300
      values.sublayerTransform = random.pick([.identity, perspective])
      values.isDoubleSided = !random.one(in: 4)
    case .look:
      values.backgroundColor = random.one(in: 4) ? nil : color()
      values.cornerRadius = random.one(in: 2) ? 0 : number(0...20)
      values.cornerCurve = random.pick([.circular, .continuous])
      values.borderWidth = random.one(in: 2) ? 0 : number(0...5)
      values.borderColor = color()
      values.isHidden = random.one(in: 9)
      values.allowsEdgeAntialiasing = !random.one(in: 4)
    case .content:
      values.contents =
        random.one(in: 2) ? nil : ImageID(rawValue: UInt64(1 + random.below(3)))
      values.contentsGravity = random.pick([.resize, .center, .resizeAspectFill, .topLeft])
      values.contentsDetail.minificationFilter = random.pick([.linear, .nearest, .trilinear])
    case .shape:
      let (x, y, width, height) = (
        number(-10...10), number(-5...5), number(1...50), number(1...40)
      )
      values.shape.path = Path([
        .move(CGPoint(x: x, y: y)), .line(CGPoint(x: x + width, y: y + 3)),
        .quad(
          control: CGPoint(x: x + width, y: y + height), end: CGPoint(x: x, y: y + height)),
        .close,
      ])
      values.shape.fillColor = random.one(in: 4) ? nil : color()
      values.shape.strokeColor = random.one(in: 2) ? nil : color()
      values.shape.lineWidth = number(0...6)
      values.gradient.colors = [color(), color(), color()]
      values.gradient.type = random.pick([.axial, .radial, .conic])
    case .group:
      values.opacity = random.one(in: 3) ? 1 : number(0...1)
      values.masksToBounds.toggle()
      values.allowsGroupOpacity = !random.one(in: 4)
    case .shadow:
      values.effects.shadowOpacity = random.one(in: 3) ? 0 : 0.7
      values.effects.shadowRadius = number(0...6)
      values.effects.shadowOffset = CGSize(width: number(-9...9), height: number(-9...9))
      let side = number(1...40)
      let rectangle = Path([
        .move(.zero), .line(CGPoint(x: side, y: 0)), .line(CGPoint(x: side, y: 20)),
        .line(CGPoint(x: 0, y: 20)), .close,
      ])
      values.effects.shadowPath = random.one(in: 3) ? rectangle : nil
    case .filter:
      values.effects.filters = random.one(in: 3) ? nil : filters(&random)
    case .backdrop:
      values.effects.backgroundFilters = random.one(in: 3) ? nil : filters(&random)
      values.effects.groupName = random.pick([nil, "bar", "bar", "list"])
    case .blend:
      let modes = ["multiplyBlendMode", "hueBlendMode", "plusL", "sourceIn", "overlayBlendMode"]
      values.effects.compositingFilter =
        random.one(in: 3) ? nil : FilterValues(type: random.pick(modes))
    case .rasterize:
      values.effects.shouldRasterize.toggle()
      values.effects.rasterizationScale = random.pick([1, 2])
    case .emitter:
      guard !random.one(in: 4) else { break }
      values.emitter.cells = random.one(in: 5) ? nil : [cell(&random)]
      values.emitter.position = CGPoint(x: number(-20...40), y: number(-20...40))
      values.emitter.size = CGSize(width: number(0...30), height: number(0...30))
      values.emitter.shape = random.pick(EmitterShape.allCases)
      values.emitter.mode = random.pick(EmitterMode.allCases)
      values.emitter.renderMode = random.pick(EmitterRenderMode.allCases)
      values.emitter.birthRate = random.pick([0, 1, 1, 2])
      values.replicator.preservesDepth = random.one(in: 3)
    case .copies:
      let angle = number(-1...1)
      values.replicator.instanceCount = UInt32(random.below(4))
      values.replicator.instanceTransform = random.pick([
        .identity, CATransform3D(translationX: number(-20...20), y: number(-9...9)),
        CATransform3D(rotationAngle: angle, x: 0, y: 0, z: 1),
        CATransform3D(rotationAngle: angle, x: 0, y: 1, z: 0), CATransform3D(scaleX: -0.9, y: 0.8),
        CATransform3D(translationX: 9, y: 0, z: 5),
      ])
      values.replicator.instanceDelay = random.pick([0, 0, 0.1, -0.4])
      values.replicator.instanceColor = random.pick([.white, .white, color()])
      values.replicator.redOffset = random.pick([0, -0.3])
      values.replicator.alphaOffset = random.pick([0, 0, -0.4])
      values.replicator.preservesDepth = random.one(in: 5)
    case .timing:
      values.timing.speed = random.pick([0, 1, 2])
      values.timing.timeOffset = random.pick([0, 0.4])
    default: break
    }
  }

  /// `depth` is the number of cells that enclose the cell, itself included.
  private static func cell(
    _ random: inout SeededGenerator, depth: Int = 1
  ) -> EmitterCellValues {
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    var cell = EmitterCellValues()
    cell.birthRate = number(1...20)
    cell.lifetime = number(0.2...3)
    cell.lifetimeRange = number(0...1)
    cell.velocity = number(-20...40)
    cell.emissionRange = number(0...7)
    cell.yAcceleration = number(-20...20)
    cell.zAcceleration = number(-20...20)
    cell.spin = number(-2...2)
    cell.scaleSpeed = number(-0.3...0.3)
    cell.color = color(&random)
    cell.alphaSpeed = number(-0.5...0.2)
    cell.contents = ImageID(rawValue: UInt64(1 + random.below(3)))
    cell.minificationFilter = random.pick([.linear, .nearest, .trilinear])
    cell.particleType = random.pick([.sprite, .plane])
    cell.orientationRange = number(0...2)
    cell.timing.beginTime = random.pick([0, 0, -2, 1])
    cell.timing.duration = random.pick([.infinity, .infinity, 1])
    if random.one(in: 3) {
      let inner = Self.cell(&random, depth: depth + 1)
      if depth < TreeLimit.emitterCellDepth { cell.cells = [inner] }
    }
    return cell
  }

  private static func filters(_ random: inout SeededGenerator) -> [FilterValues] {
    var blur = FilterValues(type: "gaussianBlur")
    blur["inputRadius"] = .number(Double.random(in: 0.5...8, using: &random))
    let invert = FilterValues(type: "colorInvert")
    var variable = FilterValues(type: "variableBlur")
    variable["inputRadius"] = .number(Double.random(in: 0.5...8, using: &random))
    variable["inputMaskImage"] = .image(ImageID(rawValue: UInt64(1 + random.below(3))))
    variable["inputNormalizeEdges"] = .number(random.one(in: 3) ? 1 : 0)
    return random.pick([[blur], [invert], [blur, invert], [variable], [variable, blur]])
  }

  private static func color(_ random: inout SeededGenerator) -> CGColor {
    func channel() -> Double { Double(random.below(256)) / 255 }
    return CGColor(
      red: channel(), green: channel(), blue: channel(),
      alpha: random.one(in: 2) ? 1 : channel())
  }

  private mutating func animate(_ layer: LayerID) {
    let key = random.pick([
      "position.x", "opacity", "transform.rotation.z", "bounds.size.width", "emitterPosition.x",
      "birthRate", "hidden", "instanceCount", "instanceDelay", "instanceTransform.translation.x",
      "instanceRedOffset",
    ])
    guard !random.one(in: 3) else {
      commit.animations.append(.remove(layer: layer, key: key))
      return
    }
    let (from, to): (Double, Double) =
      switch key {
      case "opacity": (0.2, 0.9)
      case "transform.rotation.z": (0, 1.5)
      case "birthRate": (0, 3)
      case "hidden": (1, 0)
      case "instanceCount": (1, 4)
      case "instanceDelay", "instanceRedOffset": (-0.2, 0.2)
      default: (10, 60)
      }
    let timing = MediaTiming(
      beginTime: time, duration: random.pick([0.2, 1, 30]),
      fillMode: random.pick([.removed, .both]))
    commit.animations.append(
      .add(
        layer: layer, key: key,
        animation: AnimationDescription(
          timing: timing,
          content: .basic(
            AnimationDescription.PropertyTarget(keyPath: key),
            AnimationDescription.BasicValues(from: .number(from), to: .number(to))))))
  }

  private mutating func addTransition(to layer: LayerID) {
    let timing = MediaTiming(beginTime: time, duration: random.pick([0.3, 2]), fillMode: .both)
    commit.animations.append(
      .add(
        layer: layer, key: "transition",
        animation: AnimationDescription(
          timing: timing,
          content: .transition(.init(style: random.pick([.fade, .push, .moveIn, .reveal]))))))
    change(layer) { Self.change(&$0, .look, &$1) }
  }

  /// Draws an image: the third is opaque.
  private mutating func drawImage(_ image: ImageID) {
    let isOpaque = image.rawValue == 3
    let old = pixels[image]?.layout
    let side = 3 + random.below(20)
    let layout = old ?? PixelLayout(width: side, height: side, stride: side * 4, format: .bgra8)
    var bytes = pixels[image]?.bytes ?? [UInt8](repeating: 0, count: layout.byteCount!)
    let dirty = old.map { PixelRect(minX: 0, minY: 0, maxX: $0.width, maxY: 1 + $0.height / 2) }
    let rows = dirty.map { $0.height } ?? layout.height
    for pixel in 0..<rows * layout.width {
      let alpha = isOpaque ? 255 : random.below(256)
      for channel in 0..<3 { bytes[pixel * 4 + channel] = UInt8(random.below(alpha + 1)) }
      bytes[pixel * 4 + 3] = UInt8(alpha)
    }
    pixels[image] = (layout, bytes)
    commit.stores.removeAll { $0.image == image }
    commit.stores.append(
      Commit.StoreUpdate(
        image: image,
        memory: MemoryRange(
          arena: ArenaID(rawValue: 1), offset: 0, count: UInt64(layout.byteCount!)),
        layout: layout, isOpaque: isOpaque,
        dirty: random.one(in: 2) ? dirty.map { [$0] } : nil))
  }
}
