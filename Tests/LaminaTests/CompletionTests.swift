import Dispatch
import Foundation
import LaminaCommit
import LayerSupport
import Testing

@testable import Lamina

private final class Log: NSObject, CAAnimationDelegate, @unchecked Sendable {
  var events: [String] = []

  func animationDidStart(_ anim: CAAnimation) { events.append("start") }
  func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {
    events.append(flag ? "stop(finished)" : "stop(unfinished)")
  }
}

/// A committed layer on a manual clock, and a log of the callbacks.
private final class Stage {
  let log = Log()
  let layer = CALayer()
  let clock = MediaClock.manual(time: 3)
  let tree: LayerTree

  init() throws {
    tree = LayerTree(
      context: LayerContext { commit, _ in commit.sequence }, session: SessionID(rawValue: 0),
      clock: clock)
    tree.root = layer
    try tree.commit()
  }

  deinit { tree.close() }

  func animation(_ keyPath: String = "opacity", duration: Double = 0.1) -> CABasicAnimation {
    let animation = CABasicAnimation(keyPath: keyPath)
    animation.fromValue = 0
    animation.toValue = 1
    animation.duration = duration
    animation.delegate = log
    return animation
  }

  /// Advances the clock by some seconds and calls the callbacks that are due.
  func pass(_ seconds: Double) {
    clock.time += seconds
    tree.followAnimations()
    TransactionStack.current.context.callBack()
  }
}

@Suite("What is called when animations end") struct CompletionTests {
  // The orders are from sidestep conformance/tests/quartzcore.rs.

  @Test("The block comes before the delegate's stop, and nothing is called within commit")
  func order() throws {
    let stage = try Stage()
    let log = stage.log
    CATransaction.begin()
    CATransaction.setCompletionBlock { log.events.append("block") }
    stage.layer.add(stage.animation(), forKey: "a")
    log.events.append("committing")
    CATransaction.commit()
    log.events.append("committed")
    stage.pass(0.05)
    stage.pass(0.1)
    stage.pass(1)
    #expect(log.events == ["committing", "committed", "start", "block", "stop(finished)"])
    #expect(stage.layer.animationKeys() == nil)
  }

  @Test("An animation that runs when its layer comes to another renderer ends there")
  func movedToAnotherTree() throws {
    let stage = try Stage()
    let child = CALayer()
    stage.layer.addSublayer(child)
    let context = stage.tree.context
    let other = LayerTree(context: context, session: SessionID(rawValue: 1), clock: stage.clock)
    defer { other.close() }
    let root = CALayer()
    other.root = root
    try stage.tree.commit()
    try other.commit()
    child.add(stage.animation(), forKey: "a")
    try stage.tree.commit()
    root.addSublayer(child)
    try other.commit()
    try stage.tree.commit()
    stage.clock.time += 0.2
    #expect(stage.log.events == ["start", "stop(finished)"])
    #expect(child.animationKeys() == nil)
  }

  @Test("An animation that is not removed on completion stops once, and its key stays")
  func staying() throws {
    let stage = try Stage()
    let animation = stage.animation()
    animation.isRemovedOnCompletion = false
    stage.layer.add(animation, forKey: "a")
    CATransaction.flush()
    stage.pass(0)
    stage.pass(1)
    stage.pass(1)
    #expect(stage.log.events == ["start", "stop(finished)"])
    #expect(stage.layer.animationKeys() == ["a"])
  }

  @Test("A second block is one more, and comes first; nil takes none away")
  func secondBlock() throws {
    let stage = try Stage()
    let log = stage.log
    CATransaction.begin()
    stage.layer.add(stage.animation(), forKey: "a")
    CATransaction.setCompletionBlock { log.events.append("first") }
    CATransaction.setCompletionBlock { log.events.append("second") }
    CATransaction.setCompletionBlock(nil)
    CATransaction.commit()
    stage.pass(0)
    stage.pass(1)
    #expect(log.events == ["start", "second", "first", "stop(finished)"])
  }

