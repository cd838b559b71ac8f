import Foundation

/// The time of CLOCK_MONOTONIC, which all processes of a machine share.
package enum MonotonicTime {
  package static var seconds: Double {
    let now = timespec.now
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
  }

  package static var nanoseconds: UInt64 {
    let now = timespec.now
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}

extension timespec {
  fileprivate static var now: timespec {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now
  }
}
