import Foundation
import Lamina

/// The times of frames, in seconds: evenly spaced.
struct FrameTimes: Equatable {
  let start: Double
  let count: Int
  /// Frames a second; infinite if all are of the same time.
  let perSecond: Double

  subscript(index: Int) -> Double { start + Double(index) / perSecond }

  var all: [Double] { (0..<count).map { self[$0] } }

  /// The rate at which a film of the frames plays: in their own time, if a film can.
  var rate: FrameRate {
    perSecond.isFinite ? FrameRate(min(max(perSecond, 0.001), 1000)) : FrameRate(30)
  }
}

/// What the flags say of the frames' times.
struct FrameTimesArguments: Equatable {
  /// How frames follow each other.
  enum Spacing: Equatable {
    /// One frame.
    case single
    /// So many a second; as many as `count` says, or as there are until the end.
    case rate(FrameRate, count: Int?)
    /// So many, spread over the time from the start to the end. The end is the begin of another
    /// round, so no frame is there.
    case spread(Int)
  }

  let start: Double
  /// Where the frames end; nil for the document's own end.
  let end: Double?
  let spacing: Spacing
  /// Whether a flag says how many frames there are.
  let isCounted: Bool

  static let maximumCount = 1_000_000

  init(
    _ arguments: ParsedArguments, form: OutputForm, sheet: SheetGrid? = nil
  ) throws(UsageError) {
    let at = try arguments.number("--at")
    let from = try arguments.number("--from")
    let to = try arguments.number("--to")
    let fps = try arguments.positiveNumber("--fps", limit: 1000)
    let count = try arguments.integer("--count", in: 1...Self.maximumCount)
    let isFilm = from != nil || to != nil || fps != nil || count != nil || sheet != nil
    guard at == nil || !isFilm else {
      let others = "--from, --to, --fps, --count and --tile"
      throw UsageError("--at gives one frame; \(others) many: drop it, or them")
    }
    guard fps.map({ $0 >= 0.001 }) ?? true else {
      throw UsageError("--fps: less than a frame in 1000 seconds")
    }
    guard count == nil || fps == nil || to == nil else {
      throw UsageError("--count, --fps and --to: two of them say the third; drop one")
    }
    start = at ?? from ?? 0
    end = to
    isCounted = count != nil
    if let to, to < start { throw UsageError("--to \(to) is before --from \(start)") }
    guard form.isFilm || isFilm, at == nil else {
      spacing = .single
      return
    }
    if let fps {
      // Of a sheet's frames the cells are the number, unless an end is given.
      let most = to == nil ? count ?? sheet?.cellCount : nil
      spacing = .rate(FrameRate(fps), count: most)
    } else if let number = count ?? sheet?.cellCount {
      spacing = .spread(number)
    } else {
      spacing = .rate(FrameRate(30), count: nil)
    }
    try checkCount(form: form, sheet: sheet)
  }

  /// Throws if the output cannot hold as many frames.
  private func checkCount(form: OutputForm, sheet: SheetGrid?) throws(UsageError) {
    let isOnePNG = form.isOnePNG && sheet == nil
    let count = needsLength ? statedCount : try times(until: end ?? start).count
    guard !isOnePNG || count == 1 else {
      let many = count.map { "\($0) of them" } ?? "more"
      throw UsageError(
        "--output: one PNG holds one frame, which --at names; for \(many) use x-%04d.png or --tile")
    }
    if let sheet, let count, count > sheet.cellCount {
      throw UsageError("--tile: \(count) frames do not fit into \(sheet)")
    }
  }

  private var statedCount: Int? {
    switch spacing {
    case .single: 1
    case .rate(_, let count): count
    case .spread(let count): count
    }
  }

  /// Whether the times depend on the document's length.
  var needsLength: Bool {
    switch spacing {
    case .single: false
    case .rate(_, let count): end == nil && count == nil
    case .spread(let count): end == nil && count > 1
    }
  }

  /// The times of frames that end at `end`, if no other end is given.
  func times(until end: Double) throws(UsageError) -> FrameTimes {
    let length = (self.end ?? end) - start
    switch spacing {
    case .single: return FrameTimes(start: start, count: 1, perSecond: .infinity)
    case .spread(let count):
      return FrameTimes(
        start: start, count: count, perSecond: length > 0 ? Double(count) / length : .infinity)
    case .rate(let rate, let count):
      // A film from 0 to 1 at 30 frames a second has 30 frames; the last one ends at 1.
      let frames = count.map(Double.init) ?? max(1, (length * rate.value - 1e-6).rounded(.up))
      guard frames <= Double(Self.maximumCount) else {
        throw UsageError(
          "a film has at most \(Self.maximumCount) frames, and this one would have more: --to says"
            + " where it ends")
      }
      return FrameTimes(start: start, count: Int(frames), perSecond: rate.value)
    }
  }

  /// The times of frames that last as long as the document, in which `last` moves last. Says in a
  /// note how many there are, and why.
  func times(of last: LastMotion?) throws(UsageError) -> FrameTimes {
    guard let last else {
      // Of what stands still, one frame says all.
      let count = if case .spread(let count) = spacing, isCounted { count } else { 1 }
      Report.note("nothing moves in the document: \(Self.frames(count))")
      return FrameTimes(start: start, count: count, perSecond: .infinity)
    }
    let seconds = Self.text(last.end)
    guard last.end > start else {
      throw UsageError(
        "--from \(Self.text(start)): the document ends at \(seconds) s (\(last.cause)); --to says"
          + " where the frames end")
    }
    let times = try times(until: last.end)
    let pace =
      if case .rate(let rate, _) = spacing {
        " at \(Self.text(rate.value)) a second"
      } else {
        ", one every \(Self.text(1 / times.perSecond)) s"
      }
    Report.note(
      Report.oneLine(
        "the document lasts \(seconds) s (\(last.cause)): \(Self.frames(times.count))\(pace)"))
    return times
  }

  private static func frames(_ count: Int) -> String { count == 1 ? "1 frame" : "\(count) frames" }

  /// A number of seconds, to the millisecond.
  private static func text(_ seconds: Double) -> String {
    let text = String(format: "%.3f", seconds)
    guard let last = text.lastIndex(where: { $0 != "0" }) else { return text }
    return String(text[...last].hasSuffix(".") ? text[..<last] : text[...last])
  }
}

/// A frame rate, in frames a second, as the fraction that film files contain.
struct FrameRate: Equatable {
  let numerator: Int
  let denominator: Int

  /// The nearest fraction to a rate from 0.001 to 1000. Exact for whole numbers, broadcast rates
  /// (over 1001) and thousandths.
  init(_ value: Double) {
    let candidates = [1, 1001, 1000]
    denominator =
      candidates.first { d in
        let n = (value * Double(d)).rounded()
        return n > 0 && abs(n / Double(d) - value) < 1e-4 * min(1, value)
      } ?? 1000
    numerator = max(1, Int((value * Double(denominator)).rounded()))
  }

  var value: Double { Double(numerator) / Double(denominator) }
}