  @Test("The outer block waits for animations of inner transactions, and can be read there")
  func nesting() throws {
    let stage = try Stage()
    let log = stage.log
    CATransaction.begin()
    CATransaction.setCompletionBlock { log.events.append("outer") }
    CATransaction.begin()
    #expect(CATransaction.completionBlock() != nil)
    stage.layer.add(stage.animation(), forKey: "a")
    CATransaction.commit()
    CATransaction.commit()
    stage.pass(0)
    stage.pass(1)
    #expect(log.events == ["start", "outer", "stop(finished)"])
  }

  @Test("A block is called with its own transaction, not with one inside it")
  func ownScope() throws {
    let stage = try Stage()
    let log = stage.log
    CATransaction.begin()
    CATransaction.setCompletionBlock { log.events.append("outer") }
    CATransaction.begin()
    CATransaction.setCompletionBlock { log.events.append("inner") }
    CATransaction.commit()
    stage.pass(0)
    #expect(log.events == ["inner"])
    CATransaction.commit()
    #expect(log.events == ["inner"])
    stage.pass(0)
    #expect(log.events == ["inner", "outer"])
  }

  @Test("Without animations a block waits for the next turn")
  func empty() throws {
    let stage = try Stage()
    let log = stage.log
    CATransaction.begin()
    CATransaction.setCompletionBlock { log.events.append("block") }
    stage.layer.name = "changed"
    CATransaction.commit()
    CATransaction.commit()
    #expect(log.events == [])
    stage.pass(0)
    #expect(log.events == ["block"])
  }

  @Test("A block comes with the tree that was changed, not with one that has nothing to commit")
  func otherTree() throws {
    CATransaction.flush()
    let (other, stage) = (try Stage(), try Stage())
    let log = stage.log
    CATransaction.begin()
    CATransaction.setCompletionBlock { log.events.append("block") }
    stage.layer.name = "changed"
    CATransaction.commit()
    stage.pass(0)
    #expect(log.events == ["block"])
    withExtendedLifetime(other) {}
  }

  @Test("An animation starts when its time comes, not when it is added")
  func lateStart() throws {
    let stage = try Stage()
    let animation = stage.animation(duration: 1)
    animation.beginTime = 5
    stage.layer.add(animation, forKey: "a")
    CATransaction.flush()
    stage.pass(1)
    #expect(stage.log.events == [])
    stage.pass(1)
    #expect(stage.log.events == ["start"])
    stage.pass(1)
    #expect(stage.log.events == ["start", "stop(finished)"])
  }

  @Test("Removed, replaced or out of the tree, an animation stops unfinished")
  func unfinished() throws {
    let stage = try Stage()
    let sublayer = CALayer()
    withoutActions { stage.layer.addSublayer(sublayer) }
    let log = stage.log
    for target in [stage.layer, sublayer] {
      target.add(stage.animation(duration: 9), forKey: "a")
      target.add(stage.animation("zPosition", duration: 9), forKey: "b")
    }
    CATransaction.flush()
    stage.pass(1)
    #expect(log.events == Array(repeating: "start", count: 4))
    log.events = []
    stage.layer.removeAnimation(forKey: "a")
    stage.pass(0)
    #expect(log.events == ["stop(unfinished)"])
    stage.layer.add(stage.animation(duration: 9), forKey: "b")
    stage.pass(0)
    #expect(log.events == Array(repeating: "stop(unfinished)", count: 2))
    withoutActions { sublayer.removeFromSuperlayer() }
    CATransaction.flush()
    stage.pass(0)
    #expect(log.events.filter { $0 == "stop(unfinished)" }.count == 4)
    #expect(sublayer.animationKeys() == nil && stage.layer.animationKeys() == ["b"])
  }

  @Test("Blocks wait for all animations, implicit ones as well, and for removed ones no longer")
  func waiting() throws {
    let stage = try Stage()
    let log = stage.log
    CATransaction.begin()
    CATransaction.setCompletionBlock { log.events.append("block") }
    stage.layer.opacity = 0.5
    stage.layer.add(stage.animation("zPosition", duration: 9), forKey: "long")
    CATransaction.commit()
    stage.pass(1)
    #expect(log.events == ["start"])
    stage.layer.removeAnimation(forKey: "long")
    stage.pass(0)
    #expect(log.events == ["start", "block", "stop(unfinished)"])
  }

