import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// Turns groups into passes: gives each group its target, and its items their textures.
///
/// A group is painted before the first item that samples it. The groups whose painting waits for
/// another's are in a list, so that depth takes heap memory and not the thread's stack.
struct PassBuilder: ~Copyable {
  let graph: CompositingGraph
  private let format: TargetFormat
  var ledger: TextureLedger
  var plan: FramePlan
  private var states: [GroupState]
  /// The groups that are being painted. Each waits for the one after it.
  var open: [OpenGroup] = []
  var shared: SharedTargets
  /// How far from their places on the surface groups are painted that are moved.
  var moves: [Int: (x: Int, y: Int)] = [:]
  /// Of each of the plan's passes.
  var orders: [PassOrder] = []
  /// The order of each group's last pass.
  private var groupOrders: [PassOrder?]
  /// The section of the passes to come.
  var section = 0
  /// The order in which groups paint their items, if it is not the graph's.
  var order: PaintingOrder?
  /// The place in that order of the last item that samples each group, once that is asked for.
  var lastUses: [Int]?
  /// The textures of the canvases that this frame has found cached.
  private var canvasTextures: [Int: FramePlan.TextureSource.Texture] = [:]

  /// The place of each image's textures in `imageTextures`, by its number, once they are known.
  private var imagePlaces: [Int?]
  private var imageTextures: [TextureID] = []
  /// What the frame's new paths cost to draw, in rows of edges.
  private var pathRows = 0.0
  /// Number of pixels that the plan's items touch.
  private(set) var pixels = 0

  private enum GroupState {
    case waiting
    case painted(FramePlan.TextureSource.Texture)
    /// Nothing was drawn in it.
    case empty
  }

  /// A group that is being painted.
  struct OpenGroup {
    var group: Int
    var target: FramePlan.Target?
    /// The canvas in which it is kept, if it is painted in a shared target.
    var canvas: FramePlan.Target?
    /// The batches that no pass has yet.
    var batches: [FramePlan.Batch] = []
    /// Whether it has passes.
    var isBegun = false
    /// More than the levels of the groups of a section that the batches sample.
    var level = (value: 0, section: 0)
    /// The next step, and the next of its items.
    var step = 0
    var item = 0
    /// Items that later ones hide. They are left out.
    var hidden = 0..<0
  }

  /// `items` are those that the graph's groups paint. The plan has them as they are, and its
  /// batches name them. If it `isSparing`, groups share one target if they can.
  init(
    _ graph: CompositingGraph, _ items: consuming ItemList, size: PixelSize, format: TargetFormat,
    ledger: consuming TextureLedger, isSparing: Bool = false
  ) {
    self.graph = graph
    self.format = format
    self.ledger = ledger
    let area = PixelRect(size)
    plan = FramePlan(size: size, damage: graph.damage?.map { $0.intersection(area) } ?? [area])
    plan.damage.removeAll { $0.isEmpty }
    plan.items = items
    states = [GroupState](repeating: .waiting, count: graph.groups.count)
    groupOrders = [PassOrder?](repeating: nil, count: graph.groups.count)
    shared = SharedTargets(
      size: size, byteCount: ledger.profile.byteCount(of: size, format.pixelFormat),
      budget: isSparing ? 0 : ledger.budget)
    imagePlaces = [Int?](repeating: nil, count: graph.images.drawn.count)
  }

  /// Builds the passes of the surface, and before them those of all groups that it needs.
  mutating func build() {
    if plan.damage.isEmpty { return }
    order = PaintingOrder(graph, plan.items)
    open.append(OpenGroup(group: 0, target: .surface))
    while !open.isEmpty { addPasses() }
    sortPasses()
    paintWholeSurface()
  }

