import Foundation
import Lamina

/// A way to take a snapshot of a value, and to compare it with an earlier one.
///
/// `Format` is what a snapshot is: a `CGImage` or a `String`. Ways for types of your own come from
/// those that are here by `pullback`.
public struct Snapshotting<Value, Format> {
  /// The ending of a reference's name, without the dot.
  public var pathExtension: String
  /// How snapshots are written, read and compared.
  public var diffing: Diffing<Format>
  /// One snapshot for each time of the stage, by each of its platforms.
  let take: (Value, SnapshotStage) throws -> [Drawing<Format>]

  /// A way by which a value has one snapshot, whatever the time.
  public init(
    pathExtension: String, diffing: Diffing<Format>, snapshot: @escaping (Value) throws -> Format
  ) {
    self.init(pathExtension: pathExtension, diffing: diffing) { value, stage in
      try stage.requireNoTimes()
      return [Drawing(snapshots: [try snapshot(value)])]
    }
  }

  init(
    pathExtension: String, diffing: Diffing<Format>,
    take: @escaping (Value, SnapshotStage) throws -> [Drawing<Format>]
  ) {
    (self.pathExtension, self.diffing, self.take) = (pathExtension, diffing, take)
  }

  /// The same way for values of another type, each of which is made into a `Value` first, on the
  /// snapshot's clock.
  public func pullback<Other>(
    _ transform: @escaping (Other) throws -> Value
  ) -> Snapshotting<Other, Format> {
    Snapshotting<Other, Format>(pathExtension: pathExtension, diffing: diffing) { value, stage in
      try take(transform(value), stage)
    }
  }
}

/// How snapshots are written to files, read again, and compared.
public struct Diffing<Format> {
  /// A snapshot as a file.
  public var toData: (Format) throws -> Data
  /// A file as a snapshot.
  public var fromData: (Data) throws -> Format
  /// How a reference and a result differ; nil if they are alike. `tolerance` is how far a channel
  /// may be, of 255, because of what drew them.
  public var difference:
    (_ reference: Format, _ result: Format, _ tolerance: Int) throws -> SnapshotDifference?

  /// A form of snapshots: how it becomes a file, is read from one, and is compared.
  public init(
    toData: @escaping (Format) throws -> Data, fromData: @escaping (Data) throws -> Format,
    difference:
      @escaping (
        _ reference: Format, _ result: Format, _ tolerance: Int
      ) throws -> SnapshotDifference?
  ) {
    (self.toData, self.fromData, self.difference) = (toData, fromData, difference)
  }
}

/// How a snapshot differs from its reference.
public struct SnapshotDifference: Sendable {
  /// In words, without a full stop.
  public var message: String
  /// A file that shows it, of the same kind as the snapshots.
  public var picture: Data?

  /// A difference in words, and perhaps a file that shows it.
  public init(message: String, picture: Data? = nil) {
    (self.message, self.picture) = (message, picture)
  }
}

/// Why no snapshot could be taken.
struct SnapshotError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
