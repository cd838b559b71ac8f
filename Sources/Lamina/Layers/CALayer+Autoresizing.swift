import Foundation
import LaminaCommit

/// The lengths that adapt when a superlayer changes its size: along each axis, the margin before
/// the layer, the layer itself, and the margin after it.
public struct CAAutoresizingMask: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The margin at the superlayer's edge of the least x.
  public static let layerMinXMargin = Self(rawValue: 1)
  /// The layer's width.
  public static let layerWidthSizable = Self(rawValue: 2)
  /// The margin at the superlayer's edge of the greatest x.
  public static let layerMaxXMargin = Self(rawValue: 4)
  /// The margin at the superlayer's edge of the least y.
  public static let layerMinYMargin = Self(rawValue: 8)
  /// The layer's height.
  public static let layerHeightSizable = Self(rawValue: 16)
  /// The margin at the superlayer's edge of the greatest y.
  public static let layerMaxYMargin = Self(rawValue: 32)
}

extension CALayer {
  final func resize(after oldSize: CGSize) {
    let mask = autoresizingMask
    guard !mask.isEmpty, let size = superlayerStorage?.modelValues.bounds.size, size != oldSize
    else { return }
    let old = frame
    let x = Self.resized(
      (old.minX, old.width), by: size.width - oldSize.width,
      minMargin: mask.contains(.layerMinXMargin),
      length: mask.contains(.layerWidthSizable), maxMargin: mask.contains(.layerMaxXMargin))
    let y = Self.resized(
      (old.minY, old.height), by: size.height - oldSize.height,
      minMargin: mask.contains(.layerMinYMargin), length: mask.contains(.layerHeightSizable),
      maxMargin: mask.contains(.layerMaxYMargin))
    let new = CGRect(x: x.min, y: y.min, width: x.length, height: y.length)
    // Under a rotation, setting even an equal frame changes the size.
    if new != old { frame = new }
  }

  /// Shares a change of length among the adapting parts of an axis.
  private static func resized(
    _ old: (min: CGFloat, length: CGFloat), by change: CGFloat, minMargin: Bool, length: Bool,
    maxMargin: Bool
  ) -> (min: CGFloat, length: CGFloat) {
    switch (minMargin, length, maxMargin) {
    case (false, false, _): return old
    case (true, false, false): return (old.min + change, old.length)
    case (true, false, true): return (old.min + change / 2, old.length)
    case (false, true, false): return (old.min, old.length + change)
    case (true, true, false):
      let margin = (change * 2 / 3).rounded(.down)
      return (old.min + margin, old.length + change - margin)
    case (false, true, true):
      let margin = (change * 2 / 3).rounded(.down)
      return (old.min, old.length + change - margin)
    case (true, true, true):
      let margin = (change / 3).rounded(.down)
      return (old.min + margin, old.length + change - 2 * margin)
    }
  }
}
