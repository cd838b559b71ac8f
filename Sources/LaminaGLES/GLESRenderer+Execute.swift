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

    let targetByteCount = plan.offscreens.reduce(0) {
      $0 + profile.byteCount(of: $1, surface.format)
    }
    free(offscreens.trim(to: plan.idleTargetLimit - targetByteCount, profile))
    var targets = FrameTargets(surface: surface)
    defer { free(offscreens.giveBack(targets.offscreens)) }
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
      draws += try draw(pass, of: plan, &targets, &firstFloat)
      try checkErrors("pass \(index) into \(pass.target)")
    }
    try platform.context.checkReset()
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
    _ pass: FramePlan.Pass, of plan: FramePlan, _ targets: inout FrameTargets,
    _ firstFloat: inout Int
  ) throws(ExecutorError) -> Int {
    let target: RenderTarget
    var leftOver = PixelRect.empty
    switch pass.target {
    case .surface: target = targets.surface
    case .canvas(let id):
      guard let canvas = canvases[id] else { throw .badPlan("there is no canvas \(id)") }
      target = canvas
    case .offscreen(let index):
      target = targets.offscreens[index]
      if targets.started.insert(index).inserted {
        leftOver = target.drawn
        targets.offscreens[index].drawn = .empty
      }
      targets.offscreens[index].drawn = pass.parts.reduce(targets.offscreens[index].drawn) {
        $0.union($1)
      }
    }
    glBindFramebuffer(GLenum(GL_FRAMEBUFFER), target.framebuffer)
    glViewport(0, 0, GLsizei(target.size.width), GLsizei(target.size.height))
    let bounds = PixelRect(target.size)
    let parts = pass.parts.map { $0.intersection(bounds) }.filter { !$0.isEmpty }
    // One rectangle is cleared faster than two.
    if pass.isCleared, parts.count == 1 {
      clear(leftOver.union(parts[0]))
    } else {
      clear(leftOver)
      if pass.isCleared { for part in parts { clear(part) } }
    }
    var draws = 0
    for part in parts {
      var first = firstFloat
      for batch in pass.batches {
        defer { first += batch.floatCount }
        let scissor = batch.scissor.intersection(part)
        if scissor.isEmpty || batch.vertexCount == 0 { continue }
        state.use(scissor: scissor)
        draws += try draw(batch, of: plan, from: first, target, targets)
      }
    }
    firstFloat += pass.batches.reduce(0) { $0 + $1.floatCount }
    return draws
  }

  private func clear(_ rect: PixelRect) {
    guard !rect.isEmpty else { return }
    state.use(scissor: rect)
    glClearColor(0, 0, 0, 0)
    glClear(GLbitfield(GL_COLOR_BUFFER_BIT))
  }

  private func draw(
    _ batch: FramePlan.Batch, of plan: FramePlan, from firstFloat: Int, _ target: RenderTarget,
    _ targets: FrameTargets
  ) throws(ExecutorError) -> Int {
    state.use(batch.blend)
    var imageSize: PixelSize?
    var levelBias: Float?
    for (unit, source) in batch.sources.enumerated() {
      let name: GLuint
      switch source.texture {
      case .texture(let id):
        let texture = textures.texture(id)
        name = texture?.name ?? 0
        if unit == 0 { imageSize = texture?.size }
      case .canvas(let id): name = canvases[id]?.texture ?? 0
      case .offscreen(let index): name = targets.offscreens[index].texture
      case .surface: name = targets.surface.texture
      }
      if case .trilinear(let bias) = source.filter { levelBias = bias }
      state.use(texture: name, filter: source.filter, unit: unit)
    }
    var draws = 0
    for run in runs(of: batch, plan.items, imageSize: imageSize) {
      let program = try programs.program(
        batch.program, batch.blend, on: target.format, isAlike: run.isAlike)
      state.use(program)
      program.setTarget(target.size)
      if let levelBias { program.setLevelBias(levelBias) }
      draws += draw(run, from: program.pointAttributes(at: firstFloat))
    }
    return draws
  }
}
