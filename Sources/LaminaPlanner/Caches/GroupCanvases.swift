import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// What a canvas is known by: equal keys mean equal pixels.
enum CanvasKey: Hashable {
  case bitmap(LayerBitmapKey)
  /// One that shows a group from one change of it to the next, by a number of its own.
  case group(TextureOwner, number: UInt64)
}

/// The groups in which nothing has changed for some frames, by the rows that draw them.
///
/// A group that fades, or over which something moves, need not be painted again. Once its pixels
/// were painted as often as all of them together would have been, it is painted whole, into a
/// canvas, and the canvas is drawn from then on, pixel on pixel: the bytes are the same. A group in
/// which something changes has no canvas.
struct GroupCanvases {
  private var groups: [Int: GroupCanvas] = [:]
  /// Canvases whose groups have changed.
  private var abandoned: [CanvasKey] = []

  subscript(row: Int) -> GroupCanvas? { groups[row] }

  /// Sets a row's group. Its canvas is abandoned, unless it still has one.
  mutating func set(_ group: GroupCanvas, of row: Int) {
    let old = groups.updateValue(group, forKey: row)
    abandon(old, but: group)
  }

  private mutating func forget(_ row: Int) {
    if let old = groups.removeValue(forKey: row) { abandon(old, but: nil) }
  }

  mutating func removeAll() {
    for group in groups.values { abandon(group, but: nil) }
    groups.removeAll()
  }

  private mutating func abandon(_ old: GroupCanvas?, but new: GroupCanvas?) {
    guard case .kept(let kept)? = old?.stage else { return }
    if case .kept? = new?.stage { return }
    abandoned += [kept.image, kept.cover].compactMap { $0?.key }
  }

  /// Returns the canvases whose groups have changed since the last call.
  mutating func takeAbandoned() -> [CanvasKey] {
    defer { abandoned.removeAll() }
    return abandoned
  }

  /// Forgets the groups with rows below theirs that an update changed. `repainted` are the rows
  /// whose bitmaps show something else.
  mutating func forgetChanged(
    _ changes: EvaluatedTree.Changes, _ repainted: [Int], in evaluated: EvaluatedTree
  ) {
    guard !groups.isEmpty else { return }
    for row in changes.relinked { forget(row) }
    var isPassed = [Bool](repeating: false, count: evaluated.rows.count)
    for rows in [changes.touched, changes.moved, changes.relinked, changes.removed, repainted] {
      for row in rows {
        var row = evaluated.rows[row].parent
        while row >= 0, !isPassed[row] {
          isPassed[row] = true
          forget(row)
          row = evaluated.rows[row].parent
        }
      }
    }
    for row in changes.allRemoved { forget(row) }
  }
}

/// A row's group.
struct GroupCanvas {
  /// What its pixels depend on besides the rows below its own. It is large, and not known of most
  /// groups.
  indirect enum Dependence: Equatable {
    /// Not known until it has stayed in its place for a frame: one that moves is not looked at
    /// closely.
    case unknown
    case known(State)
  }

  struct State: Equatable {
    /// With an opacity of 1, since the opacity is applied to the group.
    var values: LayerValues
    /// The stamp of the layer's contents.
    var image: UInt64?
    var isFlipped: Bool
    var region: PixelRect
    var clip: Compositor.Clip
    var opacityOfPieces: Double
    var tint: SIMD4<Double>
    var isBlended: Bool
    var nesting: Int
    var sharesTarget: Bool
  }

  enum Stage {
    /// It is painted anew where the frame is. `pixels` is how many were since it changed.
    case painted(pixels: Int)
    indirect case kept(Kept)
    /// There is no room for it.
    case refused
  }

  struct Kept {
    var image: CompositingGraph.Canvas
    /// Of its mask.
    var cover: CompositingGraph.Canvas?
  }

  /// The last update of the rows in which it was drawn.
  var update: Int
  var toPixels: CATransform3D
  var dependence = Dependence.unknown
  var stage: Stage
}
