import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// Draws a layer tree into images, by way of the render process.
///
/// Frames are `size` points large at `scale` pixels a point; y points down. Each frame first
/// commits what changed, at the clock's time: animations without a `beginTime` begin then. A
/// manual clock then has the frame's time. A renderer is used from any one thread at a time, as
/// its layers are.
public final class CARenderer {
  /// In points.
  public let size: CGSize
  /// Pixels a point.
  public let scale: CGFloat
  /// What times of frames and animations are measured by.
  public let clock: MediaClock

  /// The layer to draw, with all below it. It leaves a renderer on another server that shows it.
  ///
  /// As many as 1,024 layers may lie in each other, masks included. While there are more, frames
  /// throw an error with the name of the first too many, and nothing of the tree is committed.
  public var layer: CALayer? {
    get { tree.root }
    set { tree.root = newValue }
  }

  /// The rectangle of the layer's superspace that fills a frame. Default: `size` at the origin, as
  /// for an empty or infinite one; on Apple's systems, where a renderer knows no size, it is null.
  public var bounds: CGRect {
    didSet { tree.placement = placement }
  }

  /// What the last `render()` drew; nil before, and where that failed.
  public private(set) var renderedImage: CGImage?
  /// Why the last `render()` failed; nil where it did not.
  public private(set) var failure: RenderServerError?

  let connection: ServerConnection
  let tree: LayerTree
  let surfaces: SurfaceRing
  /// The current frame; nil outside one.
  private var frame: (time: CFTimeInterval, update: CGRect)?
  private var lastFrame: FrameDone?

  /// Starts the server, unless another renderer uses it. `size` is in points and rounded up to
  /// whole pixels. With `RGBA16Float` for `contentsFormat` frames are half floats: they keep what
  /// lies between 8-bit values and outside sRGB, and make PNGs of 16 bits a channel. With any other
  /// they have 8 bits. `overlay` marks in every frame what may make it slow. Without a clock it is
  /// `MediaClock.default`, or a manual one of the renderer's own. Throws where the render process
  /// does not start, for frames that have not 1 to 65,536 pixels a side and for scales that are not
  /// from 1/64 to 64.
  public init(
    size: CGSize, scale: CGFloat = 1, contentsFormat: CALayerContentsFormat = .RGBA8Uint,
    overlay: DebugOverlay? = nil, clock: MediaClock? = nil, server: RenderServer = .process
  ) throws(RenderServerError) {
    let width = (size.width * scale).rounded(.up)
    let height = (size.height * scale).rounded(.up)
    let sides = 1...CGFloat(PixelSize.maximumSide)
    guard SessionOptions.scales.contains(Double(scale)), sides.contains(width),
      sides.contains(height)
    else {
      throw RenderServerError(.badFrameSize(size, scale: Double(scale)))
    }
    self.size = size
    self.scale = scale
    self.clock = clock ?? .default ?? .manual()
    bounds = CGRect(origin: .zero, size: size)
    connection = try server.connect()
    let pixels = PixelSize(width: Int(width), height: Int(height))
    let format: PixelFormat = contentsFormat == .RGBA16Float ? .rgba16f : .bgra8
    let session: SessionID
    do throws(LaminaCommit.RenderServerError) {
      session = try connection.openSession(
        SessionOptions(
          size: pixels, scale: Double(scale), format: format,
          overlay: overlay.flatMap { LaminaCommit.DebugOverlay(rawValue: $0.rawValue) }))
    } catch {
      throw RenderServerError(error)
    }
    tree = LayerTree(context: .of(connection), session: session, clock: self.clock)
    surfaces = SurfaceRing(size: pixels, format: format)
  }

  /// What frames mark half transparently over what they show, as Apple's Instruments does.
  public enum DebugOverlay: String, Sendable, CaseIterable {
    /// Layers through which others may show, in red, the stronger the more of them lie over each
    /// other; layers with an opaque background, in green.
    case blended
    /// What is painted in a target of its own before it comes to the frame: in yellow.
    case offscreen
    /// Rasterized layers: in green where the last frame's bitmap serves, in red where it is made.
    case cache
    /// What differs from the renderer's last frame: in yellow, in that one frame.
    case updates
  }

  deinit {
    tree.close()
    connection.closeSession(tree.session)
  }

  // MARK: Images

  /// The layer tree at `time`, in seconds of the clock: premultiplied, on a transparent background.
  /// Throws if `time` is not finite, as frames do that are asked for otherwise.
  public func image(at time: CFTimeInterval) throws -> CGImage {
    try prepareFrame(at: time)
    return try draw(at: time)
  }

  /// A frame for each of these times, in their order. The next is drawn while the program deals
  /// with one; changes that it makes then show from the next frame on.
  public func frames(at times: some Sequence<CFTimeInterval>) -> Frames {
    let times = Array(times)
    return Frames(renderer: self, count: times.count) { times[$0] }
  }

  /// `fps` frames a second, from `start` up to and without `end`. Numbers that are not finite, rates
  /// that are not positive and films of more than 2⁵³ frames end the program with a message.
  public func frames(
    from start: CFTimeInterval, to end: CFTimeInterval, fps: Double
  ) -> Frames {
    let count = max(0, ((end - start) * fps - 1e-9).rounded(.up))
    // Beyond that, not every number of a frame is a Double.
    guard start.isFinite, end.isFinite, fps > 0, fps.isFinite, count <= 0x1p53 else {
      programmerError("there are no frames from \(start) to \(end) at \(fps) a second")
    }
    return Frames(renderer: self, count: Int(count)) { start + Double($0) / fps }
  }

