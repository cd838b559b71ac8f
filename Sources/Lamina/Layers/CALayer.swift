import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// A rectangle of content, possibly with sublayers, that the render process composites and
/// animates.
///
/// Lengths are in points. Geometry is in the superlayer's space, whose y axis points down in a
/// renderer unless a layer's `isGeometryFlipped` reverses it. Values that a property cannot have,
/// such as NaN, are refused with a warning on standard error; setting an equal value does nothing.
///
/// A layer may be used from any thread, but from only one at a time. Its changes reach the screen
/// when they are committed: with the next frame of the renderer whose tree the layer is in, or at
/// `CATransaction.commit()`.
open class CALayer: NSObject, NSSecureCoding, CAMediaTiming {
  // The file is long because every member that a subclass may override stands in it: Swift allows
  // no override of what an extension declares. What is behind the members lies in extensions.
  // `.ci/open-members.txt` lists what must be here.

  // The storage that every setter and every commit uses is not checked for exclusive access at run
  // time, which would take a tenth of their time. It lies together, so that few lines of the
  // processor's cache are loaded for it.

  /// The record of what the render process knows of this layer; nil if no renderer's tree has the
  /// layer.
  @exclusivity(unchecked) var rendered: RenderedLayer?
  /// The properties that were ever set: the only ones that a new layer in the render process must
  /// be sent.
  @exclusivity(unchecked) var written = StoredPropertySet()
  /// State that few layers have; nil if the layer has none of it.
  var attachments: LayerAttachments?
  /// The answers of the layer's class to `defaultValue(forKey:)` and `needsDisplay(forKey:)`; nil
  /// if they are the usual ones.
  var defaults: LayerDefaults?
  /// Whether the layer's class is the app's own, which may override actions, defaults and drawing.
  let isOfProgramClass: Bool
  /// The model values.
  @exclusivity(unchecked) package internal(set) final var modelValues: LayerValues

  @exclusivity(unchecked) var attachedAnimations: [AttachedAnimation] = []
  @exclusivity(unchecked) var usedAnimationKeys = AnimationKeys()
  @exclusivity(unchecked) final var sublayerList = SublayerList()
  /// The sublayers, the backmost first.
  final var sublayerStorage: [CALayer] { sublayerList.all }
  var maskStorage: CALayer?
  /// Layers that show parts of the contents, the backmost first. The render process has them below
  /// the sublayers; apps do not see them.
  var contentsLayers: [CALayer] { [] }
  /// Not reference counted: a layer clears it in its sublayers when it is deallocated.
  unowned(unsafe) var superlayerStorage: CALayer?

  /// The value of `contents`; `modelValues.contents` is the ID of its image.
  var contentsStorage: AnyObject?
  /// Values of keys that no class declares.
  var undefinedValues: [String: Any] = [:]
  /// The work to do before the next commit.
  var pending = PendingWork()

  /// The layer of which this one is a presentation copy.
  private(set) var modelLayer: CALayer?
  /// The initial values of a presentation copy while it is being made of this layer.
  var presentationSeed: PresentationSeed?

  /// The kind of layer that the render process creates for this class.
  package class var kind: LayerKind { .layer }

  public override init() {
    modelValues = LayerValues(kind: Self.kind)
    isOfProgramClass = !LayerDefaults.isOurs(Self.self)
    super.init()
    takeDefaults()
  }

  /// Makes a copy of `layer` that shows its state on screen. Only `presentation()` calls this, on
  /// the layer's own class: override it to copy the properties that a subclass stores, then call
  /// super. If you call it yourself, it copies nothing.
  public init(layer: Any) {
    modelValues = LayerValues(kind: Self.kind)
    isOfProgramClass = !LayerDefaults.isOurs(Self.self)
    super.init()
    guard let original = layer as? CALayer, let values = original.presentationSeed?.values else {
      return
    }
    modelValues = values
    written = original.written
    contentsStorage = values.contents.flatMap(original.contents)
    undefinedValues = original.undefinedValues
    attachedAnimations = original.attachedAnimations
    attachments = original.attachments
    modelLayer = original
  }

  /// Reads a layer from an archive, with its sublayers, mask and animations. nil if the archive
  /// cannot be read, or nests objects hundreds deep.
  public required init?(coder: NSCoder) {
    modelValues = LayerValues(kind: Self.kind)
    isOfProgramClass = !LayerDefaults.isOurs(Self.self)
    super.init()
    takeDefaults()
    guard restoreProperties(from: coder) else { return nil }
  }

  /// On macOS, makes a layer that shows what another process draws.
  @available(*, unavailable, message: "Lamina shows no layers of other processes")
  public convenience init(remoteClientId client_id: UInt32) {
    programmerError("Lamina shows no layers of other processes, such as \(client_id)")
  }

  deinit {
    if !sublayerList.isEmpty || maskStorage != nil || rendered != nil { releaseLayers() }
    for animation in attachedAnimations where animation.layer === self { animation.layer = nil }
  }

