import LaminaFramePlan
import LaminaValues

/// Everything that the bands of one round paint, in order, with the tables that it points into.
struct Preparation {
  /// A pass's target in memory.
  struct Target {
    var texels: Texels
    /// The row of the round's space in which it starts.
    var originY: Int
  }

  /// A target or a source that lies in a band's scratch memory, which each thread has its own of.
  struct Scratch {
    enum Use {
      case target(Int)
      case source(Int)
    }

    var use: Use
    /// The first byte of its place in that memory.
    var offset: Int
    /// The row of the round's space in which it starts.
    var originY: Int
  }

  /// What a pass draws into or reads, and its place in scratch memory if that is where it lies.
  struct Place {
    var texels: Texels
    /// Smaller copies, each half as large as the one before.
    var mipmaps: [Bitmap] = []
    var scratch: Int?
  }

  var targets: [Target] = []
  var operations: [Operation] = []
  var boxes: [SoftBox] = []
  var brushes: [Brush] = []
  var polygons: [PolygonEdges] = []
  var edges: [PolygonEdges.Edge] = []
  /// Planes of red, green, blue and alpha, four for each colour that varies.
  var ramps: [Plane] = []
  var sources: [Texels] = []
  var scratch: [Scratch] = []
  /// Bytes of scratch memory that a band needs.
  var scratchByteCount = 0

  init() {}

  /// Removes everything, and keeps the memory.
  mutating func startAgain() {
    targets.startAgain()
    operations.startAgain()
    boxes.startAgain()
    brushes.startAgain()
    polygons.startAgain()
    edges.startAgain()
    ramps.startAgain()
    sources.startAgain()
    scratch.startAgain()
    scratchByteCount = 0
  }

  /// Adds a pass. `clearing` is the part of its target with something of an earlier frame. A batch
  /// whose sources are nowhere draws nothing. Many items are shared among threads.
  mutating func add(
    _ pass: FramePlan.Pass, of items: ItemList, into place: Place, clearing: PixelRect,
    _ shares: PreparationShares, sources: (FramePlan.TextureSource.Texture) -> Place?
  ) {
    let index = Int32(targets.count)
    let target = place.texels
    if let offset = place.scratch {
      scratch.append(
        Scratch(use: .target(targets.count), offset: offset, originY: pass.originY))
      scratchByteCount = max(scratchByteCount, offset + Bands.height * target.stride)
    }
    targets.append(Target(texels: target, originY: pass.originY))
    let parts = pass.parts.map { $0.intersection(target.rect) }.filter { !$0.isEmpty }
    if place.scratch != nil {
      // Anything may be there.
      add(.clear, index, pass.bounds.intersection(target.rect))
    } else {
      if !clearing.isEmpty { add(.clear, index, clearing.intersection(target.rect)) }
      if pass.isCleared { for part in parts { add(.clear, index, part) } }
    }
    guard !parts.isEmpty else { return }
    let bounds = parts.reduce(PixelRect.empty) { $0.union($1) }
    batches: for batch in pass.batches {
      let scissor = batch.scissor.intersection(bounds)
      if scissor.isEmpty || batch.items.isEmpty { continue }
      var drawing = BatchPreparation(batch, in: pass, index, target, parts, scissor)
      for source in batch.sources {
        guard let place = sources(source.texture) else { continue batches }
        if let offset = place.scratch {
          scratch.append(
            Scratch(
              use: .source(self.sources.count), offset: offset, originY: source.originY))
        }
        drawing.add(place, of: source, to: &self.sources)
      }
      // What changes would be copied for each item.
      let complete = drawing
      if shares.sharing.isWorth(batch.items.count) {
        shares.add(batch.items, of: items, complete, to: &self)
        continue
      }
      items.withTables { tables in
        for place in batch.items { complete.add(tables.items + place, tables, items, to: &self) }
      }
    }
  }

  private mutating func add(_ kind: Operation.Kind, _ pass: Int32, _ rect: PixelRect) {
    if rect.isEmpty { return }
    operations.append(Operation(kind, pass, rect, value: 0))
  }

  /// Adds an operation that paints. One that fills what was just cleared takes the place of that.
  @inline(__always)
  mutating func append(_ operation: Operation) {
    if operation.kind == .fill, let last = operations.last, last.kind == .clear,
      operation.covers(last)
    {
      operations.removeLast()
    }
    operations.append(operation)
  }
}

extension Operation {
  @inline(__always)
  init(_ kind: Kind, _ pass: Int32, _ rect: PixelRect, value: UInt32) {
    self.init(
      kind: kind, pass: pass, minX: Int32(truncatingIfNeeded: rect.minX),
      minY: Int32(truncatingIfNeeded: rect.minY), maxX: Int32(truncatingIfNeeded: rect.maxX),
      maxY: Int32(truncatingIfNeeded: rect.maxY), value: value)
  }
}
