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

  /// The transitions that animate the change from one state to another, nil standing for no state:
  /// one that names both alone; where there is none, one that names the state that is set, then one
  /// that names the state that is left, then one for any. Of elements for the same property the
  /// first counts, so that what only the state that is left has set goes back as that says.
  public func stateTransitions(from: CAState?, to: CAState?) -> [CAStateTransition] {
    func first(_ leaves: String?, _ sets: String?) -> CAStateTransition? {
      stateTransitions?.first { $0.fromState == leaves && $0.toState == sets }
    }
    if let exact = first(from?.name, to?.name) { return [exact] }
    let any = CAStateTransition.anyState
    return [first(any, to?.name), first(from?.name, any), first(any, any)].compactMap { $0 }
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
