import LaminaCommit

/// A layer's values as they are not in its model: those that the render process knows, or those on
/// screen. Few layers have such at a time, so they lie outside the layer.
final class KeptValues {
  var values: LayerValues
  init(_ values: LayerValues) { self.values = values }
}
