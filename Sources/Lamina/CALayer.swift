import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// A rectangle of content, with layers of its own inside, that is composited and animated by the
/// render process.
///
/// Lengths are points. Geometry is in the superlayer's space, whose y axis points down in a
/// renderer unless a layer's `isGeometryFlipped` turns it. Values outside what a property allows
/// (NaN, say) are refused with a warning on standard error; setting an equal value does nothing.
///
/// A layer is used from any one thread at a time. Its changes reach the screen when they are
/// committed: with the next frame of the renderer whose tree it is in, or at
/// `CATransaction.commit()`.
open class CALayer: NSObject, NSSecureCoding, CAMediaTiming {
  // What every setter and every commit reads and writes is not checked for exclusive access at run
  // time, which would take a tenth of theirs.

  /// Where the model values lie, which a commit shares until it is sent.
  @exclusivity(unchecked) final var storage: LayerStorage
  /// What was ever set: all that a new layer in the render process needs to be told.
  @exclusivity(unchecked) var written = LayerPropertySet()
  @exclusivity(unchecked) var keyedAnimations: [KeyedAnimation] = []
  @exclusivity(unchecked) var usedAnimationKeys = AnimationKeys()
  /// What the render process knows of this layer; nil outside every renderer's tree.
  @exclusivity(unchecked) var rendered: RenderedLayer?

  @exclusivity(unchecked) final var sublayerList = SublayerList()
  /// The sublayers, the backmost first.
  final var sublayerStorage: [CALayer] { sublayerList.all }
  var maskStorage: CALayer?
  /// Not counted: a layer clears it in its sublayers when it goes.
  unowned(unsafe) var superlayerStorage: CALayer?

  /// What `contents` is; `modelValues.contents` is its image's ID.
  var contentsStorage: AnyObject?
  /// Values of keys that no class declares.
  var undefinedValues: [String: Any] = [:]
  /// What few layers have.
  var attachments: LayerAttachments?
  /// What the layer's class says of keys; nil for nothing.
  var defaults: LayerDefaults?
  /// What has to be done before the next commit.
  var pending = PendingWork()
  /// Whether the layer is of a class that may have actions, defaults and drawing of its own.
  let isOfProgramClass: Bool

  /// The layer of which this one is a presentation copy.
  private(set) var modelLayer: CALayer?
  /// What a copy that is being made of this layer takes over.
  var shadowValues: KeptValues?

  #if DEBUG
    /// The model values. A copy: code that is not optimized reads what `_read` yields after that has
    /// ended, and freed it.
    package internal(set) final var modelValues: LayerValues {
      get { storage.values }
      _modify {
        ownStorage()
        yield &storage.values
      }
    }
  #else
    /// The model values.
    package internal(set) final var modelValues: LayerValues {
      @inline(__always) _read { yield storage.values }
      @inline(__always) _modify {
        ownStorage()
        yield &storage.values
      }
    }
  #endif

  @inline(__always) private final func ownStorage() {
    if !isKnownUniquelyReferenced(&storage) { storage = LayerStorage(storage.values) }
  }

  /// What the render process makes of this class.
  package class var kind: LayerKind { .layer }

  public override init() {
    storage = LayerStorage(LayerValues(kind: Self.kind))
    isOfProgramClass = !LayerDefaults.isOurs(Self.self)
    super.init()
    takeDefaults()
  }

  /// Makes a copy of `layer` that shows its state on screen. It is called for `presentation()`
  /// only, on the subclass: override it to copy what the subclass stores, then call super.
  /// Called by hand it copies nothing.
  public init(layer: Any) {
    storage = LayerStorage(LayerValues(kind: Self.kind))
    isOfProgramClass = !LayerDefaults.isOurs(Self.self)
    super.init()
    guard let original = layer as? CALayer, let values = original.shadowValues?.values else {
      return
    }
    modelValues = values
    written = original.written
    contentsStorage = values.contents.flatMap(original.contents)
    undefinedValues = original.undefinedValues
    keyedAnimations = original.keyedAnimations
    attachments = original.attachments
    modelLayer = original
  }

