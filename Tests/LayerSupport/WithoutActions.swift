import Lamina

/// Makes changes that take effect at once, whatever transaction they are in.
public func withoutActions<Result>(_ changes: () throws -> Result) rethrows -> Result {
  let wereDisabled = CATransaction.disableActions()
  CATransaction.setDisableActions(true)
  defer { CATransaction.setDisableActions(wereDisabled) }
  return try changes()
}
