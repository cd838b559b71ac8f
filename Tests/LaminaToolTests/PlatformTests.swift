import Foundation
import Testing

@Suite("The tool's platforms")
struct PlatformTests {
  /// The platform that `lamina info` finds.
  private func platform(_ arguments: String..., environment name: String) throws -> String {
    let run = try ToolRun(
      ["info", "--json"] + arguments, environment: ["LAMINA_PLATFORM": name])
    #expect(run.status == 0, "\(run.errors)")
    return try #require(try object(run.output)["platform"] as? String)
  }

  private func object(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test("LAMINA_PLATFORM names one, which --platform overrides")
  func environment() throws {
    #expect(try platform(environment: "software") == "software")
    #expect(try platform(environment: "surfaceless") == "surfaceless")
    #expect(try platform("--platform", "surfaceless", environment: "software") == "surfaceless")
    #expect(try platform("--platform", "software", environment: "metal") == "software")
    let other = try ToolRun(["info"], environment: ["LAMINA_PLATFORM": "metal"])
    #expect(other.status == 3)
    #expect(
      other.errors.contains(
        "LAMINA_PLATFORM: \"metal\" is not auto, gbm, device, surfaceless or software"))
  }

  @Test("The CPU is described by its instruction set and the number of its threads")
  func software() throws {
    let info = try object(
      try ToolRun(["info", "--json", "--platform", "software", "--in-process"]).output)
    let threads = ProcessInfo.processInfo.activeProcessorCount
    #expect(
      info["renderer"] as? String
        == "software, \(threads) \(threads == 1 ? "thread" : "threads")")
    let version = try #require(info["version"] as? String)
    let processor = String(version.prefix { $0 != " " })
    #expect(["x86-64", "arm64", "portable"].contains(processor))
    let wide = String(version.dropFirst(processor.count))
    #expect(["", " with AVX2", " with AVX-512"].contains(wide))
    for (named, widest) in [("baseline", ""), ("avx2", " with AVX2")] {
      let info = try object(
        try ToolRun(
          ["info", "--json", "--platform", "software"], environment: ["LAMINA_CPU": named]
        ).output)
      #expect(info["version"] as? String == processor + (wide.isEmpty ? "" : widest))
    }
  }

  @Test("A bench on several platforms says with each result which one it is")
  func bench() throws {
    let run = try ToolRun([
      "bench", "--scene", "S1a", "--size", "320x256", "--frames", "1", "--json", "-",
      "--platform", "surfaceless", "--platform", "software",
    ])
    #expect(run.status == 0, "\(run.errors)")
    let rows = try run.text.split(separator: "\n").map { line in
      let row = try object(Data(line.utf8))
      return [row["platform"] as? String, row["var"] as? String]
    }
    #expect(
      rows == [
        ["surfaceless", "smooth"], ["surfaceless", "hard"], ["software", "smooth"],
        ["software", "hard"],
      ])
  }
}
