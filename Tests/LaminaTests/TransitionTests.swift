import Foundation
import LaminaAnimation
import LaminaCommit
import Testing

@testable import Lamina

@Suite("Transitions as programs write them")
struct TransitionTests {
  @Test("Defaults and raw names are Apple's")
  func defaults() {
    let transition = CATransition()
    #expect(transition.type == .fade)
    #expect(transition.subtype == nil)
    #expect(transition.startProgress == 0)
    #expect(transition.endProgress == 1)
    #expect(transition.filter == nil)
    let types: [CATransitionType] = [.fade, .moveIn, .push, .reveal]
    #expect(types.map(\.rawValue) == ["fade", "moveIn", "push", "reveal"])
    let subtypes: [CATransitionSubtype] = [.fromLeft, .fromRight, .fromTop, .fromBottom]
    #expect(subtypes.map(\.rawValue) == ["fromLeft", "fromRight", "fromTop", "fromBottom"])
  }

  @Test("Its properties have keys, and any progress is kept")
  func keys() {
    let transition = CATransition()
    transition.setValue("push", forKey: "type")
    transition.setValue("fromTop", forKey: "subtype")
    transition.setValue(-2, forKey: "startProgress")
    transition.setValue(7.5, forKey: "endProgress")
    transition.setValue("a filter", forKey: "filter")
    #expect(transition.type == .push)
    #expect(transition.subtype == .fromTop)
    #expect(transition.startProgress == -2 && transition.endProgress == 7.5)
    #expect(transition.value(forKey: "type") as? String == "push")
    #expect(transition.value(forKey: "subtype") as? String == "fromTop")
    #expect(transition.value(forKey: "endProgress") as? Double == 7.5)
    #expect(transition.value(forKey: "filter") as? String == "a filter")
    transition.setValue(nil, forKey: "subtype")
    #expect(transition.subtype == nil)
  }

  @Test("A layer keeps one transition, a copy, under its own key")
  func oneKey() throws {
    let layer = CALayer()
    let transition = CATransition()
    transition.type = .reveal
    transition.subtype = .fromBottom
    transition.startProgress = 0.25
    transition.endProgress = 0.5
    transition.duration = 3
    layer.add(transition, forKey: "mine")
    transition.type = .fade
    #expect(layer.animationKeys() == ["transition"])
    let kept = try #require(layer.animation(forKey: "transition") as? CATransition)
    #expect(kept.type == .reveal && kept.subtype == .fromBottom)
    #expect(kept.startProgress == 0.25 && kept.endProgress == 0.5)
    layer.add(CATransition(), forKey: nil)
    #expect(layer.animationKeys() == ["transition"])
    #expect((layer.animation(forKey: "transition") as? CATransition)?.type == .fade)
    #expect(layer.animation(forKey: "transition")?.duration == 0.25)
    layer.removeAnimation(forKey: "transition")
    #expect(layer.animationKeys() == nil)
  }

  @Test("What is committed is plain data: unknown names are a fade, no number is not finite")
  func content() {
    let transition = CATransition()
    transition.type = CATransitionType(rawValue: "cube")
    transition.subtype = CATransitionSubtype(rawValue: "fromInside")
    transition.startProgress = .nan
    transition.endProgress = .infinity
    #expect(
      transition.content(duration: 1)
        == .transition(
          .init(style: .fade, side: .fromLeft, startProgress: 0, endProgress: 1)))
    transition.type = .push
    transition.subtype = .fromRight
    transition.startProgress = -3
    #expect(
      transition.content(duration: 1)
        == .transition(.init(style: .push, side: .fromRight, startProgress: -3, endProgress: 1)))
  }

  @Test("In a group a transition is nothing")
  func inGroup() {
    let group = CAAnimationGroup()
    group.duration = 1
    group.animations = [CATransition()]
    #expect(group.content(duration: 1) == nil)
    let fade = CABasicAnimation(keyPath: "opacity")
    fade.toValue = 0
    group.animations = [CATransition(), fade]
    guard case .group(let members)? = group.content(duration: 1) else {
      Issue.record("no group")
      return
    }
    #expect(members.count == 1)
  }
}
