/// Finds out whether a server that should answer says nothing.
///
/// It counts looks, not time: a program that was stopped, with its server, for an hour has looked
/// once in that hour, and the server gets its time to answer when both go on.
struct Watchdog {
  /// Number of looks in a row that find a silent server before it is given up.
  private static let patience = 8

  /// How often to look, in seconds.
  let interval: Double
  private var silentLooks = 0

  /// A server may be silent for about `seconds`, and for 80 ms at least.
  init(patience seconds: Double) {
    interval = max(seconds / Double(Self.patience), 0.01)
  }

  mutating func noteAnswer() { silentLooks = 0 }

  /// Notes that the server said nothing for one interval. `isWaiting` tells whether something is
  /// asked of it. Returns whether that has lasted too long.
  mutating func notesSilence(isWaiting: Bool) -> Bool {
    silentLooks = isWaiting ? silentLooks + 1 : 0
    // What was asked just before the first of these looks had no whole interval yet.
    return silentLooks > Self.patience
  }
}
