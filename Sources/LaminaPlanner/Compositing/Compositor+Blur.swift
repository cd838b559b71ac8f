import Foundation
import LaminaFramePlan
import LaminaValues

extension Compositor {
  /// Adds the shadow of an image. The blur's shift is the shadow's offset.
  mutating func addShadow(
    _ style: ShadowStyle, of image: GroupImage, _ blur: GaussianBlur, in context: Context
  ) {
    let (x, y) = blur.shift
    let wanted = context.visible.offset(x: -x, y: -y)
      .intersection(image.region.outset(by: blur.reach))
    guard !wanted.isEmpty,
      let cast = blurred(image, blur, in: wanted, repeatsEdges: false, of: context)
    else { return }
    add(style.color, inShapeOf: cast.offset(x: x, y: y), in: context)
  }

  /// The blurred image in `region`, not yet shifted; nil if nothing is visible. Outside the image,
  /// its edge pixels are repeated if `repeatsEdges`, otherwise there is nothing.
  mutating func blurred(
    _ image: GroupImage, _ blur: GaussianBlur, in region: PixelRect, repeatsEdges: Bool,
    of context: Context
  ) -> GroupImage? {
    guard !blur.isIdentity else { return image }
    let isOpaque = image.isOpaque && repeatsEdges
    let plain = BlurKernel(repeatsEdges: repeatsEdges)
    // llvmpipe enlarges an image in a quarter of the time if it may round down.
    let endsDown = format.isEightBit && blur.doublings > 0
    let quadruples = endsDown && blur.mayQuadruple
    let lastProgram: FramePlan.Program = quadruples ? .quadrupledDown : .doubledDown
    /// What a step adds, by the number of steps after it. What is rounded down last loses three
    /// quarters of a 255th on average, and a little more if it is quadrupled; about that much is
    /// added in the two steps before.
    func lift(before steps: Int) -> Int {
      guard endsDown else { return 0 }
      return steps == 1 ? 7 : steps == 2 ? 4 : 0
    }
    // The region needed at each resolution.
    var wanted = [region]
    if quadruples { wanted.append(region.quartered) }
    while wanted.count <= blur.doublings - (quadruples ? 1 : 0) {
      wanted.append(wanted[wanted.count - 1].halved)
    }
    // Devices read a column further.
    if endsDown { wanted[1].maxX += 1 }
    var image = image
    for step in 0..<blur.quarterings + blur.halvings {
      let isQuartered = step < blur.quarterings
      let part = isQuartered ? image.region.quartered : image.region.halved
      guard
        let reduced = resampled(
          image, isQuartered ? .quartered : .halved, plain, .nearest, in: part, of: context)
      else { return nil }
      image = reduced
    }
    let last = wanted.removeLast()
    let kernels = blur.kernels(quadruples: quadruples)
    let rows = last.grown(by: kernels[1]).intersection(image.region.grown(by: kernels[0]))
    for (index, part) in [rows, last].enumerated() {
      let kernel = kernels[index]
      let taps = BlurKernel(
        sigma: kernel.sigma, center: kernel.center, taps: kernel.taps, step: kernel.step,
        repeatsEdges: repeatsEdges, lift: lift(before: wanted.count + 1 - index))
      guard
        let line = resampled(
          image, .gaussian, taps, kernel.isOnPixels ? .nearest : .linear, in: part, of: context)
      else { return nil }
      image = line
    }
    for (index, part) in wanted.enumerated().reversed() {
      let isLast = endsDown && index == 0
      let kernel = BlurKernel(repeatsEdges: repeatsEdges, lift: lift(before: index))
      guard
        let double = resampled(
          image, isLast ? lastProgram : .doubled, kernel, isLast ? .linear : .nearest, in: part,
          of: context)
      else { return nil }
      image = double
    }
    image.isOpaque = isOpaque
    return image
  }

  /// The image that a group shows, if it shows nothing else, and that whole and pixel on pixel, so
  /// that the image can be read in the group's place.
  func shown(by group: GroupImage) -> GroupImage? {
    guard case .group(let number) = group.content, format.isEightBit,
      graph.groups[number].steps.count == 1,
      case .items(let items, let scissor) = graph.groups[number].steps[0], items.count == 1
    else { return nil }
    let item = graph.drawn.list.items[items.lowerBound]
    guard item.program == .plainImage, item.blend == .copy || item.blend == .sourceOver
    else { return nil }
    let source = graph.drawn.sources[Int(item.sources[0])]
    guard source.filter == .nearest, case .image(let place, tile: 0) = source.content else {
      return nil
    }
    let image = graph.images.drawn[place].image
    let layout = image.layout
    // One that has a texture of its own, as the groups' targets are.
    guard layout.format == .bgra8, SizeClass(of: layout.size, layout.format) == nil,
      image.place.dmaBuf == nil,
      ImageTiles(of: layout.size, limit: format.maxTextureSize).count == 1,
      let region = graph.drawn.list.place(of: layout.size, shownBy: item),
      scissor.contains(region)
    else { return nil }
    return GroupImage(content: source.content, region: region, isOpaque: item.blend == .copy)
  }
}

extension ItemList {
  /// Where an item shows an image of that size, if it does so whole and pixel on pixel.
  fileprivate func place(of size: PixelSize, shownBy item: Item) -> PixelRect? {
    guard item.shape == .fan, item.cornerCount == 4, let offset = pixelOffset(of: item, in: size),
      max(abs(offset.x), abs(offset.y)) < Double(PixelRect.everywhere.maxX)
    else { return nil }
    let place = PixelRect(size).offset(x: -Int(offset.x), y: -Int(offset.y))
    let first = Int(item.firstCorner)
    let shown = corners[first..<first + 4].map { SIMD2($0.x, $0.y) }
    let isWhole = [
      (place.minX, place.minY), (place.maxX, place.minY), (place.maxX, place.maxY),
      (place.minX, place.maxY),
    ].allSatisfy { shown.contains(SIMD2(Double($0), Double($1))) }
    return isWhole ? place : nil
  }
}

extension PixelRect {
  func outset(by pixels: Int) -> PixelRect {
    PixelRect(minX: minX - pixels, minY: minY - pixels, maxX: maxX + pixels, maxY: maxY + pixels)
  }

  /// The pixels of half the resolution that cover the rectangle, and their neighbours, which mix
  /// with them.
  fileprivate var halved: PixelRect {
    PixelRect(
      minX: minX >> 1, minY: minY >> 1, maxX: (maxX + 1) >> 1, maxY: (maxY + 1) >> 1
    ).outset(by: 1)
  }

  /// The same of a quarter of the resolution.
  fileprivate var quartered: PixelRect { halved.halved }

  /// The rectangle grown by a kernel's reach: the area that its blur covers, and also the area that
  /// has to be read to blur it.
  fileprivate func grown(by kernel: GaussianBlur.Kernel) -> PixelRect {
    let reach = Double(kernel.taps) * kernel.step
    let (x, y) = (Int(abs(reach.x).rounded(.up)), Int(abs(reach.y).rounded(.up)))
    return PixelRect(minX: minX - x, minY: minY - y, maxX: maxX + x, maxY: maxY + y)
  }
}
