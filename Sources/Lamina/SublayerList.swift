/// A layer's sublayers, the backmost first.
///
/// Both ends grow and shrink without moving what is between, as long as nobody asks for all.
struct SublayerList {
  /// Those before `back`, the last one first.
  private var front: [CALayer] = []
  private var back: [CALayer] = []

  init() {}
  init(_ layers: [CALayer]) { back = layers }

  var count: Int { front.count + back.count }
  var isEmpty: Bool { back.isEmpty && front.isEmpty }

  /// All of them. Takes time in proportion to their number only if the front changed since.
  var all: [CALayer] {
    @inline(__always) mutating get {
      if !front.isEmpty { join() }
      return back
    }
  }

  /// The place of a layer. It is looked for from both ends at once.
  func index(of layer: CALayer) -> Int? {
    var (first, last) = (0, count - 1)
    while first <= last {
      if self[last] === layer { return last }
      if self[first] === layer { return first }
      first += 1
      last -= 1
    }
    return nil
  }

  mutating func insert(_ layer: CALayer, at index: Int) {
    if index == count {
      back.append(layer)
    } else if index == 0 {
      front.append(layer)
    } else {
      join()
      back.insert(layer, at: index)
    }
  }

  mutating func remove(at index: Int) {
    if index == 0, front.isEmpty, back.count > 1 { split() }
    if index < front.count {
      front.remove(at: front.count - 1 - index)
    } else {
      back.remove(at: index - front.count)
    }
  }

  private subscript(index: Int) -> CALayer {
    index < front.count ? front[front.count - 1 - index] : back[index - front.count]
  }

  private mutating func join() {
    back = front.reversed() + back
    front = []
  }

  /// Gives the front half of them, so that removing one after the other there moves few.
  private mutating func split() {
    let half = (back.count + 1) / 2
    front = back[..<half].reversed()
    back.removeSubrange(..<half)
  }
}