  // MARK: Archiving

  open class var supportsSecureCoding: Bool { true }

  /// Archives the values for which `shouldArchiveValue(forKey:)` is true, and the animations.
  /// Contents are archived as the image that they show. The delegate is left out. So are, with a
  /// warning, values of undefined keys if secure coding cannot read them or if they contain the
  /// layer.
  open func encode(with coder: NSCoder) {
    coder.archiving(self) { archiveProperties(with: coder) }
  }

  /// The class under whose name the layer is archived: its own or, if Foundation cannot name that
  /// one because it is private, generic or nested in another type, its nearest superclass that can
  /// be named.
  open override var classForCoder: AnyClass { nearestNamedClass }

  // MARK: Copies

  /// A copy of the layer as it is on screen now: its committed values with its animations applied,
  /// at the current time of its renderer's clock. nil if the layer was never committed. The copy's
  /// sublayers, mask and superlayer are presentation copies as well; changing a copy has no effect.
  open func presentation() -> Self? {
    if modelLayer != nil { return self }
    return rendered.flatMap { presentation(at: $0.tree.clock.time) }
  }

  /// The layer that a presentation copy was made of; the layer itself if it is not a copy.
  open func model() -> Self {
    guard let modelLayer else { return self }
    return unsafeDowncast(modelLayer, to: Self.self)  // A copy is of its original's class.
  }

  // MARK: Geometry

  /// The layer's rectangle in its own space. A negative size is standardised. Default: zero.
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

  /// The point in the superlayer's space at which the anchor point lies. Default: zero.
  open var position: CGPoint {
    get { modelValues.position }
    set { change(.position, modelValues.position, newValue) { $0.position = newValue } }
  }

  /// The position along the z axis, which points towards the viewer. Siblings with greater values
  /// are in front. Default: 0.
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

  /// The z coordinate of the anchor point, in points. Default: 0.
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

  /// `transform` as an affine transform; the identity if it is not affine.
  open func affineTransform() -> CGAffineTransform {
    transform.isAffine ? transform.affine : .identity
  }

  /// Sets `transform` to an affine transform.
  open func setAffineTransform(_ m: CGAffineTransform) { transform = CATransform3D(m) }

  /// A transform of all sublayers about this layer's anchor point, such as perspective.
  /// Default: the identity.
  open var sublayerTransform: CATransform3D {
    get { modelValues.sublayerTransform }
    set {
      change(.sublayerTransform, modelValues.sublayerTransform, newValue) {
        $0.sublayerTransform = newValue
      }
    }
  }

  /// The smallest rectangle around the transformed bounds, in the superlayer's space. Setting it
  /// changes `position` and the size of `bounds`. A negative size is standardised.
  open var frame: CGRect {
    get { modelValues.frame }
    set {
      // The order in which macOS adds their animations.
      let geometry = modelValues.geometry(forFrame: newValue.standardized)
      position = geometry.position
      bounds = geometry.bounds
    }
  }

  /// Whether the layer and its sublayers are hidden. Default: false.
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

  /// Whether contents are drawn with y pointing down. A renderer's surface counts as flipped, and
  /// each `isGeometryFlipped` from the layer to its root reverses that.
  open func contentsAreFlipped() -> Bool { isDrawnFlipped }

  /// Whether sublayers are clipped to the bounds, rounded by `cornerRadius`. Default: false.
  open var masksToBounds: Bool {
    get { modelValues.masksToBounds }
    set {
      change(.masksToBounds, modelValues.masksToBounds, newValue) { $0.masksToBounds = newValue }
    }
  }

  // MARK: Hierarchy

  /// The layer that this one is a sublayer or the mask of; nil if there is none.
  open var superlayer: CALayer? {
    guard let modelLayer else { return superlayerStorage }
    return modelLayer.superlayerStorage?.presentation()
  }

  /// The sublayers, the backmost first; nil if there are none.
  open var sublayers: [CALayer]? {
    get {
      guard let modelLayer else { return sublayerStorage.isEmpty ? nil : sublayerStorage }
      let copies = modelLayer.sublayerStorage.compactMap { $0.presentation() }
      return copies.isEmpty ? nil : copies
    }
    set { replaceAllSublayers(with: newValue ?? []) }
  }

  /// A layer whose alpha is multiplied into this layer's and its sublayers'. Its geometry is in
  /// this layer's own space. Setting it removes the mask from its previous superlayer.
  /// Default: nil.
  open var mask: CALayer? {
    get {
      guard let modelLayer else { return maskStorage }
      return modelLayer.maskStorage?.presentation()
    }
    set { setMask(newValue) }
  }

  /// Adds `layer` in front of the other sublayers, removing it from its previous superlayer.
  open func addSublayer(_ layer: CALayer) { insert(layer) { $0.count } }

