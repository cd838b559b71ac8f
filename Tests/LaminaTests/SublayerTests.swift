import Foundation
import LaminaInProcess
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

@Suite("Many sublayers") struct SublayerTests {
  @Test("A list of sublayers is what the same edits make of an array", arguments: 0..<50)
  func listIsAnArray(seed: Int) {
    var random = SeededGenerator(seed: seed)
    var list = SublayerList()
    var array: [CALayer] = []
    for step in 0..<300 {
      switch Int.random(in: 0..<(step < 150 ? 5 : 7), using: &random) {
      case 0, 1, 2:
        let layer = CALayer()
        let place = [0, array.count, Int.random(in: 0...array.count, using: &random)]
          .randomElement(using: &random)!
        list.insert(layer, at: place)
        array.insert(layer, at: place)
      case 3: #expect(list.all.elementsEqual(array, by: ===))
      default:
        guard !array.isEmpty else { continue }
        let place = [0, array.count - 1, Int.random(in: 0..<array.count, using: &random)]
          .randomElement(using: &random)!
        #expect(list.index(of: array[place]) == place)
        list.remove(at: place)
        array.remove(at: place)
      }
      #expect(list.count == array.count && list.isEmpty == array.isEmpty)
    }
    #expect(list.index(of: CALayer()) == nil)
    #expect(list.all.elementsEqual(array, by: ===))
  }

  @Test("The edits of a change make the new order of the old one", arguments: 0..<200)
  func changes(seed: Int) {
    var random = SeededGenerator(seed: seed)
    let old = (0..<Int.random(in: 0..<12, using: &random)).map { _ in CALayer() }
    var new = old
    for _ in 0..<Int.random(in: 0..<6, using: &random) {
      let place = Int.random(in: 0...new.count, using: &random)
      if Bool.random(using: &random), !new.isEmpty {
        let moved = new.remove(at: place % new.count)
        new.insert(moved, at: Int.random(in: 0...new.count, using: &random))
      } else {
        new.insert(CALayer(), at: place)
      }
    }
    expect(old, becomes: new)
    expect(old, becomes: old.shuffled(using: &random))
    expect(old, becomes: old.reversed())
  }

  private func expect(_ old: [CALayer], becomes new: [CALayer]) {
    let change = SublayerChange(from: old, to: new)
    var current = old
    for layer in change.leaving.reversed() {
      current.remove(at: current.firstIndex { $0 === layer }!)
    }
    for place in change.entering {
      // A layer that is put elsewhere leaves its old place.
      current.removeAll { $0 === new[place] }
      #expect(place <= current.count)
      current.insert(new[place], at: min(place, current.count))
    }
    #expect(current.elementsEqual(new, by: ===))
  }

  @Test("A change that would cost too much puts in everything again")
  func costlyChange() {
    let layers = (0..<20_000).map { _ in CALayer() }
    let halves = Array(layers[10_000...] + layers[..<10_000])
    let change = SublayerChange(from: layers, to: halves)
    #expect(change.entering.count == 20_000 && change.leaving.count == 20_000)
    // A single layer that moves costs little, wherever it goes.
    let front = Array(layers[1...] + layers[..<1])
    #expect(SublayerChange(from: layers, to: front).entering == [19_999])
    #expect(SublayerChange(from: layers, to: front).leaving.isEmpty)
  }

  @Test(
    "100,000 sublayers are put in from the front, reversed, shuffled and taken out from the front")
  func manySublayers() throws {
    let count = 100_000
    let renderer = try CARenderer(
      size: CGSize(width: 8, height: 8), server: .inProcess.on(.surfaceless))
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
    renderer.layer = root
    let layers = (0..<count).map { _ in CALayer() }
    withoutActions {
      for layer in layers { layer.position = CGPoint(x: -100, y: -100) }
      layers[0].frame = root.bounds
      layers[0].backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
      layers[count - 1].frame = root.bounds
      layers[count - 1].backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
      for layer in layers { root.insertSublayer(layer, at: 0) }
    }
    #expect(try renderer.image(at: 0).pixel(x: 4, y: 4).red == 255)
    withoutActions { root.sublayers = layers }
    #expect(try renderer.image(at: 0).pixel(x: 4, y: 4).blue == 255)
    var random = SeededGenerator(seed: 1)
    let shuffled = layers.shuffled(using: &random)
    withoutActions { root.sublayers = shuffled }
    let last = shuffled.last { $0 === layers[0] || $0 === layers[count - 1] }
    #expect(
      try renderer.image(at: 0).pixel(x: 4, y: 4).red == (last === layers[0] ? 255 : 0))
    withoutActions { for layer in shuffled { layer.removeFromSuperlayer() } }
    #expect(try renderer.image(at: 0).pixel(x: 4, y: 4).alpha == 0)
  }
}

@Suite("Many animations") struct ManyAnimationsTests {
  @Test("20,000 animations on a layer are added, drawn, replaced and removed")
  func manyAnimations() throws {
    let renderer = try CARenderer(
      size: CGSize(width: 8, height: 8), server: .inProcess.on(.surfaceless))
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
    layer.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
    renderer.layer = layer
    func animation(_ opacity: Double) -> CABasicAnimation {
      let animation = CABasicAnimation(keyPath: "opacity")
      animation.fromValue = opacity
      animation.toValue = opacity
      animation.duration = 100
      return animation
    }
    for number in 0..<20_000 {
      layer.add(animation(0), forKey: number.isMultiple(of: 2) ? "\(number)" : nil)
    }
    #expect(try renderer.image(at: 0).pixel(x: 4, y: 4).alpha == 0)
    // An animation that replaces another becomes the last one, and so is the one that shows.
    layer.add(animation(1), forKey: "10000")
    #expect(layer.animationKeys()?.count == 10_000)
    #expect(try renderer.image(at: 1).pixel(x: 4, y: 4).alpha == 255)
    layer.removeAnimation(forKey: "10000")
    #expect(try renderer.image(at: 2).pixel(x: 4, y: 4).alpha == 0)
    layer.removeAllAnimations()
    #expect(try renderer.image(at: 3).pixel(x: 4, y: 4).alpha == 255)
  }

  @Test("A group that lies in itself, at once or by way of another, is left out")
  func groupInItself() {
    let (group, other) = (CAAnimationGroup(), CAAnimationGroup())
    group.animations = [other, CABasicAnimation(keyPath: "opacity")]
    other.animations = [group]
    let layer = CALayer()
    layer.add(group, forKey: "a")
    layer.add(other, forKey: "b")
    #expect(layer.animationKeys() == nil)
    #expect((group.copy() as? CAAnimationGroup)?.animations?.first === other)
    other.animations = [group, group]
    group.animations = [other, other]
    layer.add(group, forKey: "a")
    #expect(layer.animationKeys() == nil)
    // The groups hold each other until the cycle is broken.
    (group.animations, other.animations) = (nil, nil)
  }

  @Test("As many groups in each other as the render process takes are added, and no more")
  func groupsInEachOther() {
    func groups(_ count: Int) -> CAAnimation {
      (0..<count).reduce(CABasicAnimation(keyPath: "opacity") as CAAnimation) { member, _ in
        let group = CAAnimationGroup()
        group.animations = [member]
        return group
      }
    }
    let layer = CALayer()
    layer.add(groups(16), forKey: "16")
    layer.add(groups(17), forKey: "17")
    #expect(layer.animationKeys() == ["16"])
  }
}
