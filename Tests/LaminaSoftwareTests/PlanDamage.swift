import Foundation
import LaminaFramePlan
import LaminaValues
import TestSupport

/// Small frames, and random damage to their plans.
struct PlanDamage {
  private var random: SeededGenerator
  private var numbers: [Double] {
    [
      .nan, .infinity, -.infinity, 1e300, -1e300, 1e15, -1e9, 1e5, 0, -1, .leastNonzeroMagnitude,
      0.5, 70,
    ]
  }
  private var integers: [Int] {
    [
      .min, .max, -1 << 40, 1 << 40, -1 << 31, 1 << 31, -1 << 24, 1 << 20, -70, -1, 0, 1, 5, 33,
      300,
    ]
  }

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// A frame of every kind of pass, of 16 to 39 pixels a side.
  static func plan(seed: UInt64) -> FramePlan {
    let test = PartsTest(seed: seed, sides: 16..<40, mostItems: 12)
    var plan = seed % 3 == 0 ? test.update : test.secondFrame
    plan.uploads = PartsTest.uploads
    plan.mipmaps = PartsTest.mipmaps
    let canvas = FramePlan.Canvas(texture: TextureID(rawValue: 9), size: plan.size)
    plan.canvases = [canvas]
    var pass = FramePlan.Pass(target: .canvas(canvas.texture), parts: [PixelRect(plan.size)])
    pass.batches = plan.passes[0].batches
    plan.passes.append(pass)
    return plan
  }

  /// Damages one to three things of a plan.
  mutating func damage(_ plan: inout FramePlan) {
    for _ in 0..<1 + random.below(3) {
      switch random.below(20) {
      case 0: damageUpload(&plan)
      case 1: damageLists(&plan)
      case 2...4: damagePass(&plan)
      case 5...9: damageBatch(&plan)
      case 10...15: damageItem(&plan)
      default: damageTables(&plan)
      }
    }
  }

  private mutating func number(_ value: inout Double) {
    value = random.one(in: 3) ? value * 1e4 : random.pick(numbers)
  }

  private mutating func number(_ value: inout Float) {
    var double = Double(value)
    number(&double)
    value = Float(double)
  }

  private mutating func integer(_ value: inout Int) {
    value = random.one(in: 2) ? value &+ random.pick([-40, -1, 1, 40]) : random.pick(integers)
  }

  private mutating func index(_ value: inout UInt32) {
    value = random.one(in: 3) ? value &+ 1 : random.pick([0, 1, 3, 90, 1 << 16, 1 << 31, .max])
  }

  private mutating func size(_ size: inout PixelSize) {
    // Not so large that the frame itself takes the memory.
    let sides = [.min, -1, 0, 1, 2, 7, 31, 33, 90, 300, 16385, 1 << 31, .max]
    if random.one(in: 2) {
      size.width = random.pick(sides)
    } else {
      size.height = random.pick(sides)
    }
  }

  private mutating func rect(_ rect: inout PixelRect) {
    switch random.below(4) {
    case 0: integer(&rect.minX)
    case 1: integer(&rect.minY)
    case 2: integer(&rect.maxX)
    default: integer(&rect.maxY)
    }
  }

  /// Damages one of a list's elements, or removes it, or adds it once more.
  private mutating func element<Element>(
    _ list: inout [Element], _ damage: (inout Self, inout Element) -> Void
  ) {
    guard !list.isEmpty else { return }
    let place = random.below(list.count)
    switch random.below(10) {
    case 0: list.remove(at: place)
    case 1: list.append(list[place])
    default: damage(&self, &list[place])
    }
  }

  private mutating func damageUpload(_ plan: inout FramePlan) {
    element(&plan.uploads) { damage, upload in
      switch damage.random.below(6) {
      case 5: upload.sharesStore.toggle()
      case 0: damage.size(&upload.size)
      case 1: damage.rect(&upload.region)
      case 2: upload.format = damage.random.pick(PixelFormat.allCases)
      case 3: damage.index(&upload.texture.rawValue)
      default:
        upload.source = damage.random.pick([
          .bytes([]), .bytes([UInt8](repeating: 7, count: damage.random.below(3000))),
          .store(ImageID(rawValue: 1), originX: .max, originY: -1),
        ])
      }
    }
  }

