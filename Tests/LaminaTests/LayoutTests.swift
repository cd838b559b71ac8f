import LaminaInProcess
import LayerSupport
import Testing

@testable import Lamina

/// Logs the order in which layers are asked to lay out.
private final class LoggingLayer: CALayer {
  var log: [String] = []
  var onLayout: (() -> Void)?

  override func layoutSublayers() {
    log.append(name ?? "layer")
    onLayout?()
    super.layoutSublayers()
  }
}

private final class Manager: NSObject, CALayoutManager {
  var invalidations = 0
  var layouts = 0
  var preferred: CGSize?

  func invalidateLayout(of layer: CALayer) { invalidations += 1 }
  func layoutSublayers(of layer: CALayer) { layouts += 1 }
  func preferredSize(of layer: CALayer) -> CGSize { preferred ?? layer.frame.size }
}

private final class BareManager: NSObject, CALayoutManager {}

private final class LayingDelegate: NSObject, CALayerDelegate {
  var layouts = 0
  func layoutSublayers(of layer: CALayer) { layouts += 1 }
}

private final class SilentDelegate: NSObject, CALayerDelegate {}

// The behaviour of needsLayout and invalidateLayout was measured on Apple's QuartzCore by others.
private final class ManagedLayer: CALayer {
  let manager = Manager()

  override var layoutManager: (any CALayoutManager)? {
    get { manager }
    set { super.layoutManager = newValue }
  }
}

@Suite("Layout") struct LayoutTests {
  @Test("A fresh layer needs no layout, and layoutSublayers() alone does not clear the need")
  func need() {
    let layer = CALayer()
    #expect(!layer.needsLayout())
    layer.setNeedsLayout()
    layer.layoutSublayers()
    #expect(layer.needsLayout())
    layer.layoutIfNeeded()
    #expect(!layer.needsLayout())
  }

  @Test("Adding and removing mark the superlayer only, and moving marks nothing")
  func implied() {
    let (superlayer, layer) = (CALayer(), CALayer())
    superlayer.addSublayer(layer)
    #expect(superlayer.needsLayout() && !layer.needsLayout())
    superlayer.layoutIfNeeded()

    layer.position = CGPoint(x: 5, y: 5)
    layer.zPosition = 3
    #expect(!superlayer.needsLayout() && !layer.needsLayout())

    // According to the header, bounds and transform imply layout of both.
    layer.bounds = CGRect(x: 0, y: 0, width: 5, height: 5)
    #expect(superlayer.needsLayout() && layer.needsLayout())
    superlayer.layoutIfNeeded()
    #expect(!layer.needsLayout())
    layer.setAffineTransform(CGAffineTransform(scaleX: 2, y: 2))
    #expect(superlayer.needsLayout() && layer.needsLayout())
    superlayer.layoutIfNeeded()
    layer.bounds = layer.bounds
    layer.transform = layer.transform
    #expect(!superlayer.needsLayout() && !layer.needsLayout())

    layer.removeFromSuperlayer()
    #expect(superlayer.needsLayout() && !layer.needsLayout())
    superlayer.layoutIfNeeded()
    superlayer.sublayers = [layer]
    #expect(superlayer.needsLayout())
  }

  @Test("A bounds set by its key or by a member of it implies layout too")
  func impliedByKeys() {
    let layer = CALayer()
    layer.setValue(CGRect(x: 0, y: 0, width: 5, height: 5), forKey: "bounds")
    #expect(layer.needsLayout())
    layer.layoutIfNeeded()
    layer.setValue(7, forKeyPath: "bounds.size.width")
    #expect(layer.needsLayout())
    layer.layoutIfNeeded()
    layer.setValue(0.5, forKeyPath: "transform.rotation.z")
    #expect(layer.needsLayout())
  }

  @Test("A layout manager hears of a layer once until it is laid out, and lays out")
  func manager() {
    let (layer, manager) = (CALayer(), Manager())
    layer.layoutManager = manager
    #expect(layer.needsLayout() && manager.invalidations == 1)
    layer.setNeedsLayout()
    layer.addSublayer(CALayer())
    #expect(manager.invalidations == 1 && manager.layouts == 0)
    layer.layoutIfNeeded()
    #expect(manager.layouts == 1)
    layer.layoutIfNeeded()
    #expect(manager.layouts == 1)
    layer.setNeedsLayout()
    #expect(manager.invalidations == 2)
  }

