import Foundation
import LaminaValues

/// Why there is no render process, or none any more.
package enum RenderServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The program is at none of these places.
  case notFound(lookedAt: [String])
  /// It is there and did not run.
  case couldNotStart(String)
  case startTimedOut(seconds: Double)
  /// It was built from other sources than this program.
  case wrongVersion(theirs: UInt32)
  /// It started, and said why it will not serve: no platform to draw on, for example.
  case refused(String)
  case died(End)
  /// It ended the connection because of what this program sent, or could not go on.
  case failed(String)
  /// One session ended; the others go on.
  case sessionFailed(SessionID, String)
  /// A message was too large, or the system refused to carry it.
  case couldNotSend(String)
  /// It sent what cannot be understood.
  case badMessage(String)
  /// Memory for pixels could not be had or shared.
  case memory(SharedMemoryError)
  /// A layer was committed with a filter that there is none of.
  case unknownFilter(String, layer: String)
  /// A renderer was asked for whose frames have no pixels or too many, or a scale out of range.
  case badFrameSize(CGSize, scale: Double)
  /// A frame was asked for at a time that is not finite.
  case badFrameTime(Double)
  /// A layer that was to be committed lies in too many others. `levels` is how many the tree has.
  case tooDeep(layer: String, levels: Int, limit: Int)
  /// More layers were to be committed than one connection may have.
  case tooManyLayers(Int, limit: Int)
  /// The connection was closed by this program.
  case closed

  package enum End: Hashable, Sendable {
    case status(Int32)
    case signal(Int32)
    /// Nobody could say how: it shares this process, or somebody else reaped it.
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
    case .died(.status(let status)): "the render process ended with status \(status)"
    case .died(.signal(let signal)):
      "the render process was killed by signal \(signal) (\(String(cString: strsignal(signal))))"
    case .died(.unknown): "the render process is gone"
    case .failed(let why): "the render process failed: \(why)"
    case .sessionFailed(let session, let why): "\(session) failed: \(why)"
    case .couldNotSend(let why): "nothing more could be sent to the render process: \(why)"
    case .badMessage(let why): "the render process sent what cannot be understood: \(why)"
    case .memory(let error): "shared memory: \(error)"
    case .unknownFilter(let type, let layer):
      "\(layer) has the unknown filter \(type.debugDescription)"
    case .badFrameSize(let size, let scale):
      "frames cannot be \(size.width)x\(size.height) points at \(scale) pixels a point: they have"
        + " 1 to \(PixelSize.maximumSide) pixels a side, at scales from 1/64 to 64"
    case .badFrameTime(let time): "there is no frame at \(time)"
    case .tooDeep(let layer, let levels, let limit):
      "\(layer) lies too deep: of the tree's \(levels) levels, at most \(limit) can be drawn"
    case .tooManyLayers(let count, let limit):
      "\(count) layers are too many: one render process can have \(limit)"
    case .closed: "the connection to the render process is closed"
    }
  }
}
