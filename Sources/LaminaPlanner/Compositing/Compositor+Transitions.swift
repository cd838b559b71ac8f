import LaminaRenderTree
import LaminaValues

extension Compositor {
  /// Paints the two sides of a transition. A fade mixes them pixel by pixel; in other styles they
  /// move, and each is painted where it is.
  mutating func paintTransition(_ index: Int, of row: Int, in context: Context) {
    let transition = evaluated.transitions[index]
    guard transition.values.style == .fade else {
      for picture in evaluated.sublayers(of: row) { paint(row: picture, in: context) }
      return
    }
    mix(transition.progress, over: row, in: context) { painter, isNew, context in
      let picture = isNew ? transition.new : transition.old
      if picture >= 0 { painter.paint(row: picture, in: context) }
    }
  }

  /// Paints contents that are changing from one image to another.
  mutating func paint(
    _ mix: EvaluatedTree.ContentsMix, of row: Int, _ values: ValuesPointer, in context: Context
  ) {
    self.mix(mix.fraction, over: row, in: context) { painter, isNew, context in
      guard let image = isNew ? mix.to : mix.from else { return }
      painter.paintImage(image, of: row, values, in: context)
    }
  }

  /// Paints an old and a new side so that they add up: the old side's pixels times 1 − progress and
  /// the new side's times progress. The closure `paint` is told which of them to paint.
  private mutating func mix(
    _ progress: Double, over row: Int, in context: Context,
    _ paint: (inout Compositor, _ isNew: Bool, Context) -> Void
  ) {
    let weight = Double(channel(progress))
    guard mayNest else {
      for isNew in [false, true] {
        var part = context
        part.opacity *= isNew ? weight : 1 - weight
        paint(&self, isNew, part)
      }
      return
    }
    let region = PixelRect(
      covering: extents[row].insetBy(dx: -1, dy: -1),
      within: visible(in: context))
    guard !region.isEmpty else { return }
    markOffscreen(region, in: context)
    func painted(isNew: Bool) -> OffscreenImage? {
      picture(region) { painter, inner in
        var outlined = inner
        outlined.clippedLaterBy = context.clippedLaterBy
        outlined.isBlended = true
        paint(&painter, isNew, outlined)
      }
    }
    let old = weight < 1 ? painted(isNew: false) : nil
    let new = weight > 0 ? painted(isNew: true) : nil
    let opacity = Double(channel(context.opacity))
    let (oldWeight, newWeight) = (Float((1 - weight) * opacity), Float(weight * opacity))
    switch (old, new) {
    case (let old?, let new?): draw(old, times: oldWeight, new, times: newWeight, in: context)
    case (let old?, nil): draw(old, times: oldWeight, in: context)
    case (nil, let new?): draw(new, times: newWeight, in: context)
    case (nil, nil): break
    }
  }
}