  /// Throws if it would take too long to execute the plan, or to draw the paths that it lacks, or
  /// if the device has no targets as large as the plan's.
  func refuseExcess() throws(CommitError) {
    let side = ledger.profile.maxTextureSize
    for size in plan.offscreens where size.isEmpty || max(size.width, size.height) > side {
      throw .outOfRange("size of a group, in pixels", value: "\(size)")
    }
    if pathRows > Double(TreeLimit.pathRows) {
      throw .tooMany(
        "rows of edges in paths", count: Int(min(pathRows, 1e15)), limit: TreeLimit.pathRows)
    }
    if pixels > TreeLimit.pixels {
      throw .tooMany("pixels of items in a frame", count: pixels, limit: TreeLimit.pixels)
    }
  }

  /// Adds the last open group's passes until it needs another group, or to its end.
  private mutating func addPasses() {
    var current = open.removeLast()
    let steps = order?.steps[current.group] ?? graph.groups[current.group].steps
    if current.hidden.isEmpty, current.step == 0, current.item == 0 {
      current.hidden = hiddenItems(of: current.group)
    }
    while current.step < steps.count {
      switch steps[current.step] {
      case .isRead(let reader):
        if !current.isBegun || !current.batches.isEmpty { end(&current) }
        section += 1
        current.step += 1
        open.append(current)
        open.append(OpenGroup(group: reader))
        return
      case .items(let items, let scissor):
        current.item = max(current.item, items.lowerBound)
        while current.item < items.upperBound {
          if current.hidden.contains(current.item) {
            current.item = min(current.hidden.upperBound, items.upperBound)
            continue
          }
          if plan.items.items[current.item].program.sourceCount == 0 {
            let isHiddenLater = current.hidden.lowerBound > current.item
            let end = isHiddenLater ? current.hidden.lowerBound : items.upperBound
            current.item += add(
              current.item..<min(end, items.upperBound), FramePlan.Sources(nil),
              clippedTo: scissor, to: &current)
            continue
          }
          if let needed = add(current.item, clippedTo: scissor, to: &current) {
            open.append(current)
            open.append(needed)
            return
          }
          current.item += 1
        }
        current.step += 1
        current.item = 0
      }
    }
    let isEmpty = current.batches.isEmpty && !current.isBegun
    guard !isEmpty || graph.groups[current.group].isKept else {
      giveUp(current.canvas ?? current.target, ofGroup: current.group)
      states[current.group] = .empty
      return
    }
    if !current.batches.isEmpty || !current.isBegun { end(&current) }
    if let canvas = current.canvas { copy(current, to: canvas) }
    states[current.group] = .painted(.init(current.canvas ?? current.target!))
  }

  /// Puts what has been drawn in a group, and is in no pass yet, into the plan. `place` is the
  /// group's place among the open ones; nil if it has been taken from their end.
  mutating func end(_ current: inout OpenGroup, at place: Int? = nil) {
    let target = current.target ?? findTarget(for: current, at: place)
    current.target = target
    let (originX, originY) = origin(of: current.group)
    var pass = FramePlan.Pass(
      target: target, originX: originX, originY: originY,
      parts: parts(of: current.group).map { $0.offset(x: -originX, y: -originY) },
      isCleared: !current.isBegun)
    pass.unsampled = graph.groups[current.group].unsampled.map {
      $0.offset(x: -originX, y: -originY)
    }
    swap(&pass.batches, &current.batches)
    if graph.groups[current.group].sharesTarget { put(&pass, of: current.group) }
    if current.isBegun { section += 1 }
    current.isBegun = true
    add(pass, of: current.group, level: current.level.section == section ? current.level.value : 0)
  }

  private mutating func add(_ pass: FramePlan.Pass, of group: Int, level: Int) {
    pixels += plan.pixelCount(of: pass)
    plan.passes.append(pass)
    let target = if case .offscreen(let index) = pass.target { index } else { Int.max }
    let order = PassOrder(section: section, level: level, target: target)
    orders.append(order)
    groupOrders[group] = order
  }