  private mutating func damageLists(_ plan: inout FramePlan) {
    switch random.below(6) {
    case 0: size(&plan.size)
    case 1: element(&plan.offscreens) { $0.size(&$1) }
    case 2: element(&plan.canvases) { $0.size(&$1.size) }
    case 3: element(&plan.canvases) { $0.index(&$1.texture.rawValue) }
    case 4: element(&plan.mipmaps) { $0.integer(&$1.count) }
    default: plan.releases.append(TextureID(rawValue: UInt32(random.below(10))))
    }
  }

  private mutating func damagePass(_ plan: inout FramePlan) {
    element(&plan.passes) { damage, pass in
      switch damage.random.below(6) {
      case 0: damage.integer(&pass.originX)
      case 1: damage.integer(&pass.originY)
      case 2: damage.element(&pass.parts) { $0.rect(&$1) }
      case 3: pass.isCleared.toggle()
      case 4:
        pass.target = damage.random.pick([
          .surface, .offscreen(0), .offscreen(1), .offscreen(-1), .offscreen(.max),
          .canvas(TextureID(rawValue: 9)), .canvas(TextureID(rawValue: 4)),
        ])
      default: damage.element(&pass.batches) { _, _ in }
      }
    }
    if random.one(in: 4) { plan.passes.shuffle(using: &random) }
  }

  private mutating func damageBatch(_ plan: inout FramePlan) {
    guard !plan.passes.isEmpty else { return }
    let place = random.below(plan.passes.count)
    let items = plan.items.items
    element(&plan.passes[place].batches) { damage, batch in
      switch damage.random.below(8) {
      case 0: damage.integer(&batch.vertexCount)
      case 1: damage.rect(&batch.scissor)
      case 2:
        let ends = [damage.random.pick(damage.integers), damage.random.below(items.count + 1)]
        batch.items = ends.min()!..<ends.max()!
        // Sometimes all else fits.
        guard batch.items.lowerBound >= 0, batch.items.upperBound <= items.count else { return }
        batch.vertexCount = items[batch.items].reduce(0) { $0 + $1.vertexCount }
      case 3:
        batch.program = damage.random.pick(FramePlan.Program.allCases)
        if damage.random.one(in: 2) { return }
        for item in batch.items.clamped(to: items.indices) {
          plan.items.items[item].program = batch.program
        }
      case 4:
        batch.blend = damage.random.pick([
          .copy, .screen, .fill, .xor, .formula(.hue), .formula(.divide), .formula(.clear),
        ])
        if damage.random.one(in: 2) { return }
        for item in batch.items.clamped(to: items.indices) {
          plan.items.items[item].blend = batch.blend
        }
      case 5: batch.outlines = damage.random.pick([.any, .even, .upright])
      default:
        var sources = Array(batch.sources)
        damage.element(&sources) { $0.damage(&$1) }
        batch.sources = FramePlan.Sources(sources)
      }
    }
  }

  private mutating func damage(_ source: inout FramePlan.TextureSource) {
    switch random.below(4) {
    case 0: integer(&source.originX)
    case 1: integer(&source.originY)
    case 2:
      source.texture = random.pick([
        .surface, .offscreen(0), .offscreen(1), .offscreen(7), .offscreen(-1),
        .texture(TextureID(rawValue: 1)), .texture(TextureID(rawValue: 2)),
        .texture(TextureID(rawValue: 3)), .texture(TextureID(rawValue: 99)),
        .canvas(TextureID(rawValue: 9)), .canvas(TextureID(rawValue: 1)),
      ])
    default:
      source.filter = random.pick([
        .nearest, .linear, .trilinear(bias: 0), .trilinear(bias: .nan),
        .trilinear(bias: .infinity), .trilinear(bias: -1e30), .trilinear(bias: 3),
      ])
    }
  }

