/// The edits that make one order of sublayers of another.
///
/// As many as possible stay where they are. The others are taken out, from the last to the first,
/// and put in, from the first to the last: edits are found, and applied, in time that hardly grows
/// faster than the number of layers.
struct SublayerChange {
  /// To be taken out first, from the last to the first.
  private(set) var leaving: [CALayer] = []
  /// Where to put layers in then, in this order.
  private(set) var entering: [Int] = []

  /// An edit costs the render process what lies behind its place. So many times that in all, and it
  /// is better to put in everything again.
  static let costLimit = 1 << 26

  /// All `old` ones are among the `new`.
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
    // A layer that is put elsewhere leaves its place by that. With others, places would be unclear.
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

  /// The longest selection of the numbers, all different, that only rises.
  private static func longestRise(_ numbers: [Int]) -> [Int] {
    // For each length of a rise the place of its least last number, and for each number the place
    // of the one before it in its rise.
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
