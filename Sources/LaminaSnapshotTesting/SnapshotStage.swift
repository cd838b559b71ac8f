import Foundation
import Lamina
import Synchronization

/// The snapshots of one assertion, one for each time, as one platform drew them.
struct Drawing<Format> {
  let snapshots: [Format]
  /// The platform; nil if none drew them.
  var platform: RenderPlatform?
  /// The platform and what draws on it, for messages.
  var renderer: String?
}

/// Where the layers of one assertion are shown: a clock that begins at 0, times, and the platforms
/// that draw.
struct SnapshotStage {
  let times: [CFTimeInterval]
  let clock = MediaClock.manual()
  let configuration: SnapshotTestingConfiguration

  /// Throws if the assertion has times.
  func requireNoTimes() throws {
    guard times == [0] else {
      throw SnapshotError("what is asserted is the same at all times: leave out at:")
    }
  }

  /// Pictures of a layer at the stage's times, or at others, on each platform. `rect` is in the
  /// layer's superspace, `scale` in pixels per point.
  func drawings(
    of layer: CALayer, in rect: CGRect?, scale: CGFloat, at times: [CFTimeInterval]? = nil
  ) throws -> [Drawing<CGImage>] {
    let given = rect
    let rect = (given ?? layer.frame).standardized
    guard rect.width > 0, rect.height > 0, !rect.isInfinite else {
      throw SnapshotError(
        given == nil
          ? "the layer's frame is empty: give it bounds, or .image(in:) the rectangle to draw"
          : "there is nothing to draw in a rectangle of \(rect.width)x\(rect.height) points")
    }
    let platforms = try platforms()
    let renderers = try platforms.map { platform in
      let renderer = try self.renderer(rect.size, scale: scale, on: platform)
      renderer.bounds = rect
      return renderer
    }
    var images = renderers.map { _ in [CGImage]() }
    // A layer is on one platform at a time.
    for time in times ?? self.times {
      for (index, renderer) in renderers.enumerated() {
        renderer.layer = layer
        images[index].append(try renderer.image(at: time))
      }
    }
    return platforms.indices.map { index in
      Drawing(
        snapshots: images[index], platform: platforms[index],
        renderer: renderers[index].platformDescription)
    }
  }

  /// What `body` says at each time, with the layer committed and its callbacks made.
  func texts(
    showing layer: CALayer, _ body: () throws -> String
  ) throws -> [Drawing<String>] {
    let renderer = try renderer(
      CGSize(width: 1, height: 1), scale: 1, on: configuration.platform)
    renderer.layer = layer
    let texts = try times.map { time in
      _ = try renderer.image(at: time)
      return try body()
    }
    return [Drawing(snapshots: texts)]
  }

  private func renderer(
    _ size: CGSize, scale: CGFloat, on platform: RenderPlatform
  ) throws -> CARenderer {
    try Self.keepRunning(platform)
    return try CARenderer(size: size, scale: scale, clock: clock, server: .process.on(platform))
  }

  // MARK: Platforms

  private func platforms() throws -> [RenderPlatform] {
    let platform = configuration.platform
    guard configuration.everyPlatform else { return [platform] }
    let others = Self.machinePlatforms.filter { $0 != platform }
    guard !others.isEmpty else {
      throw SnapshotError(
        "every platform was asked for, and this machine has none but \(platform.rawValue); lamina"
          + " info --verbose says why")
    }
    return [platform] + others
  }

  /// The platforms that start on this machine.
  private static let machinePlatforms = RenderPlatform.allCases.filter { platform in
    platform != .auto && (try? keepRunning(platform)) != nil
  }

  /// The servers of all assertions: one that no renderer uses would end.
  private static let servers = Mutex<[RenderPlatform: any Sendable]>([:])

  private static func keepRunning(_ platform: RenderPlatform) throws {
    let isRunning = servers.withLock { $0[platform] != nil }
    guard !isRunning else { return }
    let server = try RenderServer.process.on(platform).running()
    servers.withLock { $0[platform] = server }
  }
}

extension CARenderer {
  fileprivate var platformDescription: String {
    "\(platform.name) (\(platform.renderer), \(platform.version))"
  }
}
