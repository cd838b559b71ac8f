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
    var targetByteCount = 0
    for size in plan.offscreens {
      try check(size)
      targetByteCount += profile.byteCount(of: size, surface.format)
    }
    offscreens.trim(to: plan.idleTargetLimit - targetByteCount, profile)
    let rounds = Round.rounds(of: plan)
    let inScratch = rounds.reduce(into: Set<Int>()) { $0.formUnion($1.scratch.keys) }
    var targets = FrameTargets(surface: surface)
    for (index, size) in plan.offscreens.enumerated() where !inScratch.contains(index) {
      targets.offscreens[index] =
        offscreens.take(size, surface.format)
        ?? OffscreenBitmap(bitmap: Bitmap(size, surface.format))
    }
    defer { offscreens.giveBack(Array(targets.offscreens.values)) }
    bands.startFrame()
    for round in rounds { draw(round, of: plan, &targets) }
    return plan.passes.reduce(0) { $0 + $1.batches.count }
  }

  /// The targets that a frame draws into.
  private struct FrameTargets {
    let surface: Bitmap
    /// Those that are not in scratch memory.
    var offscreens: [Int: OffscreenBitmap] = [:]
    /// The offscreens that this frame has already drawn into.
    var started: Set<Int> = []
  }

  private func draw(_ round: Round, of plan: FramePlan, _ targets: inout FrameTargets) {
    preparation.startAgain()
    let scratch = ScratchPlaces(round, of: plan, targets.surface.format)
    for pass in plan.passes[round.passes] {
      var leftOver = PixelRect.empty
      if case .offscreen(let index) = pass.target, targets.offscreens[index] != nil {
        if targets.started.insert(index).inserted {
          leftOver = targets.offscreens[index]?.drawn ?? .empty
          targets.offscreens[index]?.drawn = .empty
        }
        let drawn = targets.offscreens[index]?.drawn ?? .empty
        targets.offscreens[index]?.drawn = drawn.union(pass.bounds)
      }
      // The plan's check found what is drawn into.
      guard let target = place(of: .init(pass.target), targets, scratch) else { continue }
      preparation.add(pass, of: plan.items, into: target, clearing: leftOver, shares) {
        place(of: $0, targets, scratch)
      }
    }
    bands.paint(preparation, plan.items)
  }

  /// The places of a round's offscreens in scratch memory.
  private struct ScratchPlaces {
    var texels: [Int: Texels] = [:]
    var offsets: [Int: Int] = [:]

    init(_ round: Round, of plan: FramePlan, _ format: PixelFormat) {
      // The largest of those that take a place in turn decides its size.
      var sizes: [Int] = []
      for (index, place) in round.scratch {
        let size = plan.offscreens[index]
        let stride = Bitmap.stride(size.width, format)
        // The address is known only to the thread that draws a band.
        texels[index] = Texels(
          base: UnsafeMutableRawPointer(bitPattern: 64)!, stride: stride, width: size.width,
          height: size.height, format: format)
        while sizes.count <= place { sizes.append(0) }
        sizes[place] = max(sizes[place], stride * Bands.height)
      }
      for (index, place) in round.scratch { offsets[index] = sizes[..<place].reduce(0, +) }
    }
  }

  /// Where a target's or a source's pixels are; nil if the plan's check let through what is not
  /// there.
  private func place(
    of source: FramePlan.TextureSource.Texture, _ targets: FrameTargets, _ scratch: ScratchPlaces
  ) -> Preparation.Place? {
    switch source {
    case .texture(let id):
      guard let texture = textures[id] else { return nil }
      return Preparation.Place(texels: texture.texels, mipmaps: texture.mipmaps)
    case .canvas(let id): return canvases[id].map { Preparation.Place(texels: $0.texels) }
    case .offscreen(let index):
      if let target = targets.offscreens[index] {
        return Preparation.Place(texels: target.bitmap.texels)
      }
      return scratch.texels[index].map {
        Preparation.Place(texels: $0, scratch: scratch.offsets[index])
      }
    case .surface: return Preparation.Place(texels: targets.surface.texels)
    }
  }

  // MARK: Uploads

  /// Writes one upload's region, after making the texture if there is none of that size and format.
  /// The part of a new texture outside its first upload is transparent.
  private func write(
    _ upload: FramePlan.Upload,
    _ stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) {
    try check(upload.size)
    try upload.withRows(from: stores) { rows in
      if upload.sharesStore, let texture = Texture(at: rows, upload.size, upload.format) {
        textures[upload.texture] = texture
      } else {
        texture(for: upload).write(rows.start, stride: rows.stride, to: upload.region)
      }
    }
  }

  private func texture(for upload: FramePlan.Upload) -> Texture {
    if let texture = textures[upload.texture], texture.isWritable,
      texture.texels.rect == PixelRect(upload.size), texture.texels.format == upload.format
    {
      return texture
    }
    let texture = Texture(upload.size, upload.format)
    textures[upload.texture] = texture
    return texture
  }
}
