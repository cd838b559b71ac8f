import Dispatch
import Foundation

/// Ends the process when it is interrupted, leaving no half-written files.
enum Interruption {
  /// Set once, before anything else runs. Kept, since a released source stops listening.
  nonisolated(unsafe) private static var sources: [any DispatchSourceSignal] = []

  static func listen() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let before = signal(number, SIG_IGN)
      // The parent process, such as nohup, wants the signal to be ignored.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { continue }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        Unfinished.removeAndExit(128 + number)
      }
      source.resume()
      sources.append(source)
    }
  }
}
