import Foundation
import LaminaFramePlan
import LaminaValues

/// The vertices of a plan's batches, one after another in the order of the passes: those of a few
/// passes at a time, so that llvmpipe's threads can draw these while the next ones are written. A
/// vertex has the numbers that its program's attributes take: see `VertexLayout`.
struct ItemVertices {
  /// The vertices of one batch.
  struct Span {
    /// The place of the first one's first number.
    var firstFloat: Int
    var layout: VertexLayout
    /// What the batch samples if that is a layer of an array texture.
    var layer: ArrayLayer?
    /// The size of the group that the batch samples, if it is drawn as an image.
    var groupSize: PixelSize?
    /// Pixels of that group to one of the target: 1, or a half if it is doubled.
    var groupScale = 1.0
    /// What it multiplies images by, if that is the same for all.
    var tint: UInt32?
    /// The place of the first of its items' shifts, if its layout is shifted.
    var firstShift = 0
    /// The target that it is drawn into.
    var area: TargetArea
    /// Of its items, if that matters to the device.
    var forms: DrawForms = []
    /// The place of what is drawn before it: see `SolidInsides`.
    var insides: Int?
    var vertexCount: Int
  }

  /// Number of vertices beyond which no further pass is written with those before it.
  private static let fewVertices = 2048

  /// The passes whose vertices these are.
  private(set) var passes = 0..<0
  /// The first `count` are the passes'. The others are room for more.
  private var floats: [Float] = []
  private var count = 0
  /// The largest count of this plan.
  private var mostFloats = 0
  /// In the order of the passes and of their batches.
  var spans: [Span] = []
  /// For each pass the rectangles that clear it, if they are drawn: see `clearing`.
  private(set) var clears: [Span?] = []
  private var cleared: [PixelRect] = []
  /// What is drawn before batches of rounded rectangles.
  private(set) var insides: [Span] = []
  private var insideRects: [Range<Int>] = []
  /// What is drawn of the items.
  private(set) var pieces = VisiblePieces()
  /// What each of the plan's batches samples if that is a layer of an array texture, and whether
  /// the layer is filled: see `fillLayers`.
  private var layers: [(layer: ArrayLayer?, isFilled: Bool)] = []
  private var nextBatch = 0
  /// How images are shifted, item by item, of the batches that draw them so.
  var pixelShifts: [PixelShift] = []
  /// Images that would be drawn from the atlas if they were there.
  var wantedInAtlas: [TextureID] = []
  private var canvasSizes: [TextureID: PixelSize] = [:]

  /// Begins with another plan, which was checked. `layer` finds the textures that are layers of
  /// arrays.
  mutating func begin(_ plan: FramePlan, layer: (TextureID) -> ArrayLayer?) {
    let found = plan.passes.flatMap { $0.batches.map { $0.imageTexture.flatMap(layer) } }
    layers = zip(found, Self.fillLayers(found)).map { ($0, $1) }
    canvasSizes = Dictionary(uniqueKeysWithValues: plan.canvases.map { ($0.texture, $0.size) })
    (passes, nextBatch) = (0..<0, 0)
    wantedInAtlas.removeAll(keepingCapacity: true)
    // Of memory that was much too large for the last plan, it keeps none.
    if floats.count / 8 > mostFloats { floats = [] }
    mostFloats = 0
  }