  /// Inserts `layer` at `index` of the sublayers, or at their end if the index is greater.
  open func insertSublayer(_ layer: CALayer, at index: UInt32) {
    insert(layer) { min(Int(index), $0.count) }
  }

  /// Inserts `layer` behind `sibling`. If `sibling` is nil, `layer` goes behind all sublayers; if
  /// it is not a sublayer, in front of all.
  open func insertSublayer(_ layer: CALayer, below sibling: CALayer?) {
    insert(layer, beside: sibling) { _, place in place ?? 0 }
  }

  /// Inserts `layer` in front of `sibling`. If `sibling` is nil or not a sublayer, `layer` goes in
  /// front of all sublayers.
  open func insertSublayer(_ layer: CALayer, above sibling: CALayer?) {
    insert(layer, beside: sibling) { count, place in place.map { $0 + 1 } ?? count }
  }

  /// Replaces `old`, which must be a sublayer, with `new`.
  open func replaceSublayer(_ old: CALayer, with new: CALayer) {
    replace(old, with: new)
  }

  /// Removes the layer from its superlayer, whether it is a sublayer there or the mask.
  open func removeFromSuperlayer() { leaveSuperlayer() }

  // MARK: Conversion

  /// Converts a point of another layer's space to this layer's; nil stands for the space of this
  /// layer's superlayer.
  ///
  /// `isGeometryFlipped` makes no difference: it flips what is drawn, not coordinates. Each layer's
  /// plane is projected onto its superlayer's, so perspective counts. Layers without a common
  /// superlayer are converted by way of the space that their roots lie in. A point is returned
  /// unchanged if a transform on the way has no inverse and so leaves it undetermined.
  open func convert(_ p: CGPoint, from l: CALayer?) -> CGPoint {
    PlaneMap(from: l, to: self).map(p)
  }

  /// Converts a point of this layer's space to another layer's; nil stands for the space of this
  /// layer's superlayer.
  open func convert(_ p: CGPoint, to l: CALayer?) -> CGPoint {
    PlaneMap(from: self, to: l).map(p)
  }

  /// Converts a rectangle of another layer's space to its bounding box in this layer's; nil stands
  /// for the space of this layer's superlayer.
  open func convert(_ r: CGRect, from l: CALayer?) -> CGRect {
    PlaneMap(from: l, to: self).map(r)
  }

  /// Converts a rectangle of this layer's space to its bounding box in another layer's; nil stands
  /// for the space of this layer's superlayer.
  open func convert(_ r: CGRect, to l: CALayer?) -> CGRect {
    PlaneMap(from: self, to: l).map(r)
  }

  /// Converts a time of another layer to this layer's, in seconds; nil stands for the time above
  /// the root. A layer's time is `(superlayer's time - beginTime) * speed + timeOffset`.
  ///
  /// Layers from the first common superlayer upwards play no part. Any time of a layer whose speed
  /// is 0 converts to its `beginTime` in the superlayer's time.
  open func convertTime(_ t: CFTimeInterval, from l: CALayer?) -> CFTimeInterval {
    Self.time(t, from: l, to: self)
  }

  /// Converts a time of this layer to another layer's, in seconds; nil stands for the time above
  /// the root. Any time of a layer whose speed is 0 converts to its `beginTime` in the superlayer's
  /// time.
  open func convertTime(_ t: CFTimeInterval, to l: CALayer?) -> CFTimeInterval {
    Self.time(t, from: self, to: l)
  }

  // MARK: Hit testing

  /// Whether the layer's bounds contain a point of its own space. The edges of greatest x and y lie
  /// outside.
  open func contains(_ p: CGPoint) -> Bool { boundsContain(p) }

  /// The frontmost layer at a point of the superlayer's space, among this one and its descendants;
  /// nil if there is none. Hidden layers, those of opacity 0, single-sided ones that show their
  /// backs, and those with a mask that does not contain the point are skipped with all their
  /// descendants. Sublayers outside the bounds are found unless `masksToBounds` is true. A layer
  /// nearer to the viewer at the point is in front; of equally near siblings, the last is.
  open func hitTest(_ p: CGPoint) -> CALayer? { frontLayer(at: p) }

  // MARK: Delegate and layout

  /// The object that provides content, layout and actions for the layer. It is not retained.
  /// Default: nil.
  open var delegate: (any CALayerDelegate)? {
    get { attachments?.delegate }
    set { if newValue != nil || attachments != nil { ownAttachments.delegate = newValue } }
  }

  /// The object that lays out the sublayers if the layer's delegate does not. Setting it makes the
  /// layer need layout. Default: nil.
  open var layoutManager: (any CALayoutManager)? {
    get { attachments?.layoutManager }
    set { setLayoutManager(newValue) }
  }

