import Foundation
import Lamina
import LaminaCAML
import Testing

@testable import LaminaTool

@Suite("Arguments")
struct CommandLineTests {
  private func parse(_ arguments: String...) throws(UsageError) -> ParsedArguments {
    try Commands.render.parse(arguments)
  }

  private func message(_ arguments: String...) throws -> String {
    try #require(throws: UsageError.self) { try Commands.render.parse(arguments) }.message
  }

  @Test("Flags take their value from the next argument or after an equals sign, in any order")
  func values() throws {
    let a = try parse("doc", "--at", "-1.5", "-o", "x.png", "--in-process")
    let b = try parse("--in-process", "--at=-1.5", "--output=x.png", "doc")
    #expect(a == b)
    #expect(a.positionals == ["doc"])
    #expect(a.value("--at") == "-1.5")
    #expect(a.value("--output") == "x.png")
    #expect(a.has("--in-process"))
  }

  @Test("A dash alone is a value, and two end the flags")
  func dashes() throws {
    #expect(try parse("doc", "-o", "-").value("--output") == "-")
    #expect(try parse("--", "--at").positionals == ["--at"])
  }

  @Test("A state may be given more than once, other flags may not")
  func repeats() throws {
    #expect(try parse("d", "--state", "A", "--state", "B").values["--state"] == ["A", "B"])
    #expect(try message("d", "--at", "1", "--at", "2") == "render: --at is given twice")
  }

  private func states(_ texts: String...) throws(UsageError) -> [TimedState] {
    try DocumentArguments(parse(["d"] + texts.flatMap { ["--state", $0] })).states
  }

  private func parse(_ arguments: [String]) throws(UsageError) -> ParsedArguments {
    try Commands.render.parse(arguments)
  }

  @Test("A number after the last @ of a state is its time, and anything else belongs to its name")
  func stateTimes() throws {
    #expect(
      try states("A", "A@1.5", "a@b@0", "a@b", "@2") == [
        TimedState(name: "A"), TimedState(name: "A", time: 1.5), TimedState(name: "a@b", time: 0),
        TimedState(name: "a@b"), TimedState(name: "", time: 2),
      ])
    for text in ["A@-1", "A@inf", "A@nan", "A@1e10"] {
      #expect(throws: UsageError.self) { try states(text) }
    }
  }

  @Test("States of one time are set together, and changes are in the order of their times")
  func stateChanges() throws {
    #expect(
      StateChange.changes(try states("A", "B@2", "C@1", "D@2")) == [
        StateChange(time: 1, names: ["C"]), StateChange(time: 2, names: ["B", "D"]),
      ])
  }

  @Test(
    "An unknown flag names the nearest one",
    arguments: [
      ("--fsp", "--fps"), ("--backgruond", "--background"), ("--verbos", "--verbose"),
      ("--out", "--output"), ("--inprocess", "--in-process"), ("--siez", "--size"),
      ("--cuont", "--count"), ("--debgu", "--debug"), ("--ta", "--at"),
    ])
  func unknownFlags(typed: String, meant: String) throws {
    #expect(try message("d", typed) == "render: unknown option \(typed); did you mean \(meant)?")
  }

  @Test(
    "A flag that is near to none names none",
    arguments: ["--wobble", "--x", "--quality", "-q", "--output-file", "--framerate"])
  func farFlags(typed: String) throws {
    #expect(try message("d", typed) == "render: unknown option \(typed)")
  }

  @Test("A swap, a letter more, less or another is one edit each")
  func edits() {
    #expect(editDistance("", "abc") == 3)
    #expect(editDistance("abc", "") == 3)
    #expect(editDistance("size", "siez") == 1)
    #expect(editDistance("size", "sze") == 1)
    #expect(editDistance("size", "sizes") == 1)
    #expect(editDistance("size", "side") == 1)
    #expect(editDistance("ca", "abc") == 3)
    #expect(editDistance("render", "erdnre") == 3)
    #expect(nearestName(to: "rendr", among: ["render", "bench"]) == "render")
    #expect(nearestName(to: "film", among: ["render", "bench", "info"]) == nil)
    #expect(nearestName(to: "a", among: []) == nil)
  }

  @Test("Missing and surplus arguments are named")
  func counts() throws {
    #expect(try message() == "render: DOC is missing")
    #expect(try message("a", "b") == "render: unexpected argument b")
    #expect(try message("a", "--at") == "render: --at needs a value, T")
    #expect(try message("a", "--verbose=1") == "render: --verbose takes no value")
  }

  @Test("Every command's help names all its flags", arguments: Commands.all)
  func help(command: Command) {
    for option in command.options {
      #expect(command.helpText.contains(option.name))
    }
    #expect(command.helpText.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(Commands.helpText.contains(command.name))
  }

  @Test(
    "Sizes are two positive numbers",
    arguments: ["", "640", "640x", "x480", "0x5", "-1x5", "infx1", "1x2x3", "nanxnan", "1e9x1"])
  func sizes(text: String) throws {
    let parsed = try Commands.render.parse(["d", "--size", text])
    #expect(throws: UsageError.self) { try parsed.size("--size") }
    let good = try Commands.render.parse(["d", "--size", "640x480.5"])
    #expect(try good.size("--size") == CGSize(width: 640, height: 480.5))
  }

  @Test("There are four overlays, and another word is named")
  func overlays() throws {
    for name in ["blended", "offscreen", "cache", "updates"] {
      #expect(try parse("a.ca", "--debug", name).overlay("--debug")?.rawValue == name)
    }
    #expect(try parse("a.ca").overlay("--debug") == nil)
    let parsed = try parse("a.ca", "--debug", "damage")
    let error = try #require(throws: UsageError.self) { try parsed.overlay("--debug") }
    #expect(error.message == "--debug: \"damage\" is not blended, offscreen, cache or updates")
  }

  @Test(
    "Colours are written as on the web, or as numbers",
    arguments: [
      ("#f00", [1, 0, 0, 1]), ("#ff000080", [1, 0, 0, 128.0 / 255]),
      ("#0f08", [0, 1, 0, 136.0 / 255]),
      ("0,0.5,1", [0, 0.5, 1, 1]), ("0, 0, 0, 0.25", [0, 0, 0, 0.25]), ("White", [1, 1, 1, 1]),
      ("transparent", [0, 0, 0, 0]),
    ] as [(String, [CGFloat])])
  func colors(text: String, components: [CGFloat]) throws {
    #expect(CGColor(argument: text)?.components == components)
  }

  @Test("What is no colour is none", arguments: ["", "#", "#12", "#12345g", "1,2,3", "1,1", "off"])
  func noColors(text: String) {
    #expect(CGColor(argument: text) == nil)
  }
}

