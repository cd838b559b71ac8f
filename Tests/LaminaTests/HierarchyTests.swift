import Lamina
import Testing

@Suite("Hierarchy") struct HierarchyTests {
  private func layer(_ name: String) -> CALayer {
    let layer = CALayer()
    layer.name = name
    return layer
  }

  private func names(_ layer: CALayer) -> String {
    (layer.sublayers ?? []).map { $0.name ?? "" }.joined()
  }

  @Test("Layers go where they are put")
  func inserting() {
    let parent = CALayer()
    let (a, b, c, d) = (layer("a"), layer("b"), layer("c"), layer("d"))
    parent.addSublayer(a)
    parent.insertSublayer(b, at: 0)
    #expect(names(parent) == "ba")
    parent.insertSublayer(c, above: b)
    #expect(names(parent) == "bca")
    parent.insertSublayer(d, below: a)
    #expect(names(parent) == "bcda")
    parent.insertSublayer(a, below: b)
    #expect(names(parent) == "abcd")
    parent.addSublayer(b)
    #expect(names(parent) == "acdb")
    parent.insertSublayer(a, at: 99)
    #expect(names(parent) == "cdba")
    parent.insertSublayer(c, above: nil)
    #expect(names(parent) == "dbac")
  }

  @Test("Replacing puts the new layer in the old one's place")
  func replacing() {
    let parent = CALayer()
    let (a, b, c, d) = (layer("a"), layer("b"), layer("c"), layer("d"))
    parent.sublayers = [a, b, c]
    parent.replaceSublayer(b, with: d)
    #expect(names(parent) == "adc")
    #expect(b.superlayer == nil)
    parent.replaceSublayer(a, with: c)
    #expect(names(parent) == "cd")
    parent.replaceSublayer(c, with: c)
    #expect(names(parent) == "cd")
  }

  @Test("A layer has one place: putting it elsewhere takes it away")
  func reparenting() {
    let (first, second, child) = (CALayer(), CALayer(), CALayer())
    first.addSublayer(child)
    second.addSublayer(child)
    #expect(first.sublayers == nil)
    #expect(child.superlayer === second)
    first.mask = child
    #expect(second.sublayers == nil)
    #expect(child.superlayer === first)
    #expect(first.sublayers == nil)
    first.addSublayer(child)
    #expect(first.mask == nil)
    #expect(first.sublayers == [child])
  }

  @Test("Sublayers are nil when there are none")
  func emptied() {
    let (parent, child) = (CALayer(), CALayer())
    #expect(parent.sublayers == nil)
    parent.addSublayer(child)
    child.removeFromSuperlayer()
    #expect(parent.sublayers == nil)
    parent.sublayers = []
    #expect(parent.sublayers == nil)
  }

  @Test("Setting all sublayers releases those that are left out")
  func settingSublayers() {
    let parent = CALayer()
    let (a, b, c) = (layer("a"), layer("b"), layer("c"))
    parent.sublayers = [a, b]
    parent.sublayers = [c, a]
    #expect(names(parent) == "ca")
    #expect(b.superlayer == nil)
    #expect(c.superlayer === parent)
    parent.mask = b
    parent.sublayers = [b]
    #expect(parent.mask == nil)
    #expect(a.superlayer == nil)
  }

  @Test("A mask's superlayer is what it masks, and it can leave it")
  func masks() {
    let (masked, mask) = (CALayer(), CALayer())
    masked.mask = mask
    #expect(mask.superlayer === masked)
    #expect(masked.sublayers == nil)
    mask.removeFromSuperlayer()
    #expect(masked.mask == nil)
    masked.mask = mask
    masked.mask = CALayer()
    #expect(mask.superlayer == nil)
  }

  @Test("A superlayer that is gone is nil")
  func superlayerGone() {
    let (child, mask) = (CALayer(), CALayer())
    do {
      let parent = CALayer()
      parent.addSublayer(child)
      parent.mask = mask
    }
    #expect(child.superlayer == nil)
    #expect(mask.superlayer == nil)
  }

  @Test("A layer put beside what is no sublayer comes in front of all, as on Apple's systems")
  func strangeSibling() {
    let (parent, a, stranger) = (CALayer(), CALayer(), CALayer())
    parent.sublayers = [a]
    let (b, c, d) = (CALayer(), CALayer(), CALayer())
    parent.insertSublayer(b, above: stranger)
    parent.insertSublayer(c, below: stranger)
    #expect(parent.sublayers == [a, b, c])
    parent.mask = stranger
    parent.insertSublayer(a, below: stranger)
    #expect(parent.sublayers == [b, c, a])
    parent.insertSublayer(d, below: d)
    parent.insertSublayer(c, above: c)
    #expect(parent.sublayers == [b, c, a, d])
  }

  @Test("A layer inside itself stops the program, with the names")
  func cycles() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let (outer, inner) = (CALayer(), CALayer())
      outer.name = "outer"
      inner.name = "inner"
      outer.addSublayer(inner)
      inner.addSublayer(outer)
    }
    let said = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(said.contains("CALayer \"outer\" cannot be inside CALayer \"inner\""))
    await #expect(processExitsWith: .failure) {
      let layer = CALayer()
      layer.mask = layer
    }
  }
}