  /// A layer from an archive, with its sublayers, mask and animations. nil where the archive cannot
  /// be read, or puts objects into each other hundreds deep.
  public required init?(coder: NSCoder) {
    storage = LayerStorage(LayerValues(kind: Self.kind))
    isOfProgramClass = !LayerDefaults.isOurs(Self.self)
    super.init()
    takeDefaults()
    guard restoreProperties(from: coder) else { return nil }
  }

  deinit {
    if !sublayerList.isEmpty || maskStorage != nil || rendered != nil { releaseLayers() }
    for animation in keyedAnimations where animation.layer === self { animation.layer = nil }
  }

  // MARK: Archiving

  open class var supportsSecureCoding: Bool { true }

  /// Archives the values for which `shouldArchiveValue(forKey:)` is true, and the animations.
  /// Contents are archived as the image that they show. The delegate is left out; so are, with a
  /// warning, values of undefined keys that secure coding cannot read or that the layer lies in.
  open func encode(with coder: NSCoder) {
    coder.archiving(self) { archiveProperties(with: coder) }
  }

  /// The class under whose name the layer is archived: its own, or for classes that Foundation
  /// cannot name, which are private, generic or inside other types, what they are made from.
  open override var classForCoder: AnyClass { nearestNamedClass }

  // MARK: Copies

  /// A copy of the layer as it is on screen now: its committed values with its animations at the
  /// current time of its renderer's clock. nil for a layer that was never committed. Its sublayers,
  /// mask and superlayer are such copies as well; changing it has no effect.
  open func presentation() -> Self? {
    if modelLayer != nil { return self }
    return rendered.flatMap { presentation(at: $0.tree.clock.time) }
  }

  /// The layer that a presentation copy shows; any other layer gives itself.
  open func model() -> Self {
    guard let modelLayer else { return self }
    return unsafeDowncast(modelLayer, to: Self.self)  // A copy is of its original's class.
  }

  // MARK: Geometry

  /// The rectangle of the layer in its own space. A negative size is standardised. Default: zero.
  open var bounds: CGRect {
    get { modelValues.bounds }
    set {
      let standardized = newValue.standardized
      let old = modelValues.bounds
      if change(.bounds, old, standardized, { $0.bounds = standardized }) {
        boundsDidChange(from: old)
      }
    }
  }

  /// Where the anchor point lies in the superlayer's space. Default: zero.
  open var position: CGPoint {
    get { modelValues.position }
    set { change(.position, modelValues.position, newValue) { $0.position = newValue } }
  }

  /// The place along the axis towards the viewer; siblings with greater ones are in front.
  /// Default: 0.
  open var zPosition: CGFloat {
    get { modelValues.zPosition }
    set {
      change(.zPosition, modelValues.zPosition, newValue) { $0.zPosition = newValue }
    }
  }

  /// The point of `bounds` that lies at `position` and about which `transform` acts, as fractions
  /// of the size. Default: (0.5, 0.5).
  open var anchorPoint: CGPoint {
    get { modelValues.anchorPoint }
    set {
      change(.anchorPoint, modelValues.anchorPoint, newValue) { $0.anchorPoint = newValue }
    }
  }

  /// The anchor's place along z, in points. Default: 0.
  open var anchorPointZ: CGFloat {
    get { modelValues.anchorPointZ }
    set {
      change(.anchorPointZ, modelValues.anchorPointZ, newValue) { $0.anchorPointZ = newValue }
    }
  }

  /// The transform about the anchor point. Default: the identity.
  open var transform: CATransform3D {
    get { modelValues.transform }
    set {
      if change(.transform, modelValues.transform, newValue, { $0.transform = newValue }) {
        transformDidChange()
      }
    }
  }

  /// A transform of all sublayers about the anchor point, perspective for example. Default: the
  /// identity.
  open var sublayerTransform: CATransform3D {
    get { modelValues.effects.sublayerTransform }
    set {
      change(.sublayerTransform, modelValues.effects.sublayerTransform, newValue) {
        $0.effects.sublayerTransform = newValue
      }
    }
  }

  /// The smallest rectangle around the transformed bounds, in the superlayer's space. Setting it
  /// changes `position` and the size of `bounds`. A negative size is standardised.
  open var frame: CGRect {
    get { modelValues.frame }
    set {
      // In the order in which macOS keys their animations.
      let geometry = modelValues.geometry(forFrame: newValue.standardized)
      position = geometry.position
      bounds = geometry.bounds
    }
  }

