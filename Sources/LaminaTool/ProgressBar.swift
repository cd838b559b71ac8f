import Foundation

/// A progress bar on standard error; shows nothing if that is not a terminal.
final class ProgressBar {
  private let total: Int
  /// The plural name of the things counted.
  private let unit: String
  private let isShown: Bool
  private let start = ContinuousClock.now
  private var last: ContinuousClock.Instant?

  init(
    total: Int, unit: String = "frames", isTerminal: Bool = isatty(STDERR_FILENO) == 1
  ) {
    self.total = total
    self.unit = unit
    isShown = isTerminal && total > 1
  }

  /// Shows that `done` of `total` are finished. Redraws at most ten times a second.
  func update(_ done: Int) {
    guard isShown else { return }
    let now = ContinuousClock.now
    if let last, now - last < .milliseconds(100), done < total { return }
    last = now
    let elapsed = (now - start) / .seconds(1)
    Report.write("\r\u{1b}[K" + Self.line(done: done, total: total, unit: unit, elapsed: elapsed))
  }

  /// Erases the bar.
  func finish() {
    guard isShown, last != nil else { return }
    Report.write("\r\u{1b}[K")
  }

  /// `elapsed` is in seconds.
  static func line(
    done: Int, total: Int, unit: String = "frames", elapsed: Double
  ) -> String {
    let width = 30
    let filled = total > 0 ? width * done / total : width
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    var line = "[\(bar)] \(done)/\(total) \(unit)"
    if done > 0, done < total {
      let left = elapsed / Double(done) * Double(total - done)
      line += ", \(max(1, Int(min(left, 1e6).rounded()))) s left"
    }
    return line
  }
}
