import Foundation
import Lamina
import Testing

private let partIsNoFolder = "a part of its path is no folder"
/// Why nobody can make a file in /sys: it may be mounted for reading only.
private let sysRefusal = access("/sys", W_OK) == 0 ? "permission denied" : "read-only file system"
private let linkLoop = "too many levels of symbolic links"

/// A path that cannot be read or written, not even by those who may do everything.
struct BadPath: CustomStringConvertible {
  var name: String
  var reason: String
  var description: String { name }
}

@Suite("lamina, as it is run")
struct EndToEndTests {
  private let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  private static let square = """
    <CALayer bounds="0 0 20 10" backgroundColor="1 0 0"><sublayers>
    <CALayer id="#1" bounds="0 0 10 10" position="15 5" backgroundColor="0 0 1"/></sublayers>
    <states><LKState name="Locked"><elements><LKStateSetValue targetId="#1" keyPath="opacity">
    <value type="integer" value="1"/></LKStateSetValue></elements></LKState></states></CALayer>
    """

  /// A square that crosses a row of 20 points in a second.
  private static let animatedRow = """
    <CALayer bounds="0 0 20 10"><sublayers><CALayer bounds="0 0 10 10" position="5 5" \
    backgroundColor="0 1 0"><animations><animation type="CABasicAnimation" keyPath="position.x" \
    duration="1" fillMode="both" removedOnCompletion="0"><fromValue type="real" value="5"/>
    <toValue type="real" value="15"/></animation></animations></CALayer></sublayers></CALayer>
    """

  private func image(_ name: String) throws -> CGImage {
    try CGImage(contentsOf: URL(fileURLWithPath: folder.path(name)))
  }

  private func pixel(_ image: CGImage, _ x: Int, _ y: Int) -> [UInt8] {
    Array(image.unpremultipliedRGBA[(y * image.width + x) * 4..<(y * image.width + x) * 4 + 4])
  }

  // MARK: render

  @Test("A document becomes a PNG of its size times the scale")
  func renders() throws {
    let run = try ToolRun(
      ["render", try folder.document(Self.square), "--scale", "2", "-o", folder.path("x.png")])
    #expect(run.status == 0, "\(run.errors)")
    let image = try image("x.png")
    #expect((image.width, image.height) == (40, 20))
    #expect(pixel(image, 5, 10) == [255, 0, 0, 255])
    #expect(pixel(image, 30, 10) == [0, 0, 255, 255])
    #expect(folder.names == ["a.caml", "x.png"])
  }

