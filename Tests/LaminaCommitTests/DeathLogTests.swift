import Foundation
import LaminaValues
import Testing

@testable import LaminaCommit

@Suite("What follows from the deaths of servers")
struct DeathLogTests {
  private let start = ContinuousClock.now
  private let session = SessionID(rawValue: 3)

  private func frame(at time: Double, after sequence: UInt64 = 7) -> ServerProgress.Work {
    ServerProgress.Work(sequence: sequence, session: session, time: time)
  }

  @Test("So many within a minute are made good, one more is not, and then it counts anew")
  func counting() {
    var log = DeathLog(RestartPolicy(deathsAllowed: 2))
    for second in [0, 20] {
      #expect(log.note(nil, at: start.advanced(by: .seconds(second))) == .restart)
    }
    #expect(log.note(nil, at: start.advanced(by: .seconds(59))) == .leavePlatform(deaths: 3))
    #expect(log.note(nil, at: start.advanced(by: .seconds(59))) == .restart)
  }

  @Test("Deaths of more than a minute ago are forgiven")
  func forgiving() {
    var log = DeathLog(RestartPolicy(deathsAllowed: 2))
    for second in stride(from: 0, to: 600, by: 31) {
      #expect(log.note(nil, at: start.advanced(by: .seconds(second))) == .restart)
    }
  }

  @Test("Work that ended two servers ends its session; another frame, or a commit, does not")
  func lethalWork() {
    var log = DeathLog(RestartPolicy(deathsAllowed: 100))
    #expect(log.note(frame(at: 1), after: 4, at: start) == .restart)
    #expect(log.note(frame(at: 1), after: 5, at: start) == .restart)
    #expect(log.note(frame(at: 1, after: 8), after: 4, at: start) == .restart)
    #expect(log.note(frame(at: 2), after: 4, at: start) == .restart)
    for _ in 0..<3 { #expect(log.note(ServerProgress.Work(sequence: 7), at: start) == .restart) }
    #expect(log.note(frame(at: 1), after: 4, at: start) == .endSession(session))
  }

  private func report(_ name: String, isSoftware: Bool) -> PlatformReport {
    PlatformReport(
      name: name, reasons: [], vendor: "", renderer: "", version: "", maxTextureSize: 1,
      isSoftware: isSoftware, framebufferFormat: "BGRA8", isRobust: false)
  }

  @Test("After a GPU comes llvmpipe, then the CPU alone, then nothing")
  func platforms() {
    let gpu = report("gbm", isSoftware: false)
    #expect(gpu.fallback(from: .auto) == .surfaceless)
    #expect(report("surfaceless", isSoftware: true).fallback(from: .auto) == .software)
    #expect(gpu.fallback(from: .surfaceless) == .software)
    #expect(gpu.fallback(from: .software) == nil)
    #expect(report("software", isSoftware: true).fallback(from: .auto) == nil)
  }

  @Test("The page tells what is worked on, and that nothing is")
  func progress() throws {
    let client = try ServerProgress()
    #expect(client.work == nil)
    let server = try ServerProgress(FileDescriptor(rawValue: dup(client.descriptor)))
    for work in [frame(at: -0.5), ServerProgress.Work(sequence: .max)] {
      server.begin(work)
      #expect(client.work == work)
    }
    server.end()
    #expect(client.work == nil)
  }
}