  // MARK: One frame at a time

  /// Begins a frame of that time, in seconds of the clock, and commits what changed. There are no
  /// time stamps of displays here: `timeStamp` is ignored.
  public func beginFrame(atTime time: CFTimeInterval, timeStamp: UnsafeMutableRawPointer?) {
    frame = (time, .null)
    do {
      try prepareFrame(at: time)
      if hasNews(at: time) { frame?.update = bounds }
    } catch {
      failure = error
    }
  }

  /// What of the frame differs from the last one, in the layer's superspace; null where nothing
  /// does, and outside a frame.
  public func updateBounds() -> CGRect { frame?.update ?? .null }

  /// Adds a rectangle of the layer's superspace to what is to be drawn.
  public func addUpdate(_ rect: CGRect) {
    let update = updateBounds().union(rect)
    frame?.update = update
  }

  /// Draws the frame into `renderedImage`, unless nothing of it is to be drawn. Outside a frame it
  /// does nothing.
  public func render() {
    guard let frame, !frame.update.isNull, !frame.update.isEmpty else { return }
    do throws(RenderServerError) {
      renderedImage = try draw(at: frame.time)
      failure = nil
    } catch {
      renderedImage = nil
      failure = error
    }
  }

  public func endFrame() { frame = nil }

  /// When the next frame will differ from the last one drawn: infinite where nothing is going on,
  /// the current time where something is.
  public func nextFrameTime() -> CFTimeInterval {
    let now = frame?.time ?? clock.time
    if tree.hasChanges || tree.drawsAnimations(at: now) { return now }
    return lastFrame?.nextFrameTime ?? .infinity
  }

  private func hasNews(at time: CFTimeInterval) -> Bool {
    guard let lastFrame else { return tree.root != nil }
    return lastFrame.sequence < tree.lastSequence || tree.drawsAnimations(at: time)
      || time != lastFrame.time && (time < lastFrame.time || time >= lastFrame.nextFrameTime)
  }

  // MARK: Drawing

  /// Calls display links and commits what changed.
  func prepareFrame(at time: CFTimeInterval) throws(RenderServerError) {
    try requireFinite(time)
    clock.callLinks(forFrameAt: time)
    try commitChanges()
  }

  private func requireFinite(_ time: CFTimeInterval) throws(RenderServerError) {
    guard time.isFinite else { throw RenderServerError(.badFrameTime(time)) }
  }

  /// Commits what changed, unless a transaction is open on this thread.
  func commitChanges() throws(RenderServerError) {
    if let failure = connection.failure { throw RenderServerError(failure) }
    if !TransactionStack.current.isOpen { try tree.commit() }
    try tree.requireKnownFilters()
  }

  /// What the last commit was; differs once something was committed.
  var committedSequence: UInt64 { tree.lastSequence }

  /// Asks for a frame without waiting for it, into a surface of its own.
  func request(at time: CFTimeInterval) throws(RenderServerError) -> PendingFrame {
    try requireFinite(time)
    if !TransactionStack.current.isOpen, tree.drawAnimations(at: time) { try tree.commit() }
    let surface = try surfaces.take()
    let request = FrameRequest(
      session: tree.session, time: time, afterSequence: tree.lastSequence, surface: nil)
    return tree.context.lock.withLock {
      defer { tree.context.noteFrame() }
      return PendingFrame(connection: connection, request: request, surface: surface)
    }
  }

  /// Takes over a frame that was asked for.
  func take(_ frame: PendingFrame, _ done: FrameDone) throws(RenderServerError) -> CGImage {
    lastFrame = done
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

// MARK: Stages of the pipeline as text

extension CARenderer {
  /// Commits what changed; what was sent, as text.
  package func commitDescription() throws -> String {
    if let failure = connection.failure { throw RenderServerError(failure) }
    return try tree.commit().map { "\($0)" } ?? "nothing to commit"
  }

  /// The render process's tree at a time, after what changed was committed.
  package func treeDescription(at time: CFTimeInterval) throws -> String {
    try text(of: .tree, at: time)
  }

  /// The plan of the frame at a time, after what changed was committed.
  package func planDescription(at time: CFTimeInterval) throws -> String {
    try text(of: .plan, at: time)
  }

  private func text(of subject: Inspect.Subject, at time: CFTimeInterval) throws -> String {
    guard case .text(let text) = try inspect(subject, at: time) else { return "" }
    return text
  }

  /// What the render process has, after what changed was committed.
  func inspect(_ subject: Inspect.Subject, at time: CFTimeInterval) throws -> Inspection {
    try requireFinite(time)
    try commitChanges()
    do throws(LaminaCommit.RenderServerError) {
      return try connection.inspect(
        session: tree.session, time: time, subject: subject, afterSequence: tree.lastSequence)
    } catch {
      throw RenderServerError(error)
    }
  }

  /// The pixels that the last frame brought to the server's device, in bytes.
  package var uploadedBytes: Int { Int(clamping: lastFrame?.uploadedBytes ?? 0) }
  /// How many backing stores and images the server may still read.
  package var heldStores: Int { connection.heldStores }

  /// What the server draws with.
  package var platform: PlatformReport { connection.platform }
  /// nil where the server shares this process.
  package var serverProcessID: Int32? { connection.processID }
}