  /// Whether the layer and all below it are left out. Default: false.
  open var isHidden: Bool {
    get { modelValues.isHidden }
    set {
      if change(.isHidden, modelValues.isHidden, newValue, { $0.isHidden = newValue }), isCommitted
      {
        act(on: newValue ? kCAOnOrderOut : kCAOnOrderIn)
      }
    }
  }

  /// Whether the layer is drawn when its back faces the viewer. Default: true.
  open var isDoubleSided: Bool {
    get { modelValues.isDoubleSided }
    set {
      change(.isDoubleSided, modelValues.isDoubleSided, newValue) { $0.isDoubleSided = newValue }
    }
  }

  /// Whether the geometry of the layer and its sublayers is mirrored vertically; images stay
  /// upright. Default: false.
  open var isGeometryFlipped: Bool {
    get { modelValues.isGeometryFlipped }
    set {
      change(.isGeometryFlipped, modelValues.isGeometryFlipped, newValue) {
        $0.isGeometryFlipped = newValue
      }
    }
  }

  /// Whether sublayers are clipped to the bounds, rounded by `cornerRadius`. Default: false.
  open var masksToBounds: Bool {
    get { modelValues.masksToBounds }
    set {
      change(.masksToBounds, modelValues.masksToBounds, newValue) { $0.masksToBounds = newValue }
    }
  }

  // MARK: Hierarchy

  /// The layer that this one is a sublayer or the mask of.
  open var superlayer: CALayer? {
    guard let modelLayer else { return superlayerStorage }
    return modelLayer.superlayerStorage?.presentation()
  }

  /// The sublayers, the backmost first; nil where there are none.
  open var sublayers: [CALayer]? {
    get {
      guard let modelLayer else { return sublayerStorage.isEmpty ? nil : sublayerStorage }
      let copies = modelLayer.sublayerStorage.compactMap { $0.presentation() }
      return copies.isEmpty ? nil : copies
    }
    set { replaceAllSublayers(with: newValue ?? []) }
  }

  /// A layer whose alpha the layer's own is multiplied by. Its space is this layer's bounds. It
  /// leaves the superlayer that it has. Default: nil.
  open var mask: CALayer? {
    get {
      guard let modelLayer else { return maskStorage }
      return modelLayer.maskStorage?.presentation()
    }
    set { setMask(newValue) }
  }

  /// Puts `layer` in front of the other sublayers, taking it from the superlayer that it has.
  open func addSublayer(_ layer: CALayer) { insert(layer) { $0.count } }

  /// Puts `layer` at `index` of the sublayers, at most at their end.
  open func insertSublayer(_ layer: CALayer, at index: UInt32) {
    insert(layer) { min(Int(index), $0.count) }
  }

  /// Puts `layer` behind `sibling`; behind all for nil, in front of all for what is no sublayer.
  open func insertSublayer(_ layer: CALayer, below sibling: CALayer?) {
    insert(layer, beside: sibling) { _, place in place ?? 0 }
  }

  /// Puts `layer` in front of `sibling`; in front of all for nil and for what is no sublayer.
  open func insertSublayer(_ layer: CALayer, above sibling: CALayer?) {
    insert(layer, beside: sibling) { count, place in place.map { $0 + 1 } ?? count }
  }

  /// Puts `new` in the place of `old`, which must be a sublayer.
  open func replaceSublayer(_ old: CALayer, with new: CALayer) {
    replace(old, with: new)
  }

  /// Takes the layer from its superlayer, be it as sublayer or as mask.
  open func removeFromSuperlayer() { leaveSuperlayer() }

  // MARK: Hit testing

  /// Whether the layer's bounds hold a point of its own space. The edges of the greatest x and y
  /// are not theirs.
  open func contains(_ p: CGPoint) -> Bool { boundsContain(p) }

  /// The front layer at a point of the superlayer's space, among this one and those below it; nil
  /// for none. Hidden layers are passed over with all below them, and so are single-sided ones that
  /// show their backs. Sublayers outside the bounds are found unless `masksToBounds` is true. In
  /// front is what is nearer to the viewer at the point, and of equally near siblings the last.
  open func hitTest(_ p: CGPoint) -> CALayer? { frontLayer(at: p) }

