import Foundation
import LaminaAnimation
import LaminaValues

extension FillMode: LayerName {}

/// All stored properties of a layer, of any class, with their defaults. Both processes have them:
/// the client as the model tree, the render process as the render tree. Rarely used properties are
/// in boxes, which are shared until written.
///
/// A frame in which many layers move takes as long as their values take to be read. So those that
/// are looked at of every layer come first, close together.
///
/// What is asked of every layer is inlined in other modules, for which both the type and the member
/// must be usable from inlined code.
@usableFromInline package struct LayerValues: Hashable, Sendable {
  // Geometry, in the superlayer's space except for `bounds` and `sublayerTransform`.
  @usableFromInline package var bounds = CGRect.zero
  @usableFromInline package var position = CGPoint.zero
  @usableFromInline package var anchorPoint = CGPoint(x: 0.5, y: 0.5)
  @usableFromInline package var zPosition = 0.0
  @usableFromInline package var anchorPointZ = 0.0
  /// Whether `transform` is not the identity. Cheaper than reading the transform.
  @usableFromInline package private(set) var isTransformed = false
  package var isHidden = false
  package var isDoubleSided = true
  @usableFromInline package var isGeometryFlipped = false
  package var masksToBounds = false

  // Appearance.
  package var allowsGroupOpacity = true
  package var allowsEdgeAntialiasing = true
  package var cornerCurve = CornerCurve.circular
  package var opacity = 1.0
  package var cornerRadius = 0.0
  package var borderWidth = 0.0
  @usableFromInline var effectsBox = Boxed<EffectsValues>()
  @usableFromInline var sublayersBox = Boxed<SublayersValues>()
  package var contents: ImageID?
  package var backgroundColor: CGColor?
  package var edgeAntialiasingMask: UInt32 = 15
  package var maskedCorners: UInt32 = 15
  package var contentsGravity = ContentsGravity.resize
  package var contentsScale = 1.0
  package var borderColor: CGColor? = .blackRGB
  package var transform = CATransform3D.identity {
    didSet { isTransformed = !transform.isIdentity }
  }

  @usableFromInline var contentsBox = Boxed<ContentsValues>()
  @usableFromInline var timingBox = Boxed<TimingValues>()
  private var clientBox = Boxed<ClientValues>()
  private var shapeBox = Boxed<ShapeValues>()
  private var textBox = Boxed<TextValues>()
  private var gradientBox = Boxed<GradientValues>()
  private var replicatorBox = Boxed<ReplicatorValues>()
  private var tilingBox = Boxed<TilingValues>()
  private var emitterBox = Boxed<EmitterValues>()

  @usableFromInline package init() {}

  /// Creates the defaults of a class of layers, some of which differ from CALayer's.
  package init(kind: LayerKind) {
    if kind == .scroll { masksToBounds = true }
    if kind == .text { client.needsDisplayOnBoundsChange = true }
  }

  package var contentsDetail: ContentsValues {
    get { contentsBox.value }
    _modify { yield &contentsBox.value }
  }
  /// As above, for values in memory, without copying all of them.
  package static func contentsDetail(at values: UnsafePointer<Self>) -> ContentsValues {
    values.pointee.contentsBox.value
  }
  /// Whether any of `contentsDetail` was ever set. Cheaper than reading it.
  @usableFromInline package static func hasContentsDetail(at values: UnsafePointer<Self>) -> Bool {
    values.pointee.contentsBox.isSet
  }
  /// Whether contents are stretched over exactly the bounds, as they are by default.
  @usableFromInline package static func stretchesContents(at values: UnsafePointer<Self>) -> Bool {
    guard case .resize = values.pointee.contentsGravity else { return false }
    return !hasContentsDetail(at: values)
  }
  /// Whether any of `effects` was ever set. Cheaper than reading `effects`, which copies them.
  @usableFromInline package var hasEffects: Bool { effectsBox.isSet }
  /// As above, for values in memory, without copying them.
  @usableFromInline package static func hasEffects(at values: UnsafePointer<Self>) -> Bool {
    values.pointee.effectsBox.isSet
  }
  package var effects: EffectsValues {
    get { effectsBox.value }
    _modify { yield &effectsBox.value }
  }
  package var sublayerTransform: CATransform3D {
    get { sublayersBox.value.transform }
    _modify { yield &sublayersBox.value.transform }
  }
  /// Whether it was ever set.
  @usableFromInline package var hasSublayerTransform: Bool { sublayersBox.isSet }
  /// As above, for values in memory, without copying them.
  @usableFromInline package static func hasSublayerTransform(
    at values: UnsafePointer<Self>
  ) -> Bool {
    values.pointee.sublayersBox.isSet
  }
  package var timing: TimingValues {
    get { timingBox.value }
    _modify { yield &timingBox.value }
  }
  /// The properties that only the client uses.
  package var client: ClientValues {
    get { clientBox.value }
    _modify { yield &clientBox.value }
  }
  package var shape: ShapeValues {
    get { shapeBox.value }
    _modify { yield &shapeBox.value }
  }
  package var text: TextValues {
    get { textBox.value }
    _modify { yield &textBox.value }
  }
  package var gradient: GradientValues {
    get { gradientBox.value }
    _modify { yield &gradientBox.value }
  }
  package var replicator: ReplicatorValues {
    get { replicatorBox.value }
    _modify { yield &replicatorBox.value }
  }
  package var tiling: TilingValues {
    get { tilingBox.value }
    _modify { yield &tilingBox.value }
  }
  package var emitter: EmitterValues {
    get { emitterBox.value }
    _modify { yield &emitterBox.value }
  }

  /// Whether the layer's own clock differs from its parent's.
  @usableFromInline package var hasOwnTiming: Bool { timingBox.isSet }

  /// As above, for values in memory, without copying them.
  @usableFromInline package static func hasOwnTiming(at values: UnsafePointer<Self>) -> Bool {
    values.pointee.timingBox.isSet
  }
}

