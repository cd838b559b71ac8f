import LaminaRenderTree
import LaminaValues

/// The rows that may show in what is painted again, if that is a part of the surface.
///
/// A row is one of them if it, or something below it, meets that. A row that paints nothing itself
/// is one only if something below it is: such rows hold many others together, and most of them meet
/// everything.
struct PaintedRows {
  /// A bit for each row.
  fileprivate let words: [UInt64]

  /// With `sharing`, several threads look for them.
  init(
    in damage: Damage, _ extents: Extents, _ bearings: [Bearing], _ evaluated: EvaluatedTree,
    _ sharing: LoopSharing? = nil
  ) {
    let near = extents.edges.bits(meeting: damage.rects.map(BoxEdges.init), sharing)
    let rows = evaluated.rows
    words = [UInt64](unsafeUninitializedCapacity: near.count) { words, count in
      words.initialize(repeating: 0)
      count = near.count
      for place in near.indices {
        var rest = near[place]
        while rest != 0 {
          var row = place * 64 + rest.trailingZeroBitCount
          rest &= rest - 1
          if bearings[row].isContainer { continue }
          // All above it come with it, and above one that is there already they are there too.
          while row >= 0, words[row / 64] & 1 << UInt64(row % 64) == 0 {
            words[row / 64] |= 1 << UInt64(row % 64)
            row = rows[row].parent
          }
        }
      }
      // What lies above may be clipped, so that it meets nothing.
      for place in near.indices { words[place] &= near[place] }
    }
  }

  /// The bits, in place.
  struct Bits {
    fileprivate let words: UnsafePointer<UInt64>

    @inline(__always)
    subscript(row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 != 0 }
  }
}

extension PaintedRows? {
  /// Passes the bits to `body`, for which alone they are valid; nil for none.
  func withBits(_ body: (PaintedRows.Bits?) -> Void) {
    guard let self else { return body(nil) }
    self.words.withUnsafeBufferPointer { words in
      body(words.baseAddress.map(PaintedRows.Bits.init))
    }
  }
}

extension [BoxEdges] {
  /// Which of the boxes meet one of a few others: a bit for each, 64 in a word.
  fileprivate func bits(meeting others: Self, _ sharing: LoopSharing?) -> [UInt64] {
    let wordCount = (count + 63) / 64
    return [UInt64](unsafeUninitializedCapacity: wordCount) { words, count in
      count = wordCount
      let words = words.baseAddress!
      withUnsafeBufferPointer { boxes in
        others.withUnsafeBufferPointer { others in
          func find(_ places: Range<Int>) {
            for place in places {
              let first = place * 64
              let part = UnsafeBufferPointer(
                rebasing: boxes[first..<Swift.min(first + 64, boxes.count)])
              var bits: UInt64 = 0
              for other in others { bits |= part.bits(meeting: other) }
              words[place] = bits
            }
          }
          if let sharing, sharing.isWorth(wordCount) {
            sharing.share(wordCount) { places, _, _ in find(places) }
          } else {
            find(0..<wordCount)
          }
        }
      }
    }
  }
}

extension UnsafeBufferPointer<BoxEdges> {
  /// Which of up to 64 boxes meet another one.
  @inline(__always)
  fileprivate func bits(meeting other: BoxEdges) -> UInt64 {
    if count == 64 { return allBits(meeting: other) }
    var bits: UInt64 = 0
    for place in indices where self[place].meets(other) { bits |= 1 << UInt64(place) }
    return bits
  }

  /// Which of 64 boxes meet another one. It looks at one of each quarter at a time, so that the
  /// bits of a quarter come to lie in a lane of their own.
  @inline(__always)
  private func allBits(meeting other: BoxEdges) -> UInt64 {
    let boxes = UnsafeRawPointer(baseAddress!)
    // If a box meets the other one, its far edges are above these, and its near ones are not.
    let limits = SIMD4(other.maxX &- 1, other.maxY &- 1, other.minX, other.minY)
    @inline(__always)
    func edgesMeet(_ place: Int) -> SIMD4<Int32> {
      let edges = boxes.loadUnaligned(fromByteOffset: place * 16, as: SIMD4<Int32>.self)
      return unsafeBitCast(edges .> limits, to: SIMD4<Int32>.self) ^ SIMD4(-1, -1, 0, 0)
    }
    /// Of each two lanes, whether both are set.
    @inline(__always)
    func both(_ low: SIMD4<Int32>, _ high: SIMD4<Int32>) -> SIMD4<Int32> {
      let lanes = SIMD8(lowHalf: low, highHalf: high)
      return lanes.evenHalf & lanes.oddHalf
    }
    var (quarters, bit) = (SIMD4<Int32>.zero, SIMD4<Int32>.one)
    for place in 0..<16 {
      let meet = both(
        both(edgesMeet(place), edgesMeet(place + 16)),
        both(edgesMeet(place + 32), edgesMeet(place + 48)))
      quarters |= meet & bit
      bit &+= bit
    }
    let bits = SIMD4<UInt64>(truncatingIfNeeded: quarters)
    return bits[0] | bits[1] << 16 | bits[2] << 32 | bits[3] << 48
  }
}