  @Test("A subclass may answer for its layout manager")
  func overriddenManager() {
    let layer = ManagedLayer()
    layer.setNeedsLayout()
    layer.layoutIfNeeded()
    #expect(layer.manager.invalidations == 1 && layer.manager.layouts == 1)
  }

  @Test("A delegate that lays out does so in place of the layout manager; another does not")
  func delegate() {
    let (layer, manager, delegate) = (CALayer(), Manager(), LayingDelegate())
    layer.layoutManager = manager
    layer.delegate = delegate
    layer.layoutIfNeeded()
    #expect(delegate.layouts == 1 && manager.layouts == 0)
    let silent = SilentDelegate()
    layer.delegate = silent
    layer.setNeedsLayout()
    layer.layoutIfNeeded()
    #expect(manager.layouts == 1)
    layer.delegate = nil
    layer.setNeedsLayout()
    layer.layoutIfNeeded()
    #expect(manager.layouts == 2)
  }

  @Test("Whether a delegate implements a method shows though it calls other delegates in its turn")
  func absentMethods() {
    final class Forwarder: NSObject, CALayerDelegate {
      let other: any CALayerDelegate
      init(_ other: any CALayerDelegate) { self.other = other }
      func layoutSublayers(of layer: CALayer) {
        other.layoutSublayers(of: layer)
        layer.sublayers?.first?.layoutSublayers()
      }
    }
    let (layer, sublayer, manager) = (CALayer(), CALayer(), Manager())
    let silent = SilentDelegate()
    let forwarder = Forwarder(silent)
    layer.addSublayer(sublayer)
    layer.layoutManager = manager
    layer.delegate = forwarder
    sublayer.delegate = silent
    layer.layoutIfNeeded()
    #expect(manager.layouts == 0)
  }

  @Test("A delegate is not kept alive")
  func weakDelegate() {
    let layer = CALayer()
    do {
      let delegate = LayingDelegate()
      layer.delegate = delegate
      #expect(layer.delegate === delegate)
    }
    #expect(layer.delegate == nil)
  }

  @Test("The preferred frame size is the layout manager's, else the frame's")
  func preferredSize() {
    let layer = CALayer()
    layer.bounds.size = CGSize(width: 10, height: 20)
    layer.setAffineTransform(CGAffineTransform(scaleX: 2, y: 3))
    #expect(layer.preferredFrameSize() == CGSize(width: 20, height: 60))
    let manager = Manager()
    manager.preferred = CGSize(width: 7, height: 8)
    layer.layoutManager = manager
    #expect(layer.preferredFrameSize() == CGSize(width: 7, height: 8))
    layer.layoutManager = BareManager()
    #expect(layer.preferredFrameSize() == CGSize(width: 20, height: 60))
  }

  @Test("layoutIfNeeded begins at the highest superlayer that needs it without a gap")
  func climbing() {
    let layers = ["a", "b", "c", "d"].map { name in
      let layer = LoggingLayer()
      layer.name = name
      return layer
    }
    for (above, below) in zip(layers, layers.dropFirst()) { above.addSublayer(below) }
    layers[0].layoutIfNeeded()
    func clear() { for layer in layers { layer.log = [] } }
    clear()

    for layer in layers { layer.setNeedsLayout() }
    layers[2].layoutIfNeeded()
    #expect(layers.map(\.log.count) == [1, 1, 1, 1])
    clear()

    layers[0].setNeedsLayout()
    layers[2].setNeedsLayout()
    layers[3].setNeedsLayout()
    layers[3].layoutIfNeeded()
    #expect(layers.map(\.log.count) == [0, 0, 1, 1])
    layers[1].layoutIfNeeded()
    #expect(layers.map(\.log.count) == [1, 0, 1, 1])
    clear()

    // A sublayer is laid out even if the layer itself does not need layout.
    layers[3].setNeedsLayout()
    layers[0].layoutIfNeeded()
    #expect(layers.map(\.log.count) == [0, 0, 0, 1])
  }

  @Test("While a layer lays out, what would imply its layout does not")
  func suppressed() {
    let (layer, sublayer) = (LoggingLayer(), LoggingLayer())
    layer.addSublayer(sublayer)
    layer.onLayout = { [unowned layer, unowned sublayer] in
      layer.setNeedsLayout()
      sublayer.bounds.size.width += 1
      layer.addSublayer(CALayer())
    }
    layer.layoutIfNeeded()
    #expect(layer.log.count == 1 && !layer.needsLayout())
    #expect(sublayer.log.count == 1 && sublayer.bounds.width == 1)
  }

