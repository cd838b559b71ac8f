import LaminaFramePlan
import LaminaValues

/// Turns the items of large batches into operations on several threads. Their order, and what they
/// paint, is as if one thread had done it.
final class PreparationShares {
  var sharing: LoopSharing
  /// What each thread prepares for the others, kept for its memory.
  private var preparations: [Preparation]

  init(_ threads: WorkerThreads) {
    sharing = LoopSharing(threads)
    preparations = Array(repeating: Preparation(), count: threads.count)
  }

  /// What a part of the items became, in the preparation of a thread.
  private struct Part {
    var thread = 0
    var operations = 0..<0
  }

  func add(
    _ places: Range<Int>, of items: ItemList, _ drawing: BatchPreparation,
    to preparation: inout Preparation
  ) {
    for thread in preparations.indices { preparations[thread].startAgain() }
    var parts = [Part](repeating: Part(), count: sharing.partCount(of: places.count))
    items.withTables { tables in
      withUnsafeMutablePointer(to: &preparation) { first in
        preparations.withUnsafeMutableBufferPointer { preparations in
          parts.withUnsafeMutableBufferPointer { parts in
            sharing.share(places.count) { range, part, thread in
              // The first thread goes on in order.
              let own = thread == 0 ? first : preparations.baseAddress! + thread
              let start = own.pointee.operations.count
              for place in range {
                drawing.add(
                  tables.items + places.lowerBound + place, tables, items, to: &own.pointee)
              }
              if thread > 0 {
                parts[part] = Part(
                  thread: thread, operations: start..<own.pointee.operations.count)
              }
            }
          }
        }
      }
    }
    join(parts, to: &preparation)
  }

  /// Adds what the other threads prepared.
  private func join(_ parts: [Part], to preparation: inout Preparation) {
    var moves = [PreparationMove?](repeating: nil, count: preparations.count)
    for part in parts where !part.operations.isEmpty {
      let other = preparations[part.thread]
      let move = moves[part.thread] ?? preparation.append(tablesOf: other)
      moves[part.thread] = move
      for operation in other.operations[part.operations] {
        preparation.append(operation.moved(by: move))
      }
    }
  }
}

/// How far indices in the tables of a preparation are moved in those of another.
private struct PreparationMove {
  let boxes: UInt32
  let brushes: UInt32
}

extension Preparation {
  /// Adds the tables of another preparation that its operations point into. Sources and targets are
  /// the same.
  fileprivate mutating func append(tablesOf other: Preparation) -> PreparationMove {
    let move = PreparationMove(boxes: UInt32(boxes.count), brushes: UInt32(brushes.count))
    let (polygonCount, rampCount) = (Int32(polygons.count), Int32(ramps.count))
    let edgeCount = Int32(edges.count)
    boxes += other.boxes
    ramps += other.ramps
    edges += other.edges
    for var polygon in other.polygons {
      polygon.edges = polygon.edges.moved(by: edgeCount)
      polygons.append(polygon)
    }
    for var brush in other.brushes {
      brush.polygons = brush.polygons.moved(by: polygonCount)
      if brush.ramp >= 0 { brush.ramp += rampCount }
      brushes.append(brush)
    }
    return move
  }
}

extension Operation {
  fileprivate func moved(by move: PreparationMove) -> Operation {
    var operation = self
    switch kind {
    case .clear, .fill, .tint: break
    case .box: operation.value += move.boxes
    case .brush: operation.value += move.brushes
    }
    return operation
  }
}

extension Range<Int32> {
  fileprivate func moved(by count: Int32) -> Range<Int32> {
    lowerBound + count..<upperBound + count
  }
}
