/// A layer's sublayers, the backmost first.
///
/// Layers can be added and removed at both ends without moving those between, as long as `all` is
/// not read.
struct SublayerList {
  /// The layers before those of `back`, the last one first.
  private var front: [CALayer] = []
  private var back: [CALayer] = []

  init() {}
  init(_ layers: [CALayer]) { back = layers }

  var count: Int { front.count + back.count }
  var isEmpty: Bool { back.isEmpty && front.isEmpty }

  /// All layers. Takes time proportional to their number only if the front has changed since the
  /// last time.
  var all: [CALayer] {
    @inline(__always) mutating get {
      if !front.isEmpty { join() }
      return back
    }
  }

  /// The index of a layer; nil if it is not in the list. The search runs from both ends at once.
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

  /// Moves half of the layers to `front`, so that removing the first ones one by one moves few.
  private mutating func split() {
    let half = (back.count + 1) / 2
    front = back[..<half].reversed()
    back.removeSubrange(..<half)
  }
}
