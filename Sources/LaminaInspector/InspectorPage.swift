import Foundation
import Lamina

/// The inspector's page: frames with their trees, in one file that needs nothing else.
package struct InspectorPage {
  /// Pixels of all the frames' pictures together, and the longest side of one.
  private static let pixelBudget = 8_000_000.0
  private static let longestSide = 2048.0
  /// So many pixels of frames are kept as they are.
  private static let losslessPixels = 1_500_000.0
  /// The longest side of a layer's own picture, and how many of them a page has at most.
  private static let layerSide = 240
  private static let layerPictures = 1500

  let title: String
  private let frameCount: Int
  private var history = LayerHistory()
  private var frames: [PageFrame] = []
  private var pictures = PictureTable()

  /// `frameCount` says how many frames there will be: the more, the smaller their pictures.
  package init(title: String, frameCount: Int) {
    (self.title, self.frameCount) = (title, max(1, frameCount))
  }

  /// Adds what `renderer` shows at `time`, which is later than that of the frame before.
  package mutating func addFrame(of renderer: CARenderer, at time: CFTimeInterval) throws {
    let snapshot = try renderer.snapshotTree(at: time)
    let image = try renderer.image(at: time)
    let pixels = Double(image.width * image.height * frameCount)
    let shown = try pictures.add(
      try scaled(image), quality: frameCount == 1 || pixels < Self.losslessPixels ? 1 : 0.75)
    let own = try layerPictures(snapshot, renderer, time)
    let changes = history.add(snapshot, pictures: own)
    frames.append(
      PageFrame(
        time: snapshot.time, image: shown, cost: snapshot.cost, order: changes.order,
        changes: changes.records, size: snapshot.size, scale: snapshot.scale))
  }

  /// The page. A `script`, if one is given, runs before the page's own, and may ask the host that
  /// served the page.
  package func html(script: String? = nil) throws -> String {
    let page = SelfContainedPage(
      title: "Layers", body: PackageResources.body_html, style: PackageResources.page_css,
      script: PackageResources.page_js)
    let contents = Contents(
      title: title, layers: history.layers, frames: frames, pictures: pictures.addresses)
    return try page.html(data: contents, hostScript: script)
  }

  /// All that the page's script knows.
  private struct Contents: Encodable {
    let title: String
    let layers: [LayerHistory.Layer]
    let frames: [PageFrame]
    let pictures: [String]
  }

  /// The frame's picture, not larger than its share of the page.
  private func scaled(_ image: CGImage) throws -> CGImage {
    let (width, height) = (Double(image.width), Double(image.height))
    let share = (Self.pixelBudget / Double(frameCount) / (width * height)).squareRoot()
    let factor = min(1, share, Self.longestSide / max(width, height))
    guard factor < 1 else { return image }
    let size = CGSize(
      width: max(1, (width * factor).rounded()), height: max(1, (height * factor).rounded()))
    let context = CGContext(
      data: nil, width: Int(size.width), height: Int(size.height), bitsPerComponent: 8,
      bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    context?.interpolationQuality = .high
    context?.draw(image, in: CGRect(origin: .zero, size: size))
    return context?.makeImage() ?? image
  }

  /// The pictures of the layers themselves, by their places in the snapshot.
  private mutating func layerPictures(
    _ snapshot: LayerTreeSnapshot, _ renderer: CARenderer, _ time: CFTimeInterval
  ) throws -> [Int?] {
    var layers: [CALayer?] = []
    var own: [Int?] = []
    for layer in snapshot.layers {
      let parent = layer.parent.flatMap { layers.indices.contains($0) ? layers[$0] : nil }
      let found = layer.parent == nil ? renderer.layer : parent?.child(at: layer.path)
      layers.append(found)
      own.append(try picture(of: layer, found, renderer, time))
    }
    return own
  }

  private mutating func picture(
    of layer: LayerTreeSnapshot.Layer, _ found: CALayer?, _ renderer: CARenderer,
    _ time: CFTimeInterval
  ) throws -> Int? {
    guard let found, !layer.bounds.isEmpty, layer.hidden?.reason != .empty else { return nil }
    let look = LayerLook(layer, found, time: time)
    if let known = pictures.looks[look] { return known }
    guard pictures.looks.count < Self.layerPictures else { return nil }
    let image = try renderer.picture(of: found, at: time, longestSide: Self.layerSide)
    let place = try image.map { try pictures.add($0, quality: 0.8) }
    pictures.looks[look] = .some(place)
    return place
  }
}

/// A frame on the page: how the tree differs from the one of the frame before.
struct PageFrame: Encodable {
  let time: Double
  /// The place of its picture.
  let image: Int
  let cost: LayerTreeSnapshot.FrameCost
  /// The layers that are there, in the order of the tree; nil if they are those of the frame
  /// before.
  let order: [Int]?
  let changes: [LayerHistory.Record]
  let size: CGSize
  let scale: Double
}

/// What a layer's own picture depends on: as long as it is the same, so is the picture.
struct LayerLook: Hashable {
  private let layer: UInt64
  private let bounds: CGRect
  private let values: [String: LayerTreeSnapshot.Value]
  /// The contents and the path, of which the values only tell the size.
  private let contents: CGImage?
  private let path: CGPath?
  /// The moment, if the picture may change by itself.
  private let time: Double?

  /// Where a layer is, and how it is mixed with others.
  private static let places: Set<String> = [
    "anchorPoint", "anchorPointZ", "autoreverses", "backgroundFilters", "beginTime", "bounds",
    "compositingFilter", "doubleSided", "duration", "fillMode", "filters", "hidden",
    "masksToBounds", "opacity", "position", "repeatCount", "repeatDuration", "shadowColor",
    "shadowOffset", "shadowOpacity", "shadowPath", "shadowRadius", "shouldRasterize", "speed",
    "sublayerTransform", "timeOffset", "transform", "zPosition",
  ]

  init(_ layer: LayerTreeSnapshot.Layer, _ found: CALayer, time: Double) {
    self.layer = layer.layer
    bounds = layer.bounds
    var values: [String: LayerTreeSnapshot.Value] = [:]
    for property in layer.properties where !Self.places.contains(property.name) {
      values[property.name] = property.shown
    }
    self.values = values
    contents = found.contents as? CGImage
    path = (found as? CAShapeLayer)?.path
    let isMoving =
      found is CAEmitterLayer || layer.className == "CAVideoLayer"
      || layer.animations.contains { animation in
        // Groups may animate anything.
        guard let name = animation.keyPath?.split(separator: ".").first else { return true }
        return !Self.places.contains(String(name))
      }
    self.time = isMoving ? time : nil
  }
}

/// Pictures as addresses of images, each once.
struct PictureTable {
  private(set) var addresses: [String] = []
  private var places: [Data: Int] = [:]
  /// The pictures of looks; nil for a look without one.
  var looks: [LayerLook: Int?] = [:]

  /// The place of a picture in the table. A quality of 1 keeps all of it.
  mutating func add(_ image: CGImage, quality: Double) throws -> Int {
    let data = try image.webP(quality: quality)
    if let place = places[data] { return place }
    places[data] = addresses.count
    addresses.append("data:image/webp;base64," + data.base64EncodedString())
    return addresses.count - 1
  }
}

extension CGImage {
  fileprivate func webP(quality: Double) throws -> Data {
    let data = NSMutableData()
    let options: [String: Any] = [kCGImageDestinationLossyCompressionQuality: quality]
    let destination = CGImageDestinationCreateWithData(data, "org.webmproject.webp", 1, nil)
    if let destination {
      CGImageDestinationAddImage(destination, self, options)
      if CGImageDestinationFinalize(destination) { return data as Data }
    }
    // WebP has at most 16383 pixels a side.
    return try pngData()
  }
}

extension CALayer {
  /// The mask or the sublayer that the last part of a path names.
  fileprivate func child(at path: String) -> CALayer? {
    guard let last = path.split(separator: "/").last else { return nil }
    let name = last.prefix { $0 != "#" }
    if name == "mask" { return mask }
    guard let index = Int(name), let sublayers, sublayers.indices.contains(index) else {
      return nil
    }
    return sublayers[index]
  }
}
