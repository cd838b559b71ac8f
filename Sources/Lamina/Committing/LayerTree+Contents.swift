import LaminaCommit
import LaminaValues

// What the client draws for a frame besides layers that need display: what layers recorded, layers
// whose animations the app draws, and the tiles that the frame shows.
extension LayerTree {
  /// Whether something may have to be drawn for a frame at `time`, in seconds of the clock,
  /// although nothing changed.
  func drawsContents(at time: Double) -> Bool {
    !storeDrawings.isEmpty || drawsAnimations(at: time) || mayShowOtherTiles(at: time)
      || mayShowImages(at: time)
  }

  /// Draws contents for a frame at a clock time. Returns whether there is something to commit.
  func drawContents(at time: Double) -> Bool {
    let hasRecorded = showStoreDrawings(waiting: clock.isManual)
    let showsImages = showImages(at: time)
    let drawsAnimations = drawAnimations(at: time)
    let drawsTiles = drawTiles(at: time)
    if hasRecorded || drawsTiles { drawingQueue.releaseFinished() }
    return hasRecorded || showsImages || drawsAnimations || drawsTiles
  }

  /// Commits what `drawContents` drew.
  func commitContents() throws(RenderServerError) {
    try commit()
    // That commit moved no layer that has tiles.
    tilesMayChange = false
  }

  // MARK: What layers recorded

  /// Draws what a layer recorded.
  func add(_ drawing: StoreDrawing) {
    storeDrawings.append(drawing)
    drawingQueue.add([drawing])
  }

  /// Shows the drawings that are finished, in the order in which they were recorded. If `waiting`,
  /// these are all. Returns whether there is something to commit.
  func showStoreDrawings(waiting: Bool) -> Bool {
    guard !storeDrawings.isEmpty else { return false }
    if waiting { drawingQueue.waitUntilIdle() }
    let finished = storeDrawings.prefix { $0.isFinished }
    storeDrawings.removeFirst(finished.count)
    for drawing in finished { drawing.layer?.show(drawing) }
    return !finished.isEmpty
  }

  // MARK: Tiles

  /// Notes a layer of the class CATiledLayer that entered the tree.
  func noteTiledLayer(_ layer: CALayer) {
    guard let layer = layer as? CATiledLayer, !tiledLayers.contains(where: { $0.layer === layer })
    else { return }
    tiledLayers.append(Shown(layer: layer))
  }

  /// Forgets layers that left the tree, with their tiles unless another tree shows them.
  func forgetTiledLayersThatLeft() {
    tiledLayers.removeAll { tiled in
      guard let layer = tiled.layer else { return true }
      if layer.rendered == nil { layer.removeTiles() }
      return layer.rendered?.tree !== self
    }
  }

  /// Draws the tiles that a frame shows and has not yet. On a manual clock they are drawn when it
  /// returns; on the host's, some of an earlier frame are. Returns whether there is something to
  /// commit.
  private func drawTiles(at time: Double) -> Bool {
    guard !tiledLayers.isEmpty else { return false }
    tilesMayChange = false
    forgetTiledLayersThatLeft()
    let layers = tiledLayers.compactMap(\.layer)
    for layer in layers {
      layer.requestTiles(for: visibleArea(of: layer, at: time), from: drawingQueue, on: clock)
    }
    if clock.isManual { drawingQueue.waitUntilIdle() }
    var isChanged = false
    for layer in layers where layer.showTiles(at: time, isWhole: clock.isManual) {
      isChanged = true
      noteFailure(of: layer)
    }
    return isChanged
  }

  private func mayShowOtherTiles(at time: Double) -> Bool {
    guard !tiledLayers.isEmpty else { return false }
    if tilesMayChange { return true }
    return tiledLayers.contains { tiled in
      guard let layer = tiled.layer, layer.rendered?.tree === self else { return false }
      // A manual clock's frames are asked for anyway while the layer moves.
      return layer.isUnsettled(at: time) || (!clock.isManual && mayMove(layer))
    }
  }

  /// Whether animations may move a layer.
  private func mayMove(_ layer: CALayer) -> Bool {
    var next: CALayer? = layer
    while let current = next {
      if !current.attachedAnimations.isEmpty { return true }
      next = current === root ? nil : current.superlayerStorage
    }
    return false
  }
}
