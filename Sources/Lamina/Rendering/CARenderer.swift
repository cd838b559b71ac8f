import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// Draws a layer tree into images, in the render process.
///
/// A frame is `size` points large at `scale` pixels per point; y points down. Each frame first
/// commits all changes at the clock's time, which is when animations without a `beginTime` begin. A
/// manual clock is then set to the frame's time. A renderer, like its layers, may be used from any
/// thread, but only one at a time.
open class CARenderer {
  /// The size of a frame, in points.
  public let size: CGSize
  /// Pixels per point.
  public let scale: CGFloat
  /// The clock that measures the times of frames and animations.
  public let clock: MediaClock

  /// The root of the layers to draw. If a renderer on another server shows it, it leaves that one.
  /// Default: nil.
  ///
  /// Layers, masks included, may nest 10,240 deep. While they are deeper, frames throw an error
  /// that names the first layer beyond the limit, and nothing of the tree is committed.
  open var layer: CALayer? {
    get { tree.root }
    set { tree.root = newValue }
  }

  /// The rectangle that fills a frame, in the layer's superspace. Default: `size` at the origin. An
  /// empty or infinite rectangle has the effect of the default. On Apple's systems, where a
  /// renderer has no size, the default is null.
  open var bounds: CGRect {
    didSet { tree.placement = placement }
  }

  /// Is told if the render process had to be replaced. Default: nil.
  open weak var delegate: (any CARendererDelegate)?

  /// The image that the last `render()` drew; nil before the first and if it failed.
  public private(set) var renderedImage: CGImage?
  /// Why the last `render()` or `beginFrame` failed; nil if it did not.
  public private(set) var failure: RenderServerError?

  let connection: ServerConnection
  let tree: LayerTree
  let surfaces: SurfaceRing
  let server: RenderServer
  /// Draws layers alone, once one was asked for.
  var pictures: LayerPictures?
  /// The current frame; nil outside one.
  private var frame: (time: CFTimeInterval, update: CGRect)?
  private var lastFrame: FrameDone?
  /// The replacements of the server of which the delegate knows.
  private var knownRestarts: Int

  /// Makes a renderer, and starts the server unless another renderer uses it. `size` is in points
  /// and rounded up to whole pixels. With `RGBA16Float` for `contentsFormat`, frames are half
  /// floats: they keep values between the 8-bit steps and outside sRGB, and make PNGs of 16 bits
  /// per channel. With any other format they have 8 bits per channel. `overlay` marks, in every
  /// frame, things that may make it slow. `clock` is by default `MediaClock.default`, or else a
  /// manual one of the renderer's own. `platform` is by default the server's. Throws if the render
  /// process does not start, if a frame's sides are not 1 to 16,384 pixels, or if the scale is not
  /// 1/64 to 64.
  public init(
    size: CGSize, scale: CGFloat = 1, contentsFormat: CALayerContentsFormat = .RGBA8Uint,
    overlay: DebugOverlay? = nil, clock: MediaClock? = nil, platform: RenderPlatform? = nil,
    server: RenderServer = .process
  ) throws(RenderServerError) {
    let width = (size.width * scale).rounded(.up)
    let height = (size.height * scale).rounded(.up)
    let sides = 1...CGFloat(ServerLimit.frameSide)
    guard SessionOptions.scales.contains(Double(scale)), sides.contains(width),
      sides.contains(height)
    else {
      throw RenderServerError(.badFrameSize(size, scale: Double(scale)))
    }
    self.size = size
    self.scale = scale
    self.clock = clock ?? .default ?? .manual()
    bounds = CGRect(origin: .zero, size: size)
    self.server = platform.map { server.on($0) } ?? server
    connection = try self.server.connect()
    let pixels = PixelSize(width: Int(width), height: Int(height))
    let format = contentsFormat.ofFrames
    let session: SessionID
    do throws(ServerFailure) {
      session = try connection.openSession(
        SessionOptions(
          size: pixels, scale: Double(scale), format: format,
          overlay: overlay.flatMap { OverlayKind(rawValue: $0.rawValue) }))
    } catch {
      throw RenderServerError(error)
    }
    knownRestarts = connection.restarts.count
    tree = LayerTree(context: .of(connection), session: session, clock: self.clock)
    surfaces = SurfaceRing(size: pixels, format: format)
    tree.frame = FrameGeometry(
      size: CGSize(width: width, height: height), scale: scale)
  }

  /// Marks drawn half transparently over frames, like those of Apple's Instruments.
  public enum DebugOverlay: String, Sendable, CaseIterable {
    /// Layers that others may show through, in red, stronger where more of them overlap; layers
    /// with an opaque background, in green.
    case blended
    /// Content that is painted into a target of its own before it goes into the frame, in yellow.
    case offscreen
    /// Layer bitmaps: in green if the last frame's bitmap is reused, in red if it is made in this
    /// frame.
    case cache
    /// The parts that differ from the renderer's last frame, in yellow, for one frame.
    case updates
  }