  // MARK: Delegate and layout

  /// Provides content and layout in the layer's stead. Not kept alive. Default: nil.
  open var delegate: (any CALayerDelegate)? {
    get { attachments?.delegate }
    set { if newValue != nil || attachments != nil { ownAttachments.delegate = newValue } }
  }

  /// Has the sublayers laid out before the next commit. Implied by a change of the sublayers, of
  /// the layout manager, and of the layer's or a sublayer's bounds or transform. Ignored while the
  /// layer is laying them out.
  open func setNeedsLayout() { noteNeedsLayout() }

  /// Lays out what needs it of the layer and all below it, from the highest of the superlayers
  /// that need it without a gap.
  open func layoutIfNeeded() { layOutFromTop() }

  /// Places the sublayers. Called where they need it; does what the delegate says, else what the
  /// layout manager says, else nothing.
  open func layoutSublayers() { layOutByDelegate() }

  /// The size of the frame that suits the layer's content: what the layout manager says, else the
  /// frame's own.
  open func preferredFrameSize() -> CGSize {
    attachments?.layoutManager?.preferredSize(of: self) ?? frame.size
  }

  /// Called when the size of the bounds has changed; tells each sublayer.
  open func resizeSublayers(withOldSize size: CGSize) {
    for sublayer in sublayerStorage { sublayer.resize(withOldSuperlayerSize: size) }
  }

  /// Called when the superlayer's size has changed; sets the frame as `autoresizingMask` says.
  open func resize(withOldSuperlayerSize size: CGSize) { resize(after: size) }

  // MARK: Contents

  /// What the layer shows in its bounds: a `CGImage`, or nil. Default: nil.
  ///
  /// After the layer has drawn itself it is its backing store, an object that says nothing. Given
  /// to another layer, that one shows what the store shows at this moment.
  open var contents: Any? {
    get { contentsStorage }
    set { setContents(newValue) }
  }

  /// Has all of the contents drawn before the next commit.
  open func setNeedsDisplay() { invalidate(nil) }

  /// Has the part of the contents in `rect`, in the layer's own space, drawn before the next
  /// commit. What was drawn elsewhere stays.
  open func setNeedsDisplay(_ rect: CGRect) { invalidate(rect) }

  /// Calls `display()` if the contents need it.
  open func displayIfNeeded() { displayWhereNeeded() }

  /// Provides the contents, when they need it. Asks the delegate to; where that does not, has
  /// `draw(in:)` draw into the layer's backing store: `bounds` times `contentsScale`, rounded up
  /// to whole pixels. Called by hand it draws everything.
  ///
  /// A backing store has at most 32,767 pixels a side and 134,217,728 in all, which take 512 MiB. A
  /// larger layer is not drawn and keeps the contents that it has; a warning on standard error names
  /// it, once.
  open func display() { displayByDelegate() }

  /// Draws the contents, in the layer's own space: y points down, unless the layer or one it is in
  /// is flipped. Clipped to what needs to be drawn, which is transparent before, or black where
  /// the layer `isOpaque`. Asks the delegate to draw; subclasses need not call super. It is not
  /// called while the layer is larger than `display()` says.
  open func draw(in ctx: CGContext) { drawByDelegate(in: ctx) }

  /// Draws the model tree from this layer on, its own `position` and `transform` left out: what it
  /// holds now, without asking anybody to draw. Shadows are cast by what the layer and its
  /// sublayers paint, whatever their `shadowPath` is, and reach twice their radius. Filters,
  /// perspective and the depth of layers are left out as well.
  open func render(in ctx: CGContext) { renderModel(in: ctx) }

  /// Whether a change of `bounds` implies `setNeedsDisplay()`. Default: false.
  open var needsDisplayOnBoundsChange: Bool {
    get { modelValues.client.needsDisplayOnBoundsChange }
    set {
      change(.needsDisplayOnBoundsChange, modelValues.client.needsDisplayOnBoundsChange, newValue) {
        $0.client.needsDisplayOnBoundsChange = newValue
      }
    }
  }

