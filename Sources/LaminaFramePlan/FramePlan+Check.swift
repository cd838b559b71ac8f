import LaminaValues

extension FramePlan {
  /// Throws if the plan contradicts itself or names something that does not exist, before anything
  /// is drawn. `hasTexture`, `hasCanvas` and `hasDMABuf` tell whether the device already has one.
  package func check(
    for size: PixelSize, hasTexture: (TextureID) -> Bool, hasCanvas: (TextureID) -> Bool,
    hasDMABuf: (DMABufID) -> Bool = { _ in false }
  ) throws(ExecutorError) {
    guard self.size == size else {
      throw .badPlan("it is \(self.size) and its surface \(size)")
    }
    for upload in uploads where !PixelRect(upload.size).contains(upload.region) {
      throw .badUpload(upload.texture, "its region is not within its size, \(upload.size)")
    }
    for upload in uploads {
      guard case .dmaBuf(let id) = upload.source else { continue }
      guard hasDMABuf(id) else { throw .badUpload(upload.texture, "there is no \(id)") }
      guard upload.sharesStore, !upload.sharesTexture, upload.format == .bgra8 else {
        throw .badUpload(upload.texture, "it is no texture that lies in \(id)")
      }
    }
    for upload in uploads where upload.sharesStore {
      guard upload.source.isStored, upload.region == PixelRect(upload.size) else {
        throw .badUpload(upload.texture, "it shares a store that does not have all of its pixels")
      }
    }
    for upload in uploads where upload.sharesTexture {
      guard SizeClass(of: upload.size, upload.format) != nil else {
        throw .badUpload(upload.texture, "a layer of no array has its size, \(upload.size)")
      }
    }
    let uploaded = Set(uploads.filter { !$0.region.isEmpty }.map(\.texture))
    let released = Set(releases)
    for mipmaps in mipmaps {
      guard uploaded.contains(mipmaps.texture) || hasTexture(mipmaps.texture),
        (0...30).contains(mipmaps.count)
      else {
        throw .badPlan("there are no \(mipmaps.count) mipmaps of \(mipmaps.texture)")
      }
    }
    for canvas in canvases where hasTexture(canvas.texture) || uploaded.contains(canvas.texture) {
      throw .badPlan("\(canvas.texture), a new canvas, is there already")
    }
    let canvases = Set(canvases.map(\.texture))
    guard canvases.count == self.canvases.count else { throw .badPlan("a canvas is there twice") }
    var drawn: Set<Int> = []
    var painted: Set<TextureID> = []
    for (index, pass) in passes.enumerated() {
      if case .offscreen(let target) = pass.target, !offscreens.indices.contains(target) {
        throw .badPlan("pass \(index) draws into offscreen \(target), which there is not")
      }
      if case .canvas(let target) = pass.target, !canvases.contains(target) {
        throw .badPlan("pass \(index) draws into canvas \(target), which is none of this plan")
      }
      guard Self.isPlace(pass.originX, pass.originY),
        pass.parts.allSatisfy({ PixelRect.everywhere.contains($0) })
      else {
        throw .badPlan("pass \(index) draws where nothing is")
      }
      for batch in pass.batches {
        try check(batch, in: pass, index)
        for source in batch.sources {
          switch source.texture {
          case .texture(let id):
            guard uploaded.contains(id) || (hasTexture(id) && !released.contains(id)) else {
              throw .badPlan("pass \(index) samples \(id), which there is not")
            }
          case .canvas(let id):
            let isKept = !canvases.contains(id) && hasCanvas(id) && !released.contains(id)
            guard isKept || painted.contains(id), pass.target != .canvas(id) else {
              throw .badPlan("pass \(index) samples canvas \(id) before it is drawn")
            }
          case .surface:
            guard pass.target != .surface else {
              throw .badPlan("pass \(index) samples the surface while it draws into it")
            }
          case .offscreen(let source):
            guard drawn.contains(source), pass.target != .offscreen(source) else {
              throw .badPlan("pass \(index) samples offscreen \(source) before it is drawn")
            }
          }
        }
      }
      switch pass.target {
      case .surface: break
      case .offscreen(let target): drawn.insert(target)
      case .canvas(let target): painted.insert(target)
      }
    }
  }

