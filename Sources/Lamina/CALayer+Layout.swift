import Foundation
import LaminaCommit

/// What has to be done with a layer before the next commit.
struct PendingWork: OptionSet {
  let rawValue: UInt8
  /// The layer's sublayers are to be laid out.
  static let layout = PendingWork(rawValue: 1)
  /// That is so of the layer or of one below it. What needs layout is found from the root by it,
  /// without going through what does not.
  static let layoutBelow = PendingWork(rawValue: 2)
  /// The layer's `layoutSublayers()` is going on.
  static let layingOut = PendingWork(rawValue: 4)
}

extension CALayer {
  /// Whether the layer's sublayers will be laid out before the next commit.
  public func needsLayout() -> Bool { pending.contains(.layout) }

  /// Lays out the sublayers where the layer's delegate does not. Default: nil. Setting it makes
  /// the layer need layout.
  public var layoutManager: (any CALayoutManager)? {
    get { attachments?.layoutManager }
    set {
      guard newValue !== attachments?.layoutManager else { return }
      ownAttachments.layoutManager = newValue
      setNeedsLayout()
    }
  }

  final func noteNeedsLayout() {
    // What a layout does to its own layer is what the layout is for.
    guard pending.isDisjoint(with: [.layout, .layingOut]) else { return }
    pending.insert(.layout)
    attachments?.layoutManager?.invalidateLayout(of: self)
    noteLayoutBelow()
  }

  /// Leaves a trail from the root to this layer.
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

  /// Lays out the layer and all below it, until none needs it: a layer that takes its size from
  /// what is in it makes its superlayer need layout again.
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
      // Pushed last is popped first: superlayers before sublayers, those in their order.
      if let mask = layer.maskStorage, mask.pending.contains(.layoutBelow) { waiting.append(mask) }
      for sublayer in layer.sublayerStorage.reversed()
      where sublayer.pending.contains(.layoutBelow) {
        waiting.append(sublayer)
      }
    }
  }

  final func layOutByDelegate() {
    let isDone = ask(.layoutSublayers) { $0.layoutSublayers(of: self) }
    if !isDone { attachments?.layoutManager?.layoutSublayers(of: self) }
  }

  /// Called with the new bounds in place.
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
