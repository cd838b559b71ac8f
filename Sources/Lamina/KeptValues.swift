import LaminaCommit

/// A layer's values as they are on screen, for a copy that is being made. They lie outside the layer,
/// since few have such at a time.
final class KeptValues {
  let values: LayerValues
  init(_ values: LayerValues) { self.values = values }
}
