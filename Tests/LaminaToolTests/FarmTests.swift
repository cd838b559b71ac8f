import Foundation
import Lamina
import Testing

@testable import LaminaTool

/// Jobs on this machine. `make test-slurm` has them on a queue.
@Suite("Farm") struct FarmTests {
  private let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  private static let film = ["--to", "1", "--fps", "12"]

  private func document(name: String = "a.caml") throws -> String {
    try folder.document(
      """
      <CALayer bounds="0 0 64 48" backgroundColor="0 0 1"><sublayers>
      <CALayer bounds="0 0 20 20" position="10 24" backgroundColor="1 1 0" cornerRadius="7">
      <animations><animation type="CABasicAnimation" keyPath="position.x" fromValue="10"
      toValue="54" duration="1"/></animations></CALayer></sublayers></CALayer>
      """, name: name)
  }

  /// A document with frames that take long: many large layers that are blurred.
  private func slowDocument() throws -> String {
    let layer = """
      <CALayer bounds="0 0 600 600" position="300 300" backgroundColor="1 0 0 0.5">
      <filters><CAFilter filter="gaussianBlur" name="blur" inputRadius="20"/></filters></CALayer>
      """
    return try folder.document(
      """
      <CALayer bounds="0 0 600 600"><sublayers>\(String(repeating: layer, count: 1))
      <CALayer bounds="0 0 20 20"><animations><animation type="CABasicAnimation"
      keyPath="position.x" fromValue="0" toValue="600" duration="1"/></animations></CALayer>
      </sublayers></CALayer>
      """)
  }

  private func farm(_ arguments: [String]) throws -> ToolRun {
    try ToolRun(["farm"] + arguments)
  }

  private func render(_ documents: [String], _ flags: [String]) throws -> ToolRun {
    try farm(["render"] + documents + Self.film + ["--engine", "local"] + flags)
  }