  /// A hint that drawing may go on in the background. It changes nothing here: what `draw(in:)`
  /// draws is drawn when it returns. Default: false.
  open var drawsAsynchronously: Bool {
    get { modelValues.client.drawsAsynchronously }
    set {
      change(.drawsAsynchronously, modelValues.client.drawsAsynchronously, newValue) {
        $0.client.drawsAsynchronously = newValue
      }
    }
  }

  /// Whether what the layer draws is opaque. Its backing store then has no transparency: it is
  /// black where nothing is drawn. Contents of other kinds are not affected. Default: false.
  open var isOpaque: Bool {
    get { modelValues.client.isOpaque }
    set {
      change(.isOpaque, modelValues.client.isOpaque, newValue) { $0.client.isOpaque = newValue }
    }
  }

  /// A hint of what the backing store should hold. Drawing is in 8 bits a component, with alpha,
  /// whatever it is. Default: `RGBA8Uint`.
  open var contentsFormat: CALayerContentsFormat {
    get { CALayerContentsFormat(modelValues.contentsDetail.format) }
    set {
      change(.contentsFormat, modelValues.contentsDetail.format, newValue.name) {
        $0.contentsDetail.format = newValue.name
      }
    }
  }

  /// The part of `contents` to show, as fractions of its size. Default: (0, 0, 1, 1).
  open var contentsRect: CGRect {
    get { modelValues.contentsDetail.rect }
    set {
      change(.contentsRect, modelValues.contentsDetail.rect, newValue) {
        $0.contentsDetail.rect = newValue
      }
    }
  }

  /// The part of `contents` that is stretched both ways where the gravity resizes, as fractions of
  /// `contentsRect`; the rest keeps its size along one axis or both. Default: (0, 0, 1, 1).
  open var contentsCenter: CGRect {
    get { modelValues.contentsDetail.center }
    set {
      change(.contentsCenter, modelValues.contentsDetail.center, newValue) {
        $0.contentsDetail.center = newValue
      }
    }
  }

  /// How contents are placed in the bounds. Default: `resize`.
  open var contentsGravity: CALayerContentsGravity {
    get { CALayerContentsGravity(modelValues.contentsGravity) }
    set {
      change(.contentsGravity, modelValues.contentsGravity, newValue.name) {
        $0.contentsGravity = newValue.name
      }
    }
  }

  /// Pixels of `contents` a point. Default: 1.
  open var contentsScale: CGFloat {
    get { modelValues.contentsScale }
    set {
      change(.contentsScale, modelValues.contentsScale, newValue) { $0.contentsScale = newValue }
    }
  }

  /// How contents are sampled when drawn smaller than they are. Default: `linear`.
  open var minificationFilter: CALayerContentsFilter {
    get { CALayerContentsFilter(modelValues.contentsDetail.minificationFilter) }
    set {
      change(.minificationFilter, modelValues.contentsDetail.minificationFilter, newValue.name) {
        $0.contentsDetail.minificationFilter = newValue.name
      }
    }
  }

  /// How contents are sampled when drawn larger than they are. Default: `linear`.
  open var magnificationFilter: CALayerContentsFilter {
    get { CALayerContentsFilter(modelValues.contentsDetail.magnificationFilter) }
    set {
      change(.magnificationFilter, modelValues.contentsDetail.magnificationFilter, newValue.name) {
        $0.contentsDetail.magnificationFilter = newValue.name
      }
    }
  }

  /// Added to the level of detail that `trilinear` minification takes. Images have no levels here,
  /// so that it is kept, committed and animated, and changes no pixel. Default: 0.
  open var minificationFilterBias: Float {
    get { Float(modelValues.contentsDetail.minificationFilterBias) }
    set {
      let old = modelValues.contentsDetail.minificationFilterBias
      guard newValue != Float(old) else { return }
      change(.minificationFilterBias, old, Double(newValue)) {
        $0.contentsDetail.minificationFilterBias = Double(newValue)
      }
    }
  }

