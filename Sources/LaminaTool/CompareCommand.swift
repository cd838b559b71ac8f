import Foundation
import Lamina

/// `lamina compare`.
struct CompareCommand {
  let first: String
  let second: String
  let tolerance: Int
  let allowedPercent: Double
  let picture: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    first = arguments.positionals[0]
    second = arguments.positionals[1]
    tolerance = try arguments.integer("--tolerance", in: 0...255) ?? 0
    allowedPercent = try arguments.number("--allow", limit: 100) ?? 0
    guard allowedPercent >= 0 else { throw UsageError("--allow: a percentage is not below 0") }
    picture = arguments.value("--diff")
  }

  func run() throws -> ExitStatus {
    let a = try CGImage(contentsOf: URL(fileURLWithPath: first))
    let b = try CGImage(contentsOf: URL(fileURLWithPath: second))
    let difference: ImageDifference
    do {
      difference = try ImageDifference(a, b, tolerance: tolerance)
    } catch {
      Report.error("\(error)")
      return .different
    }
    let isWithin = difference.differingPercent <= allowedPercent
    let largest = (0..<4).map { difference.maximum[$0] }.max() ?? 0
    if largest == 0 {
      print("identical, \(difference.size)")
    } else {
      let percent = String(format: "%.4g", difference.differingPercent)
      let mean = String(format: "%.3f", difference.mean)
      print(
        "\(isWithin ? "close enough" : "different"): \(difference.differingPixelCount) of"
          + " \(difference.pixelCount) pixels (\(percent) %) differ by more than \(tolerance);"
          + " the largest difference is \(largest), the mean \(mean)")
    }
    if let picture, !isWithin {
      try OutputFile.write(try difference.picture().pngData(), to: picture)
    }
    return isWithin ? .success : .different
  }
}