  /// Copies a group from its shared target to the canvas in which it is kept.
  private mutating func copy(_ painted: OpenGroup, to canvas: FramePlan.Target) {
    let region = graph.groups[painted.group].region
    let place = plan.items.items.count
    plan.items.add(Item(.group, blend: .copy), region, within: region)
    let item = plan.items.items[place]
    var pass = FramePlan.Pass(
      target: canvas, originX: region.minX, originY: region.minY, parts: [PixelRect(region.size)])
    let (x, y) = moves[painted.group] ?? (0, 0)
    let source = FramePlan.TextureSource(
      texture: .init(painted.target!), filter: .nearest, originX: -x, originY: -y)
    pass.batches = [
      FramePlan.Batch(
        program: item.program, blend: item.blend, sources: FramePlan.Sources(source, nil),
        scissor: PixelRect(region.size), items: place..<place + 1, vertexCount: item.vertexCount,
        isAffine: true)
    ]
    add(pass, of: painted.group, level: levelAfter(painted.group) ?? 0)
  }

  /// Where a group's target begins in its space.
  private func origin(of group: Int) -> (x: Int, y: Int) {
    if graph.groups[group].sharesTarget { return (0, 0) }
    let region = graph.groups[group].region
    return (region.minX, region.minY)
  }

  /// The parts of a group that are painted, in its space.
  func parts(of group: Int) -> [PixelRect] {
    let region = graph.groups[group].region
    guard let damage = graph.damage, !graph.groups[group].isWhole else { return [region] }
    return damage.map { $0.intersection(region) }.filter { !$0.isEmpty }
  }

  // MARK: Items

  /// Adds an item to the last batch if the state is the same, else to a new one. Returns a group
  /// that must be painted first; then nothing is added.
  private mutating func add(
    _ index: Int, clippedTo scissor: PixelRect, to current: inout OpenGroup
  ) -> OpenGroup? {
    let count = plan.items.items[index].program.sourceCount
    var (first, second): (FramePlan.TextureSource?, FramePlan.TextureSource?)
    var found = 0
    for place in 0..<count {
      let content = graph.drawn.sources[Int(plan.items.items[index].sources[place])]
      switch resolve(content, in: current) {
      case .texture(let source):
        if place == 0 { first = source } else { second = source }
        found += 1
        noteOrder(of: content.content, in: &current)
      case .missing: break
      case .needs(let group): return group
      }
    }
    if found < count {
      // Of the sum of two images, the one that is there is left.
      guard plan.items.items[index].program == .groupMix, found == 1 else { return nil }
      leaveOne(ofMix: index, isSecond: first == nil)
    }
    add(
      index..<index + 1, FramePlan.Sources(first, second), clippedTo: scissor, to: &current)
    return nil
  }

  /// Adds the first of some items, and those after it that have the same state. All sample these
  /// sources. Returns how many were added.
  @discardableResult
  private func add(
    _ places: Range<Int>, _ sources: FramePlan.Sources, clippedTo scissor: PixelRect,
    to current: inout OpenGroup
  ) -> Int {
    let (originX, originY) = origin(of: current.group)
    let local = scissor.offset(x: -originX, y: -originY)
    func extend(_ batch: inout FramePlan.Batch, by places: Range<Int>) -> Int {
      batch.extend(by: places, of: plan.items, sources, scissor: local)
    }
    let last = current.batches.count - 1
    if last >= 0, case let count = extend(&current.batches[last], by: places), count > 0 {
      return count
    }
    let first = places.lowerBound
    var batch = FramePlan.Batch(first, of: plan.items, sources, scissor: local)
    let count = extend(&batch, by: first + 1..<places.upperBound)
    current.batches.append(batch)
    return 1 + count
  }

  /// Has the next pass of a group follow that of one which it samples.
  private func noteOrder(of content: ItemSource.Content, in current: inout OpenGroup) {
    guard let level = graph.group(painting: content).flatMap({ levelAfter($0) }) else { return }
    let known = current.level.section == section ? current.level.value : 0
    current.level = (max(known, level), section)
  }

