import Foundation
import LaminaValues
import Testing

@Suite("Batch scheduling")
struct BatchSchedulingTests {
  /// The policies of a thread that is started, and of the calling one.
  private func startThread() -> (started: Int32, own: Int32) {
    final class Policy: @unchecked Sendable { var value: Int32 = -1 }
    let (policy, done) = (Policy(), DispatchSemaphore(value: 0))
    #expect(
      DetachedThread.start(named: "started") {
        policy.value = sched_getscheduler(0)
        done.signal()
      } == 0)
    done.wait()
    return (policy.value, sched_getscheduler(0))
  }

  @Test("Threads that start meanwhile are a batch; later ones, and the one that starts them, not")
  func threads() {
    let before = startThread()
    let scheduling = BatchScheduling.begin()
    let meanwhile = startThread()
    scheduling.end()
    let after = startThread()
    let batch: Int32 = 3  // SCHED_BATCH
    #expect(before == (SCHED_OTHER, SCHED_OTHER))
    #expect(meanwhile == (batch, batch))
    #expect(after == (SCHED_OTHER, SCHED_OTHER))
  }
}
