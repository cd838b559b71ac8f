import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CALayer {
  /// The layer and all its descendants as text: one line per layer, indented by depth, with the
  /// properties that were set. With `isPresented`, the values are those on screen, and those that
  /// are being animated are there too.
  package func treeDescription(isPresented: Bool = false) -> String {
    var lines: [String] = []
    var pending: [(layer: CALayer, depth: Int)] = [(self, 0)]
    while let (layer, depth) = pending.popLast() {
      let indent = String(repeating: "  ", count: depth)
      let isMask = layer !== self && layer.superlayerStorage?.maskStorage === layer
      lines.append(indent + (isMask ? "mask " : "") + layer.line(isPresented: isPresented))
      for sublayer in layer.sublayerStorage.reversed() { pending.append((sublayer, depth + 1)) }
      if let mask = layer.maskStorage { pending.append((mask, depth + 1)) }
    }
    return lines.joined(separator: "\n")
  }

  /// The class, the properties, and the keys of the animations.
  private func line(isPresented: Bool) -> String {
    var words = [debugName]
    let shown = isPresented ? presentation() ?? self : self
    for property in StoredProperty.allCases where property != .name {
      guard
        written.contains(property)
          || shown !== self
            && shown.modelValues.value(of: property) != modelValues.value(of: property)
      else { continue }
      words.append("\(property.key)=\(shown.text(of: property))")
    }
    for animation in attachedAnimations {
      words.append("animation \(animation.hasKey ? animation.key : "without a key")")
    }
    return words.joined(separator: " ")
  }

  private func text(of property: StoredProperty) -> String {
    switch value(forKey: property.key) {
    case nil: "nil"
    case let image as CGImage: "image \(image.width)x\(image.height)"
    case let path as CGPath: "path \(path.boundingBoxOfPath.text)"
    case let rect as CGRect: rect.text
    case let point as CGPoint: "(\(point.x) \(point.y))"
    case let size as CGSize: "\(size.width)x\(size.height)"
    case let transform as CATransform3D:
      "(\(transform.rows.joined().map { "\($0)" }.joined(separator: " ")))"
    case let color as CGColor:
      "(\((color.components ?? []).map { "\($0)" }.joined(separator: " ")))"
    case let value?: "\(value)"
    }
  }
}

extension CGRect {
  fileprivate var text: String { "(\(origin.x) \(origin.y) \(width)x\(height))" }
}
