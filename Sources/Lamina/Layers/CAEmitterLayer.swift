import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// The shape from which a `CAEmitterLayer` emits particles.
public struct CAEmitterLayerEmitterShape: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// From the emitter's position.
  public static let point = Self(.point)
  /// Along the x axis, as long as the emitter is wide. Particles start towards lesser y.
  public static let line = Self(.line)
  /// From a rectangle of the emitter's size.
  public static let rectangle = Self(.rectangle)
  /// A box of the emitter's size and depth.
  public static let cuboid = Self(.cuboid)
  /// The radius is the emitter's width.
  public static let circle = Self(.circle)
  /// The radius is the emitter's width.
  public static let sphere = Self(.sphere)

  init(_ name: EmitterShape) { rawValue = name.rawValue }
  /// An unknown name counts as `point`.
  var name: EmitterShape { EmitterShape(rawValue: rawValue) ?? .point }
}

/// The part of its shape from which a `CAEmitterLayer` emits particles.
public struct CAEmitterLayerEmitterMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The corners of a rectangle or box, the ends of a line, and the points of a circle or sphere on
  /// the axes.
  public static let points = Self(.points)
  /// The outline; of a box the edges, of a sphere the circle in the layer's plane. Particles start
  /// outwards.
  public static let outline = Self(.outline)
  /// The surface. Particles of boxes, circles and spheres start outwards.
  public static let surface = Self(.surface)
  /// The inside. Particles start along the x axis, those of a line towards lesser y.
  public static let volume = Self(.volume)

  init(_ name: EmitterMode) { rawValue = name.rawValue }
  /// An unknown name counts as `volume`.
  var name: EmitterMode { EmitterMode(rawValue: rawValue) ?? .volume }
}

/// The order in which a `CAEmitterLayer` draws its particles.
public struct CAEmitterLayerRenderMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Cell by cell, which is fastest.
  public static let unordered = Self(.unordered)
  /// Younger particles over older ones.
  public static let oldestFirst = Self(.oldestFirst)
  /// Older particles over younger ones.
  public static let oldestLast = Self(.oldestLast)
  /// By their z coordinates, nearer ones over others.
  public static let backToFront = Self(.backToFront)
  /// Particles add their colours to what lies below them.
  public static let additive = Self(.additive)

  init(_ name: EmitterRenderMode) { rawValue = name.rawValue }
  /// An unknown name counts as `unordered`.
  var name: EmitterRenderMode { EmitterRenderMode(rawValue: rawValue) ?? .unordered }
}

/// A layer that emits particles and draws them above its background, contents and border, below its
/// sublayers.
///
/// Particles depend on nothing but the layer, its `seed` and its time: the same ones are there at a
/// time however one gets there, and on every machine. Emission begins at the layer's `beginTime`,
/// which is time 0 of the layer. At most 65,536 particles are drawn at a time; of more, those that
/// were born last.
///
/// Particles do not count for hit testing. `render(in:)` draws them.
open class CAEmitterLayer: CALayer {
  package override class var kind: LayerKind { .emitter }

  /// The cells that are emitted. Their properties are copied when this is set: see `CAEmitterCell`.
  /// A layer may have 1,024 of them, those of cells included; others are left out with a warning.
  /// Default: nil.
  open var emitterCells: [CAEmitterCell]? {
    get {
      // A presentation copy has other values and the same attachments.
      if modelLayer == nil, let cells = attachments?.emitterCells { return cells }
      return modelValues.emitter.cells?.map { CAEmitterCell($0, image: image) }
    }
    set { setCells(newValue) }
  }

  /// The factor of the cells' birth rates. Animatable. Default: 1.
  open var birthRate: Float {
    get { Float(modelValues.emitter.birthRate) }
    set {
      change(.birthRate, modelValues.emitter.birthRate, Double(newValue)) {
        $0.emitter.birthRate = Double(newValue)
      }
    }
  }

  /// The factor of the cells' lifetimes and their ranges. Animatable. Default: 1.
  open var lifetime: Float {
    get { Float(modelValues.emitter.lifetime) }
    set {
      change(.lifetime, modelValues.emitter.lifetime, Double(newValue)) {
        $0.emitter.lifetime = Double(newValue)
      }
    }
  }

  /// The middle of the shape, in the layer's own space. Animatable. Default: (0, 0).
  open var emitterPosition: CGPoint {
    get { modelValues.emitter.position }
    set {
      change(.emitterPosition, modelValues.emitter.position, newValue) {
        $0.emitter.position = newValue
      }
    }
  }

  /// The shape's distance from the layer's plane, towards the viewer. Animatable. Default: 0.
  open var emitterZPosition: CGFloat {
    get { CGFloat(modelValues.emitter.zPosition) }
    set {
      change(.emitterZPosition, modelValues.emitter.zPosition, Double(newValue)) {
        $0.emitter.zPosition = Double(newValue)
      }
    }
  }

  /// The size of the shape: see `emitterShape`. Animatable. Default: (0, 0).
  open var emitterSize: CGSize {
    get { modelValues.emitter.size }
    set {
      change(.emitterSize, modelValues.emitter.size, newValue) {
        $0.emitter.size = newValue
      }
    }
  }

  /// The depth of a cuboid. Animatable. Default: 0.
  open var emitterDepth: CGFloat {
    get { CGFloat(modelValues.emitter.depth) }
    set {
      change(.emitterDepth, modelValues.emitter.depth, Double(newValue)) {
        $0.emitter.depth = Double(newValue)
      }
    }
  }