  @Test("A layer that sizes itself in its own layout has its superlayer laid out again")
  func sizing() {
    let (layer, sublayer) = (LoggingLayer(), LoggingLayer())
    layer.addSublayer(sublayer)
    sublayer.setNeedsLayout()
    sublayer.onLayout = { [unowned sublayer] in sublayer.bounds.size.width = 10 }
    layer.layoutIfNeeded()
    #expect(layer.log.count == 2 && sublayer.log.count == 1)
    #expect(!layer.needsLayout())
  }

  @Test("A layout that never settles comes to an end")
  func unsettled() {
    let (layer, sublayer) = (LoggingLayer(), LoggingLayer())
    layer.addSublayer(sublayer)
    sublayer.setNeedsLayout()
    layer.onLayout = { [unowned sublayer] in sublayer.setNeedsLayout() }
    sublayer.onLayout = { [unowned layer] in layer.setNeedsLayout() }
    layer.layoutIfNeeded()
    #expect(layer.log.count >= 2)
  }

  @Test("Layers in a layout's own superlayers, and layers that come during it, are found")
  func arrivals() {
    let (root, late) = (LoggingLayer(), LoggingLayer())
    late.setNeedsLayout()
    root.onLayout = { [unowned root] in if late.superlayer == nil { root.addSublayer(late) } }
    root.setNeedsLayout()
    root.layoutIfNeeded()
    #expect(late.log.count == 1)
    let mask = LoggingLayer()
    mask.setNeedsLayout()
    root.mask = mask
    root.layoutIfNeeded()
    #expect(mask.log.count == 1)
  }
}

@Suite("Layout and commits") struct LayoutCommitTests {
  private func renderer(of layer: CALayer) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: 8, height: 8), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    return renderer
  }

  @Test("Layers that need it are laid out before the commit, new ones and known ones")
  func beforeCommit() throws {
    let (root, layer) = (CALayer(), LoggingLayer())
    root.addSublayer(layer)
    layer.setNeedsLayout()
    layer.onLayout = { [unowned layer] in layer.opacity = 0.25 }
    let renderer = try renderer(of: root)
    _ = try renderer.image(at: 0)
    #expect(layer.log.count == 1)
    #expect(layer.presentation()?.opacity == 0.25)

    layer.onLayout = { [unowned layer] in withoutActions { layer.opacity = 0.75 } }
    layer.setNeedsLayout()
    CATransaction.flush()
    #expect(layer.log.count == 2)
    #expect(try renderer.commitDescription() == "nothing to commit")
    #expect(layer.presentation()?.opacity == 0.75)
    _ = try renderer.image(at: 0)
    #expect(layer.log.count == 2)
  }

  @Test("A transaction that a layout ends is part of the commit that the layout is for")
  func transactions() throws {
    let layer = LoggingLayer()
    let renderer = try renderer(of: layer)
    _ = try renderer.image(at: 0)
    layer.onLayout = { [unowned layer] in
      CATransaction.begin()
      CATransaction.setDisableActions(true)
      layer.opacity = 0.5
      CATransaction.commit()
      layer.cornerRadius = 3
    }
    layer.setNeedsLayout()
    let commit = try renderer.commitDescription()
    #expect(commit.contains("opacity") && commit.contains("cornerRadius"))
  }

  @Test("A layer in an open transaction is laid out at its end")
  func openTransactions() throws {
    let layer = LoggingLayer()
    let renderer = try renderer(of: layer)
    _ = try renderer.image(at: 0)
    CATransaction.begin()
    layer.setNeedsLayout()
    _ = try renderer.image(at: 0)
    #expect(layer.log.isEmpty)
    CATransaction.commit()
    #expect(layer.log.count == 1)
  }

  @Test("nextFrameTime says that a layout is due")
  func nextFrame() throws {
    let layer = CALayer()
    let renderer = try renderer(of: layer)
    _ = try renderer.image(at: 0)
    #expect(renderer.nextFrameTime() == .infinity)
    layer.setNeedsLayout()
    #expect(renderer.nextFrameTime() == 0)
    _ = try renderer.image(at: 0)
    #expect(renderer.nextFrameTime() == .infinity)
  }
}
