import Foundation
import Testing

/// Whether two numbers differ by at most `tolerance`. Nil is close to nothing.
public func isClose(_ a: Double?, _ b: Double, _ tolerance: Double = 1e-4) -> Bool {
  a.map { abs($0 - b) <= tolerance } ?? false
}

public func isClose(_ a: CGFloat?, _ b: Double, _ tolerance: Double = 1e-4) -> Bool {
  isClose(a.map { Double($0) }, b, tolerance)
}

/// Checks that as many numbers were found as expected, and that no two differ by more than
/// `tolerance`.
public func expectClose<Number: BinaryFloatingPoint>(
  _ found: [Number], _ expected: [Number], _ tolerance: Number = 1e-4,
  _ what: String = "the numbers", sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(
    found.count == expected.count
      && zip(found, expected).allSatisfy { abs($0 - $1) <= tolerance },
    "\(what): \(found) in place of \(expected)", sourceLocation: sourceLocation)
}
