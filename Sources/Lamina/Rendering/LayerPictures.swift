import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CARenderer {
  /// What a layer draws itself at a time of the clock, on its own plane: background, contents,
  /// gradient, shape, particles and border, within its bounds. Sublayers, opacity, shadow, filters
  /// and mask are left out. The first row shows the smallest y of the bounds.
  ///
  /// The picture has the frame's pixels per point, or fewer if a side would exceed `longestSide`
  /// pixels. nil if the layer draws nothing, or has no area.
  package func picture(
    of layer: CALayer, at time: CFTimeInterval, longestSide: Int
  ) throws -> CGImage? {
    try commitChanges()
    let side = min(max(longestSide, 1), ServerLimit.side)
    if pictures?.side != side { pictures = try LayerPictures(side: side, server: server) }
    return try pictures?.picture(of: layer, at: time, scale: Double(scale))
  }
}

/// Draws layers one at a time, each alone in a square frame that is large enough for any of them.
final class LayerPictures {
  /// Pixels of a side of the frame.
  let side: Int
  private let renderer: CARenderer

  init(side: Int, server: RenderServer) throws(RenderServerError) {
    self.side = side
    renderer = try CARenderer(
      size: CGSize(width: side, height: side), clock: .manual(), server: server)
  }

  func picture(of layer: CALayer, at time: Double, scale: Double) throws -> CGImage? {
    let kind = type(of: layer).kind
    // Neither draws anything itself.
    guard kind != .transform, kind != .backdrop else { return nil }
    let shown = layer.presentation(at: time) ?? layer
    let bounds = shown.modelValues.bounds
    let longest = Double(max(bounds.width, bounds.height))
    guard bounds.width > 0, bounds.height > 0, longest.isFinite else { return nil }
    let pixels = min(scale, Double(side) / longest)
    let (width, height) = (Double(bounds.width) * pixels, Double(bounds.height) * pixels)
    let copy = lonelyCopy(of: layer, shown, kind, at: time)
    let root = CALayer()
    root.modelValues.bounds = CGRect(x: 0, y: 0, width: side, height: side)
    root.modelValues.anchorPoint = .zero
    copy.modelValues.transform = CATransform3D(scaleX: pixels, y: pixels)
    if shown.contentsAreFlipped(below: layer) {
      // Flipped twice, the layer lies as it would, and its contents are upside down.
      root.modelValues.isGeometryFlipped = true
      copy.modelValues.transform = CATransform3D(scaleX: pixels, y: -pixels)
      copy.modelValues.position.y = CGFloat(side)
    }
    root.noteAllWritten()
    copy.noteAllWritten()
    root.addSublayer(copy)
    renderer.layer = root
    defer { renderer.layer = nil }
    try renderer.tree.commit()
    let image = try renderer.image(at: 0)
    let part = CGRect(x: 0, y: 0, width: max(width, 1), height: max(height, 1))
    guard let picture = image.cropping(to: part), !picture.isClear else { return nil }
    return picture
  }

  /// A layer that draws what another one does, in its superlayer's corner.
  private func lonelyCopy(
    of layer: CALayer, _ shown: CALayer, _ kind: LayerKind, at time: Double
  ) -> CALayer {
    let copy: CALayer =
      switch kind {
      case .shape: CAShapeLayer()
      case .gradient: CAGradientLayer()
      case .emitter: CAEmitterLayer()
      default: CALayer()
      }
    copy.modelValues = shown.modelValues.alone
    if let emitter = shown as? CAEmitterLayer, let copy = copy as? CAEmitterLayer {
      copy.ownAttachments.emitterCells = emitter.emitterCells
      let localTime = layer.localTime(at: time, by: \.committedTiming)
      copy.modelValues.timing.speed = 0
      copy.modelValues.timing.timeOffset = localTime.isFinite ? localTime : 0
    }
    copy.takeContents(of: shown)
    for tile in layer.committedSublayers where type(of: tile).kind == .tile {
      let part = CALayer()
      part.modelValues = tile.modelValues
      part.takeContents(of: tile)
      part.noteAllWritten()
      copy.addSublayer(part)
    }
    return copy
  }
}

extension CALayer {
  /// Takes another layer's contents as an image of its own.
  fileprivate func takeContents(of other: CALayer) {
    let contents = other.contentsStorage
    let image = (contents as? LayerStore)?.image ?? contents as? CGImage
    modelValues.contents = image?.id
    contentsStorage = image
  }

  /// Has the first commit send all values that are not the defaults.
  fileprivate func noteAllWritten() {
    let defaults = LayerValues(kind: type(of: self).kind)
    for property in StoredProperty.allCases
    where modelValues.value(of: property) != defaults.value(of: property) {
      written.insert(property)
    }
  }

  /// Whether the number of flipped layers, from the root to this presentation of a layer, is odd.
  fileprivate func contentsAreFlipped(below layer: CALayer) -> Bool {
    var isFlipped = modelValues.isGeometryFlipped
    var next = layer.superlayer
    while let superlayer = next {
      if superlayer.isGeometryFlipped { isFlipped.toggle() }
      next = superlayer.superlayer
    }
    return isFlipped
  }
}

extension LayerValues {
  /// The values with which a layer draws by itself, with its bounds' corner in its superlayer's.
  fileprivate var alone: LayerValues {
    var values = self
    (values.anchorPoint, values.position) = (.zero, .zero)
    (values.zPosition, values.anchorPointZ) = (0, 0)
    (values.isHidden, values.isDoubleSided, values.isGeometryFlipped) = (false, true, false)
    values.opacity = 1
    if values.hasEffects { values.effects = .defaults }
    if values.hasSublayerTransform { values.sublayerTransform = .identity }
    if values.hasOwnTiming { values.timing = .defaults }
    return values
  }
}

extension CGImage {
  /// Whether no pixel shows anything.
  fileprivate var isClear: Bool {
    let (stride, count) = (buffer.layout.stride, width * buffer.layout.format.bytesPerPixel)
    // Nothing is ever written between the rows, where other pixels may have been.
    return buffer.withUnsafeBytes { bytes in
      (0..<height).allSatisfy { y in
        bytes[y * stride..<y * stride + count].allSatisfy { $0 == 0 }
      }
    }
  }
}
