import CGL
import LaminaFramePlan
import LaminaValues

extension GLESRenderer {
  /// Draws a frame into a surface, and returns the number of draw calls.
  ///
  /// First frees the textures that the plan releases, then uploads, then makes mipmaps, then draws
  /// the passes. `stores` returns the pixels of an image while this runs, or nil if there are none.
  /// If this throws, the surface's contents are undefined and its textures may lack this plan's
  /// uploads.
  package func execute(
    _ plan: FramePlan, on id: SurfaceID,
    stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) -> Int {
    try enter()
    guard let surface = surfaces[id] else { throw .unknownSurface(id) }
    try plan.check(
      for: surface.size, hasTexture: { textures.texture($0) != nil },
      hasCanvas: { canvases[$0] != nil })
    state.forget()
    for texture in plan.releases {
      textures.release(texture)
      canvases.removeValue(forKey: texture)?.destroy(in: nil)
    }
    try upload(plan, stores)
    for canvas in plan.canvases {
      canvases[canvas.texture] = try makeTarget(
        canvas.size, surface.format, on: nil, label: "canvas \(canvas.texture)")
    }

    var targets = FrameTargets(surface: surface)
    defer { offscreens.giveBack(targets.offscreens) }
    for (index, size) in plan.offscreens.enumerated() {
      if let target = offscreens.take(size, surface.format) {
        targets.offscreens.append(target)
      } else {
        targets.offscreens.append(
          try makeTarget(size, surface.format, on: nil, label: "offscreen \(index)"))
      }
    }
    vertices.expand(plan)
    vertices.withBytes { state.stream($0) }
    var draws = 0
    var firstFloat = 0
    for (index, pass) in plan.passes.enumerated() {
      draws += try draw(pass, &targets, &firstFloat)
      try checkErrors("pass \(index) into \(pass.target)")
    }
    if platform.context.wasReset() { throw .contextLost }
    return draws
  }

  private func upload(
    _ plan: FramePlan,
    _ stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) {
    guard !plan.uploads.isEmpty || !plan.mipmaps.isEmpty else { return }
    glActiveTexture(GLenum(GL_TEXTURE0))
    for upload in plan.uploads { try textures.upload(upload, stores: stores) }
    for mipmaps in plan.mipmaps { textures.make(mipmaps) }
    try checkErrors("uploads")
  }

  /// The targets that a frame draws into.
  private struct FrameTargets {
    let surface: RenderTarget
    var offscreens: [RenderTarget] = []
    /// The offscreens that this frame has already drawn into.
    var started: Set<Int> = []
  }

  private func draw(
    _ pass: FramePlan.Pass, _ targets: inout FrameTargets, _ firstFloat: inout Int
  ) throws(ExecutorError) -> Int {
    let target: RenderTarget
    var clear = pass.clear ?? .empty
    switch pass.target {
    case .surface: target = targets.surface
    case .canvas(let id):
      guard let canvas = canvases[id] else { throw .badPlan("there is no canvas \(id)") }
      target = canvas
    case .offscreen(let index):
      target = targets.offscreens[index]
      if targets.started.insert(index).inserted {
        clear = clear.union(target.drawn)
        targets.offscreens[index].drawn = .empty
      }
    }
    let bounds = PixelRect(target.size)
    glBindFramebuffer(GLenum(GL_FRAMEBUFFER), target.framebuffer)
    glViewport(0, 0, GLsizei(target.size.width), GLsizei(target.size.height))
    clear = clear.intersection(bounds)
    if !clear.isEmpty {
      state.use(scissor: clear)
      glClearColor(0, 0, 0, 0)
      glClear(GLbitfield(GL_COLOR_BUFFER_BIT))
    }
    var draws = 0
    let isGeneral = isGeneral(pass, on: targets.surface.format)
    for batch in pass.batches {
      defer { firstFloat += batch.vertexCount * batch.program.floatsPerVertex }
      let scissor = batch.scissor.intersection(bounds)
      if scissor.isEmpty || batch.vertexCount == 0 { continue }
      if case .offscreen(let index) = pass.target {
        targets.offscreens[index].drawn = targets.offscreens[index].drawn.union(scissor)
      }
      state.use(scissor: scissor)
      try draw(batch, from: firstFloat, target.size, targets, isGeneral: isGeneral)
      draws += 1
    }
    return draws
  }

  /// Whether a pass must be drawn by llvmpipe's general rasterizer alone.
  ///
  /// If a batch samples a target, or mipmaps, that one of llvmpipe's scenes still holds, llvmpipe
  /// splits the pass there, and whether one still does depends on how far its threads are. Tile by
  /// tile, what else is in a part of a pass decides between two rasterizers whose results differ by
  /// 1 or 2 of 255: left to llvmpipe, pixels would depend on timing. Seen in Mesa 22.3
  /// (llvmpipe_set_sampler_views, lp_setup_get_empty_scene).
  private func isGeneral(_ pass: FramePlan.Pass, on format: PixelFormat) -> Bool {
    guard profile.isSoftware, format == .bgra8 else { return false }
    return pass.batches.contains { batch in
      batch.program.isMipmapped
        || batch.sources.contains { source in
          if case .texture = source.texture { false } else { true }
        }
    }
  }

  private func draw(
    _ batch: FramePlan.Batch, from firstFloat: Int, _ size: PixelSize, _ targets: FrameTargets,
    isGeneral: Bool
  ) throws(ExecutorError) {
    let program = try programs.program(batch.program, batch.blend, isGeneral: isGeneral)
    state.use(program)
    program.setTarget(size)
    state.use(batch.blend)
    for (unit, source) in batch.sources.enumerated() {
      let name: GLuint
      switch source.texture {
      case .texture(let id): name = textures.texture(id)?.name ?? 0
      case .canvas(let id): name = canvases[id]?.texture ?? 0
      case .offscreen(let index): name = targets.offscreens[index].texture
      case .surface: name = targets.surface.texture
      }
      if case .trilinear(let bias) = source.filter { program.setLevelBias(bias) }
      state.use(texture: name, filter: source.filter, unit: unit)
    }
    let first = program.pointAttributes(at: firstFloat)
    glDrawArrays(GLenum(GL_TRIANGLES), GLint(first), GLsizei(batch.vertexCount))
  }
}
