import Foundation
import LaminaValues

/// A thread that nobody waits for. Foundation's does not say that the system refused one: who waits
/// for what it would do then waits for ever.
enum DetachedThread {
  private final class Body {
    let name: String
    let run: @Sendable () -> Void

    init(_ name: String, _ run: @escaping @Sendable () -> Void) {
      (self.name, self.run) = (name, run)
    }
  }

  /// Starts a thread. Calls `pthread_create`.
  static func start(
    named name: String, _ run: @escaping @Sendable () -> Void
  ) throws(SocketError) {
    var thread = pthread_t()
    let body = Unmanaged.passRetained(Body(name, run))
    let code = pthread_create(
      &thread, nil,
      { body in
        guard let body = body.map({ Unmanaged<Body>.fromOpaque($0).takeRetainedValue() }) else {
          return nil
        }
        Thread.current.name = body.name
        body.run()
        return nil
      }, body.toOpaque())
    guard code == 0 else {
      body.release()
      throw .system(call: "pthread_create", code: code)
    }
    pthread_detach(thread)
  }
}
