import Foundation
import TestSupport
import Testing

/// A part of `make test-failures`: system calls that fail, in a client or its render process.
@Suite("System calls that fail", .enabled(if: !sandboxIsOff)) struct FailingCallTests {
  struct Series: Sendable, CustomTestStringConvertible {
    var call: FailingCalls.Call
    var code: Int32
    var isServer = false
    var testDescription: String { "\(call) in the \(isServer ? "render process" : "client")" }

    var program: String { isServer ? "lamina-render-server" : "drawing-client" }
  }

  private static let series = [
    Series(call: .mmap, code: ENOMEM), Series(call: .memfd, code: EMFILE),
    Series(call: .spawn, code: EAGAIN), Series(call: .socketpair, code: EMFILE),
    Series(call: .mmap, code: ENOMEM, isServer: true),
  ]

  /// The client's frames, or its error.
  private static func run(_ calls: FailingCalls) throws -> ToolRun {
    try ToolRun(
      ["-sKILL", "60", ToolRun.built("drawing-client").path, "frames", "2500"],
      environment: calls.environment.merging([
        "LAMINA_PLATFORM": "software",
        "LAMINA_RENDER_SERVER": ToolRun.built("lamina-render-server").path,
      ]) { $1 }, executable: ToolRun.timeLimit)
  }

  /// Fails unless a run drew what an undisturbed one draws, or did so until it ended with an error
  /// that says what failed.
  private static func expectOrderly(_ run: ToolRun, _ expected: String, saying code: Int32) {
    if run.status == 0 {
      #expect(run.text == expected)
    } else {
      #expect(run.status == 3, "\(run.errors)")
      #expect(expected.hasPrefix(run.text))
      let line = run.errors.split(separator: "\n").last ?? ""
      #expect(line.hasPrefix("drawing-client: "))
      #expect(line.hasSuffix(String(cString: strerror(code))), "\(run.errors)")
    }
  }

  @Test(
    "Whichever call fails, there are the same frames, or an error that names it", arguments: series)
  func eachCall(series: Series) throws {
    let calls = try FailingCalls(of: series.program)
    let undisturbed = try Self.run(calls)
    #expect(undisturbed.status == 0, "\(undisturbed.errors)")
    #expect(undisturbed.text.split(separator: "\n").count == 6)
    var place = 0 as UInt64
    repeat {
      place += 1
      calls.fail(series.call, code: series.code, at: place)
      let run = try Self.run(calls)
      Self.expectOrderly(run, undisturbed.text, saying: series.code)
    } while calls.failures > 0 && place < 20
    // The last run had no call of that number.
    #expect((2..<20).contains(place))
  }

  @Test("A client without a thread for what its render process says gives up, and does not wait")
  func noThread() throws {
    let calls = try FailingCalls(of: "drawing-client")
    calls.fail(.thread, code: EAGAIN, at: 1)
    let run = try Self.run(calls)
    #expect(calls.failures == 1)
    #expect(run.status == 3)
    #expect(
      run.errors == "drawing-client: the render process did not start: pthread_create: Resource"
        + " temporarily unavailable\n")
  }

  @Test("A document whose picture cannot be opened for want of descriptors is an error")
  func pictureOfADocument() throws {
    let folder = try ToolFolder()
    let document = try folder.noise(side: 8)
    let calls = try FailingCalls(of: "lamina")
    func run() throws -> ToolRun {
      try ToolRun(
        ["render", document, "--at", "0", "--platform", "software", "-o", "-"],
        environment: calls.environment)
    }
    calls.fail(.open, code: EMFILE, at: 1000)
    let undisturbed = try run()
    #expect(undisturbed.status == 0, "\(undisturbed.errors)")
    let count = calls.count
    #expect((1..<100).contains(count))
    var naming = 0
    for place in 1...count {
      calls.fail(.open, code: EMFILE, at: place)
      let run = try run()
      if run.status == 0 {
        #expect(run.output == undisturbed.output, "\(place)")
      } else {
        #expect(run.errors.lowercased().hasSuffix("too many open files\n"), "\(run.errors)")
        if run.errors.contains("noise.png: cannot be read") { naming += 1 }
      }
    }
    #expect(naming == 1)
  }
}
