import Foundation
import Lamina

/// What counts as a difference between two pictures.
struct ComparisonLimits: Sendable {
  /// How far a channel may differ without counting, of 255.
  var tolerance = 0
  /// The greatest ΔE that does not count, if pixels are counted by it.
  var perceptual: Double?
  /// How many pixels may count, in percent.
  var allowedPercent = 0.0

  /// The difference above which a pixel counts, in words.
  var text: String { perceptual.map { "ΔE \($0)" } ?? "\(tolerance)" }
}

/// How far a picture is from its reference, in numbers.
struct DifferenceFigures: Equatable, Sendable {
  let pixelCount: Int
  /// How many pixels differ by more than the limit.
  let differingCount: Int
  /// The greatest difference of any channel, and the mean of all, of 255.
  let greatest: Int
  let mean: Double
  /// The greatest ΔE of any pixel and the mean of all, if they were measured.
  let perceived: Perceived?
  let box: Box?
  /// What is printed of them.
  let text: String

  struct Perceived: Equatable, Sendable, Encodable {
    let greatest: Double
    let mean: Double
  }

  /// The smallest rectangle around the pixels that differ, from the top left corner.
  struct Box: Equatable, Sendable, Encodable {
    let x: Int
    let y: Int
    let width: Int
    let height: Int
  }

  init(_ difference: ImageDifference, limits: ComparisonLimits, measuresPerception: Bool) {
    let perceived =
      limits.perceptual != nil || measuresPerception ? difference.perceived() : nil
    pixelCount = difference.pixelCount
    differingCount =
      limits.perceptual.flatMap { perceived?.pixelCount(above: $0) }
      ?? difference.differingPixelCount
    greatest = difference.greatest
    mean = difference.mean
    self.perceived = perceived.map { Perceived(greatest: $0.greatest, mean: $0.mean) }
    box = difference.box.map {
      Box(x: Int($0.minX), y: Int($0.minY), width: Int($0.width), height: Int($0.height))
    }
    if limits.perceptual != nil, let perceived {
      text = ImageDifference.describe(
        differing: differingCount, of: pixelCount, byMoreThan: limits.text, "\(perceived)",
        within: difference.box)
    } else {
      text = "\(difference)"
    }
  }

  var percent: Double { Double(differingCount) * 100 / Double(pixelCount) }
}

/// A picture and its reference, which share a name.
struct PicturePair: Sendable {
  enum Presence: Sendable {
    case both, referenceOnly, resultOnly
  }

  let name: String
  /// Where the pictures are, or would be.
  let reference: String
  let result: String
  var presence = Presence.both

  /// Compares the pictures. Throws if one of them cannot be read.
  ///
  /// With `draws`, a difference that counts is drawn; with `measuresPerception`, it is measured
  /// by how colours look, too.
  func compared(
    limits: ComparisonLimits, draws: Bool, measuresPerception: Bool
  ) throws(ImageError) -> ComparedPair {
    switch presence {
    case .referenceOnly: return ComparedPair(pair: self, outcome: .referenceOnly)
    case .resultOnly: return ComparedPair(pair: self, outcome: .resultOnly)
    case .both: break
    }
    let first = try CGImage(contentsOfFile: reference)
    let second = try CGImage(contentsOfFile: result)
    let difference: ImageDifference
    do {
      difference = try second.difference(from: first, tolerance: limits.tolerance)
    } catch {
      return ComparedPair(pair: self, outcome: .sizesDiffer("\(error)"))
    }
    if difference.greatest == 0 {
      return ComparedPair(pair: self, outcome: .identical(size: "\(difference.size)"))
    }
    let figures = DifferenceFigures(
      difference, limits: limits, measuresPerception: measuresPerception)
    if figures.percent <= limits.allowedPercent {
      return ComparedPair(pair: self, outcome: .closeEnough(figures))
    }
    return ComparedPair(
      pair: self, outcome: .different(figures),
      drawing: draws ? try difference.picture().pngData() : nil)
  }
}

/// A pair of pictures and what the comparison found.
struct ComparedPair: Sendable {
  enum Outcome: Equatable, Sendable {
    case identical(size: String)
    case closeEnough(DifferenceFigures)
    case different(DifferenceFigures)
    /// Both sizes, in words.
    case sizesDiffer(String)
    case referenceOnly
    case resultOnly
    /// Why the pair was not compared, or its difference not drawn.
    case failed(String)
  }

  let pair: PicturePair
  let outcome: Outcome
  /// The difference as a PNG, if it was asked for.
  var drawing: Data?
}