  /// Replaces the vertices by those of the passes that follow, for targets of a format.
  /// `sizeOfGroup` finds the sizes of the groups that may be drawn as images. Images are multiplied
  /// by `factors`, if there are any: one for each byte of a colour. `hasForms` tells whether the
  /// batches' forms matter, `shifts` how images are drawn that are shifted.
  mutating func expandNext(
    of plan: FramePlan, on format: PixelFormat, factors: [Float]?, hasForms: Bool,
    shifts: ImageShifts, sizeOfGroup: (FramePlan.TextureSource.Texture) -> PixelSize?
  ) {
    let first = passes.upperBound
    count = 0
    spans.removeAll(keepingCapacity: true)
    pieces.removeAll()
    insides.removeAll(keepingCapacity: true)
    insideRects.removeAll(keepingCapacity: true)
    clears.removeAll(keepingCapacity: true)
    cleared.removeAll(keepingCapacity: true)
    pixelShifts.removeAll(keepingCapacity: true)
    var (end, vertexCount) = (first, 0)
    while end < plan.passes.count, end == first || vertexCount < Self.fewVertices {
      vertexCount += addSpans(
        of: plan.passes[end], in: plan, on: format, hasForms: hasForms, shifts, sizeOfGroup)
      end += 1
    }
    passes = first..<end
    mostFloats = max(mostFloats, count)
    if floats.count < count { floats = [Float](repeating: 0, count: count + count / 4) }
    // What is written is not this value's own meanwhile, whose spans change.
    var floats: [Float] = []
    swap(&floats, &self.floats)
    defer { swap(&floats, &self.floats) }
    floats.withUnsafeMutableBufferPointer { memory in
      guard let start = memory.baseAddress else { return }
      plan.items.withTables { tables in
        withUnsafeTemporaryAllocation(of: ItemCorner.self, capacity: 4) { clippedCorners in
          withUnsafeTemporaryAllocation(of: SIMD4<Double>.self, capacity: 4) { clippedEdges in
            var writer = VertexWriter(
              tables: tables, of: plan.items, pieces: pieces, factors: factors,
              shifts: pixelShifts, to: start,
              clippedCorners: clippedCorners.baseAddress!, clippedEdges: clippedEdges.baseAddress!)
            for (span, rects) in zip(insides, insideRects) {
              writer.write(pieces.insides.rects[rects], span)
            }
            var (number, nextClear) = (0, 0)
            for (place, pass) in plan.passes[passes].enumerated() {
              if let span = clears[place] {
                let end = nextClear + span.vertexCount / 6
                writer.writeClear(cleared[nextClear..<end], span)
                nextClear = end
              }
              let numbers = number..<number + pass.batches.count
              number = numbers.upperBound
              if hasForms {
                for (number, batch) in zip(numbers, pass.batches) {
                  spans[number].forms = writer.forms(of: batch, spans[number].area)
                }
              }
              if shifts == .either, spans[numbers].contains(where: \.layout.isShifted) {
                writeShifted(pass, numbers, of: plan, with: &writer)
                continue
              }
              for (number, batch) in zip(numbers, pass.batches) {
                writer.write(batch, in: pass, spans[number])
              }
            }
          }
        }
      }
    }
  }

