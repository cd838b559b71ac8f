import Foundation
import Lamina
import LaminaCAML

extension Snapshotting where Value == CALayer, Format == CGImage {
  /// A picture of the layer, without what is behind it.
  public static var image: Self { .image() }

  /// A picture of the layer, without what is behind it.
  ///
  /// `rect` is what the picture shows, in the layer's superspace; by default the layer's frame
  /// before the first snapshot. `scale` is in pixels per point. `precision` is the share of pixels
  /// that must match, from 0 to 1. `perceptualPrecision` is how much a pixel must look as in the
  /// reference in order to match: at 1 it has the same bytes; at 0.98 the difference can barely be
  /// seen; at 0 black matches white. It is 1 - ΔE / 100, with the colour difference ΔE of CIE 1994.
  public static func image(
    in rect: CGRect? = nil, scale: CGFloat = 1, precision: Double = 1,
    perceptualPrecision: Double = 1
  ) -> Self {
    Self(pathExtension: "png", diffing: .image(precision, perceptualPrecision)) { layer, stage in
      try stage.drawings(of: layer, in: rect, scale: scale)
    }
  }

  /// One picture that shows the layer at all of `times`, in rows of `columns` pictures: by default
  /// one row. The assertion itself has no times then. The rest is as for `image`.
  public static func filmstrip(
    times: [CFTimeInterval], columns: Int? = nil, in rect: CGRect? = nil, scale: CGFloat = 1,
    precision: Double = 1, perceptualPrecision: Double = 1
  ) -> Self {
    Self(pathExtension: "png", diffing: .image(precision, perceptualPrecision)) { layer, stage in
      try stage.requireNoTimes()
      return try stage.drawings(of: layer, in: rect, scale: scale, at: times)
        .map { try $0.tiled(columns: columns) }
    }
  }
}

extension Snapshotting where Value == CAMLDocument, Format == CGImage {
  /// A picture of the document in its own size.
  public static var image: Self { .image() }

  /// A picture of the document in its own size. Text is drawn for the scale, if the document does
  /// not say for which. The parameters are those of a layer's picture.
  public static func image(
    scale: CGFloat = 1, precision: Double = 1, perceptualPrecision: Double = 1
  ) -> Self {
    Self(pathExtension: "png", diffing: .image(precision, perceptualPrecision)) { document, stage in
      document.drawTextSharply(scale: scale)
      return try stage.drawings(of: document.rootLayer, in: document.shown, scale: scale)
    }
  }

  /// One picture that shows the document at all of `times`, in rows of `columns` pictures: by
  /// default one row. The assertion itself has no times then. The rest is as for a layer's picture.
  public static func filmstrip(
    times: [CFTimeInterval], columns: Int? = nil, scale: CGFloat = 1, precision: Double = 1,
    perceptualPrecision: Double = 1
  ) -> Self {
    Self(pathExtension: "png", diffing: .image(precision, perceptualPrecision)) { document, stage in
      try stage.requireNoTimes()
      document.drawTextSharply(scale: scale)
      return try stage.drawings(
        of: document.rootLayer, in: document.shown, scale: scale, at: times
      ).map { try $0.tiled(columns: columns) }
    }
  }
}

extension CAMLDocument {
  /// The document in its superspace.
  fileprivate var shown: CGRect {
    let centre = rootLayer.position
    return CGRect(
      x: centre.x - size.width / 2, y: centre.y - size.height / 2, width: size.width,
      height: size.height)
  }
}

extension Snapshotting where Value == CGImage, Format == CGImage {
  /// The image itself.
  public static var image: Self { .image() }

  /// The image itself. The parameters are those of a layer's picture.
  public static func image(precision: Double = 1, perceptualPrecision: Double = 1) -> Self {
    Self(pathExtension: "png", diffing: .image(precision, perceptualPrecision)) { $0 }
  }
}

extension Snapshotting where Value == CGPath, Format == CGImage {
  /// The path, filled with black.
  public static var image: Self { .image() }

  /// The path in black: filled, stroked with a line of one point, or both. The picture shows the
  /// path's box, and half a line more where it is stroked. The rest is as for a layer's picture.
  public static func image(
    scale: CGFloat = 1, drawingMode: CGPathDrawingMode = .fill, precision: Double = 1,
    perceptualPrecision: Double = 1
  ) -> Self {
    let black = CGColor(red: 0, green: 0, blue: 0, alpha: 1)
    let isFilled = drawingMode != .stroke
    let isStroked = ![.fill, .eoFill].contains(drawingMode)
    return Self(pathExtension: "png", diffing: .image(precision, perceptualPrecision)) {
      path, stage in
      try stage.requireNoTimes()
      let layer = CAShapeLayer()
      layer.path = path
      layer.fillColor = isFilled ? black : nil
      layer.fillRule = [.eoFill, .eoFillStroke].contains(drawingMode) ? .evenOdd : .nonZero
      layer.strokeColor = isStroked ? black : nil
      let margin = isStroked ? -0.5 : 0.0
      return try stage.drawings(
        of: layer, in: path.boundingBoxOfPath.insetBy(dx: margin, dy: margin), scale: scale)
    }
  }
}

extension Drawing<CGImage> {
  /// The pictures as one, in rows of `columns`; nil for one row.
  fileprivate func tiled(columns: Int?) throws -> Drawing {
    let columns = columns ?? max(1, snapshots.count)
    guard let first = snapshots.first?.buffer.layout, columns > 0 else {
      throw SnapshotError("a filmstrip has one picture at least, and one column")
    }
    let rows = (snapshots.count + columns - 1) / columns
    let sheet = try PixelBuffer(
      width: first.width * min(columns, snapshots.count), height: first.height * rows,
      format: first.format, use: .store)
    sheet.clear()
    for (index, tile) in snapshots.enumerated() {
      sheet.copyPixels(
        of: tile.buffer, toX: index % columns * first.width, y: index / columns * first.height)
    }
    return Drawing(snapshots: [CGImage(sheet)], platform: platform, renderer: renderer)
  }
}
