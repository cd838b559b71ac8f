import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// The tiles of one layer: those that the last frame showed, those that are being drawn, and others
/// that were drawn and may be shown again.
///
/// For each frame, `request` finds the tiles that it shows and has those drawn that are not; `show`
/// then makes the finished ones layers below the tiled layer. Both run on the layer's thread.
final class TileCache {
  private final class Tile {
    let id: TileID
    let layer = TileLayer()
    /// The pixels; nil if nothing was drawn.
    var store: BackingStore?
    /// The version of the content that `store` shows; nil if the tile was never drawn.
    var version: Int?
    /// The version of the content that is to be shown.
    var wantedVersion: Int
    /// The part of the layer's space that was drawn.
    var area = CGRect.null
    var drawing: TileDrawing?
    /// The number of the last frame that wanted the tile.
    var lastUse = 0
    /// The clock time from which the tile hides what is behind it.
    var fadeEnd = -Double.infinity

    init(_ id: TileID, version: Int) {
      self.id = id
      wantedVersion = version
    }

    var byteCount: Int { store?.buffer.byteCount ?? 0 }

    /// Whether two tiles, of different levels, share a part of the layer.
    func meets(_ other: Tile, in grid: TileGrid) -> Bool {
      !grid.area(of: id).overlap(with: grid.area(of: other.id)).isEmpty
    }
  }

  /// What all tiles depend on.
  private struct Style: Equatable {
    var grid: TileGrid
    /// Whether y points up in the layer.
    var isYUp: Bool
    var isOpaque: Bool
  }

  /// The size of the tiles that are kept although the last frame did not show them, in bytes. Those
  /// whose last use is longest ago go first.
  static let spareByteLimit = 16 << 20
  /// A tile counts as at least so many bytes, since its record takes memory too.
  private static let recordByteCount = 4096

  private var style: Style?
  private var tiles: [TileID: Tile] = [:]
  /// The tiles that the last frame wanted, in painting order.
  private var wanted: [Tile] = []
  /// The tiles whose layers are below the tiled layer, the backmost first.
  private var shown: [Tile] = []
  /// The layer's values in the last frame that showed any of it.
  private var values = LayerValues()
  /// The number of the last change of the layer's content.
  private var version = 0
  /// The number of requests so far.
  private var useCount = 0
  private weak var queue: DrawingQueue?

  /// The layers that show the tiles, the backmost first.
  private(set) var layers: [CALayer] = []

  deinit {
    cancelAll()
    for layer in layers { layer.superlayerStorage = nil }
  }

  // MARK: Counters

  /// The number of tiles and the bytes of their pixels, those being drawn included.
  var usage: (tiles: Int, bytes: Int) {
    tiles.values.reduce((0, 0)) { sum, tile in
      (
        sum.tiles + 1,
        sum.bytes + tile.byteCount + (tile.drawing?.store.buffer.byteCount ?? 0)
      )
    }
  }

  // MARK: Changes of the content

  /// Has the tiles that meet a rectangle of the layer's space drawn again when a frame shows them;
  /// nil stands for all.
  func invalidate(_ rects: [CGRect]?) {
    version += 1
    for tile in tiles.values {
      guard let rects else {
        tile.wantedVersion = version
        continue
      }
      guard let area = style?.grid.area(of: tile.id) else { continue }
      if rects.contains(where: { !$0.overlap(with: area).isEmpty }) {
        tile.wantedVersion = version
      }
    }
  }

  /// Forgets all tiles. If the layer is in a tree, the next commit removes theirs.
  func removeAll(of owner: CATiledLayer) {
    cancelAll()
    tiles = [:]
    wanted = []
    place([], in: owner)
  }

  private func cancelAll() {
    for tile in tiles.values {
      if let drawing = tile.drawing { _ = queue?.cancel(drawing) }
    }
  }

  // MARK: A frame

  /// Asks for the tiles of a frame; `visible` is the part of the layer that it shows. Tiles that it
  /// does not show and that are not being drawn yet are not drawn.
  func request(
    _ visible: VisibleArea?, of owner: CATiledLayer, from queue: DrawingQueue, on clock: MediaClock
  ) throws(SharedMemoryError) {
    useCount += 1
    adopt(
      Style(
        grid: TileGrid(
          tileSize: owner.modelValues.tiling.tileSize, scale: owner.modelValues.contentsScale),
        isYUp: !owner.contentsAreFlipped(), isOpaque: owner.modelValues.client.isOpaque),
      queue, of: owner)
    wanted = []
    var drawings: [TileDrawing] = []
    defer { queue.add(drawings) }
    if let visible, let style, owner.drawsTiles {
      values = visible.values
      let (bounds, tiling) = (visible.values.bounds, owner.modelValues.tiling)
      let level = style.grid.level(
        for: visible.scale, finest: Int(tiling.levelsOfDetailBias),
        count: Int(tiling.levelsOfDetail))
      // Less than a pixel: the areas of equal pixels may differ by rounding errors.
      let slack = 0.25 / style.grid.scale(of: level)
      for id in style.grid.tiles(in: visible, level: level) {
        guard let subject = style.grid.subject(of: id, in: bounds) else { continue }
        let tile = tiles[id] ?? Tile(id, version: version)
        tiles[id] = tile
        tile.lastUse = useCount
        wanted.append(tile)
        // What lies outside of the bounds was not drawn, and may be inside of them now.
        if tile.version != nil, !tile.area.contains(subject.area.insetBy(dx: slack, dy: slack)) {
          tile.version = nil
        }
        guard tile.drawing == nil, tile.version != tile.wantedVersion else { continue }
        let store = try BackingStore(
          BackingStore.Subject(
            size: subject.size, bounds: subject.area, isYUp: style.isYUp,
            isOpaque: style.isOpaque))
        let drawing = TileDrawing(
          of: owner, into: store, version: tile.wantedVersion, on: clock)
        tile.drawing = drawing
        drawings.append(drawing)
      }
    }
    cancelUnwanted(queue)
  }

