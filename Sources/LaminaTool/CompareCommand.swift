import Foundation
import Lamina

/// `lamina compare`.
struct CompareCommand {
  let first: String
  let second: String
  let tolerance: Int
  /// The greatest ΔE that does not count, if pixels are counted by it.
  let perceptual: Double?
  let allowedPercent: Double
  let picture: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    first = arguments.positionals[0]
    second = arguments.positionals[1]
    tolerance = try arguments.integer("--tolerance", in: 0...255) ?? 0
    perceptual = try arguments.number("--perceptual", limit: 100)
    guard perceptual ?? 0 >= 0 else { throw UsageError("--perceptual: a ΔE is not below 0") }
    if perceptual != nil, arguments.has("--tolerance") {
      throw UsageError("--perceptual and --tolerance: pixels are counted by one of them")
    }
    allowedPercent = try arguments.number("--allow", limit: 100) ?? 0
    guard allowedPercent >= 0 else { throw UsageError("--allow: a percentage is not below 0") }
    picture = arguments.value("--diff")
  }

  func run() throws -> ExitStatus {
    let a = try CGImage(contentsOf: URL(fileURLWithPath: first))
    let b = try CGImage(contentsOf: URL(fileURLWithPath: second))
    let difference: ImageDifference
    do {
      difference = try b.difference(from: a, tolerance: tolerance)
    } catch {
      Report.error("\(error)")
      return .different
    }
    if difference.greatest == 0 {
      print("identical, \(difference.size)")
      return .success
    }
    let isWithin = report(difference)
    if let picture, !isWithin {
      try OutputFile.write(try difference.picture().pngData(), to: picture)
    }
    return isWithin ? .success : .different
  }

  /// Prints how far the images differ. Returns whether that is allowed.
  private func report(_ difference: ImageDifference) -> Bool {
    var (count, limit) = (difference.differingPixelCount, "\(tolerance)")
    var rest =
      "the largest difference is \(difference.greatest), the mean \(number(difference.mean))"
    if let perceptual {
      let perceived = difference.perceived()
      (count, limit) = (perceived.pixelCount(above: perceptual), "ΔE \(perceptual)")
      rest = "the largest ΔE is \(number(perceived.greatest)), the mean \(number(perceived.mean))"
    }
    let percent = Double(count) * 100 / Double(difference.pixelCount)
    let isWithin = percent <= allowedPercent
    if let box = difference.box {
      rest +=
        "; all of it within \(Int(box.width))x\(Int(box.height)) at"
        + " \(Int(box.minX)),\(Int(box.minY))"
    }
    print(
      "\(isWithin ? "close enough" : "different"): \(count) of \(difference.pixelCount) pixels"
        + " (\(String(format: "%.4g", percent)) %) differ by more than \(limit); \(rest)")
    return isWithin
  }

  private func number(_ value: Double) -> String { String(format: "%.3f", value) }
}