  @Test("A document with RGBAh contents becomes PNGs of 16 bits a channel, others of 8")
  func sixteenBits() throws {
    func depth(_ format: String) throws -> (bits: UInt8, image: CGImage) {
      let document = try folder.document(
        """
        <CALayer bounds="0 0 8 4" backgroundColor="0.11 0.11 0.11"><sublayers>
        <CALayer bounds="0 0 4 4" position="2 2" contentsFormat="\(format)"/></sublayers></CALayer>
        """)
      let run = try ToolRun(["render", document, "-o", folder.path("x.png")])
      #expect(run.status == 0, "\(run.errors)")
      let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("x.png")))
      #expect(data.range(of: Data("sRGB".utf8)) != nil)
      return (data[24], try CGImage(data: data, named: "x.png", wants16Bits: true))
    }
    let (wide, plain) = (try depth("RGBAh"), try depth("RGBA8"))
    #expect(wide.bits == 16 && plain.bits == 8)
    #expect(wide.image.bitsPerComponent == 16)
    #expect(pixel(wide.image, 5, 2) == [28, 28, 28, 255])
    #expect(pixel(plain.image, 5, 2) == [28, 28, 28, 255])
  }

  @Test("A document is fitted into another size and centred, over the background")
  func fits() throws {
    let run = try ToolRun([
      "render", try folder.document(Self.square), "--size", "20x20", "--background", "#0f0",
      "-o", folder.path("x.png"),
    ])
    #expect(run.status == 0, "\(run.errors)")
    let image = try image("x.png")
    #expect(pixel(image, 5, 2) == [0, 255, 0, 255])
    #expect(pixel(image, 5, 10) == [255, 0, 0, 255])
    #expect(pixel(image, 5, 17) == [0, 255, 0, 255])
  }

  @Test("Raw frames are unpremultiplied RGBA from the top, and have no background")
  func raw() throws {
    let run = try ToolRun(["render", try folder.document(Self.animatedRow), "--at", "0", "-o", "-"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.count == 20 * 10 * 4)
    #expect(Array(run.output.prefix(4)) == [0, 255, 0, 255])
    #expect(Array(run.output.suffix(4)) == [0, 0, 0, 0])
  }

  @Test("A frame of a film equals that frame rendered alone")
  func frames() throws {
    let document = try folder.document(Self.animatedRow)
    let film = try ToolRun([
      "render", document, "--from", "0", "--to", "1", "--fps", "4", "-o", folder.path("f-%02d.png"),
    ])
    #expect(film.status == 0, "\(film.errors)")
    #expect(folder.names == ["a.caml", "f-00.png", "f-01.png", "f-02.png", "f-03.png"])
    let alone = try ToolRun(["render", document, "--at", "0.5", "-o", folder.path("x.png")])
    #expect(alone.status == 0)
    #expect(try ToolRun(["compare", folder.path("x.png"), folder.path("f-02.png")]).status == 0)
    #expect(try ToolRun(["compare", folder.path("x.png"), folder.path("f-01.png")]).status == 1)
  }

  @Test("In this process and in one of its own the pixels are the same")
  func inProcess() throws {
    let document = try folder.document(Self.animatedRow)
    for (name, flags) in [("a.png", []), ("b.png", ["--in-process"])] {
      let run = try ToolRun(
        ["render", document, "--at", "0.3", "-o", folder.path(name)] + flags)
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try ToolRun(["compare", folder.path("a.png"), folder.path("b.png")]).status == 0)
  }

  @Test("A y4m film has its header and its frames")
  func y4m() throws {
    let run = try ToolRun([
      "render", try folder.document(Self.animatedRow), "--to", "1", "--fps", "2", "-o",
      folder.path("x.y4m"),
    ])
    #expect(run.status == 0, "\(run.errors)")
    let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("x.y4m")))
    let header = "YUV4MPEG2 W20 H10 F2:1 Ip A1:1 C444 XCOLORRANGE=LIMITED\n"
    #expect(data.starts(with: Data(header.utf8)))
    #expect(data.count == header.utf8.count + 2 * (6 + 20 * 10 * 3))
  }

  @Test("The next process takes linked programs from the folder of caches")
  func programs() throws {
    let document = try folder.document(Self.animatedRow)
    func programs() throws -> [String: Date] {
      let stored = folder.path("caches/lamina/programs")
      let names = try FileManager.default.contentsOfDirectory(atPath: stored)
      return try Dictionary(
        uniqueKeysWithValues: names.map { name in
          let attributes = try FileManager.default.attributesOfItem(atPath: "\(stored)/\(name)")
          return (name, try #require(attributes[.modificationDate] as? Date))
        })
    }
    func render(_ name: String) throws -> Data {
      let run = try ToolRun(
        ["render", document, "--at", "0.3", "--platform", "surfaceless", "-o", folder.path(name)],
        environment: ["XDG_CACHE_HOME": folder.path("caches")])
      #expect(run.status == 0, "\(run.errors)")
      return try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
    }
    let first = try render("a.png")
    let stored = try programs()
    #expect(!stored.isEmpty)
    #expect(try render("b.png") == first)
    #expect(try programs() == stored)
  }

  @Test(
    "A film without ffmpeg is an error before any work", arguments: ["x.mp4", "x.webm", "x.gif"])
  func noFFmpeg(name: String) throws {
    let run = try ToolRun(
      ["render", "no-such-document.ca", "--to", "1", "-o", folder.path(name)],
      environment: ["PATH": folder.url.path])
    #expect(run.status == 2)
    #expect(run.errors.contains("needs ffmpeg"))
    #expect(folder.names.isEmpty)
  }

  @Test("ffmpeg makes a film, and where it fails nothing is left")
  func ffmpeg() throws {
    let fake = folder.path("ffmpeg")
    func install(_ script: String) throws {
      try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: fake))
      chmod(fake, 0o755)
    }
    let document = try folder.document(Self.animatedRow)
    let arguments = ["render", document, "--to", "1", "--fps", "2", "-o", folder.path("x.mp4")]
    let path = ["PATH": "\(folder.url.path):/usr/bin:/bin"]

    try install("for last; do :; done; cat > \"$last\"")
    let good = try ToolRun(arguments, environment: path)
    #expect(good.status == 0, "\(good.errors)")
    let film = try Data(contentsOf: URL(fileURLWithPath: folder.path("x.mp4")))
    #expect(film.count == 2 * 20 * 10 * 4)
    // Films have a black background unless another is requested.
    #expect(Array(film[(20 * 10 - 1) * 4..<20 * 10 * 4]) == [0, 0, 0, 255])

    try install("for last; do :; done; echo x > \"$last\"; echo 'no such codec' >&2; exit 1")
    let bad = try ToolRun(arguments, environment: path)
    #expect(bad.status == 2)
    #expect(bad.errors == "lamina: ffmpeg: no such codec\n")
    #expect(folder.names == ["a.caml", "ffmpeg", "x.mp4"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("x.mp4"))) == film)
  }

  // MARK: Errors

  @Test("A malformed document is one line with file, line and column, and status 2")
  func malformed() throws {
    let document = try folder.document("<CALayer>\n<sublayers>\n</CALayer>")
    let run = try ToolRun(["render", document, "-o", folder.path("x.png")])
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("lamina: \(document):5:11: "))
    #expect(run.errors.filter { $0 == "\n" }.count == 1)
    #expect(folder.names == ["a.caml"])
  }

  @Test("So is a malformed archive, which has no lines")
  func malformedArchive() throws {
    let archive = folder.path("a.caar")
    try Data("bplist00 and more than thirty-two bytes".utf8).write(
      to: URL(fileURLWithPath: archive))
    let run = try ToolRun(["render", archive, "-o", folder.path("x.png")])
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("lamina: \(archive): "))
    #expect(run.errors.filter { $0 == "\n" }.count == 1)
    #expect(folder.names == ["a.caar"])
  }

  @Test("An unknown state names those there are")
  func unknownState() throws {
    let run = try ToolRun([
      "render", try folder.document(Self.square), "--state", "Lock", "-o", folder.path("x.png"),
    ])
    #expect(run.status == 2)
    #expect(run.errors.contains("\"Locked\""))
  }

  /// A square at x = 5 that slides to 15 in two seconds when the state B is set, and back to 5 at
  /// once when C is.
  private static let sliding = """
    <CALayer bounds="0 0 20 10"><sublayers><CALayer id="#1" bounds="0 0 10 10" position="5 5" \
    backgroundColor="0 1 0"/></sublayers>
    <states><LKState name="B"><elements><LKStateSetValue targetId="#1" keyPath="position.x">
    <value type="real" value="15"/></LKStateSetValue></elements></LKState><LKState name="C"/></states>
    <stateTransitions><LKStateTransition fromState="*" toState="B"><elements>
    <LKStateTransitionElement targetId="#1" key="position.x"><animation type="CABasicAnimation" \
    duration="2"/></LKStateTransitionElement></elements></LKStateTransition></stateTransitions>
    </CALayer>
    """

  private func raw(_ arguments: [String]) throws -> Data {
    let run = try ToolRun(["render"] + arguments + ["-o", "-"])
    try #require(run.status == 0, "\(run.errors)")
    return run.output
  }

  @Test("A state that is set at a time is animated from there, in a film and in a frame alone")
  func timedStates() throws {
    let document = try folder.document(Self.sliding)
    let states = ["--state", "B@1", "--state", "C@4"]
    let film = try raw([document, "--from", "0.6", "--to", "5.6", "--fps", "1"] + states)
    let frameSize = 20 * 10 * 4
    let frames = (0..<5).map { film.dropFirst($0 * frameSize).prefix(frameSize) }
    func row(_ frame: Data) -> [Bool] {
      (0..<20).map { frame[frame.startIndex + $0 * 4 + 1] > 127 }
    }
    func square(at x: Double) -> [Bool] { (0..<20).map { abs(Double($0) + 0.5 - x) < 5 } }
    #expect(frames.map(row) == [5, 8, 13, 15, 5].map(square))
    for (index, frame) in frames.enumerated() {
      let alone = try raw([document, "--at", "\(Double(index) + 0.6)"] + states)
      #expect(alone == frame, "frame \(index)")
    }
    let tree = try ToolRun(["dump", document, "--at", "2"] + states)
    #expect(tree.text.contains("position=(10,5) backgroundColor"))
    #expect(try raw([document, "--at", "0", "--state", "B"]) == frames[3])
  }

  @Test("An unknown state is an error before anything is drawn, whenever it is to be set")
  func unknownTimedState() throws {
    let run = try ToolRun([
      "render", try folder.document(Self.sliding), "--state", "Lock@100", "-o",
      folder.path("x.png"),
    ])
    #expect(run.status == 2)
    #expect(
      run.errors == "lamina: \(folder.path("a.caml")): no state \"Lock\"; there are \"B\", \"C\"\n")
    #expect(folder.names == ["a.caml"])
  }

  @Test(
    "Bad usage is one line and status 2",
    arguments: [
      [], ["rendr"], ["render"], ["render", "a.caml"], ["render", "a.caml", "-o", "x.jpg"],
      ["render", "no.caml", "-o", "x.png"], ["render", "a", "--wobble", "-o", "x.png"],
      ["render", "a", "--platform", "metal", "-o", "x.png"], ["compare", "a.png"],
      ["convert", "a.caml", "b.png"], ["convert", "a.caml"], ["convert", "no.caml", "b.ca"],
      ["compare", "no.png", "no.png"], ["dump", "a", "--tree", "--plan"], ["info", "x"],
    ])
  func badUsage(arguments: [String]) throws {
    let run = try ToolRun(arguments)
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("lamina: "))
    #expect(run.errors.filter { $0 == "\n" }.count == 1)
    #expect(run.output.isEmpty)
  }

  @Test(
    "A render process that is not there, or dies at once, is status 3",
    arguments: ["/no/such/server", "/bin/false"])
  func noServer(path: String) throws {
    let run = try ToolRun(
      ["render", try folder.document(Self.square), "-o", folder.path("x.png")],
      environment: ["LAMINA_RENDER_SERVER": path])
    #expect(run.status == 3)
    #expect(run.errors.hasPrefix("lamina: "))
    #expect(run.errors.filter { $0 == "\n" }.count == 1)
    #expect(folder.names == ["a.caml"])
  }

  @Test("When the render process is killed during a film, the film is the same, and a line says so")
  func killedServer() throws {
    let arguments = [
      "render", try folder.document(Self.animatedRow), "--to", "2", "--fps", "1000", "-o", "-",
    ]
    let undisturbed = try ToolRun(arguments)
    let process = Process()
    process.executableURL = ToolRun.executable
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // Once a frame has arrived, the film is under way, and most of it is still to come: a pipe
    // takes 80 frames.
    var film = try output.fileHandleForReading.read(upToCount: 20 * 10 * 4) ?? Data()
    for child in Self.children(of: process.processIdentifier) { kill(child, SIGKILL) }
    film += try output.fileHandleForReading.readToEnd() ?? Data()
    let message = String(
      decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 0)
    #expect(
      message == "lamina: warning: the render process was killed by signal 9 (Killed); another one"
        + " took its place\n")
    #expect(film.count == 2000 * 20 * 10 * 4)
    #expect(film == undisturbed.output)
  }

  /// The processes whose parent is `parent`, according to /proc.
  private static func children(of parent: Int32) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { process in
      // `pid (name) state ppid …`, and the name may hold anything.
      let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
      let fields = text.drop { $0 != ")" }.split(separator: " ")
      return fields.count > 2 && Int32(fields[2]) == parent
    }
  }

  @Test("A folder that cannot be written into is an error")
  func noFolder() throws {
    let run = try ToolRun([
      "render", try folder.document(Self.square), "-o", folder.path("no/x.png"),
    ])
    #expect(run.status == 2)
    let output = folder.path("no/x.png")
    #expect(
      run.errors == "lamina: \(output): cannot be written: \(folder.path("no")): no such folder\n")
  }

  private func makeBadPaths() throws -> String {
    let document = try folder.document(Self.square)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("loop"), withDestinationPath: "loop")
    try FileManager.default.createDirectory(
      atPath: folder.path("folder.png"), withIntermediateDirectories: false)
    return document
  }

  @Test(
    "A document that cannot be read says why", arguments: ["render", "dump", "convert"],
    [
      BadPath(name: "none.caml", reason: "no such file or folder"),
      BadPath(name: "a.caml/b.caml", reason: "cannot be read: \(partIsNoFolder)"),
      BadPath(name: "loop", reason: "cannot be read: \(linkLoop)"),
      BadPath(name: "loop/a.caml", reason: "cannot be read: \(linkLoop)"),
    ])
  func unreadableDocuments(command: String, path: BadPath) throws {
    _ = try makeBadPaths()
    let output = ["render": ["-o", folder.path("x.png")], "convert": [folder.path("x.ca")]]
    let run = try ToolRun([command, folder.path(path.name)] + (output[command] ?? []))
    #expect(run.status == 2)
    #expect(run.errors == "lamina: \(folder.path(path.name)): \(path.reason)\n")
  }

  @Test(
    "An image that cannot be read says why",
    arguments: [
      BadPath(name: "none.png", reason: "no such file"),
      BadPath(name: "a.caml/b.png", reason: partIsNoFolder),
      BadPath(name: "loop", reason: linkLoop),
    ])
  func unreadableImages(path: BadPath) throws {
    _ = try makeBadPaths()
    let run = try ToolRun(["compare", folder.path(path.name), folder.path(path.name)])
    #expect(run.status == 2)
    #expect(run.errors == "lamina: \(folder.path(path.name)): cannot be read: \(path.reason)\n")
  }

  @Test(
    "An output that cannot be written says why",
    arguments: [
      BadPath(name: "folder.png", reason: "is a folder"),
      BadPath(name: "a.caml/b.png", reason: partIsNoFolder),
      BadPath(name: "/sys/x.png", reason: sysRefusal),
      BadPath(name: "/sys/x.y4m", reason: sysRefusal),
      BadPath(name: "/sys/x-%d.png", reason: sysRefusal),
    ])
  func unwritable(path: BadPath) throws {
    let document = try makeBadPaths()
    let output = path.name.hasPrefix("/") ? path.name : folder.path(path.name)
    let run = try ToolRun(["render", document, "--to", "0.01", "-o", output])
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("lamina: \(output.prefix(5))"))
    #expect(run.errors.hasSuffix(": \(path.reason)\n"))
    #expect(run.errors.contains("cannot be written: "))
    #expect(folder.names == ["a.caml", "folder.png", "loop"])
  }

  // MARK: The other commands

  @Test("Help and version go to the standard output")
  func help() throws {
    for arguments in [
      ["--help"], ["render", "--help"], ["help", "compare"], ["--version"], ["version"],
    ] {
      let run = try ToolRun(arguments)
      #expect(run.status == 0)
      #expect(run.text.contains("lamina"))
      #expect(run.errors.isEmpty)
    }
  }

  @Test("A comparison allows as much as it is told to, and draws what differs")
  func compares() throws {
    func write(_ name: String, _ pixels: [UInt8]) throws {
      let image = try CGImage(width: pixels.count / 4, height: 1, unpremultipliedRGBA: pixels)
      try image.writePNG(to: URL(fileURLWithPath: folder.path(name)))
    }
    try write("a.png", [10, 10, 10, 255, 0, 0, 0, 255])
    try write("b.png", [14, 10, 10, 255, 0, 0, 0, 255])
    try write("c.png", [10, 10, 10, 255])
    let (a, b, c) = (folder.path("a.png"), folder.path("b.png"), folder.path("c.png"))
    #expect(try ToolRun(["compare", a, a]).status == 0)
    #expect(try ToolRun(["compare", a, c]).status == 1)
    #expect(try ToolRun(["compare", a, b, "--diff", folder.path("d.png")]).status == 1)
    #expect(pixel(try image("d.png"), 0, 0) == [255, 0, 0, 255])
    #expect(try ToolRun(["compare", a, b, "--tolerance", "3"]).status == 1)
    #expect(try ToolRun(["compare", a, b, "--tolerance", "4"]).status == 0)
    #expect(try ToolRun(["compare", a, b, "--allow", "50"]).status == 0)
    #expect(try ToolRun(["compare", a, b, "--perceptual", "2"]).status == 0)
    let seen = try ToolRun(["compare", a, b, "--perceptual", "0.1"])
    #expect(seen.status == 1)
    let said = String(decoding: seen.output, as: UTF8.self)
    #expect(said.contains("1 of 2 pixels (50 %) differ by more than ΔE 0.1; the largest ΔE"))
    #expect(said.contains("within 1x1 at 0,0"))
    #expect(
      try ToolRun(["compare", a, b, "--perceptual", "2", "--tolerance", "3"]).status == 2)
    #expect(try ToolRun(["compare", a, b, "--allow", "49"]).status == 1)
  }

  @Test("What renders here is said as text and as JSON")
  func info() throws {
    let text = try ToolRun(["info"])
    #expect(text.status == 0, "\(text.errors)")
    #expect(text.text.contains("renderer"))
    let json = try ToolRun(["info", "--json", "--in-process"])
    #expect(json.status == 0, "\(json.errors)")
    let object = try JSONSerialization.jsonObject(with: json.output) as? [String: Any]
    #expect(object?["renderer"] is String)
    #expect(object?["sandbox"] is [Any])
  }

  @Test("Every stage can be printed", arguments: ["--tree", "--commit", "--items", "--plan"])
  func dumps(stage: String) throws {
    let run = try ToolRun(["dump", try folder.document(Self.square), stage])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.split(separator: "\n").count > 1)
  }

  @Test("What is no plain file is written to and stays what it is, as /dev/null must")
  func pipes() throws {
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDWR | O_NONBLOCK)
    defer { close(reader) }
    let run = try ToolRun([
      "bench", "--scene", "S6", "--frames", "3", "--platform", "software", "--json", pipe,
    ])
    #expect(run.status == 0, "\(run.errors)")
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(read(reader, &bytes, bytes.count) == bytes.count)
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("{\"peer\""))
    var status = stat()
    #expect(stat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test("The layers can be printed as JSON, with what they show and why others do not")
  func dumpsJSON() throws {
    let run = try ToolRun([
      "dump", try folder.document(Self.square), "--json", "--platform", "software",
    ])
    #expect(run.status == 0, "\(run.errors)")
    let snapshot = try JSONDecoder().decode(LayerTreeSnapshot.self, from: run.output)
    #expect(snapshot.layers.first?.path == "0")
    #expect(snapshot.cost.items > 0)
    #expect(!run.text.contains("\\/"))
  }
}
