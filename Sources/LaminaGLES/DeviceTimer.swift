import CGL
import LaminaFramePlan

/// Measures how long the device is busy with a frame, apart from the processor's time to plan and
/// to record it. Calls for GL_EXT_disjoint_timer_query.
struct DeviceTimer {
  private let query: GLuint
  private let result: PFNGLGETQUERYOBJECTUI64VEXTPROC
  private var hasResult = false

  /// nil if the driver cannot tell. The query lives as long as the context, which must be current.
  init?(_ context: RenderingContext) {
    guard context.has("GL_EXT_disjoint_timer_query"), let result = context.extensions.queryResult
    else { return nil }
    self.result = result
    var query: GLuint = 0
    glGenQueries(1, &query)
    self.query = query
  }

  /// Begins a measurement, and forgets the one before.
  mutating func begin() {
    // Asking clears what has happened since the last time.
    _ = wasInterrupted()
    glBeginQuery(GLenum(GL_TIME_ELAPSED_EXT), query)
    hasResult = false
  }

  mutating func end() {
    glEndQuery(GLenum(GL_TIME_ELAPSED_EXT))
    hasResult = true
  }

  /// Seconds between the last `begin()` and `end()`; nil if nothing was measured, or if the figure
  /// means nothing because the device changed its clock meanwhile. Waits until the device is done.
  func seconds() -> Double? {
    guard hasResult else { return nil }
    var nanoseconds: GLuint64 = 0
    result(query, GLenum(GL_QUERY_RESULT), &nanoseconds)
    return wasInterrupted() ? nil : Double(nanoseconds) * 1e-9
  }

  private func wasInterrupted() -> Bool {
    var flag: GLint = 0
    glGetIntegerv(GLenum(GL_GPU_DISJOINT_EXT), &flag)
    return flag != 0
  }
}

extension GLESRenderer {
  package func measureDeviceTime() {
    guard timer == nil, (try? enter()) != nil else { return }
    defer { leave() }
    timer = DeviceTimer(platform.context)
  }

  package func deviceTime() throws(ExecutorError) -> Double? {
    guard let timer else { return nil }
    try enter()
    defer { leave() }
    return timer.seconds()
  }
}
