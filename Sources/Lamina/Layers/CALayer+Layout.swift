import Foundation
import LaminaCommit

/// The work to do for a layer before the next commit.
struct PendingWork: OptionSet {
  let rawValue: UInt8
  /// The layer's sublayers need layout.
  static let layout = PendingWork(rawValue: 1)
  /// The layer or one of its descendants needs layout. Following this flag from the root finds
  /// these layers without visiting the others.
  static let layoutBelow = PendingWork(rawValue: 2)
  /// The layer's `layoutSublayers()` is running.
  static let layingOut = PendingWork(rawValue: 4)
}

extension CALayer {
  final func setLayoutManager(_ new: (any CALayoutManager)?) {
    guard new !== attachments?.layoutManager else { return }
    ownAttachments.layoutManager = new
    setNeedsLayout()
  }

  final func setConstraints(_ new: [CAConstraint]?) {
    guard new != nil || attachments != nil else { return }
    ownAttachments.constraints = new
    superlayer?.setNeedsLayout()
  }

  final func noteNeedsLayout() {
    // A layout's changes to its own layer do not call for another layout.
    guard pending.isDisjoint(with: [.layout, .layingOut]) else { return }
    pending.insert(.layout)
    layoutManager?.invalidateLayout(of: self)
    noteLayoutBelow()
  }

  /// Marks the path from the root to this layer.
  final func noteLayoutBelow() {
    var layer: CALayer? = self
    while let current = layer, !current.pending.contains(.layoutBelow) {
      current.pending.insert(.layoutBelow)
      current.rendered?.notePendingWork(of: current)
      layer = current.superlayerStorage
    }
  }

  final func layOutFromTop() {
    var top = self
    while let above = top.superlayerStorage, above.needsLayout() { top = above }
    top.layOutSubtree()
  }

  /// Lays out the layer and its descendants until none needs it. One pass may not suffice: a layer
  /// that takes its size from its content makes its superlayer need layout again.
  final func layOutSubtree() {
    let limit = 100
    for _ in 0..<limit {
      guard pending.contains(.layoutBelow) else { return }
      layOutOnce()
    }
    if pending.contains(.layoutBelow) {
      warn("the layout of \(debugName) does not settle: it is left as it is after \(limit) times")
    }
  }

  private func layOutOnce() {
    var waiting = [self]
    while let layer = waiting.popLast() {
      if layer.pending.contains(.layout) {
        layer.pending.remove(.layout)
        layer.pending.insert(.layingOut)
        let action = layer.action(on: kCAOnLayout)
        layer.layoutSublayers()
        if let action { layer.run(action, forKey: kCAOnLayout) }
        layer.pending.remove(.layingOut)
      }
      layer.pending.remove(.layoutBelow)
      // Pushed in reverse, so that superlayers come before sublayers, and sublayers in their order.
      if let mask = layer.maskStorage, mask.pending.contains(.layoutBelow) { waiting.append(mask) }
      for sublayer in layer.sublayerStorage.reversed()
      where sublayer.pending.contains(.layoutBelow) {
        waiting.append(sublayer)
      }
    }
  }

  final func layOutByDelegate() {
    let isDone = ask(.layoutSublayers) { $0.layoutSublayers(of: self) }
    if !isDone { layoutManager?.layoutSublayers(of: self) }
  }

  /// Called after the bounds have changed.
  final func boundsDidChange(from old: CGRect) {
    if modelValues.client.needsDisplayOnBoundsChange { setNeedsDisplay() }
    setNeedsLayout()
    superlayerStorage?.setNeedsLayout()
    if old.size != modelValues.bounds.size { resizeSublayers(withOldSize: old.size) }
  }

  final func transformDidChange() {
    setNeedsLayout()
    superlayerStorage?.setNeedsLayout()
  }
}
