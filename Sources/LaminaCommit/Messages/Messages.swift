import LaminaValues

/// A message from the client to the render process. Each is one message on the socket.
package enum ClientMessage: Hashable, Sendable {
  /// The first message.
  case hello(Hello)
  /// Announces an arena, once; its descriptor travels with the message.
  case arena(ArenaID, byteCount: UInt64, use: ArenaUse)
  /// No image lies in the arena any more, and none will.
  case releaseArena(ArenaID)
  /// Offers a dma-buf, once; the descriptors of its planes travel with the message. Answered by
  /// `dmaBufTaken` or `dmaBufRefused`.
  case dmaBuf(DMABufID, DMABufLayout)
  /// No image lies in the dma-buf any more, and none will.
  case releaseDMABuf(DMABufID)
  case openSession(SessionID, SessionOptions)
  case closeSession(SessionID)
  case commit(Commit)
  case frameRequest(FrameRequest)
  case inspect(Inspect)
}

/// A message from the render process to the client.
package enum ServerMessage: Hashable, Sendable {
  /// Answers hello.
  case welcome(Welcome)
  case frameDone(FrameDone)
  /// The commit with that sequence was applied: the stores that it superseded or released are free,
  /// and its credit returns.
  case commitApplied(sequence: UInt64)
  case inspected(request: UInt32, Inspection)
  /// The device can draw from the dma-buf.
  case dmaBufTaken(DMABufID)
  /// It cannot, and the render process does not know the dma-buf any more. `why` is for people.
  case dmaBufRefused(DMABufID, why: String)
  /// A session ended, or the connection if there is no session. `why` is a sentence for people.
  case failed(SessionID?, why: String)
}

package enum ArenaUse: UInt8, Sendable, CaseIterable {
  /// The render process reads it.
  case stores
  /// The render process writes it: frames are read back into it.
  case surfaces
}

package struct Hello: Hashable, Sendable {
  /// Both sides must have the same version: they are built from one source.
  package static let currentVersion: UInt32 = 1
  package static let magic: UInt32 = 0x414e_4d4c  // "LMNA"

  package var version: UInt32
  package var platform: RenderPlatform
  /// Bytes that the render process may take for pixels; nil if it finds out what the machine has.
  package var memoryBudget: UInt64?
  /// Whether the answers to frames tell how long each stage took.
  package var isTraced: Bool

  package init(
    version: UInt32 = Hello.currentVersion, platform: RenderPlatform, memoryBudget: UInt64? = nil,
    isTraced: Bool = false
  ) {
    self.version = version
    self.platform = platform
    self.memoryBudget = memoryBudget
    self.isTraced = isTraced
  }
}

extension RenderPlatform: LayerName {}

package struct Welcome: Hashable, Sendable {
  package var version: UInt32
  package var platform: PlatformReport
  package init(version: UInt32 = Hello.currentVersion, platform: PlatformReport) {
    self.version = version
    self.platform = platform
  }
}

/// The platform and driver that the render process draws with.
package struct PlatformReport: Hashable, Sendable {
  /// "gbm", "device" or "surfaceless".
  package var name: String
  /// Why this platform was taken and those tried before it were not: one line each.
  package var reasons: [String]
  package var vendor: String
  package var renderer: String
  package var version: String
  package var maxTextureSize: UInt32
  package var isSoftware: Bool
  /// Byte order of frames on the device: "BGRA8", or "RGBA8" if the device cannot do that.
  package var framebufferFormat: String
  package var isRobust: Bool
  /// Whether the device may draw from dma-bufs where they are.
  package var importsDMABufs: Bool
  package var sandbox: SandboxReport
  /// Bytes that pixels may take in the render process.
  package var memoryBudget: UInt64

  package init(
    name: String, reasons: [String], vendor: String, renderer: String, version: String,
    maxTextureSize: UInt32, isSoftware: Bool, framebufferFormat: String, isRobust: Bool,
    importsDMABufs: Bool = false, sandbox: SandboxReport = SandboxReport(), memoryBudget: UInt64 = 0
  ) {
    self.name = name
    self.reasons = reasons
    self.vendor = vendor
    self.renderer = renderer
    self.version = version
    self.maxTextureSize = maxTextureSize
    self.isSoftware = isSoftware
    self.framebufferFormat = framebufferFormat
    self.isRobust = isRobust
    self.importsDMABufs = importsDMABufs
    self.sandbox = sandbox
    self.memoryBudget = memoryBudget
  }
}

/// What confines the render process.
package struct SandboxReport: Hashable, Sendable {
  /// The measures that are on, such as "no_new_privs"; empty if the server shares the client's
  /// process, or if confining it was turned off.
  package var measures: [String]
  /// The measures that this machine does not have, each with the reason.
  package var gaps: [String]

  package init(measures: [String] = [], gaps: [String] = []) {
    (self.measures, self.gaps) = (measures, gaps)
  }
}

