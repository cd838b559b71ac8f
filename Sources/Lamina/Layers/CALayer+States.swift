extension CALayer {
  /// The states that a `CAStateController` can set for the layer. Each holds values for the layer
  /// and its descendants. Default: nil.
  public var states: [CAState]? {
    get { attachments?.states }
    set { if newValue != nil || attachments != nil { ownAttachments.states = newValue } }
  }

  /// The animations of changes between `states`. Default: nil.
  public var stateTransitions: [CAStateTransition]? {
    get { attachments?.stateTransitions }
    set { if newValue != nil || attachments != nil { ownAttachments.stateTransitions = newValue } }
  }

  /// The first of `states` with the given name; nil if there is none.
  public func state(withName name: String) -> CAState? { states?.first { $0.name == name } }

  /// The transitions that animate the change from one state to another; nil stands for no state.
  ///
  /// A transition that names both states is used alone. Otherwise these are used if they exist, in
  /// this order: one from any state to the new one, one from the old state to any, and one from any
  /// state to any. Of elements for the same property the first counts, so properties that only the
  /// old state sets go back as its own transition says.
  public func stateTransitions(from: CAState?, to: CAState?) -> [CAStateTransition] {
    func first(_ leaves: String?, _ sets: String?) -> CAStateTransition? {
      stateTransitions?.first { $0.fromState == leaves && $0.toState == sets }
    }
    if let exact = first(from?.name, to?.name) { return [exact] }
    let any = CAStateTransition.anyState
    return [first(any, to?.name), first(from?.name, any), first(any, any)].compactMap { $0 }
  }

  /// The elements of the transitions from some states to others, those that count first before the
  /// rest. States that remain set play no part.
  package final func transitionElements(
    from old: [CAState], to new: [CAState]
  ) -> [CAStateTransitionElement] {
    let left: [CAState?] = old.filter { state in !new.contains { $0 === state } }
    let set: [CAState?] = new.filter { state in !old.contains { $0 === state } }
    guard !left.isEmpty || !set.isEmpty else { return [] }
    return (set.isEmpty ? [nil] : set).flatMap { to in
      (left.isEmpty ? [nil] : left).flatMap { from in
        stateTransitions(from: from, to: to).flatMap(\.elements)
      }
    }
  }

  /// The states that `state` is based on, the most basic first, and then `state` itself. A circular
  /// chain ends before a state would come again.
  final func chain(of state: CAState) -> [CAState] {
    guard state.basedOn != nil else { return [state] }
    let states = Dictionary((states ?? []).map { ($0.name, $0) }) { first, _ in first }
    var chain = [state]
    var names = Set([state.name])
    while let name = chain.last?.basedOn, let base = states[name], names.insert(name).inserted {
      chain.append(base)
    }
    return chain.reversed()
  }
}