  /// Whether what the layer draws may be kept in a form that can be drawn at any scale. Drawing is
  /// kept as pixels here, so that it changes nothing else than that the layer is drawn again when
  /// this is set. Default: false.
  open var wantsDynamicContentScaling: Bool {
    get { modelValues.contentsDetail.wantsDynamicScaling }
    set {
      let old = modelValues.contentsDetail.wantsDynamicScaling
      let isChanged = change(.wantsDynamicContentScaling, old, newValue) {
        $0.contentsDetail.wantsDynamicScaling = newValue
      }
      if isChanged { setNeedsDisplay() }
    }
  }

  // MARK: Appearance

  /// What fills the bounds behind the contents. Default: nil.
  open var backgroundColor: CGColor? {
    get { modelValues.backgroundColor }
    set {
      change(.backgroundColor, modelValues.backgroundColor, newValue) {
        $0.backgroundColor = newValue
      }
    }
  }

  /// What the layer's and its sublayers' alpha is multiplied by, 0 to 1. Default: 1.
  open var opacity: Float {
    get { Float(modelValues.opacity) }
    set {
      // Compared as Float, which is what the property is: 0.1 set again is no change.
      guard newValue != Float(modelValues.opacity) else { return }
      change(.opacity, modelValues.opacity, Double(newValue)) { $0.opacity = Double(newValue) }
    }
  }

  /// Whether a layer that is not opaque is composited with its sublayers as one. Default: true.
  open var allowsGroupOpacity: Bool {
    get { modelValues.allowsGroupOpacity }
    set {
      change(.allowsGroupOpacity, modelValues.allowsGroupOpacity, newValue) {
        $0.allowsGroupOpacity = newValue
      }
    }
  }

  /// The radius of the corners of background and border, and of the bounds as a mask, in points.
  /// Default: 0.
  open var cornerRadius: CGFloat {
    get { modelValues.cornerRadius }
    set {
      change(.cornerRadius, modelValues.cornerRadius, newValue) { $0.cornerRadius = newValue }
    }
  }

  /// Which corners `cornerRadius` rounds. Default: all.
  open var maskedCorners: CACornerMask {
    get { CACornerMask(rawValue: UInt(modelValues.maskedCorners)) }
    set {
      let corners = UInt32(newValue.rawValue & 15)
      change(.maskedCorners, modelValues.maskedCorners, corners) { $0.maskedCorners = corners }
    }
  }

  /// The outline of the rounded corners. Default: `circular`.
  open var cornerCurve: CALayerCornerCurve {
    get { CALayerCornerCurve(modelValues.cornerCurve) }
    set {
      change(.cornerCurve, modelValues.cornerCurve, newValue.name) {
        $0.cornerCurve = newValue.name
      }
    }
  }

  /// How far from the corner a curve begins, in radii: 1 for `circular`, 1.528665 for `continuous`.
  open class func cornerCurveExpansionFactor(_ curve: CALayerCornerCurve) -> CGFloat {
    curve.name == .continuous ? 1.528665 : 1
  }

  /// The width of the border inside the bounds, in points. It lies above the sublayers.
  /// Default: 0.
  open var borderWidth: CGFloat {
    get { modelValues.borderWidth }
    set {
      change(.borderWidth, modelValues.borderWidth, newValue) { $0.borderWidth = newValue }
    }
  }

  /// Default: opaque black.
  open var borderColor: CGColor? {
    get { modelValues.borderColor }
    set {
      change(.borderColor, modelValues.borderColor, newValue) { $0.borderColor = newValue }
    }
  }

  /// Whether edges that do not fall on pixels are smoothed. Default: true.
  open var allowsEdgeAntialiasing: Bool {
    get { modelValues.allowsEdgeAntialiasing }
    set {
      change(.allowsEdgeAntialiasing, modelValues.allowsEdgeAntialiasing, newValue) {
        $0.allowsEdgeAntialiasing = newValue
      }
    }
  }

  /// Which edges are smoothed where any are. Default: all.
  open var edgeAntialiasingMask: CAEdgeAntialiasingMask {
    get { CAEdgeAntialiasingMask(rawValue: modelValues.edgeAntialiasingMask) }
    set {
      let edges = newValue.rawValue & 15
      change(.edgeAntialiasingMask, modelValues.edgeAntialiasingMask, edges) {
        $0.edgeAntialiasingMask = edges
      }
    }
  }

