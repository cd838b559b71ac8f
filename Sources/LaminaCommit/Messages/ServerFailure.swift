import Foundation
import LaminaValues

/// Why there is no render process, or no longer one.
package enum ServerFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The render process's program is at none of these places.
  case notFound(lookedAt: [String])
  /// The program could not be run, or no connection for it could be made.
  case couldNotStart(String)
  case startTimedOut(seconds: Double)
  /// The render process was built from other sources than this program.
  case wrongVersion(theirs: UInt32)
  /// The render process started but refused to serve, for example because no platform works.
  case refused(String)
  /// `LAMINA_PLATFORM` in the environment names no platform.
  case unknownPlatform(String)
  case died(End)
  /// The render process said nothing for that long while it was asked for something.
  case hung(seconds: Double)
  /// Render processes died so often within a minute that no other one was started.
  case diedTooOften(deaths: Int, last: String)
  /// The render process ended the connection, because of this program's messages or because it
  /// could not go on.
  case failed(String)
  /// One session ended; the others go on.
  case sessionFailed(SessionID, String)
  /// A message was too large, or the system refused to carry it.
  case couldNotSend(String)
  /// The system refused to receive a message.
  case couldNotReceive(String)
  /// The render process sent a message that cannot be understood.
  case badMessage(String)
  /// Memory for pixels could not be allocated or shared.
  case memory(SharedMemoryError)
  /// A layer could not draw its contents.
  case notDrawn(layer: String, String)
  /// A committed layer has a filter of an unknown type.
  case unknownFilter(String, layer: String)
  /// A renderer's frames would have no pixels or too many, or its scale is out of range.
  case badFrameSize(CGSize, scale: Double)
  /// A frame was requested at a time that is not finite.
  case badFrameTime(Double)
  /// A layer to be committed has too many ancestors. `levels` is the depth of the tree.
  case tooDeep(layer: String, levels: Int, limit: Int)
  /// The commit would exceed the number of layers that one connection may have.
  case tooManyLayers(Int, limit: Int)
  /// This process was forked from the one that has the connection.
  case forked
  /// This program closed the connection.
  case closed

  /// Whether a server is gone that might do better if it were started again.
  var isDeath: Bool {
    switch self {
    case .died, .hung, .startTimedOut: true
    default: false
    }
  }

  /// The failure if nothing can be received.
  init(receiving error: SocketError) {
    self = if case .system = error { .couldNotReceive("\(error)") } else { .badMessage("\(error)") }
  }

  package enum End: Hashable, Sendable {
    case status(Int32)
    case signal(Int32)
    /// The kernel killed it, because the machine or its control group had no memory left.
    case outOfMemory
    /// Unknown, because the server shares this process or because other code reaped it.
    case unknown
  }

  package var description: String {
    switch self {
    case .notFound(let places):
      "the render process was not found; looked at " + places.joined(separator: ", ")
    case .couldNotStart(let why): "the render process did not start: \(why)"
    case .startTimedOut(let seconds):
      "the render process did not answer within \(seconds) s of its start"
    case .wrongVersion(let theirs):
      "the render process speaks version \(theirs) of the protocol, this program"
        + " \(Hello.currentVersion)"
    case .refused(let why): "the render process refused to serve: \(why)"
    case .unknownPlatform(let name):
      "LAMINA_PLATFORM: \(name.debugDescription) is not " + RenderPlatform.names
    case .died(.status(let status)): "the render process ended with status \(status)"
    case .died(.signal(let signal)):
      "the render process was killed by signal \(signal) (\(String(cString: strsignal(signal))))"
    case .died(.outOfMemory):
      "the render process was killed by the kernel, because memory ran out"
    case .died(.unknown): "the render process is gone"
    case .hung(let seconds):
      "the render process hung: it did not answer within \(seconds) s, and was killed"
    case .diedTooOften(let deaths, let last):
      "\(deaths) render processes died within a minute, and no other one was started; the last"
        + " time, \(last)"
    case .failed(let why): "the render process failed: \(why)"
    case .sessionFailed(let session, let why): "\(session) failed: \(why)"
    case .couldNotSend(let why): "nothing more could be sent to the render process: \(why)"
    case .couldNotReceive(let why):
      "nothing could be received from the render process: \(why)"
    case .badMessage(let why): "the render process sent what cannot be understood: \(why)"
    case .memory(let error): "shared memory: \(error)"
    case .notDrawn(let layer, let why): "\(layer) could not be drawn: \(why)"
    case .unknownFilter(let type, let layer):
      "\(layer) has the unknown filter \(type.debugDescription)"
    case .badFrameSize(let size, let scale):
      "frames cannot be \(size.width)x\(size.height) points at \(scale) pixels a point: they have"
        + " 1 to \(ServerLimit.frameSide) pixels a side, at scales from 1/64 to 64"
    case .badFrameTime(let time): "there is no frame at \(time)"
    case .tooDeep(let layer, let levels, let limit):
      "\(layer) lies too deep: of the tree's \(levels) levels, at most \(limit) can be drawn"
    case .tooManyLayers(let count, let limit):
      "\(count) layers are too many: one render process can have \(limit)"
    case .forked:
      "a forked process cannot use the renderers of its parent, nor make others beside them: call"
        + " exec, or fork before the first renderer is made"
    case .closed: "the connection to the render process is closed"
    }
  }
}
