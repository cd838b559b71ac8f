import Foundation

/// A progress bar on standard error; shows nothing if that is not a terminal.
final class ProgressBar {
  private var total: Int
  /// The plural name of the things counted.
  private var unit: String
  private let isShown: Bool
  /// What was done before this process began.
  private var doneBefore: Int
  private var start = ContinuousClock.now
  private var last: ContinuousClock.Instant?

  init(
    total: Int, unit: String = "frames", doneBefore: Int = 0,
    isTerminal: Bool = isatty(STDERR_FILENO) == 1
  ) {
    self.total = total
    self.unit = unit
    self.doneBefore = doneBefore
    isShown = isTerminal && total > 1
  }

  /// Shows that `done` of `total` are finished. Redraws at most ten times a second.
  func update(_ done: Int) {
    guard isShown else { return }
    let now = ContinuousClock.now
    if let last, now - last < .milliseconds(100), done < total { return }
    last = now
    let elapsed = (now - start) / .seconds(1)
    Report.write(
      "\r\u{1b}[K"
        + Self.line(
          done: done, total: total, unit: unit, elapsed: elapsed, doneBefore: doneBefore))
  }

  /// Begins to count something else.
  func restart(total: Int, unit: String) {
    (self.total, self.unit, doneBefore) = (total, unit, 0)
    (start, last) = (.now, nil)
  }

  /// Erases the bar.
  func finish() {
    guard isShown, last != nil else { return }
    Report.write("\r\u{1b}[K")
  }

  /// `elapsed` is in seconds.
  static func line(
    done: Int, total: Int, unit: String = "frames", elapsed: Double, doneBefore: Int = 0
  ) -> String {
    let width = 30
    let filled = total > 0 ? width * done / total : width
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    var line = "[\(bar)] \(done)/\(total) \(unit)"
    if done > doneBefore, done < total {
      let left = elapsed / Double(done - doneBefore) * Double(total - done)
      line += ", \(max(1, Int(min(left, 1e6).rounded()))) s left"
    }
    return line
  }
}
