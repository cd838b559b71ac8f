import Lamina
import Testing

@Suite("Scrolling") struct ScrollLayerTests {
  private func tree() -> (scroll: CAScrollLayer, content: CALayer) {
    let (scroll, content) = (CAScrollLayer(), CALayer())
    scroll.frame = CGRect(x: 10, y: 10, width: 100, height: 50)
    content.frame = CGRect(x: 0, y: 0, width: 1000, height: 1000)
    scroll.addSublayer(content)
    return (scroll, content)
  }

  @Test("A scroll layer clips and scrolls both ways, until told otherwise")
  func defaults() {
    let scroll = CAScrollLayer()
    #expect(scroll.masksToBounds && scroll.scrollMode == .both)
    scroll.scrollMode = CAScrollLayerScrollMode(rawValue: "bogus")
    #expect(scroll.scrollMode == .both)
    scroll.setValue("vertically", forKey: "scrollMode")
    #expect(scroll.scrollMode == .vertically)
    #expect(scroll.value(forKey: "scrollMode") as? String == "vertically")
  }

  @Test("Scrolling to a point makes it the origin, along the axes of the mode")
  func points() {
    let (scroll, _) = tree()
    scroll.scroll(to: CGPoint(x: 30, y: 40))
    #expect(scroll.bounds == CGRect(x: 30, y: 40, width: 100, height: 50))
    scroll.scrollMode = .vertically
    scroll.scroll(to: CGPoint(x: 1, y: 2))
    #expect(scroll.bounds.origin == CGPoint(x: 30, y: 2))
    scroll.scrollMode = .horizontally
    scroll.scroll(to: CGPoint(x: 5, y: 6))
    #expect(scroll.bounds.origin == CGPoint(x: 5, y: 2))
    scroll.scrollMode = .none
    scroll.scroll(to: CGPoint(x: 7, y: 8))
    #expect(scroll.bounds.origin == CGPoint(x: 5, y: 2))
  }

  // Measured on Apple's QuartzCore by others.
  @Test("Scrolling to a rectangle moves as little as shows it; to one too large, to its origin")
  func rectangles() {
    let (scroll, _) = tree()
    scroll.scroll(to: CGRect(x: 20, y: 10, width: 30, height: 30))
    #expect(scroll.bounds.origin == .zero)
    scroll.scroll(to: CGRect(x: 150, y: 60, width: 30, height: 30))
    #expect(scroll.bounds.origin == CGPoint(x: 80, y: 40))
    scroll.scroll(to: CGRect(x: 10, y: 50, width: 30, height: 30))
    #expect(scroll.bounds.origin == CGPoint(x: 10, y: 40))
    scroll.scroll(to: CGRect(x: 300, y: 200, width: 500, height: 500))
    #expect(scroll.bounds.origin == CGPoint(x: 300, y: 200))
  }

  @Test("A layer scrolls the nearest scroll layer above, in its own coordinates")
  func fromInside() {
    let (scroll, content) = tree()
    let leaf = CALayer()
    leaf.frame = CGRect(x: 200, y: 100, width: 20, height: 20)
    content.addSublayer(leaf)
    leaf.scroll(CGPoint(x: 5, y: 6))
    #expect(scroll.bounds.origin == CGPoint(x: 205, y: 106))
    leaf.scrollRectToVisible(CGRect(x: 0, y: 0, width: 20, height: 20))
    #expect(scroll.bounds.origin == CGPoint(x: 200, y: 100))
  }

  @Test("A scroll layer scrolls itself, and not one that it is in")
  func itself() {
    let (scroll, content) = tree()
    let inner = CAScrollLayer()
    inner.frame = CGRect(x: 0, y: 0, width: 20, height: 20)
    content.addSublayer(inner)
    inner.scroll(CGPoint(x: 3, y: 4))
    #expect(inner.bounds.origin == CGPoint(x: 3, y: 4))
    inner.scrollRectToVisible(CGRect(x: 30, y: 4, width: 3, height: 20))
    #expect(inner.bounds.origin == CGPoint(x: 13, y: 4) && scroll.bounds.origin == .zero)
    scroll.scroll(CGPoint(x: 1, y: 1))
    #expect(scroll.bounds.origin == CGPoint(x: 1, y: 1))
  }

  @Test("The visible rectangle is what the nearest scroll layer shows")
  func visible() {
    let (scroll, content) = tree()
    scroll.scroll(to: CGPoint(x: 30, y: 40))
    #expect(content.visibleRect == CGRect(x: 30, y: 40, width: 100, height: 50))
    scroll.scroll(to: CGPoint(x: 950, y: 40))
    #expect(content.visibleRect == CGRect(x: 950, y: 40, width: 50, height: 50))
    scroll.scroll(to: CGPoint(x: 2000, y: 0))
    #expect(content.visibleRect == .zero)
    #expect(scroll.visibleRect == scroll.bounds)
    #expect(content.value(forKey: "visibleRect") as? CGRect == .zero)
  }
}
