/// What becomes of a connection whose server dies or hangs.
package struct RestartPolicy: Hashable, Sendable {
  /// Largest number of deaths within a minute after which another server is started on the same
  /// platform. Default: 2.
  package var deathsAllowed: Int
  /// Seconds for which a server may say nothing while something is asked of it; then it is killed,
  /// which is a death like others. Default: 15.
  package var responseTimeout: Double

  package init(deathsAllowed: Int = 2, responseTimeout: Double = 15) {
    (self.deathsAllowed, self.responseTimeout) = (deathsAllowed, responseTimeout)
  }
}
