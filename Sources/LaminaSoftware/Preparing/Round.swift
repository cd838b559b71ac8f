import LaminaFramePlan
import LaminaValues

/// Passes that each band of rows can draw by itself, one after another.
///
/// That is so if they read what the same round draws only at the painted pixel itself. A pass that
/// reads other pixels, such as one that blurs, begins the next round.
struct Round {
  /// Of the plan.
  var passes: Range<Int>

  /// The rounds of a plan, in order.
  static func rounds(of plan: FramePlan) -> [Round] {
    var rounds: [Round] = []
    var first = 0
    // The place of each target that the round draws, and those that it reads elsewhere.
    var drawn: [FramePlan.TextureSource.Texture: SIMD2<Int>] = [:]
    var readElsewhere: Set<FramePlan.TextureSource.Texture> = []
    for (index, pass) in plan.passes.enumerated() {
      let origin = SIMD2(pass.originX, pass.originY)
      let target = FramePlan.TextureSource.Texture(pass.target)
      var isNext = readElsewhere.contains(target)
      if let place = drawn[target], place != origin { isNext = true }
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
      }
      drawn[target] = origin
      for batch in pass.batches where !batch.program.readsOwnPixel {
        readElsewhere.formUnion(batch.sources.map(\.texture))
      }
    }
    if first < plan.passes.count { rounds.append(Round(passes: first..<plan.passes.count)) }
    return rounds
  }
}

extension FramePlan.TextureSource.Texture {
  /// A pass's target, as later passes name it.
  init(_ target: FramePlan.Target) {
    self =
      switch target {
      case .surface: .surface
      case .offscreen(let index): .offscreen(index)
      case .canvas(let id): .canvas(id)
      }
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
