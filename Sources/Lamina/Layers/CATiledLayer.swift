import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// A layer that draws its contents in tiles, as they become visible, on background threads. It may
/// be far larger than memory: a map, or a page at any zoom.
///
/// `draw(in:)`, or the delegate's `draw(_:in:)`, is called for each tile. The bounding box of the
/// context's clip is the tile, in the layer's own space, cut to whole pixels around the bounds; the
/// scale of the context's transform is the tile's level of detail. Several tiles may be drawn at
/// the same time, so drawing must not change what it shares, and must not wait for the thread that
/// uses the layer.
///
/// Tiles are drawn for a renderer's frames: those of the part of the layer that lies in the frame
/// and in the bounds of clipping layers. On a manual clock, a frame waits until its tiles are drawn
/// and shows all of them, so that it depends on the tree and the time alone. On the host's clock, a
/// frame shows what is finished; tiles then fade in, over those of other levels if there are any.
/// Tiles that leave the frame before their drawing begins are not drawn.
///
/// Besides the tiles that a frame shows, a layer keeps 16 MiB of others, the last used longest. If
/// a frame would show more than 4,096 tiles, or 134,217,728 pixels in them, it shows a coarser
/// level, even one beyond `levelsOfDetail`. In the copies of a replicator, all of the layer counts
/// as visible.
///
/// Tiles lie where contents do: over the background, under the sublayers. While `contents` is set,
/// the layer shows that, like any other layer, and draws no tiles. `render(in:)` draws all at once,
/// on the calling thread. The delegate's `display(_:)` is not asked.
open class CATiledLayer: CALayer {
  package override class var kind: LayerKind { .tiled }

  private let tiles = TileCache()

  /// The time in seconds that a tile takes to appear on the host's clock; on a manual clock tiles
  /// appear at once. Default: 0.25.
  open class func fadeDuration() -> CFTimeInterval { 0.25 }

  /// The number of levels of detail, at least 1. Each has half the scale of the one before it; the
  /// first is `levelsOfDetailBias` doublings larger than the layer. Shown is the coarsest level
  /// that need not be magnified, if there is one. A number that is negative or does not fit into 32
  /// bits is refused with a warning; 0 counts as 1. Default: 1.
  open var levelsOfDetail: Int {
    get { Int(modelValues.tiling.levelsOfDetail) }
    set {
      guard let count = count(newValue, of: "levelsOfDetail") else { return }
      change(.levelsOfDetail, modelValues.tiling.levelsOfDetail, count) {
        $0.tiling.levelsOfDetail = count
      }
    }
  }

  /// The number of levels of detail that are larger than the layer: with 2, the first has four
  /// times the pixels of `contentsScale` along each axis. They are among the `levelsOfDetail`. A
  /// number that is negative or does not fit into 32 bits is refused with a warning. Default: 0.
  open var levelsOfDetailBias: Int {
    get { Int(modelValues.tiling.levelsOfDetailBias) }
    set {
      guard let bias = count(newValue, of: "levelsOfDetailBias") else { return }
      change(.levelsOfDetailBias, modelValues.tiling.levelsOfDetailBias, bias) {
        $0.tiling.levelsOfDetailBias = bias
      }
    }
  }

  /// The size of a tile, in pixels of its level. Corners of tiles lie at the origin of the layer's
  /// space. Sides count as at least 16 and at most 4,096 pixels. Setting it draws all tiles anew.
  /// Default: 256 by 256.
  open var tileSize: CGSize {
    get { modelValues.tiling.tileSize }
    set {
      change(.tileSize, modelValues.tiling.tileSize, newValue) { $0.tiling.tileSize = newValue }
    }
  }

  /// Marks the tiles that the region to redraw meets, at all levels. They are drawn for the next
  /// frame that shows them, and on the host's clock shown as they were until then.
  open override func display() { invalidateTiles() }

  /// Draws a tile, on a background thread: asks the delegate. Subclasses need not call super.
  open override func draw(in ctx: CGContext) {
    if let drawing = TileDrawing.current, drawing.layer === self {
      drawing.askDelegate(in: ctx)
    } else {
      super.draw(in: ctx)
    }
  }

  override var contentsLayers: [CALayer] { tiles.layers }
}

extension CATiledLayer {
  /// Whether there is anything that may draw tiles.
  final var drawsTiles: Bool {
    contentsStorage == nil && (Swift.type(of: self) != CATiledLayer.self || delegate != nil)
  }

  private func invalidateTiles() {
    let region = attachments?.displaying ?? .whole
    if attachments?.displaying == nil { attachments?.invalid = InvalidRegion() }
    delegate?.layerWillDraw(self)
    // A presentation copy draws for its model.
    let model = model()
    model.tiles.invalidate(region.isWhole ? nil : region.rects)
    model.rendered?.tree.tilesMayChange = true
  }

  /// Asks for the tiles of which a frame shows a part of the layer.
  final func requestTiles(for visible: VisibleArea?, from queue: DrawingQueue, on clock: MediaClock)
  {
    do throws(SharedMemoryError) {
      try tiles.request(visible, of: self, from: queue, on: clock)
    } catch {
      noteFailedDrawing("\(error)")
    }
  }

  /// Shows the tiles that are finished; see `TileCache.show`. Returns whether anything changed.
  final func showTiles(at time: Double, isWhole: Bool) -> Bool {
    let (isChanged, failure) = tiles.show(of: self, at: time, isWhole: isWhole)
    if let failure { noteFailedDrawing(failure) } else if isChanged { noteDrawing() }
    return isChanged || failure != nil
  }

  /// Whether another frame may show more tiles, although the layer does not change.
  final func isUnsettled(at time: Double) -> Bool { tiles.isUnsettled(at: time) }

  final func removeTiles() { tiles.removeAll(of: self) }

  /// The number of tiles that the layer holds, and the bytes of their pixels.
  final var tileUsage: (tiles: Int, bytes: Int) { tiles.usage }
}
