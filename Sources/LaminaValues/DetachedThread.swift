import Foundation

/// A thread that nobody joins. Foundation's does not say that the system refused one: who waits for
/// what it would do then waits for ever.
package enum DetachedThread {
  private final class Body {
    let name: String
    let run: @Sendable () -> Void

    init(_ name: String, _ run: @escaping @Sendable () -> Void) {
      (self.name, self.run) = (name, run)
    }
  }

  /// Starts a thread. Calls `pthread_create`, and returns its error code: 0 if there is a thread.
  package static func start(named name: String, _ run: @escaping @Sendable () -> Void) -> Int32 {
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
    if code == 0 { pthread_detach(thread) } else { body.release() }
    return code
  }
}
