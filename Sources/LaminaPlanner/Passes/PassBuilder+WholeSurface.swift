import LaminaFramePlan
import LaminaValues

extension PassBuilder {
  /// Has a group painted on the surface itself if the surface shows nothing else, and that whole,
  /// pixel on pixel: such as a blurred image as large as the frame.
  mutating func paintWholeSurface() {
    let whole = PixelRect(plan.size)
    guard let last = plan.passes.last, last.target == .surface, last.parts == [whole],
      last.batches.count == 1, last.batches[0].items.count == 1,
      let item = last.batches[0].items.first, plan.items.items[item].color == .white,
      last.batches[0].program == .group, last.batches[0].blend == .copy,
      plan.items.wholePixels(of: plan.items.items[item]) == whole,
      last.batches[0].scissor.contains(whole),
      let source = last.batches[0].sources.first, (source.originX, source.originY) == (0, 0),
      // The last one, so that the others keep their numbers.
      source.texture == .offscreen(plan.offscreens.count - 1), plan.offscreens.last == plan.size
    else { return }
    let target = FramePlan.Target.offscreen(plan.offscreens.count - 1)
    let others = plan.passes.dropLast()
    let painters = others.indices.filter { others[$0].target == target }
    let isSampledBefore = others.contains { pass in
      pass.batches.contains { $0.sources.contains { $0.texture == source.texture } }
    }
    guard painters.count == 1, !isSampledBefore, !others.contains(where: { $0.target == .surface })
    else { return }
    plan.passes.removeLast()
    plan.passes[painters[0]].target = .surface
    plan.offscreens.removeLast()
    plan.sharedOffscreens.remove(plan.offscreens.count)
  }
}
