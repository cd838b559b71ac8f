import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// How the items of a frame nest. A group is painted into a target of its own; items of other
/// groups then sample that target. The first group is the surface.
struct CompositingGraph {
  struct Group {
    /// What the group's target shows of its space.
    var region: PixelRect
    var target = Target.offscreen
    var steps: [Step] = []
    /// Whether the group is painted even if nothing is drawn in it. Items that sample any other
    /// empty group are left out.
    var isKept = false
    /// Whether all of it is painted, even if only a part of the surface is.
    var isWhole = false
    /// Whether it is painted in a target beside others: see `SharedTargets`. Items of one other
    /// group sample it, all pixel on pixel.
    var sharesTarget = false
    /// Rectangles that no item samples: see `PlainParts`.
    var unsampled: [PixelRect] = []
    /// Items that draw what belongs to it beside those that sample it, none of which they meet.
    var drawnBeside: [Range<Int>] = []
  }

  enum Target: Equatable {
    case surface, offscreen
    /// By the number of the canvas.
    case canvas(Int)
  }

  /// What is done in a group, in painting order.
  enum Step {
    /// Consecutive items are painted, clipped to a rectangle of the group's space.
    case items(Range<Int>, scissor: PixelRect)
    /// Another group reads what this one has painted up to here.
    case isRead(by: Int)

    var itemCount: Int { if case .items(let items, _) = self { items.count } else { 0 } }
  }

  /// What is painted once and kept: a rasterized layer, or a group in which nothing changes.
  struct Canvas {
    /// nil if it is painted again for each frame.
    var key: CanvasKey?
    var region: PixelRect
    var isOpaque = false
    /// The texture that an earlier frame painted; nil if there is none.
    var cached: TextureID?
    var owner: TextureOwner
    /// Copies that draw the same one.
    var sharers: [TextureOwner] = []
    /// The group that paints it; nil if an earlier frame has painted it.
    var group: Int?
  }

  var drawn = DrawnItems()
  var images = FrameImages()
  /// What is painted again of the surface, and of groups beyond it; nil for all of it.
  var damage: [PixelRect]?
  var groups: [Group] = []
  var canvases: [Canvas] = []
  /// The owners of `drawn.masks` and of `drawn.ramps`.
  var maskOwners: [TextureOwner] = []
  var rampOwners: [TextureOwner] = []

  mutating func add(_ group: Group) -> Int {
    groups.append(group)
    return groups.count - 1
  }

  mutating func add(_ canvas: Canvas) -> Int {
    canvases.append(canvas)
    return canvases.count - 1
  }

  /// Adds the items from `first` on to a group.
  mutating func addItems(from first: Int, to group: Int, scissor: PixelRect) {
    guard first < drawn.count else { return }
    let last = groups[group].steps.count - 1
    if last >= 0, case .items(let items, scissor) = groups[group].steps[last],
      items.upperBound == first
    {
      groups[group].steps[last] = .items(items.lowerBound..<drawn.count, scissor: scissor)
    } else {
      groups[group].steps.append(.items(first..<drawn.count, scissor: scissor))
    }
  }
}