  /// For finding the layer, in key paths for example. Default: nil.
  open var name: String? {
    get { modelValues.client.name }
    set {
      change(.name, modelValues.client.name, newValue) { $0.client.name = newValue }
    }
  }

  // MARK: Filters

  /// What the picture of the layer and its sublayers goes through, first to last, before its shadow
  /// and opacity: `CAFilter`s, of which the layer keeps copies. Default: nil.
  open var filters: [Any]? {
    get { objects(modelValues.effects.filters) }
    set { setPublicValue(newValue, forKey: "filters") }
  }

  /// What goes on with what is behind the layer, inside its rounded bounds, in the nearest group
  /// around it. Ignored by a tree's root and by masks. Default: nil.
  open var backgroundFilters: [Any]? {
    get { objects(modelValues.effects.backgroundFilters) }
    set { setPublicValue(newValue, forKey: "backgroundFilters") }
  }

  /// How the layer and what is behind it become one: a `CAFilter` or just its type, such as
  /// "multiplyBlendMode". Ignored by masks. Default: nil, source over.
  open var compositingFilter: Any? {
    get { modelValues.hasEffects ? modelValues.effects.compositingFilter?.object : nil }
    set { setPublicValue(newValue, forKey: "compositingFilter") }
  }

  private func objects(_ filters: @autoclosure () -> [FilterValues]?) -> [Any]? {
    modelValues.hasEffects ? filters()?.map(\.object) : nil
  }

  /// Whether the layer and its sublayers are drawn as one bitmap, with filters, shadow and mask in
  /// it, which is kept until something in it changes. The layer's opacity, its compositing filter and
  /// where it lies are no part of it. One that no texture could hold is drawn as any other layer.
  /// Default: false.
  open var shouldRasterize: Bool {
    get { modelValues.hasEffects && modelValues.effects.shouldRasterize }
    set {
      change(.shouldRasterize, shouldRasterize, newValue) { $0.effects.shouldRasterize = newValue }
    }
  }

  /// How many pixels a point of the layer has in that bitmap. Default: 1, which is coarse on a
  /// surface of a larger scale. The layer is not rasterized at 0 or less.
  open var rasterizationScale: CGFloat {
    get { modelValues.hasEffects ? CGFloat(modelValues.effects.rasterizationScale) : 1 }
    set {
      change(.rasterizationScale, Double(rasterizationScale), Double(newValue)) {
        $0.effects.rasterizationScale = Double(newValue)
      }
    }
  }

  // MARK: Timing

  /// When the layer's time begins, in seconds of its superlayer's. Default: 0.
  open var beginTime: CFTimeInterval {
    get { modelValues.timing.beginTime }
    set {
      change(.beginTime, modelValues.timing.beginTime, newValue) { $0.timing.beginTime = newValue }
    }
  }

  /// Default: infinite.
  open var duration: CFTimeInterval {
    get { modelValues.timing.duration }
    set {
      change(.duration, modelValues.timing.duration, newValue) { $0.timing.duration = newValue }
    }
  }

  /// Seconds of the layer's time a second of its superlayer's; 0 stops all animations in it.
  /// Default: 1.
  open var speed: Float {
    get { Float(modelValues.timing.speed) }
    set {
      guard newValue != Float(modelValues.timing.speed) else { return }
      change(.speed, modelValues.timing.speed, Double(newValue)) {
        $0.timing.speed = Double(newValue)
      }
    }
  }

  /// Seconds added to the layer's time. Default: 0.
  open var timeOffset: CFTimeInterval {
    get { modelValues.timing.timeOffset }
    set {
      change(.timeOffset, modelValues.timing.timeOffset, newValue) {
        $0.timing.timeOffset = newValue
      }
    }
  }

  /// Default: 0. A layer's time does not repeat; the value is stored.
  open var repeatCount: Float {
    get { Float(modelValues.timing.repeatCount) }
    set {
      guard newValue != Float(modelValues.timing.repeatCount) else { return }
      change(.repeatCount, modelValues.timing.repeatCount, Double(newValue)) {
        $0.timing.repeatCount = Double(newValue)
      }
    }
  }

  /// Default: 0. A layer's time does not repeat; the value is stored.
  open var repeatDuration: CFTimeInterval {
    get { modelValues.timing.repeatDuration }
    set {
      change(.repeatDuration, modelValues.timing.repeatDuration, newValue) {
        $0.timing.repeatDuration = newValue
      }
    }
  }

