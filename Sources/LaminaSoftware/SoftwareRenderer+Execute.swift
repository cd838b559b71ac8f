import LaminaFramePlan
import LaminaValues

extension SoftwareRenderer {
  /// Draws a frame into a surface, and returns the number of batches drawn.
  ///
  /// First frees the textures that the plan releases, then uploads, then makes mipmaps, then draws
  /// the passes. `stores` returns the pixels of an image while this runs, or nil if there are none.
  /// If this throws, the surface's contents are undefined and its textures may lack this plan's
  /// uploads.
  package func execute(
    _ plan: FramePlan, on id: SurfaceID,
    stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) -> Int {
    guard let surface = surfaces[id] else { throw .unknownSurface(id) }
    try plan.check(
      for: surface.size, hasTexture: { textures[$0] != nil }, hasCanvas: { canvases[$0] != nil })
    for texture in plan.releases {
      textures[texture] = nil
      canvases[texture] = nil
    }
    for upload in plan.uploads { try write(upload, stores) }
    for mipmaps in plan.mipmaps { textures[mipmaps.texture]?.makeMipmaps(mipmaps.count) }
    for canvas in plan.canvases {
      canvases[canvas.texture] = try makeBitmap(canvas.size, surface.format)
    }
    for size in plan.offscreens { try check(size) }
    var targets = FrameTargets(surface: surface)
    for size in plan.offscreens { targets.offscreens.append(offscreens.take(size, surface.format)) }
    defer { offscreens.giveBack(targets.offscreens) }
    for round in Round.rounds(of: plan) { draw(round, of: plan, &targets) }
    return plan.passes.reduce(0) { $0 + $1.batches.count }
  }

  /// The targets that a frame draws into.
  private struct FrameTargets {
    let surface: Bitmap
    var offscreens: [BitmapPool.Target] = []
    /// The offscreens that this frame has already drawn into.
    var started: Set<Int> = []
  }

  private func draw(_ round: Round, of plan: FramePlan, _ targets: inout FrameTargets) {
    preparation.startAgain()
    for pass in plan.passes[round.passes] {
      let target: Bitmap
      var leftOver = PixelRect.empty
      switch pass.target {
      case .surface: target = targets.surface
      case .canvas(let id):
        // The plan's check found it.
        guard let canvas = canvases[id] else { continue }
        target = canvas
      case .offscreen(let index):
        target = targets.offscreens[index].bitmap
        if targets.started.insert(index).inserted {
          leftOver = targets.offscreens[index].drawn
          targets.offscreens[index].drawn = .empty
        }
        for part in pass.parts {
          targets.offscreens[index].drawn = targets.offscreens[index].drawn.union(part)
        }
      }
      preparation.add(
        pass, of: plan.items, into: target.texels, clearing: leftOver
      ) { texels(of: $0.texture, targets) }
    }
    bands.paint(preparation, plan.items)
  }

  /// A source's pixels, and those of its smaller copies; none if the plan's check let through what
  /// is not there.
  private func texels(
    of source: FramePlan.TextureSource.Texture, _ targets: FrameTargets
  ) -> [Texels] {
    switch source {
    case .texture(let id):
      guard let texture = textures[id] else { return [] }
      return [texture.bitmap.texels] + texture.mipmaps.map(\.texels)
    case .canvas(let id): return canvases[id].map { [$0.texels] } ?? []
    case .offscreen(let index): return [targets.offscreens[index].bitmap.texels]
    case .surface: return [targets.surface.texels]
    }
  }

  // MARK: Uploads

  /// Writes one upload's region, after making the texture if there is none of that size and format.
  /// The part of a new texture outside its first upload is transparent.
  private func write(
    _ upload: FramePlan.Upload,
    _ stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) {
    let region = upload.region
    try check(upload.size)
    guard PixelRect(upload.size).contains(region) else {
      throw .badUpload(upload.texture, "\(region) is not within \(upload.size)")
    }
    if region.isEmpty { return }
    switch upload.source {
    case .store(let image, let originX, let originY):
      guard let store = stores(image) else {
        throw .badUpload(upload.texture, "there is no \(image)")
      }
      let rows = try UploadRows(
        upload, of: store.layout, store.bytes, originX: originX, originY: originY)
      texture(for: upload).write(rows.start, stride: rows.stride, to: region)
    case .bytes(let bytes):
      let layout = PixelLayout(
        width: region.width, height: region.height,
        stride: region.width * upload.format.bytesPerPixel, format: upload.format)
      let result: Result<Void, ExecutorError> = bytes.withUnsafeBytes { bytes in
        do throws(ExecutorError) {
          let rows = try UploadRows(upload, of: layout, bytes, originX: 0, originY: 0)
          texture(for: upload).write(rows.start, stride: rows.stride, to: region)
          return .success(())
        } catch {
          return .failure(error)
        }
      }
      try result.get()
    }
  }

  private func texture(for upload: FramePlan.Upload) -> Texture {
    if let texture = textures[upload.texture], texture.bitmap.size == upload.size,
      texture.bitmap.format == upload.format
    {
      return texture
    }
    let texture = Texture(upload.size, upload.format)
    textures[upload.texture] = texture
    return texture
  }
}
