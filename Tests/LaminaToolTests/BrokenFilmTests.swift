import Foundation
import Testing

/// Every kind of output, and the failures that end its rendering.
@Suite("Films that fail", .serialized) struct BrokenFilmTests {
  private let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  static let outputs = [
    "x.mp4", "x.webm", "x.gif", "x.apng", "x.y4m", "x-%03d.png", "x.png", "-",
  ]
  static let films = outputs.filter { $0 != "-" && $0 != "x.png" }

  /// A film of a quarter of an hour; one frame if the output can hold no more.
  private func arguments(_ output: String, to end: String = "1000") throws -> [String] {
    let document = try folder.document(#"<CALayer bounds="0 0 64 64" backgroundColor="1 0 0"/>"#)
    let time = output == "x.png" ? ["--at", "0"] : ["--to", end]
    return ["render", document] + time + ["-o", output == "-" ? "-" : folder.path(output)]
  }

  @Test(
    "If every render process dies, at once or later, a film ends with status 3 and nothing",
    arguments: outputs, [0, 3])
  func dyingServer(output: String, frames: Int) throws {
    // With a single frame, the process must die at the first.
    let frames = output == "x.png" ? 0 : frames
    let start = ContinuousClock.now
    let run = try ToolRun(
      arguments(output),
      environment: [
        "LAMINA_RENDER_SERVER": ToolRun.built("dying-server").path, "FRAMES": "\(frames)",
      ])
    #expect(run.status == 3)
    let death = "the render process was killed by signal 9 (Killed)"
    let again = "lamina: warning: \(death); another one took its place"
    let last =
      "3 render processes died within a minute, and no other one was started; the last time"
    #expect(
      run.errors.split(separator: "\n") == [
        again[...], again[...], "\(again), on software after 3 deaths within a minute", again[...],
        again[...], "lamina: \(last), \(death)",
      ])
    #expect(folder.names == ["a.caml"])
    #expect(run.output.count <= 6 * frames * 64 * 64 * 4)
    // It takes a second if nothing else runs.
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test(
    "When the disk is full, a film ends with status 2 and nothing", .enabled(if: canMount),
    arguments: outputs.filter { $0 != "-" }, [1, 32])
  func fullDisk(output: String, pagesLeft: Int) throws {
    let disk = folder.url.appendingPathComponent("disk")
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
    // A GIF begins with the colours of all its frames, so nothing of it is written until the last.
    let isLate = output == "x.gif" && pagesLeft > 1
    let noise = try folder.noise(side: isLate ? 512 : 128)
    let time = output == "x.png" ? "--at 0 --scale 8" : isLate ? "--to 2" : "--to 1000"
    let full = 4096 * (256 - pagesLeft)
    let script = """
      mount -t tmpfs -o size=1m tmpfs "$DISK" && head -c \(full) /dev/zero > "$DISK/full" || exit 9
      "$LAMINA" render "$DOCUMENT" \(time) -o "$DISK/\(output)"; status=$?
      ls -A "$DISK" >&2; exit $status
      """
    let start = ContinuousClock.now
    let run = try ToolRun(
      ["-rm", "sh", "-c", script],
      environment: [
        "DISK": disk.path, "LAMINA": ToolRun.executable.path, "DOCUMENT": noise,
      ], executable: Self.unshare)
    #expect(run.status == 2, "\(run.errors)")
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 2, "\(run.errors)")
    #expect(
      lines.first?.lowercased().hasSuffix(": no space left on device") == true, "\(run.errors)")
    #expect(lines.last == "full")
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  private static let unshare = URL(fileURLWithPath: "/usr/bin/unshare")

  /// On most systems root may mount, and so may any user in a name space of their own.
  private static let canMount =
    (try? ToolRun(["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], executable: unshare))?.status
    == 0

  @Test("When nobody takes more raw frames, the status is 2")
  func fullPipe() throws {
    let run = try ToolRun(
      ["-c", #""$0" "$@" > /dev/full"#, ToolRun.executable.path] + arguments("-"),
      executable: URL(fileURLWithPath: "/bin/sh"))
    #expect(run.status == 2)
    #expect(
      run.errors == "lamina: the standard output: cannot be written: no space left on device\n")
  }

  @Test("A film that is interrupted leaves nothing", arguments: films, [SIGTERM, SIGINT, SIGHUP])
  func interrupted(output: String, signal: Int32) throws {
    let process = try start(output)
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 128 + signal)
    #expect(folder.names == ["a.caml"])
  }

  @Test("What a killed film leaves is removed by the next, and by none while it goes on")
  func killed() throws {
    for output in Self.films {
      let process = try start(output)
      let unfinished = folder.names.filter { $0.hasPrefix(".") }
      #expect(unfinished.count == 1)
      let other = try ToolRun(arguments(output, to: "0.1"))
      #expect(other.status == 0, "\(other.errors)")
      #expect(folder.names.filter { $0.hasPrefix(".") } == unfinished)
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      #expect(folder.names.filter { $0.hasPrefix(".") } == unfinished)
      let next = try ToolRun(arguments(output, to: "0.1"))
      #expect(next.status == 0, "\(next.errors)")
      #expect(folder.names.filter { $0.hasPrefix(".") }.isEmpty)
    }
    #expect(
      folder.names
        == ["a.caml", "x-000.png", "x-001.png", "x-002.png"]
        + ["x.apng", "x.gif", "x.mp4", "x.webm", "x.y4m"])
  }

  /// Starts a long film, and returns once it is under way.
  private func start(_ output: String) throws -> Process {
    let process = Process()
    process.executableURL = ToolRun.executable
    process.arguments = try arguments(output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    while process.isRunning, !folder.names.contains(where: { $0.hasSuffix(".tmp") }) {
      usleep(1000)
    }
    #expect(process.isRunning)
    return process
  }
}
