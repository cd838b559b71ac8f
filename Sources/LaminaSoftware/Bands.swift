import LaminaFramePlan
import LaminaValues
import Synchronization

/// Paints the operations of a round in bands of rows, which several threads take one by one.
///
/// Each thread has a share of the bands, and begins where it ended in the frame before: what it
/// painted last is still in its core's cache. One that has done its share helps the others, at the
/// end that they would reach last.
final class Bands {
  /// Rows of a band: few enough that a band of a frame stays in a core's cache.
  static let height = 32
  /// Number of pixels below which more threads would cost more than they bring.
  var pixelsWorthThreads = 1 << 15

  let threads: WorkerThreads
  private let painters: [Painter]
  /// The bands that each thread has yet to paint. It takes them from one end, and others from the
  /// other.
  private let shares: [SharedRange]
  /// Whether a share's bands are taken from the last one on.
  private var isBackward = false
  /// The operations of each band, one band after another, and where each band's start.
  private var order: [Int32] = []
  private var starts: [Int] = []

  init(_ threads: WorkerThreads, _ rows: PixelRows) {
    self.threads = threads
    painters = (0..<threads.count).map { _ in Painter(rows) }
    shares = (0..<threads.count).map { _ in SharedRange() }
  }

  /// Called before the rounds of a frame.
  func startFrame() { isBackward.toggle() }

  func paint(_ preparation: Preparation, _ items: ItemList) {
    guard !preparation.operations.isEmpty else { return }
    let (range, pixels) = sort(preparation)
    let count = range.count
    let threads = pixels < pixelsWorthThreads ? 1 : min(threads.count, count)
    preparation.withPointers(items) { operations, tables in
      order.withUnsafeBufferPointer { order in
        starts.withUnsafeBufferPointer { starts in
          let work = BandWork(
            operations: operations, tables: tables, order: order, starts: starts,
            first: range.lowerBound, preparation: preparation)
          for (thread, share) in shares.enumerated() {
            share.fill(
              count * min(thread, threads) / threads..<count * min(thread + 1, threads) / threads)
          }
          let round = BandRound(work, painters, shares, isBackward: isBackward)
          self.threads.perform(round, threads: threads)
        }
      }
    }
  }

  /// Sorts the operations by band, keeping their order. Returns the bands of the targets, and the
  /// operations' number of pixels as far as it matters.
  private func sort(_ preparation: Preparation) -> (bands: Range<Int>, pixels: Int) {
    let (first, last) = preparation.bandsOfTargets
    let count = last - first + 1
    var pixels = 0
    for operation in preparation.operations where pixels < pixelsWorthThreads {
      pixels += operation.area
    }
    starts.removeAll(keepingCapacity: true)
    starts.append(contentsOf: repeatElement(0, count: count + 1))
    starts.withUnsafeMutableBufferPointer { starts in
      preparation.forEachRange { _, rows in
        for band in (rows.lowerBound >> 5) - first...((rows.upperBound - 1) >> 5) - first {
          starts[band + 1] += 1
        }
      }
      for band in 0..<count { starts[band + 1] += starts[band] }
    }
    let total = starts[count]
    if order.count < total { order = [Int32](repeating: 0, count: total + total / 4) }
    order.withUnsafeMutableBufferPointer { order in
      starts.withUnsafeMutableBufferPointer { starts in
        preparation.forEachRange { index, rows in
          for band in (rows.lowerBound >> 5) - first...((rows.upperBound - 1) >> 5) - first {
            order[starts[band]] = Int32(truncatingIfNeeded: index)
            starts[band] += 1
          }
        }
        // Each start has moved to the next band's.
        for band in stride(from: count, to: 0, by: -1) { starts[band] = starts[band - 1] }
        starts[0] = 0
      }
    }
    return (first..<first + count, pixels)
  }
}

/// What the threads read while they paint. The tables outlive the work.
private struct BandWork: @unchecked Sendable {
  let operations: UnsafePointer<Operation>
  let tables: PreparationPointers
  let order: UnsafeBufferPointer<Int32>
  let starts: UnsafeBufferPointer<Int>
  let first: Int
  let preparation: Preparation

  /// Must be called before a painter paints its first band.
  func start(_ painter: Painter) { painter.scratch.start(preparation, tables) }