package struct SessionOptions: Hashable, Sendable {
  package var size: PixelSize
  /// Pixels per point.
  package var scale: Double
  package var format: PixelFormat
  /// The marks drawn over every frame; nil for none.
  package var overlay: OverlayKind?
  package init(
    size: PixelSize, scale: Double, format: PixelFormat = .bgra8, overlay: OverlayKind? = nil
  ) {
    self.size = size
    self.scale = scale
    self.format = format
    self.overlay = overlay
  }
}

/// The kind of area marked over a session's frames, to show what makes them slow.
package enum OverlayKind: String, LayerName {
  case blended, offscreen, cache, updates
}

/// Asks for a session's frame at a time.
package struct FrameRequest: Hashable, Sendable {
  package var session: SessionID
  /// In seconds of the renderer's media clock.
  package var time: Double
  /// The frame shows at least the commit with this sequence.
  package var afterSequence: UInt64
  /// Where the pixels go, in rows of `stride` bytes, in the session's format; nil to draw without
  /// reading back.
  package var surface: Surface?

  package struct Surface: Hashable, Sendable {
    package var memory: MemoryRange
    package var stride: UInt32
    /// The number of the session's frame that the memory shows, if nothing has written to it since;
    /// 0 for none. Then only what has changed since that frame is read back into it.
    package var frame: UInt64

    package init(memory: MemoryRange, stride: UInt32, frame: UInt64 = 0) {
      self.memory = memory
      self.stride = stride
      self.frame = frame
    }
  }

  package init(session: SessionID, time: Double, afterSequence: UInt64, surface: Surface?) {
    self.session = session
    self.time = time
    self.afterSequence = afterSequence
    self.surface = surface
  }
}

package struct FrameDone: Hashable, Sendable {
  package var session: SessionID
  package var time: Double
  /// Sequence of the last commit that the frame shows.
  package var sequence: UInt64
  /// The session's frames are numbered from 1.
  package var number: UInt64
  /// What may have changed since the session's last frame: at most eight disjoint rectangles.
  package var damage: [PixelRect]
  /// The first time after `time` at which the frame looks different without a commit: `time` itself
  /// while an animation runs, infinity if nothing is pending.
  package var nextFrameTime: Double
  package var drawCalls: UInt32
  /// Number of the layers' instances that were evaluated for the frame, and of those that were
  /// drawn.
  package var instances: UInt32
  /// Bytes of pixels uploaded to the device for the frame, for both images and paths.
  package var uploadedBytes: UInt64
  /// Seconds spent evaluating the tree.
  package var evaluationTime: Double
  /// Seconds spent evaluating the tree and planning the frame.
  package var planningTime: Double
  /// Seconds that the device was busy with the frame; nil if that is not known, or if it drew
  /// nothing.
  package var deviceTime: Double?
  package var counters: FrameCounters
  /// What the render process has done since the last answer to a frame, in the order in which it
  /// ended; empty if no trace was asked for. At most `TraceRecorder.limit` events.
  package var trace: [TraceEvent]

  /// Largest number of rectangles of damage.
  package static let damageLimit = 8

  package init(
    session: SessionID, time: Double, sequence: UInt64, number: UInt64, damage: [PixelRect],
    nextFrameTime: Double, drawCalls: UInt32, instances: UInt32, uploadedBytes: UInt64,
    evaluationTime: Double = 0, planningTime: Double = 0, deviceTime: Double? = nil,
    counters: FrameCounters = .init(), trace: [TraceEvent] = []
  ) {
    self.session = session
    self.time = time
    self.sequence = sequence
    self.number = number
    self.damage = damage
    self.nextFrameTime = nextFrameTime
    self.drawCalls = drawCalls
    self.instances = instances
    self.uploadedBytes = uploadedBytes
    self.evaluationTime = evaluationTime
    self.planningTime = planningTime
    self.deviceTime = deviceTime
    self.counters = counters
    self.trace = trace
  }
}

/// A frame's cost on the device, and its use of the textures that are kept from frame to frame:
/// images, path masks, gradients' ramps and layer bitmaps.
package struct FrameCounters: Hashable, Sendable {
  package var passes: UInt32
  /// Pixels that the frame's items touch, each as often as it is drawn.
  package var shadedPixels: UInt64
  /// Textures that the frame draws and that were there, up to date.
  package var cacheHits: UInt32
  /// Those that were made or brought up to date for it.
  package var cacheMisses: UInt32
  /// Those that were freed for a budget.
  package var cacheEvictions: UInt32
  /// Bytes of all textures that are kept after the frame.
  package var cacheBytes: UInt64

  package init(
    passes: UInt32 = 0, shadedPixels: UInt64 = 0, cacheHits: UInt32 = 0, cacheMisses: UInt32 = 0,
    cacheEvictions: UInt32 = 0, cacheBytes: UInt64 = 0
  ) {
    self.passes = passes
    self.shadedPixels = shadedPixels
    self.cacheHits = cacheHits
    self.cacheMisses = cacheMisses
    self.cacheEvictions = cacheEvictions
    self.cacheBytes = cacheBytes
  }
}