  /// The constraints by which the superlayer's `CAConstraintLayoutManager`, if it has one, places
  /// the layer. Default: nil. Setting them makes the superlayer need layout.
  open var constraints: [CAConstraint]? {
    get { attachments?.constraints }
    set { setConstraints(newValue) }
  }

  /// Appends to `constraints`.
  open func addConstraint(_ c: CAConstraint) { constraints = (constraints ?? []) + [c] }

  /// Requests that the sublayers be laid out before the next commit. Implied by a change of the
  /// sublayers, of the layout manager, and of the layer's or a sublayer's bounds or transform.
  /// Ignored while the layer is laying out its sublayers.
  open func setNeedsLayout() { noteNeedsLayout() }

  /// Whether the layer's sublayers will be laid out before the next commit.
  open func needsLayout() -> Bool { pending.contains(.layout) }

  /// Lays out this layer and its descendants, as far as they need layout. If the superlayer needs
  /// layout too, it starts at the highest in the unbroken line of superlayers that do.
  open func layoutIfNeeded() { layOutFromTop() }

  /// Lays out the sublayers. Called when they need layout. Asks the delegate to, else the layout
  /// manager; without either it does nothing.
  open func layoutSublayers() { layOutByDelegate() }

  /// The size of the frame that suits the layer's content: the layout manager's answer or, without
  /// a layout manager, the current frame's size.
  open func preferredFrameSize() -> CGSize {
    layoutManager?.preferredSize(of: self) ?? frame.size
  }

  /// Called when the size of the bounds has changed; calls `resize(withOldSuperlayerSize:)` on each
  /// sublayer.
  open func resizeSublayers(withOldSize size: CGSize) {
    for sublayer in sublayerStorage { sublayer.resize(withOldSuperlayerSize: size) }
  }

  /// Called when the superlayer's size has changed; adjusts the frame by `autoresizingMask`.
  open func resize(withOldSuperlayerSize size: CGSize) { resize(after: size) }

  /// The lengths that adapt when the size of the superlayer's bounds changes. Default: none.
  ///
  /// Along each axis the named lengths share the change, whatever their sizes. A single one takes
  /// it all, and two margins take half each. If the layer's own size is named too, one margin takes
  /// two thirds and two margins take a third each, rounded down to whole points; the size takes the
  /// rest.
  open var autoresizingMask: CAAutoresizingMask {
    get { CAAutoresizingMask(rawValue: modelValues.client.autoresizingMask) }
    set {
      change(.autoresizingMask, modelValues.client.autoresizingMask, newValue.rawValue) {
        $0.client.autoresizingMask = newValue.rawValue
      }
    }
  }

  // MARK: Scrolling

  /// The part of the bounds that the nearest enclosing scroll layer shows, in the layer's own
  /// space; the whole bounds if there is none.
  open var visibleRect: CGRect { shownRect }

  /// Scrolls this layer if it is a scroll layer, else the nearest enclosing one, so that a point of
  /// this layer's space lies at the origin of the scroll layer's bounds. Does nothing if there is
  /// none.
  open func scroll(_ p: CGPoint) { scrollEnclosing(to: p) }

  /// Scrolls this layer if it is a scroll layer, else the nearest enclosing one, by the least
  /// distance that brings a rectangle of this layer's space into view. Does nothing if there is
  /// none.
  open func scrollRectToVisible(_ r: CGRect) { scrollEnclosing(toShow: r) }

  // MARK: Contents

  /// The image that the layer shows in its bounds: a `CGImage`, or nil. Other types are refused
  /// with a warning. Default: nil.
  ///
  /// After the layer has drawn itself, this is its backing store, an opaque object. A layer that is
  /// given another one's backing store shows the store's pixels of that moment.
  open var contents: Any? {
    get { contentsStorage }
    set { setContents(newValue) }
  }

  /// Requests that all of the contents be redrawn before the next commit.
  open func setNeedsDisplay() { invalidate(nil) }

  /// Requests that the contents in `rect`, in the layer's own space, be redrawn before the next
  /// commit. All other contents stay.
  open func setNeedsDisplay(_ rect: CGRect) { invalidate(rect) }

  /// Whether the layer, or a part of it, will be redrawn before the next commit.
  open func needsDisplay() -> Bool { attachments.map { !$0.invalid.isEmpty } ?? false }

  /// Calls `display()` if the contents need to be redrawn.
  open func displayIfNeeded() { displayWhereNeeded() }

  /// Provides the contents. Called when they need to be redrawn; if you call it yourself, it
  /// redraws everything. Asks the delegate for the contents. If the delegate does not provide them,
  /// `draw(in:)` draws them into the layer's backing store, whose size is `bounds` times
  /// `contentsScale`, rounded up to whole pixels.
  ///
  /// A backing store has at most 32,767 pixels a side and 134,217,728 in all, which take 512 MiB. A
  /// larger layer is not drawn and keeps its contents; a warning on standard error names it, once.
  open func display() { displayByDelegate() }

