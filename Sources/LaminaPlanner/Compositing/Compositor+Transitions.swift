import LaminaRenderTree
import LaminaValues

extension Compositor {
  /// Adds the two sides of a transition. A fade mixes them pixel by pixel; in other styles they
  /// move, and each is composed where it is.
  mutating func addTransition(_ index: Int, of row: Int, in context: Context) {
    let transition = evaluated.transitions[index]
    guard transition.values.style == .fade else {
      enqueueSublayers(of: row, in: context)
      return
    }
    mix(
      transition.progress, over: row, hasOld: transition.old >= 0, hasNew: transition.new >= 0,
      // What is enqueued last is composed first.
      order: [true, false], in: context
    ) { compositor, isNew, context in
      compositor.enqueue(row: isNew ? transition.new : transition.old, in: context)
    }
  }

  /// Adds contents that are changing from one image to another.
  mutating func add(
    _ mix: EvaluatedTree.ContentsMix, of row: Int, _ values: ValuesPointer, in context: Context
  ) {
    self.mix(
      mix.fraction, over: row, hasOld: mix.from != nil, hasNew: mix.to != nil,
      order: [false, true], in: context
    ) { compositor, isNew, context in
      guard let image = isNew ? mix.to : mix.from else { return }
      compositor.addImage(image, of: row, values, in: context)
    }
  }

  /// Adds an old and a new side so that they add up: the old side's pixels times 1 − progress and
  /// the new side's times progress. The closure `add` is told which of them to add, in this order.
  private mutating func mix(
    _ progress: Double, over row: Int, hasOld: Bool, hasNew: Bool, order: [Bool],
    in context: Context, _ add: (inout Compositor, _ isNew: Bool, Context) -> Void
  ) {
    let weight = Double(format.channel(progress))
    guard context.mayNest else {
      for isNew in order where isNew ? hasNew : hasOld {
        var part = context
        part.opacity *= isNew ? weight : 1 - weight
        add(&self, isNew, part)
      }
      return
    }
    let region = PixelRect(
      covering: extents.rows[row].cgRect.insetBy(dx: -1, dy: -1), within: context.visible)
    guard !region.isEmpty else { return }
    markGroup(region, in: context)
    func side(isNew: Bool) -> GroupImage {
      group(region, in: context) { compositor, inner in
        var outlined = inner
        outlined.clippedLaterBy = context.clippedLaterBy
        // A mix has no room for a tint.
        outlined.tint = context.tint
        outlined.isBlended = true
        add(&compositor, isNew, outlined)
      }
    }
    let opacity = Double(format.channel(context.opacity))
    let (oldWeight, newWeight) = ((1 - weight) * opacity, weight * opacity)
    switch (hasOld && weight < 1, hasNew && weight > 0) {
    case (true, true):
      let (new, old) = (side(isNew: true), side(isNew: false))
      self.add(old, times: oldWeight, new, times: newWeight, in: context)
    case (true, false): self.add(side(isNew: false), times: oldWeight, in: context)
    case (false, true): self.add(side(isNew: true), times: newWeight, in: context)
    case (false, false): break
    }
  }
}
