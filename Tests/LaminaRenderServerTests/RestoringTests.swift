import Foundation
import LaminaCommit
import LaminaRenderServer
import LaminaValues
import ServerSupport
import TestSupport
import Testing

/// Another server takes the place of one that died.
@Suite("Restoring a server")
struct RestoringTests {
  @Test(
    "A server that is killed is replaced by one that has all that was committed",
    arguments: [RenderPlatform.software, .surfaceless])
  func killed(platform: RenderPlatform) throws {
    let connection = try ServerConnection(launcher: .process, platform: platform)
    let session = try connection.openSession(options)
    let image = ImageID(rawValue: 5)
    let store = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .store)
    store.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 200) }
    var commit = Commit.filling(session, with: .red, contents: image)
    commit.stores = [store.update(image)]
    try connection.send(commit, stores: [store])
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    let before = try connection.frame(.of(session), surface: surface)
    let pixels = surface.firstPixel
    for death in 1...2 {
      let dead = try #require(connection.processID)
      kill(dead, SIGKILL)
      surface.clear()
      let frame = try connection.frame(.of(session), surface: surface)
      #expect(surface.firstPixel == pixels)
      #expect(frame.number == before.number + UInt64(death))
      #expect(frame.sequence == 1)
      #expect(frame.damage == [PixelRect(options.size)])
      #expect(connection.processID != dead)
      #expect(connection.restarts.count == death)
      #expect(connection.restarts.last == .died(.signal(SIGKILL)))
    }
    #expect(connection.failure == nil)
    #expect(connection.heldStores == 1)
  }

  @Test("A session that was closed is not restored, whatever it showed")
  func closedSession() throws {
    let connection = try ServerConnection(launcher: .process, platform: .software)
    let closed = try connection.openSession(options)
    try connection.send(.filling(closed, with: .red))
    let open = try connection.openSession(options)
    connection.closeSession(closed)
    try connection.send(.filling(open, with: .blue, index: 1))
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    _ = try connection.frame(.of(open), surface: surface)
    kill(try #require(connection.processID), SIGKILL)
    surface.clear()
    _ = try connection.frame(.of(open), surface: surface)
    #expect(surface.firstPixel == [255, 0, 0, 255])
  }
}
