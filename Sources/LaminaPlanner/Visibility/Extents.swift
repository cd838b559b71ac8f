import Foundation
import LaminaRenderTree
import LaminaValues

/// The areas that rows may touch, by row, kept from frame to frame.
///
/// What changed is measured anew, and from there upward whatever depends on it, until an extent
/// stays what it was.
struct Extents {
  /// Of each row and everything below it, in the pixels of the row's space: never too small.
  private(set) var rows: [Extent] = []
  /// The same as whole pixels, in a form that is searched fast.
  private(set) var edges: [BoxEdges] = []
  /// The union of the sublayers' extents.
  private(set) var below: [Extent] = []
  private(set) var filters = FilterExtents()

  /// What must be found anew for a row.
  private struct Need: OptionSet {
    let rawValue: UInt8
    static let own = Need(rawValue: 1)
    /// Its extent, since `below` has grown.
    static let extent = Need(rawValue: 2)
    /// `below`, since an edge of it may have moved inward.
    static let below = Need(rawValue: 4)
    /// What filters below it read.
    static let filters = Need(rawValue: 8)
  }

  private var needs: [Need] = []
  /// The rows with needs, by level. Those farther down are measured first.
  private var queue: [[Int]] = []

  /// The pixels that a row and everything below it may touch.
  func box(of row: Int) -> PixelRect { edges[row].rect }

  /// Makes room for new rows.
  mutating func grow(to count: Int) {
    while rows.count < count {
      rows.append(.none)
      edges.append(.none)
      below.append(.none)
      needs.append([])
    }
  }

  /// Forgets a row whose index another one may take.
  mutating func forget(_ row: Int) {
    (rows[row], edges[row], below[row]) = (.none, .none, .none)
    filters.forget(row)
  }

  /// Measures the rows in `touched` and `moved`, those in `relinked`, which have other sublayers,
  /// and what depends on them. `bitmapLimits` are the pixels that a layer bitmap can have at most.
  ///
  /// With `sharing`, the rows in `touched` are distinct, and leaves among them are measured on
  /// several threads.
  mutating func repair(
    touched: [Int], moved: [Int], relinked: [Int], bitmapLimits: PixelRect, of tree: RenderTree,
    in evaluated: EvaluatedTree, sharing: LoopSharing? = nil
  ) {
    guard !evaluated.rows.isEmpty else { return }
    RowTables.read(tree, evaluated) { tables in
      for row in relinked where tables[row].pointee.isLive {
        add(row, [.below, .filters], evaluated)
      }
      var touched = touched
      if let sharing, sharing.isWorth(touched.count), filters.isEmpty {
        touched = measureLeaves(among: touched, tables, bitmapLimits, evaluated, sharing)
      }
      for rows in [touched, moved] {
        for place in rows.indices {
          if let next = rows.soon(after: place) { tables.prefetch(next) }
          let row = rows[place]
          guard tables[row].pointee.isLive else { continue }
          // What depends on nothing else need not wait.
          if tables.isLeaf(row), needs[row].isEmpty {
            measure(row, .own, tables, bitmapLimits, of: tree, in: evaluated)
          } else {
            add(row, .own, evaluated)
          }
        }
      }
      for level in queue.indices.reversed() {
        for row in queue[level] {
          let need = needs[row]
          needs[row] = []
          measure(row, need, tables, bitmapLimits, of: tree, in: evaluated)
        }
        queue[level].removeAll(keepingCapacity: true)
      }
    }
  }

  private mutating func add(_ row: Int, _ need: Need, _ evaluated: EvaluatedTree) {
    if needs[row].isEmpty {
      let level = evaluated.rows[row].level
      while queue.count <= level { queue.append([]) }
      queue[level].append(row)
    }
    needs[row].formUnion(need)
  }