@Suite("Outputs")
struct OutputFormTests {
  @Test("The name tells the form")
  func forms() throws {
    #expect(try OutputForm("a.b/x.PNG") == .png(path: "a.b/x.PNG"))
    #expect(try OutputForm("x-%04d.png") == .pngSequence(start: "x-", digits: 4, end: ".png"))
    #expect(try OutputForm("x%%%d.png") == .pngSequence(start: "x%", digits: 0, end: ".png"))
    #expect(try OutputForm("x%%.png") == .png(path: "x%.png"))
    #expect(try OutputForm("x.mp4") == .film(path: "x.mp4", .mp4))
    #expect(try OutputForm("x.y4m") == .y4m(path: "x.y4m"))
    #expect(try OutputForm("-") == .raw)
  }

  @Test(
    "Other names are refused",
    arguments: ["", "x", "x.jpg", "x%.png", "x%s.png", "x%d%d.png", "x%0d4.png%", "x%123d.png"])
  func refusals(name: String) {
    #expect(throws: UsageError.self) { try OutputForm(name) }
  }

  @Test("White is 235, 128, 128 in limited range, and black 16, 128, 128")
  func y4m() throws {
    let image = try CGImage(
      width: 2, height: 1, unpremultipliedRGBA: [255, 255, 255, 255, 0, 0, 0, 255])
    #expect(Y4MSink.planes(of: image) == [235, 16, 128, 128, 128, 128])
  }

  @Test("The bar is as long as the work is done")
  func progress() {
    #expect(ProgressBar.line(done: 0, total: 4, elapsed: 0).contains("] 0/4 frames"))
    #expect(ProgressBar.line(done: 2, total: 4, elapsed: 6).contains("#--"))
    #expect(ProgressBar.line(done: 2, total: 4, elapsed: 6).hasSuffix("6 s left"))
  }

  @Test("A file that is not kept leaves nothing, and the one before stays")
  func outputFiles() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("LaminaToolTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("x.bin").path
    try OutputFile.write(Data([1]), to: path)
    do {
      let file = try OutputFile(path: path)
      try file.open().write([2, 3])
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1]))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x.bin"])
    #expect(throws: OutputError.self) {
      try OutputFile(path: folder.appendingPathComponent("no/x.bin").path)
    }
  }
}