  deinit {
    tree.close()
    connection.closeSession(tree.session)
  }

  // MARK: Images

  /// Draws the layer tree at `time`, in seconds of the clock: premultiplied, on a transparent
  /// background. Throws if `time` is not finite, like all other ways to ask for a frame.
  public func image(at time: CFTimeInterval) throws -> CGImage {
    try prepareFrame(at: time)
    return try draw(at: time)
  }

  /// One frame for each time, in seconds of the clock, in order. While the app handles a frame, the
  /// next one is drawn; changes that the app makes meanwhile show from the next frame on.
  public func frames(at times: some Sequence<CFTimeInterval>) -> Frames {
    let times = Array(times)
    return Frames(renderer: self, count: times.count) { times[$0] }
  }

  /// `fps` frames a second, from `start` up to but not including `end`, in seconds of the clock.
  /// Numbers that are not finite, a rate that is not positive, or more than 2⁵³ frames stop the
  /// program with a message.
  public func frames(
    from start: CFTimeInterval, to end: CFTimeInterval, fps: Double
  ) -> Frames {
    let count = max(0, ((end - start) * fps - 1e-9).rounded(.up))
    // A Double does not represent every frame number beyond that.
    guard start.isFinite, end.isFinite, fps > 0, fps.isFinite, count <= 0x1p53 else {
      programmerError("there are no frames from \(start) to \(end) at \(fps) a second")
    }
    return Frames(renderer: self, count: Int(count)) { start + Double($0) / fps }
  }

  // MARK: One frame at a time

  /// Begins a frame for `time`, in seconds of the clock, and commits all changes. `timeStamp` is
  /// ignored, since there are no display time stamps.
  open func beginFrame(atTime time: CFTimeInterval, timeStamp: UnsafeMutableRawPointer?) {
    frame = (time, .null)
    do {
      try prepareFrame(at: time)
      if hasNews(at: time) { frame?.update = bounds }
    } catch {
      failure = error
    }
  }

  /// The rectangle in which the frame differs from the last one, in the layer's superspace: all of
  /// `bounds`, or null if nothing differs or outside a frame. `addUpdate(_:)` enlarges it.
  open func updateBounds() -> CGRect { frame?.update ?? .null }

  /// Adds a rectangle, in the layer's superspace, to the area to draw.
  open func addUpdate(_ rect: CGRect) {
    let update = updateBounds().union(rect)
    frame?.update = update
  }

  /// Draws the frame into `renderedImage`. Does nothing if there is nothing to draw and outside a
  /// frame.
  open func render() {
    guard let frame, !frame.update.isNull, !frame.update.isEmpty else { return }
    do throws(RenderServerError) {
      renderedImage = try draw(at: frame.time)
      failure = nil
    } catch {
      renderedImage = nil
      failure = error
    }
  }

  /// Ends the frame that `beginFrame` began.
  open func endFrame() { frame = nil }

  /// The time, in seconds of the clock, at which a frame will next differ from the last one drawn:
  /// the current time if something is changing now, infinite if nothing will.
  open func nextFrameTime() -> CFTimeInterval {
    let now = frame?.time ?? clock.time
    if tree.hasChanges || tree.drawsContents(at: now) { return now }
    return lastFrame?.nextFrameTime ?? .infinity
  }

  private func hasNews(at time: CFTimeInterval) -> Bool {
    guard let lastFrame else { return tree.root != nil }
    return lastFrame.sequence < tree.lastSequence || tree.drawsContents(at: time)
      || time != lastFrame.time && (time < lastFrame.time || time >= lastFrame.nextFrameTime)
  }

  // MARK: Drawing

  /// Calls the display links and commits all changes.
  func prepareFrame(at time: CFTimeInterval) throws(RenderServerError) {
    try requireFinite(time)
    clock.callLinks(forFrameAt: time)
    try commitChanges()
  }

  private func requireFinite(_ time: CFTimeInterval) throws(RenderServerError) {
    guard time.isFinite else { throw RenderServerError(.badFrameTime(time)) }
  }

  /// Commits all changes, unless a transaction is open on this thread.
  func commitChanges() throws(RenderServerError) {
    if let failure = connection.failure { throw RenderServerError(failure) }
    if !TransactionStack.current.isOpen { try tree.commit() }
    try tree.requireKnownFilters()
    try tree.requireDrawn()
  }

