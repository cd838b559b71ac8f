import Lamina

/// A benchmark scene: a layer tree and its changes from frame to frame.
struct BenchScene {
  let root: CALayer
  /// Makes the changes of a frame.
  let change: (_ frame: Int) -> Void

  /// How a scene is drawn. Most scenes have one variant.
  enum Variant: String, CaseIterable {
    /// With the default properties of layers.
    case standard
    /// With antialiased edges: allowsEdgeAntialiasing is true.
    case smooth
    /// With hard edges, decided at pixel centres: allowsEdgeAntialiasing is false.
    case hard
    /// With one layer, of a scene that stacks them.
    case one = "1"
    /// With twenty layers.
    case twenty = "20"
  }

  /// The dark background of all scenes.
  static func background(_ size: PixelSize) -> CALayer {
    let root = layer(width: CGFloat(size.width), height: CGFloat(size.height))
    root.backgroundColor = CGColor(red: 0.1, green: 0.1, blue: 0.12, alpha: 1)
    return root
  }

  /// A layer whose position is its top left corner.
  static func layer(width: CGFloat, height: CGFloat) -> CALayer {
    let layer = CALayer()
    layer.anchorPoint = .zero
    layer.bounds = CGRect(x: 0, y: 0, width: width, height: height)
    return layer
  }

  /// A scene with one moving layer per item. `style` sets up each layer's appearance.
  private static func moving(
    _ items: [BenchSprite], in size: PixelSize, _ style: (CALayer, BenchSprite, Int) -> Void
  ) -> BenchScene {
    let root = background(size)
    let layers = items.enumerated().map { index, item in
      let layer = layer(width: CGFloat(item.width), height: CGFloat(item.height))
      style(layer, item, index)
      return layer
    }
    root.sublayers = layers
    return BenchScene(root: root) { frame in
      for (layer, item) in zip(layers, items) {
        layer.position = item.position(at: frame, in: size)
      }
    }
  }

  /// Translucent squares, all moving.
  static func quads(_ count: Int, _ size: PixelSize, _ variant: Variant) -> BenchScene {
    let items = BenchSprite.make(count, width: 32, height: 32, in: size, seed: 1)
    return moving(items, in: size) { layer, item, _ in
      layer.backgroundColor = item.color(alpha: 0.5)
      layer.allowsEdgeAntialiasing = variant != .hard
    }
  }

  /// Empty layers, so that little is drawn, each with an endless animation: a third each of
  /// positions, opacities and rotations.
  static func animated(_ count: Int, _ size: PixelSize) -> BenchScene {
    let root = background(size)
    let items = BenchSprite.make(count, width: 32, height: 32, in: size, seed: 1)
    root.sublayers = items.enumerated().map { index, item in
      let layer = layer(width: 32, height: 32)
      layer.position = item.position(at: 0, in: size)
      let animation: CABasicAnimation
      switch index % 3 {
      case 0:
        animation = CABasicAnimation(keyPath: "position")
        animation.toValue = item.position(at: 60, in: size)
      case 1:
        animation = CABasicAnimation(keyPath: "opacity")
        animation.toValue = 0.25
      default:
        animation = CABasicAnimation(keyPath: "transform.rotation.z")
        animation.toValue = CGFloat.pi
      }
      animation.duration = 1 + Double(index % 7) / 8
      animation.repeatCount = .infinity
      animation.autoreverses = true
      layer.add(animation, forKey: "bench")
      return layer
    }
    return BenchScene(root: root) { _ in }
  }

  /// Empty layers that move by implicit animations, which are over by the next frame.
  static func implicitlyAnimated(_ count: Int, _ size: PixelSize) -> BenchScene {
    let root = background(size)
    let items = BenchSprite.make(count, width: 32, height: 32, in: size, seed: 1)
    let layers = items.map { _ in layer(width: 32, height: 32) }
    root.sublayers = layers
    return BenchScene(root: root) { frame in
      CATransaction.setDisableActions(false)
      CATransaction.setAnimationDuration(1.0 / 120)
      for (layer, item) in zip(layers, items) {
        layer.position = item.position(at: frame, in: size)
      }
    }
  }

  /// An emitter that is full from the first frame on.
  static func particles(_ count: Int, _ size: PixelSize) throws -> BenchScene {
    let root = background(size)
    let cell = CAEmitterCell()
    cell.contents = try BenchImages.sprite(1, side: 16)
    cell.lifetime = 4
    cell.beginTime = -4
    cell.birthRate = Float(count) / 4
    (cell.velocity, cell.velocityRange) = (60, 100)
    cell.emissionRange = 2 * .pi
    (cell.scale, cell.scaleRange, cell.spin) = (0.5, 0.4, 1)
    (cell.redRange, cell.greenRange, cell.alphaSpeed) = (1, 1, -0.25)
    let emitter = CAEmitterLayer()
    emitter.frame = root.bounds
    emitter.emitterPosition = CGPoint(x: size.width / 2, y: size.height / 2)
    emitter.emitterShape = .rectangle
    emitter.emitterSize = CGSize(width: size.width, height: size.height)
    emitter.emitterCells = [cell]
    root.addSublayer(emitter)
    return BenchScene(root: root) { _ in }
  }