  /// Adds the spans of a pass' batches, and returns how many vertices they have.
  private mutating func addSpans(
    of pass: FramePlan.Pass, in plan: FramePlan, on format: PixelFormat, hasForms: Bool,
    _ shifts: ImageShifts, _ sizeOfGroup: (FramePlan.TextureSource.Texture) -> PixelSize?
  ) -> Int {
    var sum = 0
    if hasForms, format == .bgra8 { pieces.cut(pass, plan.items) }
    let size = targetSize(of: pass, plan)
    for batch in pass.batches {
      let (layer, isFilled) = layers[nextBatch]
      nextBatch += 1
      var groupSize: PixelSize?
      if batch.program == .group,
        plan.items.items[batch.items].allSatisfy({ plan.items.wholePixels(of: $0) != nil })
      {
        groupSize = batch.sources.first.flatMap { sizeOfGroup($0.texture) }
      }
      var isWhite: Bool { plan.items.items[batch.items].allSatisfy { $0.color == .white } }
      var program = batch.program
      if groupSize != nil { program = isWhite ? .plainImage : .image }
      var groupScale = 1.0
      if let bits = batch.program.bitsOfEnlarging, format == .bgra8,
        let sampled = batch.sources.first.flatMap({ sizeOfGroup($0.texture) }),
        pass.isEnlargedAlone(bits: bits, on: size, from: sampled, plan)
      {
        (groupSize, groupScale, program) = (sampled, 2 / Double(1 << bits), .plainImage)
      }
      var layout = VertexLayout(
        program: program, hasLayer: layer != nil, fillsLayer: isFilled)
      let firstShift = pixelShifts.count
      if shifts != .none, format == .bgra8, let layer, batch.isAffine,
        addShifts(of: batch, in: layer, plan.items)
      {
        (layout.isShifted, layout.fillsLayer) = (true, false)
      }
      if hasForms { layout.taps = plan.items.tapsOnPixels(of: batch) }
      layout.isAffine = batch.isAffine
      layout.hasEvenOutlines = batch.outlines != .any && batch.program.coversOutline
      layout.isUpright = batch.outlines == .upright
      let vertexCount = pieces.vertexCount(of: batch, plan.items)
      if program.basic == .imageEdges || program.basic == .roundedImage {
        layout.isWhite = isWhite
      }
      spans.append(
        Span(
          firstFloat: count, layout: layout, layer: layer, groupSize: groupSize,
          groupScale: groupScale, tint: program == .image ? plan.items.tint(of: batch) : nil,
          firstShift: firstShift, area: TargetArea(pass, size), vertexCount: vertexCount))
      count += vertexCount * layout.floatCount
      sum += vertexCount
    }
    for run in pieces.insides.runs {
      let first = spans.count - pass.batches.count
      for number in run.batches { spans[first + number].insides = insides.count }
      let span = solidSpan(of: run.rects.count, TargetArea(pass, size))
      insides.append(span)
      insideRects.append(run.rects)
      sum += span.vertexCount
    }
    let hasShifted = spans.suffix(pass.batches.count).contains(where: \.layout.isShifted)
    clears.append(nil)
    if hasForms, format == .bgra8, pass.isCleared,
      pass.parts.count > 1 || hasShifted && pass.parts != [PixelRect(size)]
    {
      let first = cleared.count
      addCleared(of: pass)
      let span = solidSpan(of: cleared.count - first, TargetArea(pass, size))
      clears[clears.count - 1] = span
      sum += span.vertexCount
    }
    return sum
  }

  /// Makes room for plain rectangles.
  private mutating func solidSpan(of rectCount: Int, _ area: TargetArea) -> Span {
    var layout = VertexLayout(program: .solid)
    layout.isAffine = true
    let span = Span(firstFloat: count, layout: layout, area: area, vertexCount: rectCount * 6)
    count += span.vertexCount * layout.floatCount
    return span
  }

  func targetSize(of pass: FramePlan.Pass, _ plan: FramePlan) -> PixelSize {
    switch pass.target {
    case .surface: plan.size
    case .offscreen(let index): plan.offscreens[index]
    case .canvas(let id): canvasSizes[id]!
    }
  }

  /// Adds what a pass clears, in its space: its parts, without what nothing samples.
  private mutating func addCleared(of pass: FramePlan.Pass) {
    var rest = PixelRegion()
    for part in pass.parts { rest.add(part) }
    for rect in pass.unsampled { rest.subtract(rect) }
    for rect in rest.rects { cleared.append(rect.offset(x: pass.originX, y: pass.originY)) }
  }

  /// For each batch, whether what it samples fills its layer, and so does what those around it
  /// sample that can be drawn in the same call.
  private static func fillLayers(_ layers: [ArrayLayer?]) -> [Bool] {
    var fill: [Bool] = []
    while fill.count < layers.count {
      let rest = layers[fill.count...]
      let alike = rest.prefix { $0?.array == rest.first??.array }
      let isFilled = alike.allSatisfy { $0?.isFilled == true }
      fill.append(contentsOf: repeatElement(isFilled, count: alike.count))
    }
    return fill
  }

  func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    floats.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[..<(count * MemoryLayout<Float>.stride)]))
    }
  }
}

extension ItemList {
  /// The colour of all items of a batch, if it is one.
  fileprivate func tint(of batch: FramePlan.Batch) -> UInt32? {
    guard let first = batch.items.first, case .bytes(let tint) = items[first].color,
      items[batch.items].allSatisfy({ $0.color == .bytes(tint) })
    else { return nil }
    return tint
  }
}

extension FramePlan.Batch {
  /// The texture whose layer it may sample: that of a program of images, without mipmaps.
  var imageTexture: TextureID? {
    guard program.samplesImages, !program.isMipmapped,
      case .texture(let id) = sources.first?.texture
    else { return nil }
    return id
  }
}