  /// Draws the contents that only the client can draw for `time`, and commits them, unless a
  /// transaction is open on this thread.
  func commitContents(at time: CFTimeInterval) throws(RenderServerError) {
    try requireFinite(time)
    guard !TransactionStack.current.isOpen, tree.drawContents(at: time) else { return }
    try tree.requireDrawn()
    try tree.commitContents()
  }

  /// The sequence number of the last commit.
  var committedSequence: UInt64 { tree.lastSequence }

  /// Requests a frame, into a surface of its own, without waiting for it.
  func request(at time: CFTimeInterval) throws(RenderServerError) -> PendingFrame {
    try commitContents(at: time)
    let surface = try surfaces.take()
    let request = FrameRequest(
      session: tree.session, time: time, afterSequence: tree.lastSequence, surface: nil)
    return tree.context.lock.withLock {
      defer { tree.context.noteFrame() }
      return PendingFrame(connection: connection, request: request, surface: surface)
    }
  }

  /// Returns the image of a requested frame and updates the clock and the animations.
  func take(_ frame: PendingFrame, _ done: FrameDone) throws(RenderServerError) -> CGImage {
    lastFrame = done
    tellOfRestarts()
    let image = try surfaces.copy(frame.surface)
    if clock.isManual { clock.time = done.time }
    tree.followAnimations()
    TransactionStack.current.context.callBack()
    return image
  }

  private func draw(at time: CFTimeInterval) throws(RenderServerError) -> CGImage {
    let pending = try request(at: time)
    return try take(pending, pending.wait())
  }

  private func tellOfRestarts() {
    let restarts = connection.restarts
    guard restarts.count > knownRestarts, let failure = restarts.last else { return }
    knownRestarts = restarts.count
    delegate?.renderer(self, didRestartServerAfter: RenderServerError(failure))
  }

  private var placement: CATransform3D? {
    guard bounds != CGRect(origin: .zero, size: size), bounds.width > 0, bounds.height > 0 else {
      return nil
    }
    let (x, y) = (size.width / bounds.width, size.height / bounds.height)
    let placement = CATransform3D(translationX: -bounds.minX, y: -bounds.minY)
      .concatenating(CATransform3D(scaleX: x, y: y))
    return placement.isFinite ? placement : nil
  }
}

/// Is told what happens to a renderer's render process.
public protocol CARendererDelegate: AnyObject {
  /// Another render process took the place of one that died. It has all that was committed, and
  /// frames are as they would have been, but that a `CATransition` under way jumped to its end.
  ///
  /// Called once with the renderer's next frame, on the thread that asks for it, however many
  /// processes died since the last one; `failure` is why the last of them did. Apple's systems have
  /// no such call.
  func renderer(_ renderer: CARenderer, didRestartServerAfter failure: RenderServerError)
}

// MARK: Stages of the pipeline as text

extension CARenderer {
  /// Commits all changes and returns the commit as text.
  package func commitDescription() throws -> String {
    if let failure = connection.failure { throw RenderServerError(failure) }
    return try tree.commit().map { "\($0)" } ?? "nothing to commit"
  }

  /// The render process's tree at `time`, as text, after all changes were committed.
  package func treeDescription(at time: CFTimeInterval) throws -> String {
    try text(of: .tree, at: time)
  }

  /// What the layers draw at `time`, in its groups, as text, after all changes were committed.
  package func itemsDescription(at time: CFTimeInterval) throws -> String {
    try text(of: .items, at: time)
  }

  /// The plan of the frame at `time`, as text, after all changes were committed.
  package func planDescription(at time: CFTimeInterval) throws -> String {
    try text(of: .plan, at: time)
  }

  private func text(of subject: Inspect.Subject, at time: CFTimeInterval) throws -> String {
    guard case .text(let text) = try inspect(subject, at: time) else { return "" }
    return text
  }

  /// The render process's state, after all changes were committed.
  func inspect(_ subject: Inspect.Subject, at time: CFTimeInterval) throws -> Inspection {
    try requireFinite(time)
    try commitChanges()
    do throws(ServerFailure) {
      return try connection.inspect(
        session: tree.session, time: time, subject: subject, afterSequence: tree.lastSequence)
    } catch {
      throw RenderServerError(error)
    }
  }

  /// The bytes of pixels that the last frame uploaded to the server's device.
  package var uploadedBytes: Int { Int(clamping: lastFrame?.uploadedBytes ?? 0) }
  /// What the last frame whose pixels were read cost; nil before the first.
  package var lastStatistics: FrameStatistics? { lastFrame.map { FrameStatistics($0) } }
  /// The number of backing stores and images that the server may still read.
  package var heldStores: Int { connection.heldStores }

  /// The platform that the server draws with.
  package var platform: PlatformReport { connection.platform }
  /// The server's process; nil if the server runs in this process.
  package var serverProcessID: Int32? { connection.processID }
}
