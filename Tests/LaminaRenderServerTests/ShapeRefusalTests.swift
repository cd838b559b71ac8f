import Foundation
import LaminaCommit
import LaminaRenderServer
import LaminaValues
import TestSupport
import Testing

@Suite("Trees that a server refuses")
struct ShapeRefusalTests {
  private func commit(_ session: SessionID, levels: UInt32) -> Commit {
    var commit = Commit.filling(session, with: .red)
    for index in 1..<levels {
      let layer = LayerID(index: index, generation: 0)
      commit.created.append(Commit.Creation(layer: layer, kind: .layer))
      commit.edits.append(
        .insert(child: layer, parent: LayerID(index: index - 1, generation: 0), index: 0))
      commit.changes.append(.color(.blue, of: layer))
    }
    return commit
  }

  @Test(
    "A foreign client's tree that is too deep ends its connection by name, and no other",
    arguments: [RenderServerLauncher.process, .inProcess])
  func tooDeep(launcher: RenderServerLauncher) throws {
    let limit = UInt32(TreeLimit.levels) + 1
    let good = try ServerConnection(launcher: launcher, platform: .surfaceless)
    let session = try good.openSession(options)
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    let sequence = try good.send(commit(session, levels: limit))
    _ = try good.frame(.of(session, after: sequence), surface: surface)
    #expect(surface.firstPixel == [255, 0, 0, 255])

    for levels in [limit + 1, 100_000] {
      let bad = try ServerConnection(launcher: launcher, platform: .surfaceless)
      let badSession = try bad.openSession(options)
      try bad.send(commit(badSession, levels: levels))
      let refusal = #expect(throws: ServerFailure.self) {
        _ = try bad.frame(.of(badSession))
      }
      let why = "layer #\(limit) nests deeper than \(limit)"
      #expect(refusal?.description.contains(why) == true, "\(String(describing: refusal))")
    }
    surface.clear()
    _ = try good.frame(.of(session, after: sequence), surface: surface)
    #expect(surface.firstPixel == [255, 0, 0, 255])
  }
}