  /// Default: false. A layer's time does not repeat; the value is stored.
  open var autoreverses: Bool {
    get { modelValues.timing.autoreverses }
    set {
      change(.autoreverses, modelValues.timing.autoreverses, newValue) {
        $0.timing.autoreverses = newValue
      }
    }
  }

  /// Default: `removed`. A layer shows whatever its time is; the value is stored.
  open var fillMode: CAMediaTimingFillMode {
    get { CAMediaTimingFillMode(modelValues.timing.fillMode) }
    set {
      change(.fillMode, modelValues.timing.fillMode, newValue.name) {
        $0.timing.fillMode = newValue.name
      }
    }
  }

  // MARK: Animations

  /// Adds a copy of `animation`, which takes the place of one with the same key. Without a
  /// positive duration it gets that of the transaction. It begins at the next commit, unless it
  /// has a `beginTime`; if no renderer has the layer by the next turn, it starts and stops then, and
  /// is gone unless it is kept on completion. Key paths that name nothing, and values that the
  /// property cannot take, are named in a warning, once.
  open func add(_ animation: CAAnimation, forKey key: String?) { addAnimation(animation, key: key) }

  /// Does nothing where there is no such animation.
  open func removeAnimation(forKey key: String) { removeKeyedAnimation(key) }

  open func removeAllAnimations() { removeEveryAnimation() }

  /// The keys of the animations that have one, in the order in which they apply; nil where the
  /// layer has none.
  open func animationKeys() -> [String]? {
    let keys = keyedAnimations.filter(\.hasKey).map(\.key)
    return keys.isEmpty ? nil : keys
  }

  /// The animation of that key, as it was added, and from its commit on with the `beginTime` that it
  /// got there; it is not to be changed.
  open func animation(forKey key: String) -> CAAnimation? {
    keyedAnimations.first { $0.hasKey && $0.key == key }?.animation
  }

  // MARK: Actions

  /// What a change of the property of that key starts, or an event: what the delegate says, else
  /// `actions`, else the "actions" of `style`, else `defaultAction(forKey:)`; an `NSNull()` among
  /// them means nil. Where none says anything, a layer that was committed animates most properties
  /// by a `CABasicAnimation` from what is on screen, fades for some by a `CATransition`, and does
  /// nothing for the rest; one that was not does nothing. Duration and pace are the transaction's.
  ///
  /// It is called before each change, unless the transaction disables actions; the action runs
  /// after it.
  open func action(forKey event: String) -> (any CAAction)? { searchAction(forKey: event) }

  /// What a class of layers starts for a key. Default: nil.
  open class func defaultAction(forKey event: String) -> (any CAAction)? { nil }

  // MARK: Key-value coding

  /// The value of a property of new layers: what the table of properties says, as an object, and
  /// nil where that is zero. Override it to give other defaults to the properties of a class, its
  /// own and inherited ones.
  open class func defaultValue(forKey key: String) -> Any? { usualDefault(forKey: key) }

  /// Whether the layer is drawn again when the value of a key changes. Default: false.
  open class func needsDisplay(forKey key: String) -> Bool { false }

  /// Whether there is a value to archive under a key: one that was set.
  open func shouldArchiveValue(forKey key: String) -> Bool { hasValueToArchive(forKey: key) }

  /// The value of a property, or what was stored under a key that is no property. Numbers and
  /// Booleans are NSNumbers, structures themselves.
  open func value(forKey key: String) -> Any? { publicValue(forKey: key) }

  /// Sets a property, or stores a value under a key that is no property. nil gives a property that
  /// cannot be nil its default.
  open func setValue(_ value: Any?, forKey key: String) { setPublicValue(value, forKey: key) }

  /// The value at a path such as "position.x", "transform.rotation.z", "sublayers.NAME.opacity" or
  /// "mask.position".
  open func value(forKeyPath keyPath: String) -> Any? { publicValue(forKeyPath: keyPath) }

  /// Sets the value at a path, as `value(forKeyPath:)` reads it.
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    setPublicValue(value, forKeyPath: keyPath)
  }
}