  @Test("An animation of a layer in no tree starts and stops at the next turn, and is gone")
  func noTree() throws {
    let stage = try Stage()
    let log = stage.log
    let outside = CALayer()
    CATransaction.begin()
    CATransaction.setCompletionBlock { log.events.append("block") }
    outside.add(stage.animation(), forKey: "a")
    stage.layer.name = "changed"
    CATransaction.commit()
    #expect(outside.animationKeys() == ["a"] && log.events == [])
    stage.pass(0)
    #expect(log.events == ["start", "stop(unfinished)", "block"])
    #expect(outside.animationKeys() == nil)
    withoutActions { stage.layer.addSublayer(outside) }
    CATransaction.flush()
    stage.pass(0)
    #expect(log.events.count == 3)
  }

  @Test("An animation of a layer that is gone by the next turn starts and stops as well")
  func goneLayer() throws {
    let stage = try Stage()
    let log = stage.log
    CATransaction.begin()
    CATransaction.setCompletionBlock { log.events.append("block") }
    CALayer().add(stage.animation(), forKey: "a")
    CATransaction.commit()
    stage.pass(0)
    #expect(log.events == ["start", "stop(unfinished)", "block"])
  }

  @Test("One that is not removed on completion then waits for a tree, and no block for it")
  func waitingForTree() throws {
    let stage = try Stage()
    let log = stage.log
    let outside = CALayer()
    let animation = stage.animation()
    animation.isRemovedOnCompletion = false
    CATransaction.begin()
    CATransaction.setCompletionBlock { log.events.append("block") }
    outside.add(animation, forKey: "a")
    CATransaction.commit()
    stage.pass(0)
    #expect(log.events == ["start", "stop(unfinished)", "block"])
    #expect(outside.animationKeys() == ["a"])
    log.events = []
    CATransaction.begin()
    CATransaction.setCompletionBlock { log.events.append("later block") }
    withoutActions { stage.layer.addSublayer(outside) }
    CATransaction.commit()
    stage.pass(0)
    stage.pass(1)
    #expect(log.events == ["later block", "start", "stop(finished)"])
  }

  @Test("A layer that comes into a tree before the next turn keeps its animations")
  func placedInTime() throws {
    let stage = try Stage()
    let outside = CALayer()
    CATransaction.begin()
    outside.add(stage.animation(), forKey: "a")
    CATransaction.commit()
    withoutActions { stage.layer.addSublayer(outside) }
    CATransaction.flush()
    stage.pass(0)
    stage.pass(0.05)
    #expect(stage.log.events == ["start"])
    #expect(outside.presentation()?.opacity == 0.5)
  }

  @Test("Outside all trees an animation begins by the task's clock")
  func clockOutside() throws {
    let stage = try Stage()
    let outside = CALayer()
    outside.beginTime = 2
    outside.add(stage.animation(), forKey: "a")
    let added = try #require(outside.animation(forKey: "a"))
    MediaClock.$current.withValue(.manual(time: 9)) {
      CATransaction.flush()
      stage.pass(0)
    }
    #expect(stage.log.events == ["start", "stop(unfinished)"])
    #expect(added.beginTime == 7)
  }

  @Test("On the main queue a layer without a renderer ends its animations by itself")
  @MainActor func mainQueueWithoutTree() async {
    let log = Log()
    let layer = CALayer()
    await withCheckedContinuation { continuation in
      CATransaction.setCompletionBlock {
        log.events.append("block")
        continuation.resume()
      }
      let animation = CABasicAnimation("opacity", from: 0, to: 1, duration: 60)
      animation.delegate = log
      layer.add(animation, forKey: "a")
      log.events.append("added")
    }
    #expect(log.events == ["added", "start", "stop(unfinished)", "block"])
    #expect(layer.animationKeys() == nil)
  }

  @Test("Stopped layers hold their animations, and what runs backwards ends at its begin")
  func layerTiming() throws {
    let stage = try Stage()
    let log = stage.log
    stage.layer.speed = 0
    stage.layer.timeOffset = 1
    let animation = stage.animation(duration: 2)
    animation.beginTime = 0.5
    stage.layer.add(animation, forKey: "a")
    CATransaction.flush()
    stage.pass(100)
    #expect(log.events == ["start"])
    stage.layer.timeOffset = 1
    stage.layer.beginTime = 103
    stage.layer.speed = -1
    CATransaction.flush()
    stage.pass(0.25)
    #expect(log.events == ["start"])
    stage.pass(0.5)
    #expect(log.events == ["start", "stop(finished)"])
  }