  private mutating func measure(
    _ row: Int, _ need: Need, _ tables: RowTables, _ bitmapLimits: PixelRect, of tree: RenderTree,
    in evaluated: EvaluatedTree
  ) {
    if need.contains(.below) {
      var union = Extent.none
      var child = tables.links[row].first
      while child >= 0 {
        union = union.union(rows[Int(child)])
        child = tables.links[Int(child)].next
      }
      below[row] = union
    }
    let place = tables[row]
    let inside = place.pointee.inside
    let parent = place.pointee.isMask ? -1 : place.pointee.parent
    let isInside = parent >= 0 && tables[parent].pointee.inside == row
    let all = place.pointee.space < 0 ? evaluated.area : bitmapLimits
    let plain =
      inside < 0 ? tables.plainExtent(of: row, below: below[row], all: all) : nil
    let extent: Extent
    if let plain, filters.isEmpty {
      // Most rows are of this kind.
      extent = plain
    } else {
      let new =
        inside >= 0
        ? tree.extent(ofRasterized: row, rows[inside], bitmapLimits, in: evaluated)
        : plain.map { LayerExtent(extent: $0) }
          ?? tree.extent(of: row, below: below[row].cgRect, in: evaluated, all.cgRect)
      extent = new.extent
      filters.set(unfiltered: new.unfiltered, of: row)
      if need.contains(.own) || need.contains(.filters),
        filters.set(new, of: row, tree, evaluated), parent >= 0, !isInside
      {
        add(parent, .filters, evaluated)
      }
    }
    let old = rows[row]
    guard extent != old else { return }
    rows[row] = extent
    edges[row] = BoxEdges(extent)
    guard parent >= 0 else { return }
    if isInside {
      add(parent, .own, evaluated)
    } else if below[parent].encloses(old) || extent.union(old) == extent {
      let grown = below[parent].union(extent)
      guard grown != below[parent] else { return }
      below[parent] = grown
      add(parent, .extent, evaluated)
    } else {
      add(parent, .below, evaluated)
    }
  }
}

// MARK: - On several threads

extension Extents {
  /// What rows that were measured change of a row above them.
  private struct Growth {
    var parent: Int
    var union = Extent.none
    /// Whether an edge of `below` may have moved inward.
    var mayShrink = false
  }

  /// What a thread left to do of a part of the rows.
  private struct MeasuredPart {
    var rest: [Int] = []
    var growths: [Growth] = []
  }

  /// Measures leaves among distinct rows, and returns the others.
  private mutating func measureLeaves(
    among touched: [Int], _ tables: RowTables, _ bitmapLimits: PixelRect,
    _ evaluated: EvaluatedTree, _ sharing: LoopSharing
  ) -> [Int] {
    var parts = [MeasuredPart](
      repeating: MeasuredPart(), count: sharing.partCount(of: touched.count))
    let area = evaluated.area
    touched.withUnsafeBufferPointer { touched in
      withMeasurement(tables, area, bitmapLimits) { measurement in
        parts.withUnsafeMutableBufferPointer { parts in
          sharing.share(touched.count) { places, part, _ in
            parts[part] = measurement.measure(touched, places)
          }
        }
      }
    }
    var rest: [Int] = []
    for part in parts {
      rest += part.rest
      for growth in part.growths {
        if growth.mayShrink {
          add(growth.parent, .below, evaluated)
          continue
        }
        let grown = below[growth.parent].union(growth.union)
        guard grown != below[growth.parent] else { continue }
        below[growth.parent] = grown
        add(growth.parent, .extent, evaluated)
      }
    }
    return rest
  }

  private mutating func withMeasurement(
    _ tables: RowTables, _ area: PixelRect, _ bitmapLimits: PixelRect,
    _ body: (LeafMeasurement) -> Void
  ) {
    rows.withUnsafeMutableBufferPointer { rows in
      edges.withUnsafeMutableBufferPointer { edges in
        below.withUnsafeBufferPointer { below in
          needs.withUnsafeBufferPointer { needs in
            body(
              LeafMeasurement(
                tables: tables, area: area, bitmapLimits: bitmapLimits, rows: rows.baseAddress!,
                edges: edges.baseAddress!, below: below.baseAddress!, needs: needs.baseAddress!))
          }
        }
      }
    }
  }

  /// The extents, in place, of which each thread writes those of its own leaves.
  private struct LeafMeasurement {
    let tables: RowTables
    let area: PixelRect
    let bitmapLimits: PixelRect
    let rows: UnsafeMutablePointer<Extent>
    let edges: UnsafeMutablePointer<BoxEdges>
    let below: UnsafePointer<Extent>
    let needs: UnsafePointer<Need>