  /// The first level after a group's last pass; nil if that is in an earlier section.
  private func levelAfter(_ group: Int) -> Int? {
    groupOrders[group].flatMap { $0.section == section ? $0.level + 1 : nil }
  }

  /// Replaces the sum of two images, of which one is empty, by the other, times its weight.
  private mutating func leaveOne(ofMix index: Int, isSecond: Bool) {
    plan.items.items[index].program = .group
    if case .floats(let color) = plan.items.items[index].color {
      let weights = plan.items.colors[Int(color)]
      let weight = isSecond ? weights.y : weights.x
      plan.items.items[index].color = plan.items.color(SIMD4(repeating: weight))
    }
  }

  private enum Resolved {
    case texture(FramePlan.TextureSource)
    /// The item is left out.
    case missing
    case needs(OpenGroup)
  }

  private mutating func resolve(_ source: ItemSource, in current: OpenGroup) -> Resolved {
    func texture(
      _ texture: FramePlan.TextureSource.Texture, inTargetOf group: Int? = nil
    ) -> Resolved {
      var (x, y) = (source.originX, source.originY)
      if let group {
        let move = moves[group] ?? (0, 0)
        (x, y) = (-move.x, -move.y)
      }
      return .texture(
        FramePlan.TextureSource(texture: texture, filter: source.filter, originX: x, originY: y))
    }
    /// What a group was painted into, or the group.
    func painted(_ group: Int, _ needed: @autoclosure () -> OpenGroup) -> Resolved {
      switch states[group] {
      case .waiting: .needs(needed())
      case .painted(let target):
        texture(
          target,
          inTargetOf: graph.groups[group].sharesTarget && target.offscreen != nil ? group : nil)
      case .empty: .missing
      }
    }
    switch source.content {
    case .image(let number, let tile):
      guard let place = imagePlaces[number] ?? findTextures(ofImage: number) else {
        return .missing
      }
      if source.filter.isTrilinear { ledger.makeMipmaps(of: graph.images.drawn[number], in: &plan) }
      return texture(.texture(imageTextures[place + tile]))
    case .mask(let number):
      return maskTexture(number).map { texture(.texture($0)) } ?? .missing
    case .ramp(let number): return texture(.texture(rampTexture(number)))
    case .group(let group): return painted(group, OpenGroup(group: group))
    case .backdrop(let group):
      let below = open.last { $0.group == group }
      return below?.target.map {
        texture(.init($0), inTargetOf: graph.groups[group].sharesTarget ? group : nil)
      } ?? .missing
    case .canvas(let number):
      if let known = canvasTextures[number] { return texture(known) }
      let canvas = graph.canvases[number]
      if let cached = canvas.cached {
        claim(cached, of: canvas)
        canvasTextures[number] = .canvas(cached)
        return texture(.canvas(cached))
      }
      guard let group = canvas.group else { return .missing }
      if case .waiting = states[group] {
        ledger.counts.misses += 1
        let target = newTarget(of: canvas)
        return .needs(
          graph.groups[group].sharesTarget
            ? OpenGroup(group: group, canvas: target) : OpenGroup(group: group, target: target))
      }
      return painted(group, OpenGroup(group: group))
    }
  }

  // MARK: Textures

  /// Puts an image's textures into `imageTextures` and returns their place; nil if its pixels are
  /// lost.
  private mutating func findTextures(ofImage number: Int) -> Int? {
    let place = imageTextures.count
    guard
      ledger.addTextures(of: graph.images.drawn[number], to: &imageTextures, in: &plan)
    else { return nil }
    imagePlaces[number] = place
    return place
  }

