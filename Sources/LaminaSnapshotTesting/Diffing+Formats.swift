import Foundation
import Lamina

extension Diffing where Format == CGImage {
  /// Pictures as PNG, compared as both look in sRGB. `precision` is the share of pixels that must
  /// match, `perceptualPrecision` how much one must look as in the reference in order to match.
  public static func image(
    _ precision: Double = 1, _ perceptualPrecision: Double = 1
  ) -> Diffing {
    Diffing(
      toData: { try $0.pngData() },
      fromData: { try CGImage(data: $0, named: "reference") },
      difference: { reference, result, tolerance in
        guard (0...1).contains(precision), (0...1).contains(perceptualPrecision) else {
          throw SnapshotError(
            "a precision is from 0 to 1, not \(precision) and \(perceptualPrecision)")
        }
        do {
          return try ImageMatch(
            result.difference(from: reference, tolerance: tolerance), precision: precision,
            perceptualPrecision: perceptualPrecision
          ).failure()
        } catch let error as ImageDifference.SizeMismatch {
          return SnapshotDifference(message: "\(error)")
        }
      })
  }
}

/// Whether a picture matches its reference, by the precision that was asked for.
private struct ImageMatch {
  let difference: ImageDifference
  let precision: Double
  let perceptualPrecision: Double

  init(_ difference: ImageDifference, precision: Double, perceptualPrecision: Double) {
    self.difference = difference
    (self.precision, self.perceptualPrecision) = (precision, perceptualPrecision)
  }

  /// How the pictures differ; nil if they match.
  func failure() throws -> SnapshotDifference? {
    guard difference.greatest > difference.tolerance else { return nil }
    let perceived = difference.perceived()
    // A precision of 0.98 is meant, not the Double below it.
    let limit = ((1 - perceptualPrecision) * 1e6).rounded() / 1e4
    let count =
      perceptualPrecision < 1
      ? perceived.pixelCount(above: limit) : difference.differingPixelCount
    let matching = Double(difference.pixelCount - count) / Double(difference.pixelCount)
    guard matching < precision else { return nil }
    var message =
      "\(count) of \(difference.pixelCount) pixels (\(text(100 - matching * 100)) %) differ"
    if perceptualPrecision < 1 {
      message += " by more than the perceptual precision of \(perceptualPrecision) allows"
    } else if difference.tolerance > 0 {
      message += " by more than \(difference.tolerance) of 255"
    }
    if precision < 1 { message += ", where a precision of \(precision) was asked" }
    message +=
      "; at most by \(difference.greatest) of 255 and \(text(difference.mean)) on average; ΔE is"
      + " \(text(perceived.greatest)) at most and \(text(perceived.mean)) on average"
    if let box = difference.box {
      message +=
        "; all of it within \(Int(box.width))x\(Int(box.height)) at \(Int(box.minX)),\(Int(box.minY))"
    }
    return SnapshotDifference(message: message, picture: try difference.picture().pngData())
  }

  private func text(_ value: Double) -> String { String(format: "%.3g", value) }
}

extension Diffing where Format == String {
  /// Text as UTF-8, compared line by line.
  public static var lines: Diffing {
    Diffing(
      toData: { Data($0.utf8) },
      fromData: { data in
        guard let text = String(data: data, encoding: .utf8) else {
          throw SnapshotError("it is no UTF-8")
        }
        return text
      },
      difference: { reference, result, _ in
        guard reference != result else { return nil }
        let text = LineDifference(reference, result).text
        return SnapshotDifference(message: "\n\(text)", picture: Data(text.utf8))
      })
  }
}
