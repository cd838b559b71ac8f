import Lamina
import LaminaInProcess
import LaminaValues
import Testing

@Suite("Traced frames")
struct TracedFrameTests {
  private func renderer(traced: Bool) throws -> CARenderer {
    var server = RenderServer.inProcess.on(.software)
    server.isTraced = traced
    let renderer = try CARenderer(size: CGSize(width: 40, height: 30), server: server)
    let layer = CALayer()
    layer.frame = CGRect(x: 5, y: 5, width: 20, height: 20)
    layer.backgroundColor = CGColor(gray: 0.5, alpha: 1)
    renderer.layer = layer
    return renderer
  }

  @Test("A frame's stages are in the order in which they ended, each in its frame")
  func stages() throws {
    let renderer = try renderer(traced: true)
    let before = MonotonicTime.nanoseconds
    let trace = try renderer.drawFrame(at: 0).trace
    let after = MonotonicTime.nanoseconds
    #expect(
      trace.map(\.stage) == [.apply, .instances, .passes, .planning, .execution, .frame])
    #expect(trace.allSatisfy { before <= $0.start && $0.start <= $0.end && $0.end <= after })
    let frame = try #require(trace.last)
    for event in trace.dropFirst() {
      #expect(frame.start <= event.start && event.end <= frame.end)
    }
    #expect(trace[3].start <= trace[2].start)
    // Nothing comes twice, and without a change nothing is applied or executed.
    #expect(
      try renderer.drawFrame(at: 1).trace.map(\.stage)
        == [.instances, .passes, .planning, .frame])
    _ = try renderer.image(at: 2)
    #expect(renderer.lastStatistics?.trace.map(\.stage).contains(.readBack) == true)
  }

  @Test("Nothing is recorded unless it is asked for")
  func untraced() throws {
    let renderer = try renderer(traced: false)
    #expect(try renderer.drawFrame(at: 0).trace.isEmpty)
    _ = try renderer.image(at: 1)
    #expect(renderer.lastStatistics?.trace.isEmpty == true)
  }

  @Test("A recorder keeps so many events, and gives them out once")
  func limit() {
    let recorder = TraceRecorder()
    recorder.note(.frame, since: nil)
    #expect(recorder.take().isEmpty)
    for _ in 0...TraceRecorder.limit { recorder.note(.apply, since: recorder.now) }
    #expect(recorder.take().count == TraceRecorder.limit)
    #expect(recorder.take().isEmpty)
  }
}