  /// Whether a place is so near that places can be compared and added.
  private static func isPlace(_ x: Int, _ y: Int) -> Bool {
    let everywhere = PixelRect.everywhere
    return (everywhere.minX...everywhere.maxX).contains(x)
      && (everywhere.minY...everywhere.maxY).contains(y)
  }

  private func check(_ batch: Batch, in pass: Pass, _ index: Int) throws(ExecutorError) {
    guard batch.sources.count == batch.program.sourceCount else {
      throw .badPlan(
        "pass \(index) gives \(batch.program) \(batch.sources.count) sources")
    }
    var isFormula = false
    if case .formula = batch.blend { isFormula = true }
    guard isFormula == (batch.program == .blended) else {
      throw .badPlan("pass \(index) blends \(batch.program) as \(batch.blend)")
    }
    guard batch.outlines == .any || batch.program.hasOutline else {
      throw .badPlan("pass \(index) draws \(batch.program) by outlines, which it has none of")
    }
    for source in batch.sources {
      guard Self.isPlace(source.originX, source.originY) else {
        throw .badPlan("pass \(index) samples \(source.texture) where nothing is")
      }
      var isTrilinear = false
      if case .trilinear = source.filter { isTrilinear = true }
      guard isTrilinear == batch.program.isMipmapped else {
        throw .badPlan("pass \(index) gives \(batch.program) a \(source.filter) source")
      }
    }
    guard batch.items.lowerBound >= 0, batch.items.upperBound <= items.items.count else {
      throw .badPlan("pass \(index) draws items \(batch.items) of \(items.items.count)")
    }
    var vertexCount = 0
    for place in batch.items {
      let item = items.items[place]
      guard item.program == batch.program, item.blend == batch.blend else {
        throw .badPlan("pass \(index) draws item \(place), \(item.program), as \(batch.program)")
      }
      guard items.hasEverything(that: item) else {
        throw .badPlan("item \(place), \(item.program), points outside its tables")
      }
      guard batch.outlines == .any || item.cornerCount == 4 && item.shape == .fan else {
        throw .badPlan("pass \(index) draws item \(place) by its outline, but it is no rectangle")
      }
      vertexCount += item.vertexCount
    }
    guard vertexCount == batch.vertexCount else {
      throw .badPlan(
        "pass \(index) draws \(batch.vertexCount) vertices of items that have \(vertexCount)")
    }
  }
}

extension ItemList {
  /// Whether all that an item points to is in the tables.
  fileprivate func hasEverything(that item: Item) -> Bool {
    let (program, count) = (item.program, Int(item.cornerCount))
    let hasColor =
      switch item.color {
      case .bytes: true
      case .floats(let index): Int(index) < colors.count
      case .ramp(let index): Int(index) < colorRamps.count
      }
    let index = Int(item.parameters)
    return hasColor && Int(item.firstCorner) + count <= corners.count
      && (item.shape == .fan || count % 3 == 0)
      && (!program.hasEdges || Int(item.firstEdges) + count <= edges.count)
      && (!program.hasOutline || Int(item.outline) < outlines.count)
      && (!program.hasMap || index < maps.count)
      && (!program.hasKernel || index < kernels.count && kernels[index].isFinite)
      && (program != .colorMatrix
        || index < matrices.count && matrices[index].columns.count == 4)
  }
}

extension BlurKernel {
  /// The most taps on a side that a device is asked for; a standard deviation has about three.
  private static let mostTaps = 1 << 10

  fileprivate var isFinite: Bool {
    sigma.isFinite && center.isFinite && step.x.isFinite && step.y.isFinite
      && (0..<8).contains(lift)
      && (0...Self.mostTaps).contains(taps)
  }
}
