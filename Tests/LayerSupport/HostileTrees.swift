import Foundation
import Lamina
import TestSupport

/// Draws hostile trees one after the other, each in a session of its own, in one render process.
public final class HostileTrees {
  private let server: RenderServer
  private let size: HostileTree.Size
  /// Keeps the process alive, which would end with the last renderer.
  private let held: CARenderer
  private let deaths = Deaths()

  /// Trees of which two frames were drawn.
  public private(set) var pictures = 0
  /// What was said of the others, without numbers, and how often.
  public private(set) var errors: [String: Int] = [:]
  /// The most memory that the process alone had after a frame, in bytes, and the tree then.
  public private(set) var mostMemory = (bytes: 0, seed: 0)
  /// The longest time for a tree, in seconds, and which it was.
  public private(set) var longest = (seconds: 0.0, seed: 0)

  /// Why processes died, with the tree that was drawn then.
  public var deathReasons: [String] { deaths.reasons }

  private final class Deaths: CARendererDelegate {
    var reasons: [String] = []
    var seed = 0

    func renderer(_ renderer: CARenderer, didRestartServerAfter failure: RenderServerError) {
      reasons.append("tree \(seed): \(failure)")
    }
  }

  /// A budget of memory in bytes.
  public init(_ server: RenderServer, size: HostileTree.Size, memoryBudget: Int) throws {
    var server = server
    server.options.memoryBudget = memoryBudget
    server.options.deathsAllowed = .max
    // Where others work too, frames take longer.
    server.options.responseTimeout = 60
    (self.server, self.size) = (server, size)
    held = try CARenderer(size: CGSize(width: 8, height: 8), clock: .manual(), server: server)
  }

  public func draw(seed: Int) throws {
    let start = ContinuousClock.now
    let tree = HostileTree(seed: seed, size: size)
    let process = held.serverProcessID
    deaths.seed = seed
    do {
      let renderer = try CARenderer(
        size: CGSize(width: HostileTree.side, height: HostileTree.side), clock: .manual(),
        server: server)
      renderer.delegate = deaths
      renderer.layer = tree.root
      for time in [0, 0.7] {
        _ = try renderer.image(at: time)
        noteMemory(seed)
        if time == 0 { tree.change() }
      }
      pictures += 1
    } catch let error as RenderServerError {
      let words = "\(error)".filter { !$0.isNumber }
      errors[words, default: 0] += 1
      // No tree may end more than its own session.
      if words.hasPrefix("the render process") { deaths.reasons.append("tree \(seed): \(error)") }
    }
    // A session that was ended for it hears nothing of it.
    if held.serverProcessID != process,
      !deaths.reasons.contains(where: { $0.hasPrefix("tree \(seed):") })
    {
      deaths.reasons.append("tree \(seed): the render process is another one")
    }
    let seconds = start.duration(to: .now) / .seconds(1)
    if seconds > longest.seconds { longest = (seconds, seed) }
  }

  /// The memory that the process alone has, in bytes.
  public var memory: Int { held.serverProcessID.map { ownMemory(of: $0) } ?? 0 }

  private func noteMemory(_ seed: Int) {
    let bytes = memory
    if bytes > mostMemory.bytes { mostMemory = (bytes, seed) }
  }
}
