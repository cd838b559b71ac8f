import Lamina

extension CAMLDocument {
  /// Has text drawn for frames of `scale` pixels per point of the document, where the document does
  /// not say for which.
  package func drawTextSharply(scale: CGFloat) {
    var layers = [rootLayer]
    while let layer = layers.popLast() {
      if layer is CATextLayer, !layer.shouldArchiveValue(forKey: "contentsScale") {
        layer.contentsScale = scale
      }
      layers += layer.sublayers ?? []
      if let mask = layer.mask { layers.append(mask) }
    }
  }
}