  /// Paints a band, counted from the first.
  func paint(_ band: Int, _ painter: Painter) {
    if starts[band] == starts[band + 1] { return }
    let top = (first + band) * Bands.height
    painter.scratch.withTables(top: top, preparation, tables) { tables in
      withOperations(of: band, tables) { operations, tables in
        for index in operations.indices {
          let operation = operations.baseAddress! + index
          let origin = tables.pointee.targets[Int(operation.pointee.pass)].originY
          painter.paint(operation, rows: top - origin..<top - origin + Bands.height, tables)
        }
      }
    }
  }

  /// Passes a band's operations to `body`. They are far apart in memory, as are their boxes. Copied
  /// first, they are waited for together.
  private func withOperations(
    of band: Int, _ tables: PreparationPointers,
    _ body: (UnsafeMutableBufferPointer<Operation>, UnsafePointer<PreparationPointers>) -> Void
  ) {
    let places = order[starts[band]..<starts[band + 1]]
    withUnsafeTemporaryAllocation(of: Operation.self, capacity: places.count) { copies in
      _ = copies.initialize(from: places.lazy.map { operations[Int($0)] })
      withUnsafeTemporaryAllocation(of: SoftBox.self, capacity: places.count) { boxes in
        var tables = tables
        let all = tables.boxes
        for index in copies.indices where copies[index].kind == .box {
          boxes.initializeElement(at: index, to: all[Int(copies[index].value)])
          copies[index].value = UInt32(truncatingIfNeeded: index)
        }
        if let boxes = boxes.baseAddress { tables.boxes = UnsafePointer(boxes) }
        withUnsafePointer(to: tables) { body(copies, $0) }
      }
    }
  }
}

/// A round, which threads paint together. Each thread uses a painter of its own.
private final class BandRound: SharedWork, @unchecked Sendable {
  private let work: BandWork
  private let painters: [Painter]
  private let shares: [SharedRange]
  private let isBackward: Bool

  init(_ work: BandWork, _ painters: [Painter], _ shares: [SharedRange], isBackward: Bool) {
    (self.work, self.painters, self.shares, self.isBackward) = (work, painters, shares, isBackward)
  }

  func run(onThread thread: Int) {
    let painter = painters[thread]
    work.start(painter)
    while let band = shares[thread].take(last: isBackward) { work.paint(band, painter) }
    for distance in 1..<shares.count {
      let share = shares[(thread + distance) % shares.count]
      while let band = share.take(last: !isBackward) { work.paint(band, painter) }
    }
  }
}

extension Preparation {
  /// The first and the last band with rows of a target.
  fileprivate var bandsOfTargets: (first: Int, last: Int) {
    targets.reduce(into: (Int.max, Int.min)) { bands, target in
      bands.0 = min(bands.0, target.originY >> 5)
      bands.1 = max(bands.1, (target.originY + target.texels.height - 1) >> 5)
    }
  }

  /// Calls `body` with each operation's index and rows, in the round's space.
  @inline(__always)
  fileprivate func forEachRange(_ body: (Int, Range<Int>) -> Void) {
    operations.withUnsafeBufferPointer { operations in
      targets.withUnsafeBufferPointer { targets in
        for index in operations.indices {
          let operation = operations[index]
          let origin = targets[Int(operation.pass)].originY
          body(index, Int(operation.minY) + origin..<Int(operation.maxY) + origin)
        }
      }
    }
  }

  fileprivate func withPointers(
    _ items: ItemList, _ body: (UnsafePointer<Operation>, PreparationPointers) -> Void
  ) {
    func place<Element>(_ buffer: UnsafeBufferPointer<Element>) -> UnsafePointer<Element> {
      buffer.baseAddress ?? UnsafePointer(bitPattern: MemoryLayout<Element>.alignment)!
    }
    withUnsafePointer(to: items) { items in
      operations.withUnsafeBufferPointer { operations in
        targets.withUnsafeBufferPointer { targets in
          brushes.withUnsafeBufferPointer { brushes in
            boxes.withUnsafeBufferPointer { boxes in
              polygons.withUnsafeBufferPointer { polygons in
                edges.withUnsafeBufferPointer { edges in
                  ramps.withUnsafeBufferPointer { ramps in
                    sources.withUnsafeBufferPointer { sources in
                      body(
                        place(operations),
                        PreparationPointers(
                          targets: place(targets), boxes: place(boxes), brushes: place(brushes),
                          polygons: place(polygons), edges: place(edges), ramps: place(ramps),
                          sources: place(sources), items: items))
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}
