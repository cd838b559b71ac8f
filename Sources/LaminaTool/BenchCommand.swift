import Foundation
import Lamina
import LaminaInProcess

/// The settings with which benchmark cases are drawn.
struct BenchStage {
  /// The frame's size, in pixels.
  let size: PixelSize
  let length: BenchLength
  var server: RenderServer
  /// The folder to save each scene's last frame in; nil to save none.
  let folder: String?

  /// Makes a renderer, with a server of its own as long as renderers are used one after another.
  func makeRenderer() throws -> CARenderer {
    try CARenderer(
      size: CGSize(width: size.width, height: size.height), scale: 1, clock: .manual(),
      server: server)
  }

  /// Saves the frame that `renderer` shows, if frames are saved.
  func save(_ renderer: CARenderer, at frame: Int, name: String) throws {
    guard let folder else { return }
    let file = try OutputFile(path: "\(folder)/\(name).png")
    try PNGSink(file: file).write(try renderer.image(at: Double(frame) / 60))
  }
}

/// `lamina bench`.
struct BenchCommand {
  let cases: [BenchCase]
  let size: PixelSize
  let length: BenchLength
  /// The destination of the JSON lines: a path, or `-` for standard output, which then has nothing
  /// else.
  let json: String?
  let folder: String?
  let isList: Bool
  let arguments: RendererArguments
  /// Each case is measured on all of them before the next case is.
  let platforms: [RenderPlatform]

  init(_ arguments: ParsedArguments) throws(UsageError) {
    var cases: [BenchCase] = []
    let names = arguments.values["--scene"]?.flatMap { $0.split(separator: ",").map(String.init) }
    guard names?.isEmpty != true else { throw UsageError("--scene: no name is given") }
    for name in names ?? [] {
      guard let known = BenchCase.all.first(where: { $0.name == name }) else {
        let hint = nearestName(to: name, among: BenchCase.all.map(\.name))
        let question = hint.map { "; did you mean \($0)?" } ?? ""
        throw UsageError("--scene: there is no \(name)\(question)")
      }
      cases.append(known)
    }
    self.cases = names == nil ? BenchCase.all : cases
    let size = try arguments.size("--size") ?? CGSize(width: 1920, height: 1080)
    guard let width = Int(exactly: size.width), let height = Int(exactly: size.height),
      (256...16_384).contains(width), (256...16_384).contains(height)
    else {
      throw UsageError("--size: scenes take whole pixels, from 256 to 16384 a side")
    }
    self.size = PixelSize(width: width, height: height)
    length = BenchLength(frameCount: try arguments.integer("--frames", in: 1...100_000))
    json = arguments.value("--json")
    folder = arguments.value("--save")
    isList = arguments.has("--list")
    self.arguments = try RendererArguments(arguments)
    var platforms: [RenderPlatform] = []
    for name in arguments.values["--platform"] ?? [] {
      platforms.append(try RendererArguments.platform(name))
    }
    self.platforms = platforms.isEmpty ? [.auto] : platforms
  }

  func run() throws -> ExitStatus {
    if isList {
      for known in BenchCase.all {
        print(known.name.padding(toLength: 15, withPad: " ", startingAt: 0) + known.summary)
      }
      return .success
    }
    let isTable = json != "-"
    // Opened before any work, which a path that cannot be written would waste.
    let file = try isTable ? json.map { try OutputFile(path: $0) } : nil
    if isTable { print(BenchResult.heading) }
    let progress = ProgressBar(total: cases.count * platforms.count, unit: "cases")
    var lines = ""
    let runs = cases.flatMap { known in platforms.map { (known, $0) } }
    for (index, (known, platform)) in runs.enumerated() {
      progress.update(index)
      let stage = BenchStage(
        size: size, length: length, server: arguments.server.on(platform), folder: folder)
      let results = try known.measure(stage)
      progress.finish()
      for var result in results {
        result.platform = platform
        print(isTable ? result.row : result.json)
        lines += result.json + "\n"
      }
      // A scene can take seconds, so each result is flushed at once.
      fflush(nil)
    }
    try file?.write(Data(lines.utf8))
    return .success
  }
}