  private func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
  }

  private func whole(_ document: String) throws -> Data {
    let run = try ToolRun(
      ["render", document] + Self.film
        + ["--platform", "software", "-o", folder.path("whole.mp4")])
    #expect(run.status == 0, "\(run.errors)")
    return try bytes("whole.mp4")
  }

  /// Starts a job of slow frames, and returns once it draws them.
  private func start(_ output: String) throws -> Process {
    let process = Process()
    process.executableURL = ToolRun.executable
    process.arguments =
      ["farm", "render", try slowDocument()] + Self.film
      + ["--engine", "local", "--shards", "4", "--at-once", "2", "-o", folder.path(output)]
    process.standardError = FileHandle.nullDevice
    try process.run()
    while process.isRunning, tasks(of: output).count < 2 { usleep(1000) }
    #expect(process.isRunning)
    return process
  }

  /// The numbers of the processes that run tasks of a job.
  private func tasks(of output: String) -> [pid_t] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap { pid_t($0) }.filter { process in
      let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
      let words = String(decoding: line, as: UTF8.self).split(separator: "\0")
      return words.dropFirst().starts(
        with: ["farm", "task", folder.path(output)[...] + ".farm"])
    }
  }

  @Test("A film has the same bytes from any number of shards", arguments: [1, 2, 7, 1000])
  func shards(count: Int) throws {
    let document = try document()
    let whole = try whole(document)
    let run = try render([document], ["--shards", "\(count)", "-o", folder.path("x.mp4")])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try bytes("x.mp4") == whole)
    #expect(!folder.names.contains { $0.hasSuffix(".tmp") })
    let left = try FileManager.default.contentsOfDirectory(
      atPath: folder.path("x.mp4.farm/segments"))
    #expect(left == [])
    let status = try farm(["status", folder.path("x.mp4")])
    #expect(status.text.hasSuffix("  all is done\n"))
  }

  @Test("A film in pieces has the same bytes from shards as from one process", arguments: [5, 12])
  func pieces(length: Int) throws {
    let document = try document()
    let whole = try ToolRun(
      ["render", document] + Self.film
        + ["--platform", "software", "--pieces", "\(length)", "-o", folder.path("whole.mp4")])
    #expect(whole.status == 0, "\(whole.errors)")
    let run = try render([document], ["--pieces", "\(length)", "-o", folder.path("x.mp4")])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try bytes("x.mp4") == bytes("whole.mp4"))
    let refused = try render(
      [document], ["--pieces", "5", "--shards", "2", "-o", folder.path("y.mp4")])
    #expect(refused.errors.contains("each piece is a shard"))
  }

  @Test("Many documents are one job, and packed ones need their files no more")
  func manyDocuments() throws {
    let documents = try ["a.caml", "b.caml"].map { try document(name: $0) }
    let whole = try whole(documents[0])
    let run = try render(
      documents, ["--shards", "2", "--pack", "-o", folder.path("out-%s.mp4")])
    #expect(run.status == 0, "\(run.errors)")
    for name in ["out-a.mp4", "out-b.mp4"] { #expect(try bytes(name) == whole) }
    let refused = try render(documents, ["-o", folder.path("x.mp4")])
    #expect(refused.status == 2)
    #expect(
      refused.errors == "lamina: --output: for 2 documents, %s has to stand for their names\n")
  }

  @Test("The same command does nothing if the film is there, and makes it anew if it was changed")
  func again() throws {
    let document = try document()
    let arguments = ["--shards", "2", "-o", folder.path("x.mp4")]
    #expect(try render([document], arguments).status == 0)
    let film = try bytes("x.mp4")
    let first = try FileManager.default.attributesOfItem(atPath: folder.path("x.mp4"))
    #expect(try render([document], arguments).status == 0)
    let second = try FileManager.default.attributesOfItem(atPath: folder.path("x.mp4"))
    #expect(first[.systemFileNumber] as? NSNumber == second[.systemFileNumber] as? NSNumber)
    try Data("other".utf8).write(to: URL(fileURLWithPath: folder.path("x.mp4")))
    #expect(try render([document], arguments).status == 0)
    #expect(try bytes("x.mp4") == film)
    // Another job does not take the folder of this one.
    let other = try render([document], ["--shards", "3", "-o", folder.path("x.mp4")])
    #expect(other.status == 2)
    #expect(other.errors.contains("has another job"))
  }

  @Test("A document that cannot be drawn to its end ends the job with its message and status")
  func failing() throws {
    // From half a second on, there are more particles than a frame may have.
    let document = try folder.document(
      """
      <CAReplicatorLayer bounds="0 0 64 64" instanceCount="100"><sublayers><CAEmitterLayer>
      <emitterCells><CAEmitterCell birthRate="10000" lifetime="9"/></emitterCells>
      </CAEmitterLayer></sublayers></CAReplicatorLayer>
      """)
    let run = try render([document], ["--shards", "4", "-o", folder.path("x.mp4")])
    #expect(run.status == 3)
    // Two shards run at once, and either may find it first.
    let failing = ["frames 6 to 8 of \(document)", "frames 9 to 11 of \(document)"]
    #expect(failing.contains(where: run.errors.contains), "\(run.errors)")
    #expect(run.errors.contains("particles of all emitters"), "\(run.errors)")
    #expect(tasks(of: "x.mp4").isEmpty)
    #expect(!folder.names.contains("x.mp4"))
    let status = try farm(["status", folder.path("x.mp4")])
    #expect(status.text.contains("failed on"), "\(status.text)")
  }

  @Test("A document that changed since the job was made is an error with status 2")
  func changedDocument() throws {
    let document = try document()
    let process = try start("x.mp4")
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    let text = try String(contentsOfFile: document, encoding: .utf8)
    try Data(text.replacingOccurrences(of: "0.5", with: "0.6").utf8)
      .write(to: URL(fileURLWithPath: document))
    let run = try farm(["resume", folder.path("x.mp4")])
    #expect(run.status == 2)
    #expect(run.errors.contains("is not the document that the job was made of"), "\(run.errors)")
  }

  @Test("^C stops a job here, leaves no process and no half file, and it is taken up again")
  func interrupted() throws {
    let process = try start("x.mp4")
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    #expect(process.terminationStatus == 130)
    #expect(tasks(of: "x.mp4").isEmpty)
    let segments = try FileManager.default.contentsOfDirectory(
      atPath: folder.path("x.mp4.farm/segments"))
    #expect(!segments.contains { $0.hasPrefix(".") }, "\(segments)")
    let status = try farm(["status", folder.path("x.mp4")])
    #expect(status.text.contains("does not run on this machine"), "\(status.text)")
    let run = try farm(["resume", folder.path("x.mp4")])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try bytes("x.mp4") == whole(folder.path("a.caml")))
  }

  @Test("A task that is killed runs again")
  func killed() throws {
    let process = try start("x.mp4")
    for task in tasks(of: "x.mp4") { kill(task, SIGKILL) }
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try bytes("x.mp4") == whole(folder.path("a.caml")))
  }

  @Test("Cancelling a job ends its processes and removes its folder")
  func cancelled() throws {
    let process = try start("x.mp4")
    let run = try farm(["cancel", folder.path("x.mp4")])
    #expect(run.status == 0, "\(run.errors)")
    process.waitUntilExit()
    #expect(process.terminationStatus == 2)
    #expect(tasks(of: "x.mp4").isEmpty)
    #expect(folder.names == ["a.caml"])
  }

  @Test("A segment that is damaged before the join is rendered again there")
  func damagedSegment() throws {
    let document = try document()
    let whole = try whole(document)
    let job = FarmFolder(folder.path("x.mp4.farm"))
    let work = FilmWork(
      documents: [
        FilmWork.Document(
          path: document, digest: "", film: folder.path("x.mp4"), frameCount: 12)
      ], flags: Self.film + ["--platform=software"], shardCount: 3)
    var described = FarmJob(
      work: .films(work), engine: try EngineFlags(ParsedArguments(values: ["--engine": ["local"]])))
    try job.begin(described)
    // The first task says that this is not the document.
    #expect(try farm(["task", job.path, "0"]).status == 2)
    guard case .films(var films) = described.work else { return }
    films.documents[0].digest =
      try SegmentFile(path: segment(of: document), tools: FilmTools()).label.document
    described.work = .films(films)
    try job.write(described)
    for task in 0..<3 { #expect(try farm(["task", job.path, "\(task)"]).status == 0) }
    let path = job.segment(1, of: films)
    let segment = try Data(contentsOf: URL(fileURLWithPath: path))
    try segment.prefix(segment.count / 2).write(to: URL(fileURLWithPath: path))
    try FileManager.default.removeItem(atPath: job.segment(2, of: films))
    let joined = try farm(["task", job.path, "3"])
    #expect(joined.status == 0)
    #expect(joined.errors.contains("what is not whole is rendered again here"))
    #expect(try bytes("x.mp4") == whole)
    #expect(
      try farm(["task", job.path, "4"]).errors == "lamina: farm task: the job has tasks 0 to 3\n")
  }

  private func segment(of document: String) throws -> String {
    let path = folder.path("label.mkv")
    let run = try ToolRun(
      ["render", document] + Self.film + ["--frames", "0", "-o", path])
    #expect(run.status == 0, "\(run.errors)")
    return path
  }

  @Test("Folders that are compared in parts give what lamina compare says")
  func comparison() throws {
    for side in ["A", "B"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(side), withIntermediateDirectories: false)
      for index in 0..<9 where side == "A" || index != 4 {
        let shade = UInt8(side == "B" && index == 7 ? 99 : index)
        try CGImage(width: 2, height: 1, unpremultipliedRGBA: [shade, 0, 0, 255, 1, 2, 3, 255])
          .writePNG(to: folder.url.appendingPathComponent("\(side)/\(index).png"))
      }
    }
    let folders = [folder.path("A"), folder.path("B")]
    let plain = try ToolRun(["compare"] + folders)
    let farmed = try farm(["compare"] + folders + ["--engine", "local", "--shards", "4"])
    #expect(plain.status == 1)
    #expect(farmed.status == 1)
    #expect(farmed.text == plain.text)
    #expect(plain.text.contains("7 identical, 1 different"))
    #expect(folder.names == ["A", "B"])
    let close = ["--tolerance", "200", "--ignore-missing"]
    let allowed = try farm(["compare"] + folders + close + ["--engine", "local"])
    #expect(allowed.status == 0)
    #expect(allowed.text == "7 identical, 0 different, 1 close enough\n")
  }

  @Test(
    "The parts of a film are all of it, none empty, and differ by a frame at most",
    arguments: [1, 2, 7, 600, 601], [1, 2, 3, 8, 600])
  func cuts(frameCount: Int, shardCount: Int) {
    let document = FilmWork.Document(path: "a", digest: "", film: "b", frameCount: frameCount)
    let work = FilmWork(documents: [document], flags: [], shardCount: shardCount)
    #expect(work.shards.flatMap { Array($0.frames) } == Array(0..<frameCount))
    #expect(work.shards.count == min(frameCount, shardCount))
    let counts = work.shards.map(\.frames.count)
    #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
    #expect(work.joins == (work.shards.count > 1 ? [0] : []))
  }

  @Test("A task is called what it does")
  func words() throws {
    let engine = try EngineFlags(ParsedArguments(values: ["--engine": ["local"]]))
    let document = FilmWork.Document(path: "a.ca", digest: "", film: "b.mp4", frameCount: 5)
    let films = FilmWork(documents: [document], flags: [], shardCount: 2)
    let film = FarmJob(work: .films(films), engine: engine)
    #expect(film.describe(0) == "frames 0 to 1 of a.ca")
    #expect(film.describe(2) == "the join of b.mp4")
    let comparison = ComparisonWork(
      references: "a", results: "b", flags: [], parts: [0...4, 5...9])
    let compared = FarmJob(work: .comparison(comparison), engine: engine)
    #expect(compared.describe(1) == "pictures 5 to 9")
  }

  @Test("A job's file that is damaged is an error, whatever the damage")
  func damagedJob() throws {
    let document = FilmWork.Document(path: "a", digest: "", film: "b", frameCount: 5)
    let work = FilmWork(documents: [document], flags: [], shardCount: 2)
    let job = FarmFolder(folder.path("j"))
    let engine = try EngineFlags(ParsedArguments(values: ["--engine": ["local"]]))
    try job.begin(FarmJob(work: .films(work), engine: engine))
    #expect(try job.job().work == .films(work))
    let path = job.path + "/job.json"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for (old, new) in [
      ("\"document\" : 0", "\"document\" : 7"), ("\"last\" : 4", "\"last\" : 5"),
      ("\"first\" : 2", "\"first\" : 9"), ("\"version\" : 1", "\"version\" : 2"), ("{", "["),
    ] {
      let damaged = text.replacingOccurrences(of: old, with: new)
      #expect(damaged != text)
      try Data(damaged.utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: InputError.self, "\(new)") { try job.job() }
    }
  }

  @Test("The table of nodes has a row for each and a column for each scene")
  func table() {
    let results = [
      NodeTimings(
        node: "n10", processor: "B", processorCount: 16,
        lines: [.init(scene: "S1a", var: "", med: 12.3456)]),
      NodeTimings(
        node: "n1", processor: "A C", processorCount: 2,
        lines: [.init(scene: "S1a", med: 1), .init(scene: "tree", var: "x", med: 2)]),
    ]
    #expect(
      FarmBench.table(results) == """
        node  cores     S1a  tree x  processor
        n1        2   1.000   2.000  A C
        n10      16  12.346       -  B
        """)
  }
}
