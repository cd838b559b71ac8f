import Foundation
import Lamina
import LaminaInProcess
import LaminaSnapshotTesting
import Testing

@testable import LaminaTool

@Suite("The chart of a bench", .snapshots())
struct BenchPlotTests {
  /// The results in a file of `Runs`.
  private func run(_ name: String) throws -> [BenchResult] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return try BenchFile(path: folder.appendingPathComponent("Runs/\(name).json").path).results
  }

  /// Fonts and FreeType differ between systems.
  private var nearly: Snapshotting<CGImage, CGImage> {
    .image(precision: 0.99, perceptualPrecision: 0.9)
  }

  @Test("A run is drawn as in its picture, each time to the byte")
  func picture() throws {
    let plot = try BenchPlot(try run("now"))
    let image = try plot.image(on: .inProcess)
    assertSnapshot(of: image, as: nearly, named: "run", testName: "bench")
    #expect(try plot.image(on: .inProcess).unpremultipliedRGBA == image.unpremultipliedRGBA)
  }

  @Test("A run and the one that it is compared with are drawn as in their picture")
  func comparedPicture() throws {
    let now = try run("now").filter { ["S1a", "S3", "S6", "S7", "S8", "tree"].contains($0.scene) }
    // As if it had been measured with another version: slower in S7, and faster in S3,
    // where GLES draws.
    let before = try run("before").map { result in
      var result = result
      result.origin.version = "0.0.9"
      return result
    }
    let plot = try BenchPlot(now, BenchComparisons(before, now))
    assertSnapshot(
      of: try plot.image(on: .inProcess), as: nearly, named: "compared", testName: "bench")
  }

  @Test("Boxes are at the quantiles, in the order of cases and platforms, before first")
  func boxes() throws {
    func result(_ scene: String, _ samples: [Double], _ platform: RenderPlatform) -> BenchResult {
      var result = BenchResult(
        scene: scene, variant: "standard", samples: samples, processorTime: 0)
      result.platform = platform
      return result
    }
    let samples = (0..<100).map(Double.init)
    let now = [
      result("S1a", samples, .software), result("S1a", samples, .surfaceless),
      result("S6", samples, .software),
    ]
    let before = [result("S1a", samples.map { $0 * 2 }, .software)]
    let plot = try BenchPlot(now, BenchComparisons(before, now))
    #expect(plot.rows.map(\.scene) == ["S1a", "S6"])
    #expect(plot.series.map(\.platform) == [.software, .software, .surfaceless])
    #expect(plot.series.map(\.isBefore) == [true, false, false])
    #expect(plot.rows[0].boxes.map(\.series) == [0, 1, 2])
    #expect(plot.rows[0].boxes[1].quantiles == [5, 25, 50, 75, 95])
    #expect(plot.rows[0].boxes[0].quantiles == [10, 50, 100, 150, 190])
    #expect(plot.rows[0].boxes[1].comparison?.ratio == 0.5)
    #expect(plot.rows[1].boxes.map(\.comparison) == [nil])
  }

  @Test("Values far apart get a logarithmic axis from 1, 2 or 5 to 1, 2 or 5, others one from 0")
  func scales() {
    let near = BenchScale(from: 3, to: 17)
    #expect(!near.isLogarithmic)
    #expect((near.lower, near.upper) == (0, 17.5))
    #expect(near.ticks.map(\.label) == ["0", "2.5", "5", "7.5", "10", "12.5", "15", "17.5"])
    #expect((near.place(0), near.place(7), near.place(17.5)) == (0, 0.4, 1))

    let far = BenchScale(from: 0.07, to: 41)
    #expect(far.isLogarithmic)
    #expect(abs(far.lower - 0.05) < 1e-9 && abs(far.upper - 50) < 1e-9)
    let labels = far.ticks.compactMap(\.label)
    #expect(labels == ["0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50"])
    #expect(far.ticks.count == 28)
    #expect(abs(far.place(0.5) - 1.0 / 3) < 1e-9)
    #expect((far.place(1e-4), far.place(1e4)) == (0, 1))
    #expect(
      BenchScale(from: 0.001, to: 1000).ticks.compactMap(\.label)
        == ["0.001", "0.01", "0.1", "1", "10", "100", "1000"])
  }

  @Test("Times have three digits, but four decimals at most")
  func numbers() {
    let numbers = [0.00012, 0.0234, 0.234, 2.345, 23.45, 234.5, 2345].map(BenchScale.number)
    #expect(numbers == ["0.0001", "0.0234", "0.234", "2.35", "23.4", "234", "2345"])
  }

  @Test("The tool draws the chart of a run, and of two, into a PNG file")
  func files() throws {
    let folder = try ToolFolder()
    let run = try ToolRun([
      "bench", "--scene", "commit", "memory", "--size", "320x256", "--frames", "5", "--platform",
      "software", "--json", folder.path("run.json"), "--plot", folder.path("run.png"),
    ])
    #expect(run.status == 0, "\(run.errors)")
    let two = try ToolRun([
      "bench", "--compare", folder.path("run.json"), folder.path("run.json"), "--plot",
      folder.path("two.png"),
    ])
    #expect(two.status == 0, "\(two.errors)")
    let images = try ["run.png", "two.png"].map {
      try CGImage(contentsOf: URL(fileURLWithPath: folder.path($0)))
    }
    #expect(images.map(\.width) == [1920, 1920])
    #expect(images[0].height < images[1].height)

    let jpeg = try ToolRun(["bench", "--plot", folder.path("x.jpg")])
    #expect(jpeg.status == 2)
    #expect(jpeg.errors.contains("x.jpg is no name of a PNG picture"))
    let memory = try ToolRun([
      "bench", "--scene", "memory", "--size", "320x256", "--platform", "software", "--plot",
      folder.path("none.png"),
    ])
    #expect(memory.status == 2)
    #expect(memory.errors == "lamina: --plot: none of the cases is measured in milliseconds\n")
    #expect(folder.names == ["run.json", "run.png", "two.png"])
  }
}