    func measure(_ touched: UnsafeBufferPointer<Int>, _ places: Range<Int>) -> MeasuredPart {
      var part = MeasuredPart()
      var growth = Growth(parent: -1)
      for place in places {
        if let next = touched.soon(after: place) { tables.prefetch(next) }
        let row = touched[place]
        guard tables[row].pointee.isLive else { continue }
        guard let extent = extent(of: row) else {
          part.rest.append(row)
          continue
        }
        let old = rows[row]
        guard extent != old else { continue }
        rows[row] = extent
        edges[row] = BoxEdges(extent)
        let parent = tables[row].pointee.isMask ? -1 : tables[row].pointee.parent
        guard parent >= 0 else { continue }
        if parent != growth.parent {
          if growth.parent >= 0 { part.growths.append(growth) }
          growth = Growth(parent: parent)
        }
        if below[parent].encloses(old) || extent.union(old) == extent {
          growth.union = growth.union.union(extent)
        } else {
          growth.mayShrink = true
        }
      }
      if growth.parent >= 0 { part.growths.append(growth) }
      return part
    }

    /// nil for a row that is no leaf, or on which others depend in another way.
    private func extent(of row: Int) -> Extent? {
      let place = tables[row]
      let parent = place.pointee.parent
      guard tables.isLeaf(row), needs[row].isEmpty,
        parent < 0 || tables[parent].pointee.inside != row
      else { return nil }
      return tables.plainExtent(
        of: row, below: below[row], all: place.pointee.space < 0 ? area : bitmapLimits)
    }
  }
}

/// A box of pixels. Two are compared without a branch, since which boxes meet a small one cannot be
/// predicted.
struct BoxEdges: Equatable {
  var minX: Int32
  var minY: Int32
  var maxX: Int32
  var maxY: Int32

  /// Meets nothing.
  static let none = BoxEdges(minX: .max, minY: .max, maxX: .min, maxY: .min)

  private init(minX: Int32, minY: Int32, maxX: Int32, maxY: Int32) {
    (self.minX, self.minY, self.maxX, self.maxY) = (minX, minY, maxX, maxY)
  }

  /// Coordinates beyond those of `PixelRect.everywhere` are clamped.
  init(_ rect: PixelRect) {
    let rect = rect.intersection(.everywhere)
    self =
      rect.isEmpty
      ? .none
      : BoxEdges(
        minX: Int32(rect.minX), minY: Int32(rect.minY), maxX: Int32(rect.maxX),
        maxY: Int32(rect.maxY))
  }

  /// The pixels that an extent touches. Coordinates beyond those of `PixelRect.everywhere` are
  /// clamped.
  init(_ extent: Extent) {
    guard !extent.isNone else {
      self = .none
      return
    }
    // As of `PixelRect.everywhere`.
    let far = Double(1 << 30)
    var near = extent
    if extent.minX < -far || extent.minY < -far || extent.maxX > far || extent.maxY > far {
      near = Extent(
        minX: max(-far, min(far, extent.minX)), minY: max(-far, min(far, extent.minY)),
        maxX: max(-far, min(far, extent.maxX)), maxY: max(-far, min(far, extent.maxY)))
    }
    minX = Int32(truncatingIfNeeded: Int(floor: near.minX))
    minY = Int32(truncatingIfNeeded: Int(floor: near.minY))
    maxX = Int32(truncatingIfNeeded: Int(ceiling: near.maxX))
    maxY = Int32(truncatingIfNeeded: Int(ceiling: near.maxY))
    if minX >= maxX || minY >= maxY { self = .none }
  }

  var rect: PixelRect {
    minX > maxX
      ? .empty
      : PixelRect(minX: Int(minX), minY: Int(minY), maxX: Int(maxX), maxY: Int(maxY))
  }

  func meets(_ other: BoxEdges) -> Bool {
    // All four differences are negative if the boxes meet.
    let left = Int(minX) - Int(other.maxX)
    let right = Int(other.minX) - Int(maxX)
    let top = Int(minY) - Int(other.maxY)
    let bottom = Int(other.minY) - Int(maxY)
    return left & right & top & bottom < 0
  }
}
