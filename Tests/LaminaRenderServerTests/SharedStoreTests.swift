import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaRenderServer
import LaminaValues
import TestSupport
import Testing

@Suite("Stores that the CPU draws from")
struct SharedStoreTests {
  private let connection: ServerConnection
  private let session: SessionID
  private let surface: PixelBuffer
  private let layer = LayerID(index: 0, generation: 0)
  private let image = ImageID(rawValue: 5)

  init() throws {
    connection = try ServerConnection(launcher: .inProcess, platform: .software)
    session = try connection.openSession(options)
    surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
  }

  @Test("are read where they lie, and held until another one takes their place")
  func sharing() throws {
    let first = try store(255)
    var commit = Commit.filling(session, with: nil, contents: image)
    commit.stores = [first.update(image)]
    try connection.send(commit, stores: [first])
    #expect(try firstPixel() == 255)
    #expect(connection.heldStores == 1)

    // Nobody writes into a store that is held; here it shows that there is no copy.
    fill(first, 77)
    var paintAgain = Commit(sequence: 0)
    paintAgain.changes = [.color(.red, of: layer)]
    try connection.send(paintAgain)
    #expect(try firstPixel() == 77)

    let second = try store(128)
    var update = Commit(sequence: 0)
    update.stores = [second.update(image)]
    try connection.send(update, stores: [second])
    #expect(try firstPixel() == 128)
    #expect(connection.heldStores == 1)
    fill(first, 9)
    paintAgain.changes = [.color(nil, of: layer)]
    try connection.send(paintAgain)
    #expect(try firstPixel() == 128)
  }

  @Test("are read where they lie, too, if they change in parts")
  func parts() throws {
    let first = try store(255)
    var commit = Commit.filling(session, with: nil, contents: image)
    var place = commit.changes[0]
    place.values.bounds = PixelRect(options.size).cgRect
    place.values.position = CGPoint(x: 2, y: 2)
    commit.changes = [place]
    commit.stores = [first.update(image)]
    try connection.send(commit, stores: [first])
    #expect(try firstPixel() == 255)

    let second = try store(200)
    var update = Commit(sequence: 0)
    update.stores = [second.update(image)]
    update.stores[0].dirty = [PixelRect(minX: 0, minY: 0, maxX: 1, maxY: 1)]
    try connection.send(update, stores: [second])
    #expect(try firstPixel() == 200)
    #expect(connection.heldStores == 1)
    fill(first, 9)
    update.changes = [.color(.red, of: layer)]
    update.stores = []
    try connection.send(update)
    #expect(try firstPixel() == 200)
  }

  @Test("are copied before a transition from them outlives them")
  func transition() throws {
    let first = try store(200)
    var commit = Commit.filling(session, with: nil, contents: image)
    commit.stores = [first.update(image)]
    try connection.send(commit, stores: [first])
    #expect(try firstPixel() == 200)

    let (other, second) = (ImageID(rawValue: 6), try store(100))
    var change = Commit(sequence: 0)
    change.stores = [second.update(other)]
    change.changes = [.color(nil, of: layer).showing(other)]
    change.animations = [
      .add(
        layer: layer, key: "transition",
        animation: AnimationDescription(
          timing: MediaTiming(beginTime: 0, duration: 1, fillMode: .both),
          content: .transition(.init(style: .fade))))
    ]
    change.releasedStores = [image]
    try connection.send(change, stores: [second])
    #expect(try firstPixel(at: 0.5) == 150)
    #expect(connection.heldStores == 1)
    fill(first, 0)
    #expect(try firstPixel(at: 0.25) == 175)
  }

  /// A store of which every byte has a value.
  private func store(_ value: UInt8) throws -> PixelBuffer {
    let buffer = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .store)
    fill(buffer, value)
    return buffer
  }

  private func fill(_ buffer: PixelBuffer, _ value: UInt8) {
    buffer.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: value) }
  }

  /// The frame's first byte.
  private func firstPixel(at time: Double = 0) throws -> UInt8 {
    _ = try connection.frame(.of(session, time: time), surface: surface)
    return surface.firstPixel[0]
  }
}