/// Values that are all defaults until one is written, and that are copied on write if they are
/// shared.
@usableFromInline package protocol DefaultValued: Hashable, Sendable {
  static var defaults: Self { get }
}

@usableFromInline package struct Boxed<Value: DefaultValued>: Hashable, Sendable {
  // Written only while uniquely referenced.
  @usableFromInline final class Storage: @unchecked Sendable {
    @usableFromInline var value: Value
    init(_ value: Value) { self.value = value }
  }

  @usableFromInline private(set) var storage: Storage?

  @usableFromInline package init() {}

  @usableFromInline package var isSet: Bool { storage != nil }

  @usableFromInline package var value: Value {
    get { storage?.value ?? .defaults }
    _modify {
      if storage == nil {
        storage = Storage(.defaults)
      } else if !isKnownUniquelyReferenced(&storage) {
        storage = Storage(storage!.value)
      }
      yield &storage!.value
    }
  }

  @usableFromInline package static func == (a: Self, b: Self) -> Bool {
    a.storage === b.storage || a.value == b.value
  }

  @usableFromInline package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

@usableFromInline package struct ContentsValues: DefaultValued {
  package var rect = CGRect(x: 0, y: 0, width: 1, height: 1)
  package var center = CGRect(x: 0, y: 0, width: 1, height: 1)
  package var format = ContentsFormat.rgba8
  package var minificationFilter = ContentsFilter.linear
  package var magnificationFilter = ContentsFilter.linear
  package var minificationFilterBias = 0.0
  /// Multiplies the contents, in straight components. CAML files have this property.
  package var multiplyColor: CGColor?
  package var toneMapMode = ToneMapMode.automatic
  package var preferredDynamicRange = DynamicRange.standard
  package var headroom = 0.0
  package var wantsExtendedDynamicRange = false
  package var wantsDynamicScaling = false
  @usableFromInline package static let defaults = ContentsValues()
}

@usableFromInline package struct EffectsValues: DefaultValued {
  package var filters: [FilterValues]?
  package var backgroundFilters: [FilterValues]?
  package var compositingFilter: FilterValues?
  package var shouldRasterize = false
  package var rasterizationScale = 1.0
  package var shadowColor: CGColor? = .blackRGB
  package var shadowOpacity = 0.0
  package var shadowOffset = CGSize(width: 0, height: -3)
  package var shadowRadius = 3.0
  package var shadowPath: Path?
  /// Of a CABackdropLayer.
  package var groupName: String?
  @usableFromInline package static let defaults = EffectsValues()
}

/// Apart from the effects: most layers with a sublayer transform have none.
@usableFromInline package struct SublayersValues: DefaultValued {
  package var transform = CATransform3D.identity
  @usableFromInline package static let defaults = SublayersValues()
}

/// The members of CAMediaTiming that a layer has.
@usableFromInline package struct TimingValues: DefaultValued {
  package var beginTime = 0.0
  package var duration = Double.infinity
  package var speed = 1.0
  package var timeOffset = 0.0
  package var repeatCount = 0.0
  package var repeatDuration = 0.0
  package var autoreverses = false
  package var fillMode = FillMode.removed
  @usableFromInline package static let defaults = TimingValues()

  package var mediaTiming: MediaTiming {
    MediaTiming(
      beginTime: beginTime, duration: duration, speed: speed, timeOffset: timeOffset,
      repeatCount: repeatCount, repeatDuration: repeatDuration, autoreverses: autoreverses,
      fillMode: fillMode)
  }
}

@usableFromInline package struct ClientValues: DefaultValued {
  package var name: String?
  package var isOpaque = false
  package var needsDisplayOnBoundsChange = false
  package var drawsAsynchronously = false
  package var autoresizingMask: UInt32 = 0
  package var scrollMode = ScrollMode.both
  @usableFromInline package static let defaults = ClientValues()
}

@usableFromInline package struct ShapeValues: DefaultValued {
  package var path: Path?
  package var fillColor: CGColor? = .blackRGB
  package var fillRule = FillRule.nonZero
  package var strokeColor: CGColor?
  package var strokeStart = 0.0
  package var strokeEnd = 1.0
  package var lineWidth = 1.0
  package var miterLimit = 10.0
  package var lineCap = LineCap.butt
  package var lineJoin = LineJoin.miter
  package var lineDashPhase = 0.0
  package var lineDashPattern: [Double]?
  @usableFromInline package static let defaults = ShapeValues()
}

/// The client draws text, so only its pixels leave the client.
@usableFromInline package struct TextValues: DefaultValued {
  package var string: TextString?
  package var font = TextFont(name: "Helvetica")
  package var fontSize = 36.0
  package var foregroundColor: CGColor? = .white
  package var isWrapped = false
  package var truncationMode = TextTruncation.none
  package var alignmentMode = TextAlignment.natural
  package var allowsFontSubpixelQuantization = false
  @usableFromInline package static let defaults = TextValues()
}

@usableFromInline package struct GradientValues: DefaultValued {
  package var colors: [CGColor]?
  package var locations: [Double]?
  package var startPoint = CGPoint(x: 0.5, y: 0)
  package var endPoint = CGPoint(x: 0.5, y: 1)
  package var type = GradientType.axial
  @usableFromInline package static let defaults = GradientValues()
}

@usableFromInline package struct ReplicatorValues: DefaultValued {
  package var instanceCount: UInt32 = 1
  package var preservesDepth = false
  package var instanceDelay = 0.0
  package var instanceTransform = CATransform3D.identity
  package var instanceColor: CGColor? = .white
  package var redOffset = 0.0
  package var greenOffset = 0.0
  package var blueOffset = 0.0
  package var alphaOffset = 0.0
  @usableFromInline package static let defaults = ReplicatorValues()
}

@usableFromInline package struct TilingValues: DefaultValued {
  package var levelsOfDetail: UInt32 = 1
  package var levelsOfDetailBias: UInt32 = 0
  package var tileSize = CGSize(width: 256, height: 256)
  @usableFromInline package static let defaults = TilingValues()
}

extension EmitterValues: DefaultValued {}
