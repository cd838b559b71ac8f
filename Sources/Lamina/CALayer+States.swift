extension CALayer {
  /// The states that a `CAStateController` can set for the layer: what it and the layers below it
  /// are in each. Default: nil.
  public var states: [CAState]? {
    get { attachments?.states }
    set { if newValue != nil || attachments != nil { ownAttachments.states = newValue } }
  }

  /// How changes between `states` are animated. Default: nil.
  public var stateTransitions: [CAStateTransition]? {
    get { attachments?.stateTransitions }
    set { if newValue != nil || attachments != nil { ownAttachments.stateTransitions = newValue } }
  }

  /// The first of `states` of that name; nil where there is none.
  public func state(withName name: String) -> CAState? { states?.first { $0.name == name } }

  /// The transition from one state to another; nil stands for no state. One that names both comes
  /// before one that names only the state that is set, that before one that names only the state
  /// that is left, and last comes one for any.
  public func stateTransition(from: CAState?, to: CAState?) -> CAStateTransition? {
    let any = CAStateTransition.anyState
    for (leaves, sets) in [(from?.name, to?.name), (any, to?.name), (from?.name, any), (any, any)] {
      if let found = stateTransitions?.first(where: { $0.fromState == leaves && $0.toState == sets }
      ) {
        return found
      }
    }
    return nil
  }

  /// The state after what it is based on. A chain that runs in a circle ends where it closes.
  final func chain(of state: CAState) -> [CAState] {
    var chain = [state]
    while let name = chain.last?.basedOn, !chain.contains(where: { $0.name == name }),
      let base = self.state(withName: name)
    {
      chain.append(base)
    }
    return chain.reversed()
  }
}
