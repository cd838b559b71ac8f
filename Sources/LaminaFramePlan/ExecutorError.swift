import LaminaValues

/// A failure to draw.
package enum ExecutorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No platform could meet the request. `reasons` has one line for each platform tried.
  case noPlatform(reasons: [String])
  /// A library or driver that a platform draws with is not on this machine.
  case notInstalled(String)
  /// An EGL call failed with this code from `eglGetError`.
  case egl(call: String, code: Int32)
  /// GL reported an error during the operation in the label.
  case gl(code: UInt32, label: String)
  /// The device was reset: this renderer and all its contents are gone.
  case contextLost(DeviceReset)
  /// A framebuffer cannot be drawn into.
  case incompleteFramebuffer(status: UInt32, label: String)
  /// The driver refused a program.
  case program(name: String, log: String)
  /// The device draws simple forms wrong in every available framebuffer format.
  case selfTest(String)
  /// The plan contradicts itself or the objects on the device.
  case badPlan(String)
  /// An upload would read or write outside its pixels.
  case badUpload(TextureID, String)
  case unknownSurface(SurfaceID)
  /// The size is empty, or larger than the device supports.
  case unsupportedSize(PixelSize, limit: Int)
  /// The device cannot draw from a dma-buf.
  case notImported(String)
  /// Surfaces cannot have this format.
  case unsupportedFormat(PixelFormat)

  package var description: String {
    switch self {
    case .noPlatform(let reasons):
      "no platform to draw on: " + reasons.joined(separator: "; ")
    case .notInstalled(let what): what
    case .egl(let call, let code): "\(call) failed with EGL error 0x\(hex(code))"
    case .gl(let code, let label): "GL error 0x\(hex(code)) in \(label)"
    case .contextLost(let reset): "the graphics device was reset, \(reset.rawValue)"
    case .incompleteFramebuffer(let status, let label):
      "the framebuffer of \(label) is incomplete (0x\(hex(status)))"
    case .program(let name, let log): "the program \(name) did not build: \(log)"
    case .selfTest(let what): "the graphics device failed its self-test: \(what)"
    case .badPlan(let what): "bad frame plan: \(what)"
    case .badUpload(let texture, let what): "bad upload to \(texture): \(what)"
    case .unknownSurface(let id): "there is no \(id)"
    case .unsupportedSize(let size, let limit):
      "\(size) pixels are not between 1 and the device's limit of \(limit) a side"
    case .notImported(let why): why
    case .unsupportedFormat(let format): "surfaces cannot be \(format)"
    }
  }
}

/// What a driver says of the cause of a reset.
package enum DeviceReset: String, Sendable {
  case guilty = "because of what this process drew"
  case innocent = "because of what another process drew"
  case unknown = "and the driver does not know why"
}

/// A target that keeps its pixels from frame to frame. IDs are unique in their renderer.
package struct SurfaceID: NumberedID, CustomStringConvertible {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  package var description: String { "surface \(rawValue)" }
}

private func hex(_ code: some BinaryInteger) -> String { String(code, radix: 16) }
