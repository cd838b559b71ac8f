import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaInProcess
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

@Suite("Random sequences of edits and commits") struct StoryTests {
  private static let seeds = 0..<200
  private static let rounds = 3

  private func renderer(_ story: Story, _ server: RenderServer) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: Story.size, height: Story.size), server: server.on(.surfaceless))
    renderer.layer = story.root
    return renderer
  }

  /// The time of a frame: mostly forward, sometimes back.
  private static func time(of round: Int) -> Double { [0.4, 1.3, 0.9][round] }

  /// Alternates edits and frames. Some edits are committed before their frame.
  private func frames(_ seed: Int, _ server: RenderServer) throws -> [[UInt8]] {
    let story = try Story(seed: seed)
    let renderer = try renderer(story, server)
    return try (0..<Self.rounds).map { round in
      for edit in 0..<8 {
        withoutActions { story.edit() }
        if (edit + seed) % 3 == 0 { try renderer.commitChanges() }
      }
      return try renderer.image(at: Self.time(of: round)).pixels
    }
  }

  @Test(
    "A frame alone is the frame after any history, and both kinds of server draw the same",
    arguments: seeds)
  func frames(seed: Int) throws {
    let here = try frames(seed, .inProcess)
    let there = try frames(seed, .process)
    for round in 0..<Self.rounds where here[round] != there[round] {
      Issue.record("the servers differ in round \(round) of \(seed)")
    }
    let round = seed % Self.rounds
    let story = try Story(seed: seed)
    for _ in 0..<(round + 1) * 8 { withoutActions { story.edit() } }
    let alone = try renderer(story, .inProcess).image(at: Self.time(of: round)).pixels
    #expect(alone == here[round], "round \(round) of \(seed) differs alone")
  }

  /// Two renderers whose layers change places. Returns the pictures of the last round, after those
  /// before have been drawn or not.
  private func pictures(
    _ seed: Int, _ server: RenderServer, rounds: Int, drawsAll: Bool
  ) throws -> [[UInt8]] {
    let story = try Story(seed: seed)
    var random = SeededGenerator(seed: seed)
    let other = CALayer()
    other.frame = story.root.frame
    let second = try CARenderer(
      size: CGSize(width: Story.size, height: Story.size), server: server.on(.surfaceless))
    second.layer = other
    let renderers = [try renderer(story, server), second]
    var pictures: [[UInt8]] = []
    for round in 0..<rounds {
      withoutActions {
        for _ in 0..<4 { story.edit() }
        for _ in 0..<2 {
          let (from, to) = random.below(2) == 0 ? (story.root, other) : (other, story.root)
          guard let layer = from.sublayers?.randomElement(using: &random) else { continue }
          to.insertSublayer(layer, at: UInt32(random.below(3)))
        }
      }
      guard drawsAll || round == rounds - 1 else { continue }
      pictures = try renderers.map { try $0.image(at: Self.time(of: round)).pixels }
    }
    return pictures
  }

  @Test(
    "Layers that move between two renderers show in each as if they had always been there",
    arguments: 0..<60)
  func betweenRenderers(seed: Int) throws {
    for rounds in 2...Self.rounds {
      let alone = try pictures(seed, .inProcess, rounds: rounds, drawsAll: false)
      #expect(try pictures(seed, .inProcess, rounds: rounds, drawsAll: true) == alone)
      #expect(try pictures(seed, .process, rounds: rounds, drawsAll: true) == alone)
    }
  }

  @Test("Two processes encode the same commits as the same bytes")
  func bytes() async throws {
    let (first, second) = (try await Self.digestsOfAProcess(), try await Self.digestsOfAProcess())
    #expect(first == second)
    #expect(Set(first.split(separator: "\n")).count == Self.seeds.count)
  }

  /// A line for every seed, from a new process with its own hashing seed.
  private static func digestsOfAProcess() async throws -> String {
    let result = try #require(
      await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        for seed in StoryTests.seeds {
          print("digest \(seed) \(try StoryTests.digest(seed: seed))")
        }
        fflush(nil)
      })
    let lines = String(decoding: result.standardOutputContent, as: UTF8.self)
      .split(separator: "\n")
      .filter { $0.hasPrefix("digest ") }
    return lines.joined(separator: "\n")
  }

  /// The digest (FNV-1a) of all messages that a story's commits become.
  private static func digest(seed: Int) throws -> UInt64 {
    let digest = Lock<UInt64>(0xcbf2_9ce4_8422_2325)
    let context = LayerContext { commit, _ in
      let writer = ByteWriter()
      ClientMessage.commit(commit).encode(to: writer)
      digest.withLock { digest in
        for byte in writer.bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
      }
      return commit.sequence + 1
    }
    let tree = LayerTree(context: context, session: SessionID(rawValue: 1), clock: .manual())
    defer { tree.close() }
    let story = try Story(seed: seed)
    tree.root = story.root
    for round in 0..<rounds {
      tree.clock.time = time(of: round)
      for edit in 0..<8 {
        withoutActions { story.edit() }
        if (edit + seed) % 3 == 0 { try tree.commit() }
      }
      try tree.commit()
      context.noteFrame()
    }
    return digest.withLock { $0 }
  }
}

extension CGImage {
  /// The pixels without the padding between rows, which is never written.
  var pixels: [UInt8] {
    let layout = buffer.layout
    return buffer.withUnsafeBytes { bytes in
      (0..<height).flatMap { y in bytes[y * layout.stride..<y * layout.stride + width * 4] }
    }
  }
}