  private mutating func damageItem(_ plan: inout FramePlan) {
    guard !plan.items.items.isEmpty else { return }
    let place = random.below(plan.items.items.count)
    var item = plan.items.items[place]
    switch random.below(11) {
    case 0: index(&item.firstCorner)
    case 1: index(&item.cornerCount)
    case 2: index(&item.firstEdges)
    case 3: index(&item.outline)
    case 4: index(&item.parameters)
    case 5:
      item.shape = item.shape == .fan ? .triangles : .fan
      if random.one(in: 2) { item.cornerCount = item.cornerCount / 3 * 3 }
    case 6: rect(&item.box)
    case 7: number(&item.numbers.x)
    case 8: number(&item.numbers.y)
    case 9: item.color = .floats(UInt32(random.below(3)))
    default: item.color = .ramp(UInt32(random.below(3)))
    }
    plan.items.items[place] = item
    guard random.one(in: 2) else { return }
    for pass in plan.passes.indices {
      for batch in plan.passes[pass].batches.indices
      where plan.passes[pass].batches[batch].items.contains(place) {
        let range = plan.passes[pass].batches[batch].items
        let items = plan.items.items[range.clamped(to: plan.items.items.indices)]
        plan.passes[pass].batches[batch].vertexCount = items.reduce(0) { $0 + $1.vertexCount }
      }
    }
  }

  private mutating func damageTables(_ plan: inout FramePlan) {
    switch random.below(12) {
    case 0...3:
      element(&plan.items.corners) { damage, corner in
        switch damage.random.below(5) {
        case 0: damage.number(&corner.x)
        case 1: damage.number(&corner.y)
        case 2: damage.number(&corner.w)
        case 3: damage.number(&corner.localX)
        default: damage.number(&corner.localY)
        }
      }
    case 4:
      element(&plan.items.edges) { damage, edge in
        let lane = damage.random.below(4)
        damage.number(&edge[lane])
      }
    case 5:
      element(&plan.items.outlines) { damage, outline in
        let lane = damage.random.below(4)
        if damage.random.one(in: 2) { damage.number(&outline.radii[lane]) }
        var (x, width) = (Double(outline.rect.origin.x), Double(outline.rect.size.width))
        if damage.random.one(in: 2) { damage.number(&x) } else { damage.number(&width) }
        outline.rect = CGRect(x: x, y: 0, width: width, height: 8)
      }
    case 6:
      element(&plan.items.maps) { damage, map in
        var (a, tx) = (Double(map.a), Double(map.tx))
        if damage.random.one(in: 2) { damage.number(&a) } else { damage.number(&tx) }
        (map.a, map.tx) = (a, tx)
      }
    case 7, 8:
      element(&plan.items.kernels) { damage, kernel in
        switch damage.random.below(5) {
        case 0: damage.number(&kernel.sigma)
        case 1: damage.number(&kernel.center)
        case 2: damage.integer(&kernel.taps)
        case 3: damage.number(&kernel.step.x)
        default: kernel.repeatsEdges.toggle()
        }
      }
    case 9:
      element(&plan.items.matrices) { damage, matrix in
        if damage.random.one(in: 2) { matrix.columns.removeLast() }
        damage.number(&matrix.bias.x)
      }
    case 10: plan.items.colors += [[.nan, 1e30, -1, 0.5], [2, 0.1, 0.3, 0.2]]
    default:
      var ramp = ColorRamp(
        first: [1, 0, 0, 1], second: [0, 0.2, 0.1, 0.4], from: 0, to: 1, across: 0.02, down: 0.01,
        origin: 0)
      if random.one(in: 2) { number(&ramp.across) }
      if random.one(in: 2) { number(&ramp.to) }
      plan.items.colorRamps += [ramp, ramp]
    }
  }
}
