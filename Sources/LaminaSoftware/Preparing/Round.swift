import LaminaFramePlan
import LaminaValues

/// Passes that each band of rows can draw by itself, one after another.
///
/// That is so if they read what the same round draws only at the painted pixel itself. A pass that
/// reads other pixels, such as one that blurs, begins the next round.
struct Round {
  /// Of the plan.
  var passes: Range<Int>
  /// Offscreens of which a band needs only its own rows, and only while it is drawn, and the places
  /// in its scratch memory that they take in turn.
  var scratch: [Int: Int] = [:]

  /// The rounds of a plan, in order.
  static func rounds(of plan: FramePlan) -> [Round] {
    if plan.passes.count == 1, plan.offscreens.isEmpty { return [Round(passes: 0..<1)] }
    var rounds = passes(of: plan)
    let shared = plan.offscreens.isEmpty ? [] : sharedOffscreens(of: plan, rounds)
    for index in rounds.indices { rounds[index].findScratch(in: plan, shared: shared) }
    return rounds
  }

  /// Targets whose origins are farther apart, which is rare, have few bands in common.
  private static let mostRows = 1 << 16

  private static func passes(of plan: FramePlan) -> [Round] {
    var rounds: [Round] = []
    var first = 0
    // The place of each target that the round draws, and those that it reads elsewhere.
    var drawn: [FramePlan.TextureSource.Texture: SIMD2<Int>] = [:]
    var readElsewhere: Set<FramePlan.TextureSource.Texture> = []
    // The place at which it reads each target that it reads only at the painted pixel.
    var readPlaces: [FramePlan.TextureSource.Texture: SIMD2<Int>] = [:]
    var rows = 0..<0
    for (index, pass) in plan.passes.enumerated() {
      let origin = SIMD2(pass.originX, pass.originY)
      let target = FramePlan.TextureSource.Texture(pass.target)
      var isNext = readElsewhere.contains(target)
      if let place = drawn[target], place != origin { isNext = true }
      if let place = readPlaces[target], place != origin { isNext = true }
      let (top, bottom) = (min(rows.lowerBound, origin.y), max(rows.upperBound, origin.y))
      if index > first, bottom - top > mostRows { isNext = true }
      for batch in pass.batches {
        for source in batch.sources {
          if case .texture = source.texture { continue }
          if batch.program.readsOwnPixel {
            let place = drawn[source.texture]
            if let place, place != SIMD2(source.originX, source.originY) { isNext = true }
          } else if drawn[source.texture] != nil {
            isNext = true
          }
        }
      }
      if isNext {
        rounds.append(Round(passes: first..<index))
        first = index
        drawn = [:]
        readElsewhere = []
        readPlaces = [:]
      }
      rows = index == first ? origin.y..<origin.y : top..<bottom
      drawn[target] = origin
      for batch in pass.batches {
        for source in batch.sources {
          if case .texture = source.texture { continue }
          let place = SIMD2(source.originX, source.originY)
          let known = readPlaces.updateValue(place, forKey: source.texture)
          if !batch.program.readsOwnPixel || known ?? place != place {
            readElsewhere.insert(source.texture)
          }
        }
      }
    }
    if first < plan.passes.count { rounds.append(Round(passes: first..<plan.passes.count)) }
    return rounds
  }

  // MARK: Scratch memory

  /// The offscreens that need memory of their own: those of several rounds, those that are read at
  /// other pixels, and those that are read where they were not cleared.
  private static func sharedOffscreens(of plan: FramePlan, _ rounds: [Round]) -> Set<Int> {
    var shared: Set<Int> = []
    var round: [Int: Int] = [:]
    var cleared: [Int: PixelRect] = [:]
    for (number, passes) in rounds.map(\.passes).enumerated() {
      for pass in plan.passes[passes] {
        if case .offscreen(let index) = pass.target {
          if round.updateValue(number, forKey: index) ?? number != number { shared.insert(index) }
          let bounds = pass.bounds.intersection(PixelRect(plan.offscreens[index]))
          if cleared[index] == nil { cleared[index] = bounds }
          if !pass.isCleared || cleared[index] != bounds { shared.insert(index) }
        }
        for batch in pass.batches {
          for source in batch.sources {
            guard let index = source.texture.offscreen else { continue }
            let boxes = plan.items.items[batch.items].reduce(PixelRect.empty) {
              $0.union($1.box.offset(x: -pass.originX, y: -pass.originY))
            }
            let read = boxes.intersection(batch.scissor).intersection(pass.bounds)
              .offset(x: pass.originX &- source.originX, y: pass.originY &- source.originY)
            if !batch.program.readsOwnPixel || round[index] != number
              || cleared[index]?.contains(read) != true
            {
              shared.insert(index)
            }
          }
        }
      }
    }
    return shared
  }

  /// Gives out places of scratch memory: one that is no longer read is free for the next.
  private mutating func findScratch(in plan: FramePlan, shared: Set<Int>) {
    var lastUse: [Int: Int] = [:]
    for index in passes {
      for offscreen in plan.passes[index].offscreens where !shared.contains(offscreen) {
        lastUse[offscreen] = index
      }
    }
    var free: [Int] = []
    var count = 0
    for index in passes where !lastUse.isEmpty {
      let used = plan.passes[index].offscreens.filter { lastUse[$0] != nil }
      for offscreen in used where scratch[offscreen] == nil {
        scratch[offscreen] = free.popLast() ?? count
        if scratch[offscreen] == count { count += 1 }
      }
      // One pass may name an offscreen more than once.
      for offscreen in Set(used) where lastUse[offscreen] == index {
        if let place = scratch[offscreen] { free.append(place) }
      }
    }
  }
}

extension FramePlan.Pass {
  /// A rectangle around its parts.
  var bounds: PixelRect { parts.reduce(PixelRect.empty) { $0.union($1) } }

  /// The offscreens that it draws into or reads.
  fileprivate var offscreens: [Int] {
    var result: [Int] = []
    if case .offscreen(let index) = target { result.append(index) }
    for batch in batches {
      result += batch.sources.compactMap(\.texture.offscreen)
    }
    return result
  }
}

extension FramePlan.Program {
  /// Whether it reads its sources only at the painted pixel, by the places of target and source.
  var readsOwnPixel: Bool {
    switch basic {
    case .group, .groupEdges, .groupRounded, .groupMasked, .groupMix, .alpha, .colorMatrix,
      .blended:
      true
    default: false
    }
  }
}
