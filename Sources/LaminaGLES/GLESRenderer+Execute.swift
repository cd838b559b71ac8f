import CGL
import Foundation
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
    defer { leave() }
    guard let surface = surfaces[id] else { throw .unknownSurface(id) }
    try plan.check(
      for: surface.size, hasTexture: textures.contains,
      hasCanvas: { canvases[$0] != nil }, hasDMABuf: { dmaBufs[$0] != nil })
    state.forget()
    timer?.begin()
    defer { timer?.end() }
    programs.beginFrame(keeping: programLimit)
    glActiveTexture(GLenum(GL_TEXTURE0))
    textures.release(plan.releases)
    for texture in plan.releases { canvases.removeValue(forKey: texture)?.destroy(in: nil) }
    try upload(plan, stores)
    // After the uploads, which take the places of what was released.
    textures.shrinkArrays()
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
    vertices.begin(plan, layer: textures.layer)
    // Of memory that a platform gives it is not known.
    let isForLinearRasterizer = surface.format == .bgra8 && surface.isTexture
    // Mipmaps are drawn, into textures of any format.
    if !isForLinearRasterizer || !plan.mipmaps.isEmpty { drewForLinearRasterizer = false }
    let shifts: ImageShifts =
      !shiftsImages ? .none : drewForLinearRasterizer ? .either : .general
    var draws = 0
    var firstBatch = 0
    for (index, pass) in plan.passes.enumerated() {
      if index == vertices.passes.upperBound {
        vertices.expandNext(
          of: plan, on: surface.format, factors: hasComparedRasterizers ? alikeFactors : nil,
          hasForms: platform.context.isSoftware, shifts: shifts,
          sizeOfGroup: { hasComparedRasterizers ? groupSize(of: $0, surface.size, plan) : nil })
        vertices.withBytes { state.stream($0) }
        firstBatch = 0
      }
      draws += try draw(
        pass, at: index - vertices.passes.lowerBound, of: plan, batchesFrom: firstBatch, &targets)
      firstBatch += pass.batches.count
      try checkErrors("pass \(index) into \(pass.target)")
      let next = index + 1
      if next < plan.passes.count, plan.passes[next].target != pass.target { drawRecorded() }
    }
    if draws > 0 { drewForLinearRasterizer = isForLinearRasterizer }
    vertices.wantedInAtlas.forEach { textures.wantInAtlas($0) }
    textures.fillAtlas()
    try platform.context.checkReset()
    return draws
  }

  /// The size of a target that a plan samples.
  private func groupSize(
    of texture: FramePlan.TextureSource.Texture, _ surface: PixelSize, _ plan: FramePlan
  ) -> PixelSize? {
    switch texture {
    case .surface: surface
    case .offscreen(let index): plan.offscreens[index]
    case .canvas(let id): canvases[id]?.size
    case .texture: nil
    }
  }

  private func upload(
    _ plan: FramePlan,
    _ stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) {
    guard !plan.uploads.isEmpty || !plan.mipmaps.isEmpty else { return }
    for upload in plan.uploads {
      if case .dmaBuf(let id) = upload.source {
        place(upload.texture, in: id)
      } else {
        try textures.upload(upload, stores: stores)
      }
    }
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

  /// `place` is the pass' place among those whose vertices are written.
  private func draw(
    _ pass: FramePlan.Pass, at place: Int, of plan: FramePlan, batchesFrom firstBatch: Int,
    _ targets: inout FrameTargets
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
        if !plan.sharedOffscreens.contains(index) {
          leftOver = target.drawn
          targets.offscreens[index].drawn = .empty
        }
      }
      targets.offscreens[index].drawn = pass.parts.reduce(targets.offscreens[index].drawn) {
        $0.union($1)
      }
    }
    keepRecordingShort(adding: 100_000)
    let usesAtlas = vertices.spans[firstBatch..<firstBatch + pass.batches.count]
      .contains(where: \.layout.isInAtlas)
    if scene.mustEnd(beforeAtlas: usesAtlas, on: target.framebuffer) { glFlush() }
    glBindFramebuffer(GLenum(GL_FRAMEBUFFER), target.framebuffer)
    glViewport(0, 0, GLsizei(target.size.width), GLsizei(target.size.height))
    let bounds = PixelRect(target.size)
    let parts = pass.parts.map { $0.intersection(bounds) }.filter { !$0.isEmpty }
    // A part is cleared by triangles, which the atlas' images must not be beside.
    let allowsGround = !usesAtlas || parts == [bounds] && leftOver.isEmpty
    let ground =
      allowsGround ? Ground(of: pass, plan.items, parts: parts, on: target.format) : nil
    let isReplaced = ground == nil && pass.beginsReplacing(parts, plan.items)
    if isReplaced, parts.contains(where: { $0.contains(leftOver) }) {
      // Nothing of what was there is left.
    } else if pass.isCleared, parts.count == 1, ground == nil || leftOver.isEmpty,
      ground != nil || vertices.clears[place] == nil
    {
      // One rectangle is cleared faster than two.
      clear(leftOver.union(parts[0]), to: ground?.color)
    } else {
      clear(leftOver)
      if pass.isCleared, !isReplaced {
        if ground == nil, let span = vertices.clears[place] {
          _ = try fill(span, target, bounds)
        } else {
          for part in parts { clear(part, to: ground?.color) }
        }
      }
    }
    var draws = 0
    var waiting: JoinedBatches?
    var lastInsides: (place: Int, part: PixelRect?)?
    for (number, scissor, part) in pass.scissors(in: parts) {
      var (batch, span) = (pass.batches[number], vertices.spans[firstBatch + number])
      if number == 0, let ground {
        let count = vertices.pieces.vertexCount(of: batch.items.lowerBound, plan.items)
        guard let rest = ground.rest(of: batch, span, vertexCount: count) else { continue }
        (batch, span) = rest
      }
      if number == 0, isReplaced { batch.blend = .copy }
      if let insides = span.insides, lastInsides.map({ $0 == (insides, part) }) != true {
        lastInsides = (insides, part)
        if let before = waiting { draws += try draw(before, of: plan, target, targets) }
        waiting = nil
        draws += try fill(vertices.insides[insides], target, part ?? bounds)
      }
      if span.vertexCount == 0 { continue }
      if waiting?.join(batch, span, scissor, of: plan.items, by: self) == true { continue }
      if let waiting { draws += try draw(waiting, of: plan, target, targets) }
      waiting = JoinedBatches(batch, span, scissor)
    }
    if let waiting { draws += try draw(waiting, of: plan, target, targets) }
    return draws
  }

  /// Clears to a colour, or else to transparent.
  private func clear(_ rect: PixelRect, to color: SIMD4<Float>? = nil) {
    guard !rect.isEmpty else { return }
    let color = color ?? .zero
    state.use(scissor: rect)
    glClearColor(color.x, color.y, color.z, color.w)
    glClear(GLbitfield(GL_COLOR_BUFFER_BIT))
  }

  /// Fills many rectangles, in one draw, within a scissor. Returns the number of calls.
  ///
  /// To clear one by itself, Mesa draws it as well, and takes 18 µs to change its state and back.
  private func fill(
    _ span: ItemVertices.Span, _ target: RenderTarget, _ scissor: PixelRect
  ) throws(ExecutorError) -> Int {
    guard span.vertexCount > 0 else { return 0 }
    let program = try programs.program(
      span.layout, .copy, on: target.format, isAlike: hasComparedRasterizers)
    state.use(scissor: scissor)
    state.use(.copy)
    state.use(program)
    program.setTarget(target.size)
    var run = DrawRun(isAlike: hasComparedRasterizers)
    for first in stride(from: 0, to: span.vertexCount, by: 6) {
      run.add(6, from: first, limit: sliceLimit)
    }
    keepRecordingShort(adding: 30_000 + span.vertexCount / 3 * 500)
    return draw(run, from: program.pointAttributes(at: span.firstFloat))
  }

  private func draw(
    _ joined: JoinedBatches, of plan: FramePlan, _ target: RenderTarget, _ targets: FrameTargets
  ) throws(ExecutorError) -> Int {
    let (batch, layout) = (joined.first, joined.span.layout)
    state.use(scissor: joined.scissor)
    var imageSize: PixelSize?
    var levelBias: Float?
    for (unit, source) in batch.sources.enumerated() {
      let name: GLuint
      switch source.texture {
      case .texture(let id):
        let texture = textures.sampled(id, withMipmaps: batch.program.isMipmapped)
        if texture?.layer != nil, !layout.hasLayer {
          throw .badPlan("\(batch.program) samples \(id), a layer of an array")
        }
        name = layout.isInAtlas ? textures.atlas.name : texture?.name ?? 0
        if unit == 0, texture?.layer == nil { imageSize = texture?.size }
      case .canvas(let id): name = canvases[id]?.texture ?? 0
      case .offscreen(let index): name = targets.offscreens[index].texture
      case .surface: name = targets.surface.texture
      }
      if case .trilinear(let bias) = source.filter { levelBias = bias }
      state.use(
        texture: name, isArray: unit == 0 && layout.samplesArray, filter: source.filter, unit: unit)
    }
    var draws = 0
    let runs = joined.runs ?? runs(of: batch, joined.span, plan.items, imageSize: imageSize)
    for run in runs {
      let mayBlendTint = run.isAlike && batch.blend == .sourceOver && target.format == .bgra8
      let tint = mayBlendTint ? joined.tint : nil
      let program = try programs.program(
        layout, batch.blend, on: target.format, isAlike: run.isAlike,
        isTintedByBlending: tint != nil)
      state.use(batch.blend, tint: tint)
      state.use(program)
      program.setTarget(target.size)
      if let tint { program.setAlphaFactor(alikeAlphaFactors[Int(tint >> 24)]) }
      if let levelBias { program.setLevelBias(levelBias) }
      draws += draw(run, from: program.pointAttributes(at: joined.span.firstFloat))
      let triangles = run.counts.reduce(0) { $0 + Int($1) } / 3
      keepRecordingShort(adding: 30_000 + triangles * 500)
    }
    return draws
  }

  /// Has llvmpipe's threads draw what is recorded while this one prepares more.
  ///
  /// They begin with a scene together. One that was woken on this thread's core would keep the
  /// others waiting until this one waits for them, so it is let run.
  private func drawRecorded() {
    guard platform.context.isSoftware else { return }
    glFlush()
    sched_yield()
  }

  /// Waits until everything is drawn, if much is recorded that the CPU draws. llvmpipe otherwise
  /// records one target while it draws others, each up to 36 MB, and keeps that memory. `byteCount`
  /// is about what is recorded next.
  private func keepRecordingShort(adding byteCount: Int) {
    guard platform.context.isSoftware else { return }
    recordedBytes += byteCount
    guard recordedBytes > 8 << 20 else { return }
    glFinish()
    recordedBytes = byteCount
  }
}

extension FramePlan.Pass {
  /// The places of the batches in an order in which they can be drawn, each with the part of the
  /// target that it may draw in. Of these parts, a batch is drawn in all that its scissor meets:
  /// part by part, or if no batch meets two, all in turn.
  fileprivate func scissors(
    in parts: [PixelRect]
  ) -> [(batch: Int, scissor: PixelRect, part: PixelRect?)] {
    var scissors: [(batch: Int, scissor: PixelRect, part: PixelRect?)] = []
    scissors.reserveCapacity(batches.count)
    var isApart = parts.count > 1
    if isApart {
      for (place, batch) in batches.enumerated() {
        let met = parts.lazy.map { $0.intersection(batch.scissor) }.filter { !$0.isEmpty }.prefix(2)
        if met.count > 1 {
          isApart = false
          break
        }
        if let scissor = met.first { scissors.append((place, scissor, nil)) }
      }
    }
    // Each in one part: they may be drawn together.
    if isApart { return scissors }
    scissors.removeAll(keepingCapacity: true)
    for part in parts {
      for (place, batch) in batches.enumerated() {
        let scissor = batch.scissor.intersection(part)
        if !scissor.isEmpty { scissors.append((place, scissor, part)) }
      }
    }
    return scissors
  }
}
