// Overrides every member of Lamina's open classes, three classes deep, and calls each: all three
// overrides must be reached, the last subclass's first. Overrides.swift is written by
// `.ci/open-members`. The exit status is 0 if all are reached.

import Foundation
import Lamina

/// The overrides that a call has reached, in order, with the numbers of their classes.
nonisolated(unsafe) private var notes: [(level: Int, member: String)] = []
nonisolated(unsafe) private var counts = (reached: 0, missed: 0)

func note(_ level: Int, _ member: String) { notes.append((level, member)) }

/// Makes a call that should reach the three overrides of a member.
func reach(_ member: String, _ call: () -> Void) {
  notes = []
  call()
  let levels = notes.filter { $0.member == member }.map(\.level)
  if levels.starts(with: [3, 2, 1]) {
    counts.reached += 1
  } else {
    counts.missed += 1
    print("overrides: a call of \(member) reached \(levels), not 3, 2 and 1")
  }
}

/// Arguments of the calls.
enum Sample {
  static var constraint: CAConstraint {
    CAConstraint(attribute: .minX, relativeTo: "superlayer", attribute: .minX)
  }

  static var context: CGContext {
    CGContext(
      data: nil, width: 8, height: 8, bitsPerComponent: 8, bytesPerRow: 0,
      space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)!
  }

  static var coder: NSCoder { NSKeyedArchiver(requiringSecureCoding: true) }

  /// Two numbers, which are not freed.
  static var point: UnsafeMutablePointer<Float> { .allocate(capacity: 2) }
}

do {
  try callAll()
} catch {
  print("overrides: \(error)")
  exit(1)
}
if counts.missed == 0 { print("overrides: all \(counts.reached) are reached") }
exit(counts.missed == 0 ? 0 : 1)