  /// Draws the contents, in the layer's own space: y points down, unless the layer or one that it
  /// is in is flipped. The context is clipped to the region that needs to be redrawn, which is
  /// transparent at first, or black if the layer `isOpaque`. Asks the delegate to draw; subclasses
  /// need not call super. It is not called while the layer is larger than `display()` allows.
  open func draw(in ctx: CGContext) { drawByDelegate(in: ctx) }

  /// Whether a change of one of the properties that the layer draws changes its picture now.
  func shows(_ property: StoredProperty) -> Bool { true }

  /// All that the picture drawn by `draw(in:)` depends on, so that an equal one is not drawn again;
  /// nil if that is not known.
  var drawing: AnyHashable? { nil }

  /// Draws this layer and its descendants, leaving out this layer's own `position` and `transform`.
  /// A layer draws as it is in the model, and is displayed first if it needs to be; it is not laid
  /// out. A presentation copy draws all of them as they are on screen.
  ///
  /// Drawn are compositing filters, groups of faded layers, masks, particles, and the copies of
  /// replicators without their colours. Shadows are cast by what the layer and its sublayers paint,
  /// whatever their `shadowPath` is, and reach twice their radius. Other filters, running
  /// transitions, perspective and the depth of layers are left out.
  open func render(in ctx: CGContext) { paint(in: ctx) }

  /// Whether a change of `bounds` implies `setNeedsDisplay()`. Default: false.
  open var needsDisplayOnBoundsChange: Bool {
    get { modelValues.client.needsDisplayOnBoundsChange }
    set {
      change(.needsDisplayOnBoundsChange, modelValues.client.needsDisplayOnBoundsChange, newValue) {
        $0.client.needsDisplayOnBoundsChange = newValue
      }
    }
  }

  /// Whether what `draw(in:)` draws for a commit is only recorded, and made into pixels on another
  /// thread while the commit goes on. Default: false.
  ///
  /// The context keeps the images, colours and patterns that it is given. Asking it for its pixels
  /// draws at once. On a manual clock, a frame waits for the drawings recorded before it; on the
  /// host's, it shows what is finished, in the order of the recordings, and the contents from
  /// before until then.
  open var drawsAsynchronously: Bool {
    get { modelValues.client.drawsAsynchronously }
    set {
      change(.drawsAsynchronously, modelValues.client.drawsAsynchronously, newValue) {
        $0.client.drawsAsynchronously = newValue
      }
    }
  }

  /// Whether the layer's own drawing is opaque. Its backing store then has no transparency: pixels
  /// that are not drawn are black. Contents of other kinds are not affected. Default: false.
  open var isOpaque: Bool {
    get { modelValues.client.isOpaque }
    set {
      change(.isOpaque, modelValues.client.isOpaque, newValue) { $0.client.isOpaque = newValue }
    }
  }

  /// A hint for the pixel format of the backing store. It has no effect here: drawing has 8 bits a
  /// component, with alpha. Default: `RGBA8Uint`.
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

  /// The part of `contents` that is stretched along both axes if the gravity resizes, as fractions
  /// of `contentsRect`. The parts around it keep their size along one axis or both.
  /// Default: (0, 0, 1, 1).
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

  /// The number of pixels of `contents` per point. Default: 1.
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

  /// A bias added to the level of detail that `trilinear` minification uses: each level halves the
  /// image's resolution. Values beyond ±16 act as ±16. Default: 0.
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

  /// Whether the layer's drawing may be kept in a form that can be drawn at any scale. Drawing is
  /// kept as pixels here, so setting this only redraws the layer. Default: false.
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

  // Frames have the standard range, as they may on screens with more, so the next four values are
  // kept, committed and copied but change no pixel.

  /// Whether the contents are tone-mapped into the screen's range. Default: `automatic`.
  open var toneMapMode: CAToneMapMode {
    get { CAToneMapMode(modelValues.contentsDetail.toneMapMode) }
    set {
      change(.toneMapMode, modelValues.contentsDetail.toneMapMode, newValue.name) {
        $0.contentsDetail.toneMapMode = newValue.name
      }
    }
  }

  /// The dynamic range for this layer's contents, not for its sublayers'. Default: `standard`.
  open var preferredDynamicRange: CADynamicRange {
    get { CADynamicRange(modelValues.contentsDetail.preferredDynamicRange) }
    set {
      let range = newValue.name
      change(.preferredDynamicRange, modelValues.contentsDetail.preferredDynamicRange, range) {
        $0.contentsDetail.preferredDynamicRange = range
      }
    }
  }

  /// The brightest value of the contents as a multiple of white; 0 leaves it unspecified.
  /// Default: 0.
  open var contentsHeadroom: CGFloat {
    get { modelValues.contentsDetail.headroom }
    set {
      change(.contentsHeadroom, modelValues.contentsDetail.headroom, newValue) {
        $0.contentsDetail.headroom = newValue
      }
    }
  }

