import Lamina

/// Changes that take effect at once, in whatever transaction they are.
func withoutActions<Result>(_ changes: () throws -> Result) rethrows -> Result {
  let wereDisabled = CATransaction.disableActions()
  CATransaction.setDisableActions(true)
  defer { CATransaction.setDisableActions(wereDisabled) }
  return try changes()
}