  /// Sprites with 200 different images, all moving.
  static func sprites(_ count: Int, _ size: PixelSize, _ variant: Variant) throws -> BenchScene {
    let images = try (0..<200).map { try BenchImages.sprite($0, side: 64) }
    let items = BenchSprite.make(count, width: 64, height: 64, in: size, seed: 2)
    return moving(items, in: size) { layer, _, index in
      layer.contents = images[index % images.count]
      layer.allowsEdgeAntialiasing = variant != .hard
    }
  }

  /// Translucent rounded cards with a border and a shadow, all moving.
  static func cards(_ size: PixelSize) -> BenchScene {
    let items = BenchSprite.make(100, width: 200, height: 120, in: size, seed: 3)
    return moving(items, in: size) { layer, item, _ in
      layer.backgroundColor = item.color()
      layer.cornerRadius = 12
      layer.borderWidth = 2
      layer.borderColor = CGColor(red: 0.9, green: 0.9, blue: 0.9, alpha: 1)
      layer.shadowOpacity = 0.35
      layer.shadowOffset = CGSize(width: 0, height: 4)
      layer.shadowRadius = 6
      layer.opacity = 0.9
    }
  }

  /// Eight translucent images as large as the frame, whose opacities change.
  static func stack(_ size: PixelSize) throws -> BenchScene {
    let root = background(size)
    let layers = try (0..<8).map { number in
      let layer = layer(width: CGFloat(size.width), height: CGFloat(size.height))
      layer.contents = try BenchImages.screen(number, size: size)
      return layer
    }
    root.sublayers = layers
    return BenchScene(root: root) { frame in
      for (number, layer) in layers.enumerated() {
        layer.opacity = Float(200 + (frame + number * 7) % 55) / 255
      }
    }
  }

  /// Images that turn in perspective. Each has a plane of its own, so that later ones lie in front.
  static func turning(_ size: PixelSize) throws -> BenchScene {
    let images = try (0..<64).map { try BenchImages.sprite($0, side: 128) }
    let items = BenchSprite.make(300, width: 160, height: 160, in: size, seed: 5)
    let root = background(size)
    let layers = items.enumerated().map { index, item in
      let plane = layer(width: 160, height: 160)
      plane.position = item.position(at: 0, in: size)
      plane.sublayerTransform.m34 = -1 / 600
      // The viewpoint is in front of the image's centre.
      plane.anchorPoint = CGPoint(x: 0.5, y: 0.5)
      plane.position.x += 80
      plane.position.y += 80
      let image = layer(width: 160, height: 160)
      image.anchorPoint = CGPoint(x: 0.5, y: 0.5)
      image.position = CGPoint(x: 80, y: 80)
      image.contents = images[index % images.count]
      plane.addSublayer(image)
      root.addSublayer(plane)
      return image
    }
    return BenchScene(root: root) { frame in
      for (index, layer) in layers.enumerated() {
        let aroundY = 0.03 * Float(frame) + Float(index) * 0.37
        let aroundX = 0.02 * Float(frame) + Float(index) * 0.21
        layer.transform = CATransform3DConcat(
          CATransform3DMakeRotation(CGFloat(aroundY), 0, 1, 0),
          CATransform3DMakeRotation(CGFloat(aroundX), 1, 0, 0))
      }
    }
  }

  /// Squares that do not move, and one sprite that moves over them.
  static func mover(_ size: PixelSize, _ variant: Variant) throws -> BenchScene {
    let squares = BenchSprite.make(2000, width: 32, height: 32, in: size, seed: 1)
    var item = BenchSprite.make(1, width: 64, height: 64, in: size, seed: 77)[0]
    (item.velocityX, item.velocityY) = (2.3, 1.7)
    let scene = moving(squares, in: size) { layer, item, _ in
      layer.backgroundColor = item.color(alpha: 0.5)
      layer.allowsEdgeAntialiasing = variant != .hard
    }
    scene.change(0)
    let sprite = layer(width: 64, height: 64)
    sprite.contents = try BenchImages.sprite(3, side: 64)
    sprite.allowsEdgeAntialiasing = variant != .hard
    scene.root.addSublayer(sprite)
    return BenchScene(root: scene.root) { frame in
      sprite.position = item.position(at: frame, in: size)
    }
  }