  /// Whether the contents may be brighter than white. Default: false.
  open var wantsExtendedDynamicRangeContent: Bool {
    get { modelValues.contentsDetail.wantsExtendedDynamicRange }
    set {
      let old = modelValues.contentsDetail.wantsExtendedDynamicRange
      change(.wantsExtendedDynamicRangeContent, old, newValue) {
        $0.contentsDetail.wantsExtendedDynamicRange = newValue
      }
    }
  }

  // MARK: Appearance

  /// The colour that fills the bounds behind the contents; nil fills nothing. Default: nil.
  open var backgroundColor: CGColor? {
    get { modelValues.backgroundColor }
    set {
      change(.backgroundColor, modelValues.backgroundColor, newValue) {
        $0.backgroundColor = newValue
      }
    }
  }

  /// The factor by which the alpha of the layer and its sublayers is multiplied, from 0 to 1.
  /// Default: 1.
  open var opacity: Float {
    get { Float(modelValues.opacity) }
    set {
      // Compared as Float, which is what the property is: 0.1 set again is no change.
      guard newValue != Float(modelValues.opacity) else { return }
      change(.opacity, modelValues.opacity, Double(newValue)) { $0.opacity = Double(newValue) }
    }
  }

  /// Whether a layer whose opacity is below 1 is composited together with its sublayers, as one.
  /// Default: true.
  open var allowsGroupOpacity: Bool {
    get { modelValues.allowsGroupOpacity }
    set {
      change(.allowsGroupOpacity, modelValues.allowsGroupOpacity, newValue) {
        $0.allowsGroupOpacity = newValue
      }
    }
  }

  /// The radius of the corners, in points. It rounds the background, the border, and the bounds if
  /// they clip. Default: 0.
  open var cornerRadius: CGFloat {
    get { modelValues.cornerRadius }
    set {
      change(.cornerRadius, modelValues.cornerRadius, newValue) { $0.cornerRadius = newValue }
    }
  }

  /// The corners that `cornerRadius` rounds. Default: all.
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

  /// The distance from the corner at which a curve begins, in radii: 1 for `circular`, 1.528665 for
  /// `continuous`.
  open class func cornerCurveExpansionFactor(_ curve: CALayerCornerCurve) -> CGFloat {
    curve.name == .continuous ? 1.528665 : 1
  }

  /// The width of the border, in points. The border lies inside the bounds, in front of the
  /// sublayers. Default: 0.
  open var borderWidth: CGFloat {
    get { modelValues.borderWidth }
    set {
      change(.borderWidth, modelValues.borderWidth, newValue) { $0.borderWidth = newValue }
    }
  }

  /// The colour of the border; nil draws none. Default: opaque black.
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

  /// The edges that are smoothed if `allowsEdgeAntialiasing` is true. Default: all.
  open var edgeAntialiasingMask: CAEdgeAntialiasingMask {
    get { CAEdgeAntialiasingMask(rawValue: modelValues.edgeAntialiasingMask) }
    set {
      let edges = newValue.rawValue & 15
      change(.edgeAntialiasingMask, modelValues.edgeAntialiasingMask, edges) {
        $0.edgeAntialiasingMask = edges
      }
    }
  }

  /// A name for finding the layer, in key paths for example. Default: nil.
  open var name: String? {
    get { modelValues.client.name }
    set {
      change(.name, modelValues.client.name, newValue) { $0.client.name = newValue }
    }
  }

  /// Values for properties that were not set, by key. Under the key "style" there may be another
  /// such dictionary, whose values come second. Default: nil.
  ///
  /// A value that was set stays, whatever the style contains. Undefined keys have values from here
  /// too.
  open var style: [AnyHashable: Any]? {
    get { attachments?.style }
    set { setStyle(newValue) }
  }

  // MARK: Shadow

  // The shadow lies behind everything that the layer draws. All that the layer and its sublayers
  // draw casts it or, in its place, `shadowPath`. Like everything else that a layer draws, its
  // shadow is clipped by its own `mask` and `masksToBounds`.

  /// The colour of the shadow; nil casts none. Default: opaque black.
  open var shadowColor: CGColor? {
    get { modelValues.effects.shadowColor }
    set {
      change(.shadowColor, modelValues.effects.shadowColor, newValue) {
        $0.effects.shadowColor = newValue
      }
    }
  }

  /// The opacity of the shadow, from 0, which casts none, to 1. Default: 0.
  open var shadowOpacity: Float {
    get { Float(modelValues.effects.shadowOpacity) }
    set {
      change(.shadowOpacity, modelValues.effects.shadowOpacity, Double(newValue)) {
        $0.effects.shadowOpacity = Double(newValue)
      }
    }
  }

  /// The distance of the shadow from what casts it, in points of the layer's own space.
  /// Default: (0, −3).
  open var shadowOffset: CGSize {
    get { modelValues.effects.shadowOffset }
    set {
      change(.shadowOffset, modelValues.effects.shadowOffset, newValue) {
        $0.effects.shadowOffset = newValue
      }
    }
  }

