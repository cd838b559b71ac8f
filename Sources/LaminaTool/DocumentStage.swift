import Foundation
import Lamina
import LaminaCAML
import LaminaInProcess
import LaminaValues
import LaminaVideo

/// A document in a renderer, fitted into its frame.
final class DocumentStage {
  let document: CAMLDocument
  /// The frame's size in pixels.
  let pixelSize: (width: Int, height: Int)
  private let size: CGSize
  private let arguments: DocumentArguments
  private let background: Background
  private let keepsWide: Bool
  private let overlay: CARenderer.DebugOverlay?
  private var madeRenderer: CARenderer?
  /// The changes of state that are still to come, the next one last.
  private var stateChanges: [StateChange]

  /// The largest width or height of a frame, in pixels.
  static let maximumSide = ServerLimit.frameSide

  /// `keepsWide` says whether frames have 16 bits per channel if the document has such contents.
  init(
    _ arguments: DocumentArguments, background: Background, keepsWide: Bool,
    overlay: CARenderer.DebugOverlay? = nil
  ) throws {
    // The server starts while the document is read, and until the renderer is asked for.
    arguments.renderer.server.prepare()
    (self.arguments, self.background) = (arguments, background)
    (self.keepsWide, self.overlay) = (keepsWide, overlay)
    document = try CAMLDocument(path: arguments.path)
    try document.requireStates(arguments.states.map(\.name))
    try document.apply(states: arguments.states.filter { $0.time == nil }.map(\.name))
    stateChanges = StateChange.changes(arguments.states).reversed()
    size = arguments.size ?? document.size
    pixelSize = try Self.pixelSize(of: size, scale: arguments.scale)
  }

  /// The document's renderer, for which the first caller waits until the server is ready.
  var renderer: CARenderer {
    get throws {
      if let madeRenderer { return madeRenderer }
      let renderer = try makeRenderer()
      madeRenderer = renderer
      return renderer
    }
  }

  private func makeRenderer() throws -> CARenderer {
    let format: CALayerContentsFormat =
      keepsWide && document.rootLayer.isWide ? .RGBA16Float : .RGBA8Uint
    // First what needs no server, which is still starting.
    try CARenderer.prepareMemory(
      size: PixelSize(width: pixelSize.width, height: pixelSize.height), contentsFormat: format)
    let frame = Self.frame(document, size: size, background: background)
    // The clock is at 0 when the first frame commits, whatever that frame's time, so animations
    // that begin with the document begin at 0.
    let renderer = try CARenderer(
      size: size, scale: arguments.scale, contentsFormat: format, overlay: overlay,
      clock: .manual(), server: arguments.renderer.server)
    if arguments.renderer.isVerbose { Self.describe(renderer) }
    renderer.layer = frame
    document.drawTextSharply(
      scale: arguments.scale * Self.fit(document, in: size))
    return renderer
  }

  /// Makes the changes of state up to and including `time`, each at its own time: the animations of
  /// its transitions begin then. Frames before `time` must have been drawn.
  func changeStates(until time: Double) throws {
    guard stateChanges.last.map({ $0.time <= time }) ?? false else { return }
    let clock = try renderer.clock
    // The document itself begins at 0.
    CATransaction.flush()
    while let change = stateChanges.last, change.time <= time {
      stateChanges.removeLast()
      clock.time = change.time
      try document.apply(states: change.names, transitionSpeed: 1)
      CATransaction.flush()
    }
  }

  /// Calls `body` with each frame, in order.
  func frames(at times: [Double], _ body: (CGImage) throws -> Void) async throws {
    let renderer = try renderer
    var rest = times[...]
    while let first = rest.first {
      try changeStates(until: first)
      let next = stateChanges.last?.time ?? .infinity
      let part = rest.prefix { $0 < next }
      rest = rest.dropFirst(part.count)
      for try await frame in renderer.frames(at: part) { try body(frame.image) }
    }
  }

  /// What moves last in the document; nil if nothing does. Asked for before the first frame.
  var lastMotion: LastMotion? { document.lastMotion(changes: stateChanges.reversed()) }

  /// Returns a frame of the background alone. The document is hidden from then on.
  func emptyFrame() throws -> CGImage {
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    document.rootLayer.isHidden = true
    CATransaction.commit()
    let renderer = try renderer
    return try renderer.image(at: renderer.clock.time)
  }

  private static func pixelSize(
    of size: CGSize, scale: Double
  ) throws(UsageError) -> (width: Int, height: Int) {
    let width = (size.width * scale).rounded(.up)
    let height = (size.height * scale).rounded(.up)
    guard width >= 1, height >= 1, width <= Double(maximumSide), height <= Double(maximumSide)
    else {
      throw UsageError(
        "a frame of \(size.width)x\(size.height) points at scale \(scale) is empty or larger than"
          + " \(maximumSide) pixels a side")
    }
    return (Int(width), Int(height))
  }

  /// A layer of `size` with the background, and the document centred over it.
  private static func frame(
    _ document: CAMLDocument, size: CGSize, background: Background
  ) -> CALayer {
    let frame = CALayer()
    frame.bounds = CGRect(origin: .zero, size: size)
    frame.position = CGPoint(x: size.width / 2, y: size.height / 2)
    // The layer's edges are the frame's, so there is nothing to blend with beyond them.
    frame.allowsEdgeAntialiasing = false
    if case .color(let color) = background { frame.backgroundColor = color }
    let layer = document.rootLayer
    layer.position = CGPoint(x: size.width / 2, y: size.height / 2)
    let fit = Self.fit(document, in: size)
    if fit != 1 { layer.transform = CATransform3DMakeScale(fit, fit, 1) }
    frame.addSublayer(layer)
    return frame
  }

  /// The factor by which the document is enlarged to fit into a frame.
  private static func fit(_ document: CAMLDocument, in size: CGSize) -> CGFloat {
    guard document.placing == .aspectFit, size != document.size else { return 1 }
    return min(size.width / document.size.width, size.height / document.size.height)
  }

  private static func describe(_ renderer: CARenderer) {
    let platform = renderer.platform
    Report.note("platform \(platform.name): \(platform.renderer), \(platform.version)")
    for reason in platform.reasons { Report.note("  \(reason)") }
  }
}

extension CAMLDocument {
  /// Reads a document with its videos. Warnings go to standard error.
  init(path: String) throws(CAMLError) {
    try self.init(
      contentsOf: URL(fileURLWithPath: path), warnings: Report.warning, videoLayer: Self.layer)
  }

  /// Makes a layer that plays a video from the document's begin on.
  private static func layer(of video: CAMLVideo) throws -> CALayer {
    let layer = CAVideoLayer(url: video.url)
    try layer.open()
    layer.bounds = CGRect(origin: .zero, size: layer.naturalSize)
    layer.isLooping = video.loops
    layer.setRate(video.rate, time: 0, atLayerTime: 0)
    return layer
  }
}

extension CALayer {
  /// Whether this layer or a descendant has contents with 16 bits per channel.
  fileprivate var isWide: Bool {
    var layers = [self]
    while let layer = layers.popLast() {
      if layer.contentsFormat == .RGBA16Float { return true }
      layers += layer.sublayers ?? []
      if let mask = layer.mask { layers.append(mask) }
    }
    return false
  }
}

extension RendererArguments {
  /// The server that the flags ask for.
  var server: RenderServer {
    var server = isInProcess ? RenderServer.inProcess : .process
    server.options.memoryBudget = memoryBudget
    return server.on(platform)
  }
}