  @Test(
    "At its very end an animation shows and has its key, after it neither; removed ones are let go")
  func veryEnd() throws {
    let stage = try Stage()
    stage.layer.add(stage.animation(duration: 1), forKey: "a")
    weak var removed: CAAnimation?
    do {
      let endless = stage.animation("zPosition", duration: 1)
      endless.repeatCount = .infinity
      stage.layer.add(endless, forKey: "endless")
      removed = stage.layer.animation(forKey: "endless")
    }
    CATransaction.flush()
    stage.pass(1)
    #expect(stage.log.events == ["start", "start", "stop(finished)"])
    #expect(stage.layer.animationKeys() == ["a", "endless"])
    #expect(stage.layer.presentation()?.opacity == 1)
    stage.layer.opacity = 0.5
    stage.layer.removeAnimation(forKey: "opacity")
    stage.layer.removeAnimation(forKey: "endless")
    CATransaction.flush()
    #expect(stage.layer.presentation()?.opacity == 1)
    stage.pass(0.001)
    #expect(stage.layer.animationKeys() == nil)
    #expect(stage.layer.presentation()?.opacity == 0.5)
    #expect(removed == nil)
  }

  @Test("What fills forwards ends with its removal, in every frame after its end")
  func fillAndRemoval() throws {
    let stage = try Stage()
    let animation = stage.animation(duration: 1)
    animation.toValue = 0.25
    animation.fillMode = .both
    stage.layer.add(animation, forKey: "a")
    CATransaction.flush()
    #expect(stage.layer.presentationValues(at: 4).opacity == 0.25)
    #expect(stage.layer.presentationValues(at: 4.5).opacity == 1)
  }

  @Test("Setting a manual clock calls what is due, in the order of the times")
  func manualClock() throws {
    let stage = try Stage()
    let log = stage.log
    for (key, duration) in [("zPosition", 2.0), ("opacity", 1)] {
      CATransaction.begin()
      CATransaction.setCompletionBlock { log.events.append(key) }
      let animation = stage.animation(key, duration: duration)
      animation.delegate = nil
      stage.layer.add(animation, forKey: key)
      CATransaction.commit()
    }
    stage.clock.time = 10
    #expect(log.events == ["opacity", "zPosition"])
  }

  @Test("On the main queue an implicit transaction ends by itself, and blocks follow the clock")
  @MainActor func mainQueue() async throws {
    let layer = CALayer()
    let log = Log()
    let tree = LayerTree(
      context: LayerContext { commit, _ in commit.sequence }, session: SessionID(rawValue: 0),
      clock: .host)
    defer { tree.close() }
    tree.root = layer
    try tree.commit()
    await withCheckedContinuation { continuation in
      CATransaction.setCompletionBlock {
        #expect(ExecutionContext.isMain)
        log.events.append("block")
      }
      CATransaction.setAnimationDuration(0.02)
      layer.opacity = 0.5
      let last = CABasicAnimation(keyPath: "zPosition")
      last.toValue = 1
      last.duration = 0.03
      let delegate = Continuing(log) { continuation.resume() }
      last.delegate = delegate
      layer.add(last, forKey: nil)
      log.events.append("changed")
      #expect(tree.hasChanges)
    }
    #expect(!tree.hasChanges)
    #expect(log.events == ["changed", "start", "block", "stop(finished)"])
    #expect(layer.animationKeys() == nil)
  }
}

/// Logs, and continues with `goOn` when the animation stops.
private final class Continuing: NSObject, CAAnimationDelegate {
  private let log: Log
  private let goOn: () -> Void

  init(_ log: Log, _ goOn: @escaping () -> Void) {
    self.log = log
    self.goOn = goOn
  }

  func animationDidStart(_ anim: CAAnimation) { log.animationDidStart(anim) }
  func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {
    log.animationDidStop(anim, finished: flag)
    goOn()
  }
}
