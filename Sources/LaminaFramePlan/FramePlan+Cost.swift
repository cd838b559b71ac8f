import LaminaValues

extension FramePlan {
  /// Number of pixels that the items of a pass touch, each as often as it is drawn.
  package func pixelCount(of pass: Pass) -> Int {
    items.items.withUnsafeBufferPointer { items in
      pass.batches.reduce(0) { count, batch in
        count
          + pass.parts.reduce(0) {
            $0 + pixelCount(of: items[batch.items], pass, in: batch.scissor.intersection($1))
          }
      }
    }
  }

  private func pixelCount(
    of items: Slice<UnsafeBufferPointer<Item>>, _ pass: Pass, in area: PixelRect
  ) -> Int {
    // In the space of the items.
    let area = area.offset(x: pass.originX, y: pass.originY)
    var count = 0
    for item in items {
      let shown = item.box.intersection(area)
      count += shown.width * shown.height
    }
    return count
  }
}
