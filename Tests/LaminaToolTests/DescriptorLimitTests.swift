import Foundation
import Testing

/// Clients that may open few files, and so may their render processes.
@Suite("Limits of descriptors") struct DescriptorLimitTests {
  private static let platforms = ["software", "surfaceless"]

  private static func run(_ story: String, _ platform: String, limit: Int) throws -> ToolRun {
    try ToolRun(
      [
        "-sKILL", "60", "sh", "-c", "ulimit -n \(limit); exec \"$0\" \(story)",
        ToolRun.built("drawing-client").path,
      ], environment: ["LAMINA_PLATFORM": platform], executable: ToolRun.timeLimit)
  }

  @Test(
    "With 64 descriptors, frames are drawn as with many, also of 400 images", arguments: platforms)
  func enough(platform: String) throws {
    for story in ["frames 2500", "images 400", "arenas 40"] {
      let many = try Self.run(story, platform, limit: 1024)
      #expect(many.status == 0, "\(many.errors)")
      #expect(!many.text.isEmpty)
      let few = try Self.run(story, platform, limit: 64)
      #expect(few.status == 0, "\(few.errors)")
      #expect(few.text == many.text)
    }
  }

  @Test(
    "With fewer, a program draws the same, or ends with an error that says so",
    arguments: platforms,
    [(4, 20)])
  func tooFew(platform: String, limits: (least: Int, most: Int)) throws {
    let undisturbed = try Self.run("frames 2500", platform, limit: 1024).text
    var refused: [Int] = []
    for limit in [4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24] {
      let run = try Self.run("frames 2500", platform, limit: limit)
      if run.status == 0 {
        #expect(run.text == undisturbed)
      } else {
        refused.append(limit)
        #expect(run.status == 3, "\(limit) descriptors: \(run.errors)")
        #expect(undisturbed.hasPrefix(run.text))
        let line = run.errors.split(separator: "\n").last ?? ""
        #expect(line.hasPrefix("drawing-client: "))
        #expect(line.contains("Too many open files"), "\(limit) descriptors: \(run.errors)")
      }
    }
    #expect(refused.first == limits.least)
    #expect(refused.last.map { $0 <= limits.most } == true)
  }

  @Test("A layer that could not be drawn for want of descriptors is drawn with the next frame")
  func recovers() throws {
    let run = try Self.run("recover", "software", limit: 64)
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first == "CATextLayer could not be drawn: Too many open files")
    #expect(lines.count == 3 && lines[1] == lines[2])
    #expect(
      run.errors == "lamina: warning: CATextLayer could not be drawn: Too many open files\n")
  }

  @Test(
    "Images that have more arenas than there are descriptors are an error", arguments: platforms)
  func arenas(platform: String) throws {
    let run = try Self.run("arenas 100", platform, limit: 64)
    #expect(run.status == 3)
    #expect(run.errors == "drawing-client: memfd_create: Too many open files\n")
  }
}