  /// The standard deviation of the Gaussian that blurs the shadow, in points. Default: 3.
  open var shadowRadius: CGFloat {
    get { modelValues.effects.shadowRadius }
    set {
      change(.shadowRadius, modelValues.effects.shadowRadius, newValue) {
        $0.effects.shadowRadius = newValue
      }
    }
  }

  /// The shape that casts the shadow in place of what the layer and its sublayers draw, in the
  /// layer's own space; a copy is stored. `render(in:)` ignores it. Default: nil.
  open var shadowPath: CGPath? {
    get { modelValues.effects.shadowPath.map(CGPath.init) }
    set {
      change(.shadowPath, modelValues.effects.shadowPath, newValue?.storage) {
        $0.effects.shadowPath = newValue?.storage
      }
    }
  }

  // MARK: Filters

  /// The filters for the picture of the layer and its sublayers, applied first to last, before
  /// shadow and opacity: `CAFilter`s, of which the layer stores copies. Default: nil.
  open var filters: [Any]? {
    get { objects(modelValues.effects.filters) }
    set { setPublicValue(newValue, forKey: "filters") }
  }

  /// The filters for what lies behind the layer, within its rounded bounds and its nearest
  /// enclosing group. Ignored for a tree's root and for masks. Default: nil.
  open var backgroundFilters: [Any]? {
    get { objects(modelValues.effects.backgroundFilters) }
    set { setPublicValue(newValue, forKey: "backgroundFilters") }
  }

  /// The filter that composites the layer with what lies behind it: a `CAFilter` or just its type,
  /// such as "multiplyBlendMode". Ignored for masks. Any other object is kept, with a warning, and
  /// has no effect. Default: nil, source over.
  open var compositingFilter: Any? {
    get { compositingObject }
    set { setCompositingObject(newValue) }
  }

  private func objects(_ filters: @autoclosure () -> [FilterValues]?) -> [Any]? {
    modelValues.hasEffects ? filters()?.map { $0.object(image: image) } : nil
  }

  /// Whether the layer and its sublayers are drawn as one bitmap, which is kept until something in
  /// it changes. The bitmap includes filters, shadow and mask, but not the layer's opacity,
  /// compositing filter, background filters, position and transform. A layer whose bitmap would not
  /// fit a texture is drawn like any other layer. Default: false.
  open var shouldRasterize: Bool {
    get { modelValues.hasEffects && modelValues.effects.shouldRasterize }
    set {
      change(.shouldRasterize, shouldRasterize, newValue) { $0.effects.shouldRasterize = newValue }
    }
  }

  /// The number of pixels per point of the layer in the bitmap that `shouldRasterize` makes.
  /// Default: 1, which is coarse on a surface of a larger scale. At 0 or less the layer is not
  /// rasterized.
  open var rasterizationScale: CGFloat {
    get { modelValues.hasEffects ? CGFloat(modelValues.effects.rasterizationScale) : 1 }
    set {
      change(.rasterizationScale, Double(rasterizationScale), Double(newValue)) {
        $0.effects.rasterizationScale = Double(newValue)
      }
    }
  }

  // MARK: Timing

  /// The time at which the layer's own time begins, in seconds of its superlayer's. Default: 0.
  open var beginTime: CFTimeInterval {
    get { modelValues.timing.beginTime }
    set {
      change(.beginTime, modelValues.timing.beginTime, newValue) { $0.timing.beginTime = newValue }
    }
  }

  /// A stored value without effect: a layer's time does not end. Default: infinite.
  open var duration: CFTimeInterval {
    get { modelValues.timing.duration }
    set {
      change(.duration, modelValues.timing.duration, newValue) { $0.timing.duration = newValue }
    }
  }

  /// The seconds of the layer's time that pass per second of its superlayer's; 0 stops all
  /// animations in the layer. Default: 1.
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

  /// A stored value without effect: a layer's time does not repeat. Default: 0.
  open var repeatCount: Float {
    get { Float(modelValues.timing.repeatCount) }
    set {
      guard newValue != Float(modelValues.timing.repeatCount) else { return }
      change(.repeatCount, modelValues.timing.repeatCount, Double(newValue)) {
        $0.timing.repeatCount = Double(newValue)
      }
    }
  }

  /// A stored value without effect: a layer's time does not repeat. Default: 0.
  open var repeatDuration: CFTimeInterval {
    get { modelValues.timing.repeatDuration }
    set {
      change(.repeatDuration, modelValues.timing.repeatDuration, newValue) {
        $0.timing.repeatDuration = newValue
      }
    }
  }

  /// A stored value without effect: a layer's time does not repeat. Default: false.
  open var autoreverses: Bool {
    get { modelValues.timing.autoreverses }
    set {
      change(.autoreverses, modelValues.timing.autoreverses, newValue) {
        $0.timing.autoreverses = newValue
      }
    }
  }

