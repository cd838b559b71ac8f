import LaminaValues

/// What the client tells the render process. Each is one message on the socket.
package enum ClientMessage: Hashable, Sendable {
  /// The first message.
  case hello(Hello)
  /// Announces an arena; its descriptor travels with the message, once.
  case arena(ArenaID, byteCount: UInt64, use: ArenaUse)
  case openSession(SessionID, SessionOptions)
  case closeSession(SessionID)
  case commit(Commit)
  case frameRequest(FrameRequest)
  case inspect(Inspect)
}

/// What the render process tells the client.
package enum ServerMessage: Hashable, Sendable {
  /// Answers hello.
  case welcome(Welcome)
  case frameDone(FrameDone)
  /// The commit of that sequence was applied: its bytes are free, and one credit returns.
  case commitApplied(sequence: UInt64)
  /// Uploaded: the client may write to these stores again.
  case storeConsumed([ImageID])
  case inspected(request: UInt32, Inspection)
  /// A session ended, or with no session the connection. Why is a sentence for a person.
  case failed(SessionID?, why: String)
}

package enum ArenaUse: UInt8, Sendable, CaseIterable {
  /// Read by the render process.
  case stores
  /// Written by it: what frames are read back into.
  case surfaces
}

package struct Hello: Hashable, Sendable {
  /// Both sides must speak the same one: they are built from one source.
  package static let currentVersion: UInt32 = 1
  package static let magic: UInt32 = 0x414e_4d4c  // "LMNA"

  package var version: UInt32
  package var platform: PlatformChoice

  package init(version: UInt32 = Hello.currentVersion, platform: PlatformChoice) {
    self.version = version
    self.platform = platform
  }
}

/// Which EGL platform to draw on; `auto` takes the first of the others that works.
package enum PlatformChoice: String, LayerName {
  case auto, gbm, device, surfaceless
  package static let allCases: [Self] = [.auto, .gbm, .device, .surfaceless]
}

package struct Welcome: Hashable, Sendable {
  package var version: UInt32
  package var platform: PlatformReport
  package init(version: UInt32 = Hello.currentVersion, platform: PlatformReport) {
    self.version = version
    self.platform = platform
  }
}

/// What the render process draws with.
package struct PlatformReport: Hashable, Sendable {
  /// "gbm", "device" or "surfaceless".
  package var name: String
  /// Why this one, and why not those before it: a line each.
  package var reasons: [String]
  package var vendor: String
  package var renderer: String
  package var version: String
  package var maxTextureSize: UInt32
  package var isSoftware: Bool
  /// The order of a frame's bytes on the device: "BGRA8", or "RGBA8" where that does not work.
  package var framebufferFormat: String
  package var isRobust: Bool
  /// What confines the process, such as "no_new_privs"; empty in-process.
  package var sandbox: [String]

  package init(
    name: String, reasons: [String], vendor: String, renderer: String, version: String,
    maxTextureSize: UInt32, isSoftware: Bool, framebufferFormat: String, isRobust: Bool,
    sandbox: [String]
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
    self.sandbox = sandbox
  }
}

package struct SessionOptions: Hashable, Sendable {
  package var size: PixelSize
  /// Pixels a point.
  package var scale: Double
  package var format: PixelFormat
  /// What is marked over every frame.
  package var overlay: DebugOverlay?
  package init(
    size: PixelSize, scale: Double, format: PixelFormat = .bgra8, overlay: DebugOverlay? = nil
  ) {
    self.size = size
    self.scale = scale
    self.format = format
    self.overlay = overlay
  }
}

/// What a session's frames mark, for people who look for what makes them slow.
package enum DebugOverlay: String, LayerName {
  case blended, offscreen, cache, updates
  package static let allCases: [Self] = [.blended, .offscreen, .cache, .updates]
}

/// Asks for the frame of a session at a time.
package struct FrameRequest: Hashable, Sendable {
  package var session: SessionID
  /// Seconds of the renderer's media clock.
  package var time: Double
  /// The frame shows at least this commit.
  package var afterSequence: UInt64
  /// Where the pixels go, `stride` bytes a row in the session's format; nil to draw without
  /// reading back.
  package var surface: Surface?

  package struct Surface: Hashable, Sendable {
    package var memory: MemoryRange
    package var stride: UInt32
    package init(memory: MemoryRange, stride: UInt32) {
      self.memory = memory
      self.stride = stride
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
  /// The last commit that the frame shows.
  package var sequence: UInt64
  /// What changed since the session's last frame.
  package var damage: PixelRect
  /// When, after `time`, the frame will look different without a commit: `time` itself while
  /// something runs, infinite where nothing is pending.
  package var nextFrameTime: Double
  package var drawCalls: UInt32
  /// The pixels that the frame brought to the device, images' and paths', in bytes.
  package var uploadedBytes: UInt64
  /// The seconds that evaluating the tree took.
  package var evaluationTime: Double
  package init(
    session: SessionID, time: Double, sequence: UInt64, damage: PixelRect, nextFrameTime: Double,
    drawCalls: UInt32, uploadedBytes: UInt64, evaluationTime: Double = 0
  ) {
    self.session = session
    self.time = time
    self.sequence = sequence
    self.damage = damage
    self.nextFrameTime = nextFrameTime
    self.drawCalls = drawCalls
    self.uploadedBytes = uploadedBytes
    self.evaluationTime = evaluationTime
  }
}