  /// Half-opaque groups of ten rounded rectangles each, clipped to a rounded outline.
  static func groups(_ size: PixelSize) -> BenchScene {
    let items = BenchSprite.make(50, width: 240, height: 160, in: size, seed: 7)
    var random = BenchRandom(seed: 8)
    return moving(items, in: size) { group, _, _ in
      group.cornerRadius = 20
      group.masksToBounds = true
      group.opacity = 0.5
      for _ in 0..<10 {
        let child = layer(width: 120, height: 90)
        let (x, y) = (random.next() * 120, random.next() * 70)
        child.position = CGPoint(x: CGFloat(x), y: CGFloat(y))
        let (red, green, blue) = (random.next(), random.next(), random.next())
        child.backgroundColor = CGColor(
          red: CGFloat(red), green: CGFloat(green), blue: CGFloat(blue), alpha: 1)
        child.cornerRadius = 10
        group.addSublayer(child)
      }
    }
  }
}

extension BenchScene {
  /// One of two images as large as the frame, in turn, under a Gaussian blur. Both are there
  /// already, and no frame is like the one before, so that each has to be blurred.
  static func blur(_ size: PixelSize) throws -> BenchScene {
    let root = background(size)
    let images = try (0..<2).map { try BenchImages.photo($0, size: size) }
    let picture = layer(width: CGFloat(size.width), height: CGFloat(size.height))
    let blur = CAFilter(type: "gaussianBlur")
    blur.setValue(10, forKey: "inputRadius")
    blur.setValue(true, forKey: "inputNormalizeEdges")
    picture.filters = [blur]
    root.addSublayer(picture)
    // An image that no layer has leaves the render process, and would be uploaded again.
    for image in images {
      let keeper = layer(width: 1, height: 1)
      keeper.contents = image
      keeper.isHidden = true
      root.addSublayer(keeper)
    }
    return BenchScene(root: root) { frame in picture.contents = images[frame % 2] }
  }

  /// Moving squares in a hidden tree.
  static func hiddenQuads(_ count: Int, _ size: PixelSize) -> BenchScene {
    let scene = quads(count, size, .standard)
    scene.root.isHidden = true
    return scene
  }

  /// Opaque layers as large as the frame over each other, all there is. The topmost, whose colour
  /// changes, hides the others; its colours do not depend on their number.
  static func overdraw(_ count: Int, _ size: PixelSize) -> BenchScene {
    let (width, height) = (CGFloat(size.width), CGFloat(size.height))
    // The root has no background, which would be one layer more.
    let root = layer(width: width, height: height)
    let layers = (0..<count).map { number in
      let layer = layer(width: width, height: height)
      layer.backgroundColor = CGColor(gray: CGFloat(number) / CGFloat(count), alpha: 1)
      return layer
    }
    root.sublayers = layers
    return BenchScene(root: root) { frame in
      layers.last?.backgroundColor = CGColor(
        red: 1, green: CGFloat(frame % 16) / 16, blue: 0, alpha: 1)
    }
  }

  /// A group of rounded cards all over the frame, whose opacity changes.
  static func fade(_ size: PixelSize) -> BenchScene {
    let root = background(size)
    let group = layer(width: CGFloat(size.width), height: CGFloat(size.height))
    let items = BenchSprite.make(500, width: 200, height: 120, in: size, seed: 9)
    group.sublayers = items.map { item in
      let card = layer(width: 200, height: 120)
      card.position = item.position(at: 0, in: size)
      card.backgroundColor = item.color()
      card.cornerRadius = 12
      return card
    }
    root.addSublayer(group)
    return BenchScene(root: root) { frame in group.opacity = Float(20 + frame % 60) / 100 }
  }

  /// A replicator of small squares in a spiral, which turns by another angle in each frame.
  static func replicator(_ count: Int, _ size: PixelSize, _ variant: Variant) -> BenchScene {
    let root = background(size)
    let replicator = CAReplicatorLayer()
    replicator.frame = root.bounds
    (replicator.instanceCount, replicator.instanceRedOffset) = (count, -1 / Float(count))
    let square = layer(width: 3, height: 3)
    square.position = CGPoint(x: 4, y: CGFloat(size.height) / 2)
    square.backgroundColor = CGColor(gray: 1, alpha: 0.5)
    square.allowsEdgeAntialiasing = variant == .smooth
    replicator.addSublayer(square)
    root.addSublayer(replicator)
    return BenchScene(root: root) { frame in
      replicator.instanceTransform = CATransform3DConcat(
        CATransform3DMakeScale(0.9998, 0.9998, 1),
        CATransform3DMakeRotation(2.4 + CGFloat(frame % 60) * 1e-5, 0, 0, 1))
    }
  }

  /// An image as large as the frame, a different one in each frame.
  static func newImages(_ size: PixelSize) throws -> BenchScene {
    let root = background(size)
    let images = try (0..<2).map { try BenchImages.screen($0, size: size) }
    return BenchScene(root: root) { frame in root.contents = images[frame % 2] }
  }

  /// Only the background, whose colour changes.
  static func plain(_ size: PixelSize) -> BenchScene {
    let root = background(size)
    return BenchScene(root: root) { frame in
      root.backgroundColor = CGColor(gray: CGFloat(frame % 2) / 2, alpha: 1)
    }
  }
}
