import LaminaValues

extension FramePlan {
  /// Throws if the plan contradicts itself or names something that does not exist, before anything
  /// is drawn. `hasTexture` and `hasCanvas` tell whether the device already has one.
  package func check(
    for size: PixelSize, hasTexture: (TextureID) -> Bool, hasCanvas: (TextureID) -> Bool
  ) throws(ExecutorError) {
    guard self.size == size else {
      throw .badPlan("it is \(self.size) and its surface \(size)")
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

  private func check(_ batch: Batch, in pass: Pass, _ index: Int) throws(ExecutorError) {
    guard batch.sources.count == batch.program.sourceCount else {
      throw .badPlan(
        "pass \(index) gives \(batch.program) \(batch.sources.count) sources")
    }
    for source in batch.sources {
      var isTrilinear = false
      if case .trilinear = source.filter { isTrilinear = true }
      guard isTrilinear == batch.program.isMipmapped else {
        throw .badPlan("pass \(index) gives \(batch.program) a \(source.filter) source")
      }
    }
    let available = vertices.count - min(max(batch.firstFloat, 0), vertices.count)
    guard batch.firstFloat >= 0, batch.vertexCount >= 0,
      batch.vertexCount <= available / batch.program.floatsPerVertex
    else {
      throw .badPlan(
        "pass \(index) draws \(batch.vertexCount) vertices from \(batch.firstFloat) of"
          + " \(vertices.count) numbers")
    }
  }
}
