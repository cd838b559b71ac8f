import Lamina

/// States that are set at a time, in place of those before.
package struct StateChange: Hashable, Sendable {
  /// In seconds from the document's begin.
  package var time: Double
  package var names: [String]

  package init(time: Double, names: [String]) { (self.time, self.names) = (time, names) }
}

extension CAMLDocument {
  /// Seconds for which a state is shown that is set without a transition.
  package static let stillStateDuration = 1.0

  /// What moves last if the document begins at time 0: see `CALayer.lastMotion`. Its end is the
  /// document's length; nil if nothing moves.
  ///
  /// `changes`, in the order of their times, are still to come. Each lasts as long as its
  /// transitions, or `stillStateDuration` if it has none.
  package func lastMotion(changes: [StateChange] = []) -> LastMotion? {
    var last = rootLayer.lastMotion
    var states = layersWithStates.map { (layer: $0, set: controller.states(ofLayer: $0)) }
    for change in changes {
      var motion: LastMotion?
      for place in states.indices {
        let layer = states[place].layer
        let new = change.names.compactMap { layer.state(withName: $0) }
        for element in layer.transitionElements(from: states[place].set, to: new) {
          guard let target = element.target else { continue }
          motion = .later(motion, target.motion(of: element.animation, addedAt: change.time))
        }
        states[place].set = new
      }
      let names = change.names.joined(separator: ", ")
      last = .later(
        last,
        LastMotion(
          end: motion?.end ?? change.time + Self.stillStateDuration,
          cause: motion == nil ? "state \(names)" : "the transition to state \(names)"))
    }
    return last
  }
}