  /// The texture of a path's coverage, which is drawn and uploaded unless an equal one is cached.
  private mutating func maskTexture(_ number: Int) -> TextureID? {
    let (mask, owner) = (graph.drawn.masks[number], graph.maskOwners[number])
    if let known = ledger.masks.take(mask, for: owner) {
      ledger.counts.hits += 1
      return known
    }
    ledger.counts.misses += 1
    let placed = PlacedPath(mask)
    pathRows += PathWork.estimate(of: placed)
    guard pathRows <= Double(TreeLimit.pathRows),
      let coverage = PathRasterizer.coverage(of: placed)
    else { return nil }
    let texture = ledger.makeTexture()
    ledger.masks.keep(
      texture, (), byteCount: ledger.profile.byteCount(ofImage: mask.region.size, .a8), for: mask,
      of: owner)
    plan.uploads.append(
      FramePlan.Upload(
        texture: texture, size: mask.region.size, format: .a8,
        region: PixelRect(mask.region.size), source: .bytes(coverage),
        sharesTexture: ledger.profile.sizeClass(of: mask.region.size, .a8) != nil))
    return texture
  }

  private mutating func rampTexture(_ number: Int) -> TextureID {
    let (ramp, owner) = (graph.drawn.ramps[number], graph.rampOwners[number])
    if let known = ledger.ramps.take(ramp, for: owner) {
      ledger.counts.hits += 1
      return known
    }
    ledger.counts.misses += 1
    let texture = ledger.makeTexture()
    let size = PixelSize(width: ramp.count, height: 1)
    let format = ramp.isEightBit ? PixelFormat.bgra8 : .rgba16f
    ledger.ramps.keep(
      texture, (), byteCount: ledger.profile.byteCount(of: size, format), for: ramp, of: owner)
    plan.uploads.append(
      FramePlan.Upload(
        texture: texture, size: size, format: format, region: PixelRect(size),
        source: .bytes(ramp.bytes)))
    return texture
  }

  /// Claims the texture of a canvas that an earlier frame has painted.
  private mutating func claim(_ texture: TextureID, of canvas: CompositingGraph.Canvas) {
    ledger.counts.hits += 1
    guard let key = canvas.key else { return }
    for owner in [canvas.owner] + canvas.sharers { _ = ledger.canvases.take(key, for: owner) }
    ledger[keptPixelsOf: key] += canvas.region.area
  }

  /// The target in which a canvas is kept for later frames; nil if it is not kept, since it changes
  /// with each frame or is beyond the limit.
  private mutating func newTarget(of canvas: CompositingGraph.Canvas) -> FramePlan.Target? {
    guard let key = canvas.key else { return nil }
    let size = canvas.region.size
    let byteCount = ledger.profile.byteCount(of: size, format.pixelFormat)
    let pixels = ledger[keptPixelsOf: key] + canvas.region.area
    guard pixels <= TextureLedger.canvasPixelLimit(of: plan.size) else { return nil }
    // A copy of what is painted in a shared target. No frame may fail for its memory.
    if canvas.group.map({ graph.groups[$0].sharesTarget }) ?? false,
      ledger.byteCount + ledger.otherByteCount + byteCount > ledger.budget / 2
    {
      return nil
    }
    if case .group = key, pixels * format.pixelFormat.bytesPerPixel > ledger.budget / 8 {
      return nil
    }
    ledger[keptPixelsOf: key] = pixels
    let texture = ledger.makeTexture()
    ledger.canvases.keep(texture, (), byteCount: byteCount, for: key, of: canvas.owner)
    for owner in canvas.sharers { _ = ledger.canvases.take(key, for: owner) }
    plan.canvases.append(FramePlan.Canvas(texture: texture, size: size))
    return .canvas(texture)
  }

  /// Gives up the canvas of a group in which nothing was drawn.
  private mutating func giveUp(_ target: FramePlan.Target?, ofGroup group: Int) {
    guard case .canvas(let texture) = target, case .canvas(let number) = graph.groups[group].target,
      let key = graph.canvases[number].key
    else { return }
    _ = ledger.canvases.remove(key)
    plan.canvases.removeAll { $0.texture == texture }
  }
}
