import Foundation
import Lamina
import Testing

@testable import LaminaTool

@Suite("The bench")
struct BenchTests {
  private func command(_ arguments: String...) throws(UsageError) -> BenchCommand {
    try BenchCommand(Commands.bench.parse(arguments))
  }

  private func message(_ arguments: String...) throws -> String {
    try #require(throws: UsageError.self) {
      try BenchCommand(Commands.bench.parse(arguments))
    }.message
  }

  @Test("Scenes are named one by one, side by side or with commas; without a name, all run")
  func scenes() throws {
    #expect(try command("--scene", "S1a", "S6").cases.map(\.name) == ["S1a", "S6"])
    #expect(try command("--scene", "S1a", "--scene=S6").cases.map(\.name) == ["S1a", "S6"])
    #expect(
      try command("--scene", "S1a,S6", "commit", "--frames", "2").cases.map(\.name)
        == ["S1a", "S6", "commit"])
    #expect(try command().cases.map(\.name) == BenchCase.all.map(\.name))
    #expect(try message("--scene", "S1c") == "--scene: there is no S1c; did you mean S1a?")
    #expect(try message("--scene", "") == "--scene: no name is given")
  }

  @Test("Frames have whole pixels, large enough for every scene")
  func sizes() throws {
    #expect(try command().size == PixelSize(width: 1920, height: 1080))
    #expect(try command("--size", "640x480").size == PixelSize(width: 640, height: 480))
    for size in ["640.5x480", "100x480", "640x99999"] {
      #expect(try message("--size", size).hasPrefix("--size: scenes take whole pixels"))
    }
  }

  @Test("The generator gives the numbers that define the scenes")
  func random() {
    var random = BenchRandom(seed: 1)
    // (1 · 1664525 + 1013904223) mod 2³² = 1015568748. The number is that without its last 8 bits,
    // over 2²⁴.
    #expect(random.next() == 3_967_065.0 / 16_777_216)
    #expect(random.next() == 6_195_333.0 / 16_777_216)
  }

  @Test("What leaves a frame at one side comes in at the other")
  func wrapping() {
    let size = PixelSize(width: 132, height: 132)
    var item = BenchSprite.make(1, width: 32, height: 32, in: size, seed: 1)[0]
    (item.x, item.y, item.velocityX, item.velocityY) = (90, 10, 15, -15)
    #expect(item.position(at: 0, in: size) == CGPoint(x: 90, y: 10))
    #expect(item.position(at: 1, in: size) == CGPoint(x: 5, y: 95))
  }

  @Test("A result is one line of JSON with the median, the ninetieth percentile and the cpu time")
  func json() throws {
    var statistics = CARenderer.FrameStatistics()
    (statistics.drawCalls, statistics.passes, statistics.cacheMisses) = (7, 2, 1)
    var other = statistics
    (other.drawCalls, other.cacheHits) = (100, 9)
    let result = BenchResult(
      scene: "S1a", variant: "hard", samples: (1...10).reversed().map(Double.init),
      processorTime: 25, statistics: [statistics, other, statistics])
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.json().utf8)) as? [String: Any])
    #expect(object["peer"] as? String == "lamina")
    #expect(object["scene"] as? String == "S1a")
    #expect(object["var"] as? String == "hard")
    #expect((object["med"] as? NSNumber)?.doubleValue == 6)
    #expect((object["p90"] as? NSNumber)?.doubleValue == 10)
    #expect((object["cpu"] as? NSNumber)?.doubleValue == 2.5)
    #expect((object["n"] as? NSNumber)?.intValue == 10)
    let counters = [
      "draws": 7, "passes": 2, "misses": 1, "hits": 0, "evictions": 0, "pixels": 0, "damage": 0,
      "cache": 0, "uploaded": 0, "instances": 0,
    ]
    for (name, count) in counters {
      #expect((object[name] as? NSNumber)?.intValue == count, "\(name)")
    }
    #expect(!result.json().contains("\n"))
    #expect(object["gpu"] == nil && !result.row.contains("gpu"))
  }

  @Test("A GPU's time is told if it is known, as the median of the frames that have one")
  func deviceTime() {
    let statistics = [nil, 0.25e-3, 4e-3, 1.5e-3].map { time in
      var statistics = CARenderer.FrameStatistics()
      statistics.deviceTime = time
      return statistics
    }
    var result = BenchResult(
      scene: "S1a", variant: "hard", samples: [1, 2, 3, 4], processorTime: 1,
      statistics: statistics)
    #expect(result.json().contains("\"gpu\":1.5000"))
    #expect(result.row.hasSuffix("ms    gpu 1.500"))
    result.byteCount = 7
    #expect(result.row.hasSuffix("ms    7 B, gpu 1.500"))
  }

  @Test("As many frames are timed as asked for, else as many as fit")
  func lengths() {
    #expect(!BenchLength(frameCount: 3).isReached(count: 2, elapsed: 1e9))
    #expect(BenchLength(frameCount: 3).isReached(count: 3, elapsed: 0))
    #expect(!BenchLength().isReached(count: 7, elapsed: 700))
    #expect(BenchLength().isReached(count: 8, elapsed: 700))
    #expect(BenchLength().isReached(count: 3, elapsed: 7000))
    #expect(BenchLength().isReached(count: 400, elapsed: 1))
  }

  @Test("Rounds share the frames and the time, and there are at most as many as frames")
  func rounds() throws {
    #expect(
      (0..<5).map { BenchLength(frameCount: 12, round: $0, of: 5).frameCount } == [2, 2, 3, 2, 3])
    #expect(!BenchLength(of: 5).isReached(count: 1, elapsed: 300))
    #expect(BenchLength(of: 5).isReached(count: 2, elapsed: 130))
    #expect(!BenchLength(of: 5).isReached(count: 79, elapsed: 110))
    #expect(BenchLength(of: 5).isReached(count: 80, elapsed: 1))
    #expect(BenchLength(of: 5).isReached(count: 1, elapsed: 1300))
    #expect((BenchLength(of: 5).share(of: 15), BenchLength(of: 50).share(of: 15)) == (3, 1))
    #expect(try command().roundCount == 5)
    #expect(try command("--frames", "2").roundCount == 2)
    #expect(try command("--rounds", "7").roundCount == 7)
    #expect(
      try message("--rounds", "7", "--frames", "6") == "--frames: 6 are fewer than the 7 rounds")
    #expect(
      try message("--rounds", "4", "--compare", "x").hasPrefix("--compare: 4 rounds are too few"))
  }

  @Test("Every case that is listed is run and prints lines of JSON, the one to compare with last")
  func everyCase() throws {
    let list = try ToolRun(["bench", "--list"])
    let names = list.text.split(separator: "\n").compactMap { $0.split(separator: " ").first }
    #expect(names.map(String.init) == BenchCase.all.map(\.name))

    // The others have many layers, which take long in a debug build.
    let quick = BenchCase.all.map(\.name).filter {
      !$0.hasPrefix("tree") && !["nothing", "S1b", "S2b"].contains($0)
    }
    let run = try ToolRun(
      ["bench", "--size", "320x256", "--frames", "1", "--json", "-", "--scene"] + quick)
    #expect(run.status == 0, "\(run.errors)")
    var variants: [String: [String]] = [:]
    for line in run.text.split(separator: "\n") {
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let scene = try #require(object["scene"] as? String)
      variants[scene, default: []].append(try #require(object["var"] as? String))
      #expect(try #require(object["med"] as? NSNumber).doubleValue > 0)
    }
    #expect(Set(variants.keys) == Set(quick))
    for scene in ["S1a", "S2a", "S6", "replicator"] {
      #expect(variants[scene] == ["smooth", "hard"])
    }
    #expect(variants["overdraw"] == ["1", "20"])
  }

  @Test("A large tree loses or gains a layer with each frame, or none, and nothing keeps the lost")
  func treeSizes() {
    func count(_ layer: CALayer) -> Int {
      (layer.sublayers ?? []).reduce(1) { $0 + count($1) }
    }
    let size = PixelSize(width: 320, height: 256)
    func change(_ make: (BenchTree) -> BenchScene) -> Int {
      let scene = make(BenchTree(200, size))
      // The root is one layer more.
      #expect(count(scene.root) == 201)
      for frame in 0..<50 { scene.change(frame) }
      return count(scene.root) - 201
    }
    #expect(change { $0.moving() } == 0)
    #expect(change { $0.inserting() } == 50)
    #expect(change { $0.removing() } == -50)
    #expect(change { $0.recoloring() } == 0)
    #expect(change { $0.still() } == 0)

    let (scene, squares) = emptied(size)
    #expect(count(scene.root) == 3)
    #expect(squares.allSatisfy { $0.layer == nil })
  }

  /// A tree of two groups after all its squares have been removed, and what became of them.
  private func emptied(_ size: PixelSize) -> (BenchScene, [WeakLayer]) {
    let tree = BenchTree(200, size)
    let squares = tree.squares.map { WeakLayer(layer: $0) }
    let scene = tree.removing()
    for frame in 0..<tree.squares.count + 1 { scene.change(frame) }
    return (scene, squares)
  }

  private struct WeakLayer {
    weak var layer: CALayer?
  }

  @Test("One layer changes its colour with each frame")
  func recolouring() {
    let tree = BenchTree(200, PixelSize(width: 320, height: 256))
    let scene = tree.recoloring()
    var colors = tree.squares.map(\.backgroundColor)
    for frame in 0..<4 {
      scene.change(frame)
      let next = tree.squares.map(\.backgroundColor)
      #expect(zip(colors, next).count { $0 != $1 } == 1)
      colors = next
    }
  }

  @Test("A blur is computed in each frame, of images that are there already")
  func blur() throws {
    let folder = try ToolFolder()
    for platform in ["surfaceless", "software"] {
      let run = try ToolRun([
        "bench", "--scene", "S8", "--size", "320x256", "--frames", "3", "--platform", platform,
        "--save", folder.url.path, "--json", "-",
      ])
      #expect(run.status == 0, "\(run.errors)")
      let line = try #require(
        try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
      func count(_ name: String) -> Int? { (line[name] as? NSNumber)?.intValue }
      #expect(count("damage") == 320 * 256)
      #expect((count("passes") ?? 0) > 2)
      #expect((count("uploaded"), count("hits"), count("misses")) == (0, 1, 0))
      // Squares of 16 pixels are blurred away, the gradient to the right is not, and the picture
      // goes on to the frame's edges.
      let image = try CGImage(contentsOf: URL(fileURLWithPath: folder.path("S8-standard.png")))
      for x in stride(from: 0, to: 320, by: 40) {
        let pixel = image.pixel(x: x, y: 128)
        #expect((115...155).contains(pixel.red), "at \(x): \(pixel)")
        #expect(abs(Int(pixel.green) - x * 255 / 320) < 12, "at \(x): \(pixel)")
        #expect(pixel.alpha == 255)
      }
    }
  }

  @Test("Of opaque layers over each other, the topmost is seen alone")
  func overdraw() throws {
    let folder = try ToolFolder()
    let run = try ToolRun([
      "bench", "--scene", "overdraw", "--size", "320x256", "--frames", "1", "--save",
      folder.url.path, "--json", folder.path("lines"),
    ])
    #expect(run.status == 0, "\(run.errors)")
    for name in ["overdraw-1.png", "overdraw-20.png"] {
      let image = try CGImage(contentsOf: URL(fileURLWithPath: folder.path(name)))
      for (x, y) in [(0, 0), (160, 128), (319, 255)] {
        let pixel = image.pixel(x: x, y: y)
        // The fourth frame was timed.
        #expect((pixel.red, pixel.green, pixel.blue) == (255, 48, 0), "\(name) at \(x), \(y)")
      }
    }
  }

  @Test("What is timed are the squares of the scene, each over those before it")
  func pixels() throws {
    let folder = try ToolFolder()
    let run = try ToolRun(
      [
        "bench", "--scene", "S1a", "--size", "320x256", "--frames", "1", "--save",
        folder.url.path, "--json", folder.path("lines"),
      ])
    #expect(run.status == 0, "\(run.errors)")
    let image = try CGImage(contentsOf: URL(fileURLWithPath: folder.path("S1a-hard.png")))
    let size = PixelSize(width: 320, height: 256)
    let items = BenchSprite.make(1000, width: 32, height: 32, in: size, seed: 1)
    // The squares' top left corners in the fourth frame, which was timed.
    let places = items.map { $0.position(at: BenchLength.warmUp, in: size) }
    for (x, y) in [(5, 5), (160, 128), (300, 20), (17, 250), (222, 99)] {
      var expected = [0.1, 0.1, 0.12]
      for (item, place) in zip(items, places) {
        let (dx, dy) = (Double(x) + 0.5 - place.x, Double(y) + 0.5 - place.y)
        guard (0..<32).contains(dx), (0..<32).contains(dy) else { continue }
        for (channel, value) in [item.red, item.green, item.blue].enumerated() {
          expected[channel] = Double(value) * 0.5 + expected[channel] * 0.5
        }
      }
      let pixel = image.pixel(x: x, y: y)
      for (drawn, value) in zip([pixel.red, pixel.green, pixel.blue], expected) {
        #expect(abs(Double(drawn) - value * 255) <= 3, "at \(x), \(y)")
      }
    }
    #expect(folder.names.contains("lines"))
  }
}
