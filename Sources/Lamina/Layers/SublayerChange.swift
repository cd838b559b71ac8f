/// The edits that turn one order of sublayers into another.
///
/// As many layers as possible stay in place. The others are removed, from the last to the first,
/// and then inserted, from the first to the last. Edits are found, and applied, in time that hardly
/// grows faster than the number of layers.
struct SublayerChange {
  /// The layers to remove first, from the last to the first.
  private(set) var leaving: [CALayer] = []
  /// The indices at which to insert layers afterwards, in this order.
  private(set) var entering: [Int] = []

  /// The limit on the total cost of the edits. Each one costs the render process as much as there
  /// are layers behind its index. Beyond the limit it is cheaper to insert all layers again.
  static let costLimit = 1 << 26

  /// Every layer of `old` must be in `new`.
  init(from old: [CALayer], to new: [CALayer]) {
    var first = 0
    while first < old.count, old[first] === new[first] { first += 1 }
    var last = 0
    while last < old.count - first, old[old.count - 1 - last] === new[new.count - 1 - last] {
      last += 1
    }
    var (before, after) = (old[first..<old.count - last], new[first..<new.count - last])
    var staying = Self.staying(before, after)
    if (after.count - staying.count) * (staying.count + last) > Self.costLimit {
      (before, after, staying) = (old[first...], new[first...], [])
    }
    entering = after.indices.filter { !staying.contains(ObjectIdentifier(new[$0])) }
    leaving = before.filter { !staying.contains(ObjectIdentifier($0)) }
    // Inserting a layer elsewhere removes it from its old place. With several, the indices would be
    // ambiguous.
    if leaving.count == 1, entering.count == 1 { leaving = [] }
  }

  private static func staying(
    _ before: ArraySlice<CALayer>, _ after: ArraySlice<CALayer>
  ) -> Set<ObjectIdentifier> {
    guard !before.isEmpty else { return [] }
    var places: [ObjectIdentifier: Int] = [:]
    places.reserveCapacity(before.count)
    for place in before.indices { places[ObjectIdentifier(before[place])] = place }
    let rising = longestRise(after.compactMap { places[ObjectIdentifier($0)] })
    return Set(rising.map { ObjectIdentifier(before[$0]) })
  }

  /// The longest rising subsequence of the numbers, which must all differ.
  private static func longestRise(_ numbers: [Int]) -> [Int] {
    // `ends` has, for each length of a rising subsequence, the index of its least last number;
    // `previous` has, for each number, the index of the one before it in its subsequence.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var rise: [Int] = []
    var next = ends.last ?? -1
    while next >= 0 {
      rise.append(numbers[next])
      next = previous[next]
    }
    return rise.reversed()
  }
}