  /// A stored value without effect: a layer shows at any of its times. Default: `removed`.
  open var fillMode: CAMediaTimingFillMode {
    get { CAMediaTimingFillMode(modelValues.timing.fillMode) }
    set {
      change(.fillMode, modelValues.timing.fillMode, newValue.name) {
        $0.timing.fillMode = newValue.name
      }
    }
  }

  // MARK: Animations

  /// Adds a copy of `animation`, replacing an animation with the same key. If its duration is not
  /// positive, it gets the transaction's. It begins at the next commit unless it has a `beginTime`.
  /// If no renderer has the layer by the end of the transaction, the animation starts and stops
  /// then, and is removed unless `isRemovedOnCompletion` is false. A warning, once, names key paths
  /// that lead to nothing and values that the property cannot take.
  open func add(_ animation: CAAnimation, forKey key: String?) { addAnimation(animation, key: key) }

  /// Removes the animation with the given key; does nothing if there is none.
  open func removeAnimation(forKey key: String) { removeKeyedAnimation(key) }

  /// Removes all animations of the layer, with keys and without.
  open func removeAllAnimations() { removeEveryAnimation() }

  /// The keys of the animations that have one, in the order in which they apply; nil if there are
  /// none.
  open func animationKeys() -> [String]? {
    let keys = attachedAnimations.filter(\.hasKey).map(\.key)
    return keys.isEmpty ? nil : keys
  }

  /// The animation with the given key, as it was added. Once committed, it has the `beginTime` that
  /// it got. Do not change it.
  open func animation(forKey key: String) -> CAAnimation? {
    attachedAnimations.first { $0.hasKey && $0.key == key }?.animation
  }

  // MARK: Actions

  /// The action that a change of a property, or an event, starts: the delegate's, else that of
  /// `actions`, else that of the "actions" of `style`, else `defaultAction(forKey:)`. An `NSNull()`
  /// among these means no action. If none of them has an answer, a committed layer animates most
  /// properties from their values on screen by a `CABasicAnimation`, fades some by a
  /// `CATransition`, and does nothing for the rest; a layer that was never committed does nothing.
  /// Duration and timing function are the transaction's.
  ///
  /// It is called before each change, unless the transaction disables actions; the action runs
  /// after the change.
  open func action(forKey event: String) -> (any CAAction)? { searchAction(forKey: event) }

  /// The layer's actions by key, searched before those of the style and the class. `NSNull()`
  /// stands for no action. Default: nil.
  open var actions: [String: any CAAction]? {
    get { attachments?.actions }
    set { if newValue != nil || attachments != nil { ownAttachments.actions = newValue } }
  }

  /// The default action of a class for a key. Default: nil.
  open class func defaultAction(forKey event: String) -> (any CAAction)? { nil }

  // MARK: Key-value coding

  /// The default value of a property, as an object; nil for most properties whose default is zero,
  /// and for `transform`, as on macOS. Override this to
  /// give other defaults to properties of a class, its own and inherited ones.
  open class func defaultValue(forKey key: String) -> Any? { usualDefault(forKey: key) }

  /// Whether a change of the value under a key causes the layer to be redrawn. Default: false.
  open class func needsDisplay(forKey key: String) -> Bool { false }

  /// Whether the value under a key is archived. Default: true for values that were set.
  open func shouldArchiveValue(forKey key: String) -> Bool { hasValueToArchive(forKey: key) }

  /// The value of a property, or the value stored under a key that is not a property. Numbers and
  /// Booleans are NSNumbers; structures are returned as such.
  open func value(forKey key: String) -> Any? { publicValue(forKey: key) }

  /// Sets a property, or stores a value under a key that is not a property. For numbers and
  /// Booleans, nil is 0, and a string that is a number counts as that number, as on macOS; nil
  /// resets any other property that cannot be nil to its default.
  open func setValue(_ value: Any?, forKey key: String) { setPublicValue(value, forKey: key) }

  /// Called by `value(forKey:)` for a key that is not a property. The value stored under the key,
  /// else the one that `style` has for it, else the class's `defaultValue(forKey:)`.
  open func value(forUndefinedKey key: String) -> Any? { undefinedValue(forKey: key) }

  /// Called by `setValue(_:forKey:)` for a key that is not a property. Stores the value; nil
  /// removes it.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    setUndefinedValue(value, forKey: key)
  }

  /// The value at a path such as "position.x", "transform.rotation.z", "sublayers.NAME.opacity" or
  /// "mask.position".
  open func value(forKeyPath keyPath: String) -> Any? { publicValue(forKeyPath: keyPath) }

  /// Sets the value at a path such as `value(forKeyPath:)` reads.
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    setPublicValue(value, forKeyPath: keyPath)
  }
}