  /// The shape from which particles are emitted. Default: `point`.
  open var emitterShape: CAEmitterLayerEmitterShape {
    get { CAEmitterLayerEmitterShape(modelValues.emitter.shape) }
    set {
      change(.emitterShape, modelValues.emitter.shape, newValue.name) {
        $0.emitter.shape = newValue.name
      }
    }
  }

  /// The part of the shape from which particles are emitted. Default: `volume`.
  open var emitterMode: CAEmitterLayerEmitterMode {
    get { CAEmitterLayerEmitterMode(modelValues.emitter.mode) }
    set {
      change(.emitterMode, modelValues.emitter.mode, newValue.name) {
        $0.emitter.mode = newValue.name
      }
    }
  }

  /// The order in which particles are drawn. Default: `unordered`.
  open var renderMode: CAEmitterLayerRenderMode {
    get { CAEmitterLayerRenderMode(modelValues.emitter.renderMode) }
    set {
      change(.renderMode, modelValues.emitter.renderMode, newValue.name) {
        $0.emitter.renderMode = newValue.name
      }
    }
  }

  /// The factor of the cells' velocities and their ranges. Animatable. Default: 1.
  open var velocity: Float {
    get { Float(modelValues.emitter.velocity) }
    set {
      change(.velocity, modelValues.emitter.velocity, Double(newValue)) {
        $0.emitter.velocity = Double(newValue)
      }
    }
  }

  /// The factor of the cells' scales, their ranges and speeds. Animatable. Default: 1.
  open var scale: Float {
    get { Float(modelValues.emitter.scale) }
    set {
      change(.scale, modelValues.emitter.scale, Double(newValue)) {
        $0.emitter.scale = Double(newValue)
      }
    }
  }

  /// The factor of the cells' spins and their ranges. Animatable. Default: 1.
  open var spin: Float {
    get { Float(modelValues.emitter.spin) }
    set {
      change(.spin, modelValues.emitter.spin, Double(newValue)) {
        $0.emitter.spin = Double(newValue)
      }
    }
  }

  /// The beginning of the random numbers. Default: 0.
  open var seed: UInt32 {
    get { modelValues.emitter.seed }
    set {
      change(.seed, modelValues.emitter.seed, newValue) {
        $0.emitter.seed = newValue
      }
    }
  }

  /// Whether particles keep their distance from the layer's plane, so that a superlayer's
  /// perspective shows it; otherwise they are pressed onto the plane. Default: false.
  open var preservesDepth: Bool {
    get { modelValues.replicator.preservesDepth }
    set {
      change(.preservesDepth, modelValues.replicator.preservesDepth, newValue) {
        $0.replicator.preservesDepth = newValue
      }
    }
  }

  private func setCells(_ cells: [CAEmitterCell]?) {
    var cells = cells
    var values = EmitterValues()
    values.cells = cells?.map(\.snapshot)
    if let error = values.cellsError {
      warn("\(debugName): \(error); all of them are left out")
      (cells, values.cells) = ([], [])
    }
    warnIfCrowded(values.cells ?? [])
    if isCommitted { ownAttachments.pastCellImages = cellImages }
    ownAttachments.emitterCells = cells
    change(.emitterCells, modelValues.emitter.cells, values.cells) {
      $0.emitter.cells = values.cells
    }
  }

  private func warnIfCrowded(_ cells: [EmitterCellValues]) {
    var count = 0.0
    for cell in cells where cell.isEnabled {
      count += cell.birthRate * Double(birthRate) * cell.lifetime * Double(lifetime)
    }
    if count.isFinite ? count > Double(ParticleCloud.limit) : count > 0 {
      warn("\(debugName) emits more particles than the \(ParticleCloud.limit) that are drawn")
    }
  }

  /// The behaviours of the particles. Key paths reach them as `emitterBehaviors.NAME.INPUT`, and
  /// such key paths can be animated. The property is private on Apple's systems, where it is set by
  /// its key. Default: nil.
  open var emitterBehaviors: [CAEmitterBehavior]? {
    get { modelValues.emitter.behaviors?.map { CAEmitterBehavior($0) } }
    set {
      let behaviors = newValue?.map(\.values)
      change(.emitterBehaviors, modelValues.emitter.behaviors, behaviors) {
        $0.emitter.behaviors = behaviors
      }
    }
  }

  /// Sets a property of a cell. `path` begins with the cell's name.
  final func setCellValue(_ value: Any?, path: String) {
    guard let cells = emitterCells, let (cell, rest) = CAEmitterCell.cell(path, in: cells) else {
      return warn("\(debugName) has no emitter cell for the key path emitterCells.\(path)")
    }
    cell.setValue(value, forKeyPath: rest)
    emitterCells = cells
  }
}

extension CALayer {
  /// The images of the layer's emitter cells, and of earlier ones whose particles may still live.
  final var cellImages: [CGImage] {
    guard let attachments, attachments.emitterCells != nil else { return [] }
    var images = attachments.pastCellImages
    for image in attachments.emitterCells?.flatMap({ $0.images() }) ?? []
    where !images.contains(where: { $0.id == image.id }) {
      images.append(image)
    }
    return images
  }

  /// Forgets the images that no particle shows any more.
  final func forgetPastCellImages() {
    guard let attachments, !attachments.pastCellImages.isEmpty else { return }
    var shown: Set<ImageID> = []
    for span in modelValues.emitter.history.spans {
      for cell in span.values.cells ?? [] { shown.formUnion(cell.imageIDs) }
    }
    attachments.pastCellImages.removeAll { !shown.contains($0.id) }
  }
}
