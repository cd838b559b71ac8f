import Foundation
import Lamina
import LaminaCAML

extension Snapshotting where Value == String, Format == String {
  /// The text itself.
  public static var lines: Self { Self(pathExtension: "txt", diffing: .lines) { $0 } }
}

extension Snapshotting where Value == CALayer, Format == String {
  /// The layer and its descendants as text: one line each with the class, the name, the properties
  /// that were set or are being animated, with the values that are on screen, and the keys of the
  /// animations.
  public static var recursiveDescription: Self {
    Self(pathExtension: "txt", diffing: .lines) { layer, stage in
      try stage.texts(showing: layer) { layer.treeDescription(isPresented: true) + "\n" }
    }
  }

  /// The layer and its descendants as a `.caml` file, by `CAMLWriter`: the model's values, whatever
  /// the animations.
  public static var caml: Self {
    Self(pathExtension: "caml", diffing: .lines) { layer, stage in
      try stage.texts(showing: layer) { try CAMLWriter(layer: layer).fileText() }
    }
  }
}

extension Snapshotting where Value == CAMLDocument, Format == String {
  /// The document's layers as text: see that of a layer.
  public static var recursiveDescription: Self {
    Snapshotting<CALayer, String>.recursiveDescription.pullback(\.rootLayer)
  }

  /// The document as Lamina writes it.
  public static var caml: Self {
    Self(pathExtension: "caml", diffing: .lines) { document, stage in
      try stage.texts(showing: document.rootLayer) { try CAMLWriter(document).fileText() }
    }
  }
}

extension Snapshotting where Value == CGPath, Format == String {
  /// The path's elements, a line each.
  public static var elementsDescription: Self {
    Self(pathExtension: "txt", diffing: .lines) { path in
      var lines: [String] = []
      path.applyWithBlock { element in
        let (name, count) = element.pointee.type.description
        let points = (0..<count).map { index in
          let point = element.pointee.points[index]
          return " (\(number(point.x)), \(number(point.y)))"
        }
        lines.append(name + points.joined() + "\n")
      }
      return lines.joined()
    }
  }
}

extension CGPathElementType {
  /// The name, and how many points belong to it.
  fileprivate var description: (String, Int) {
    switch self {
    case .moveToPoint: ("move", 1)
    case .addLineToPoint: ("line", 1)
    case .addQuadCurveToPoint: ("quadratic curve", 2)
    case .addCurveToPoint: ("curve", 3)
    case .closeSubpath: ("close", 0)
    }
  }
}

/// A coordinate to 1/1000, which is as exact as different processors' sines are alike.
private func number(_ value: CGFloat) -> String { "\((value * 1000).rounded() / 1000)" }