  private func adopt(_ new: Style, _ queue: DrawingQueue, of owner: CATiledLayer) {
    if self.queue !== queue {
      // The layer came from another renderer, whose queue still draws for it.
      cancelAll()
      for tile in tiles.values { tile.drawing = nil }
      self.queue = queue
    }
    if style != new { removeAll(of: owner) }
    style = new
  }

  private func cancelUnwanted(_ queue: DrawingQueue) {
    for tile in tiles.values where tile.lastUse != useCount {
      if let drawing = tile.drawing, queue.cancel(drawing) { tile.drawing = nil }
    }
  }

  /// Shows the finished tiles, with the committed changes still to come. `time` is the frame's, on
  /// the clock. If `isWhole`, all tiles of the frame are finished: they are shown as they are, and
  /// nothing else is. Otherwise tiles of other levels stay while those in front of them are drawn
  /// and fade in. Returns whether anything changed, and why a tile could not be drawn.
  func show(
    of owner: CATiledLayer, at time: Double, isWhole: Bool
  ) -> (isChanged: Bool, failure: String?) {
    var (isChanged, failure) = takeFinished()
    let ready = wanted.filter { $0.store != nil }
    let before = Set(shown.map { ObjectIdentifier($0) })
    for tile in ready where !before.contains(ObjectIdentifier(tile)) {
      tile.fadeEnd = isWhole ? -.infinity : fade(tile, of: owner, at: time)
    }
    var next = ready
    if !isWhole, let grid = style?.grid {
      let unsettled = wanted.filter { $0.version == nil || $0.fadeEnd > time }
      let behind = shown.filter { old in
        old.lastUse != useCount && unsettled.contains { $0.meets(old, in: grid) }
      }
      next = behind.sorted { $0.id < $1.id } + ready
    }
    for tile in next where tile.layer.show(tile.store, of: tile.area, in: values) {
      isChanged = true
    }
    if !shown.elementsEqual(next, by: ===) {
      place(next, in: owner)
      isChanged = true
    }
    dropSpare()
    return (isChanged, failure)
  }

  /// Whether another frame may show more, although the layer does not change.
  func isUnsettled(at time: Double) -> Bool {
    wanted.contains { $0.drawing != nil || $0.fadeEnd > time }
      || shown.contains { $0.lastUse != useCount }
  }

  private func takeFinished() -> (hasDrawn: Bool, failure: String?) {
    var (hasDrawn, failure): (Bool, String?) = (false, nil)
    for tile in tiles.values.sorted(by: { $0.id < $1.id }) {
      guard let drawing = tile.drawing, let outcome = drawing.outcome else { continue }
      tile.drawing = nil
      switch outcome {
      case .failed(let why): failure = failure ?? why
      case .drawn, .nothing:
        if case .drawn = outcome { tile.store = drawing.store } else { tile.store = nil }
        tile.version = drawing.version
        tile.area = drawing.store.subject.bounds
        hasDrawn = true
      }
    }
    return (hasDrawn, failure)
  }

  /// Makes a tile fade in from now on. Returns when it will have.
  private func fade(_ tile: Tile, of owner: CATiledLayer, at time: Double) -> Double {
    let duration = type(of: owner).fadeDuration()
    // The layer's time may run at another speed, or not at all.
    let speed =
      owner.localTime(at: time + 1, by: \.committedTiming)
      - owner.localTime(at: time, by: \.committedTiming)
    guard duration > 0, duration.isFinite, speed > 0, speed.isFinite else { return -.infinity }
    tile.layer.fadeIn(duration: duration * speed)
    return time + duration
  }

  private func place(_ next: [Tile], in owner: CATiledLayer) {
    guard !shown.isEmpty || !next.isEmpty else { return }
    let staying = Set(next.map { ObjectIdentifier($0) })
    for tile in shown where !staying.contains(ObjectIdentifier(tile)) {
      tile.layer.superlayerStorage = nil
      tile.layer.rendered?.noteDetached(tile.layer)
    }
    for tile in next { tile.layer.superlayerStorage = owner }
    shown = next
    layers = next.map(\.layer)
    owner.noteHierarchyChange()
  }

  /// Drops the tiles that are not shown, beyond those that fit into the limit.
  private func dropSpare() {
    let kept = Set(shown.map(\.id))
    let spare = tiles.values.filter {
      $0.lastUse != useCount && $0.drawing == nil && !kept.contains($0.id)
    }
    var left = Self.spareByteLimit
    for tile in spare.sorted(by: { ($1.lastUse, $0.id) < ($0.lastUse, $1.id) }) {
      left -= max(tile.byteCount, Self.recordByteCount)
      if left < 0 || tile.version == nil { tiles[tile.id] = nil }
    }
  }
}
