import Foundation
import LaminaValues

/// A random frame, another one in which a few items differ, and the damage between the two: drawing
/// the damaged parts over the first frame must give the second, to the byte. The same seed gives
/// the same frames.
package struct PartsTest {
  /// What is uploaded before any frame. No frame releases it.
  package static let uploads = [
    upload(image, side: imageSide, .bgra8),
    upload(coverage, side: coverageSide, .a8, isShared: true),
    upload(mipmapped, side: 16, .bgra8, isShared: true),
    upload(layered, side: imageSide, .bgra8, seed: image.rawValue, isShared: true),
  ]

  /// What items are drawn with.
  package struct Forms: Sendable {
    fileprivate var programs: [FramePlan.Program]
    fileprivate var blends: [FramePlan.Blend]
    /// Of how many items, on average, one is solid whatever the programs; 0 for none.
    fileprivate var solids = 3

    package static let all = Forms(
      programs: FramePlan.Program.allCases,
      blends: [
        .sourceOver, .copy, .plus, .screen, .multiply, .fill, .sourceAtop, .destinationOver,
        .destinationOut, .xor,
      ])
    /// Images and coverage.
    package static let images = Forms(
      programs: FramePlan.Program.allCases.filter(\.samplesImages), blends: [.sourceOver],
      solids: 0)
    /// What is drawn most. A driver builds the others for seconds.
    package static let basic = Forms(
      programs: [.solid, .image, .plainImage, .coverage, .group], blends: [.sourceOver])
  }

  package let size: PixelSize
  package let damage: [PixelRect]
  private let before: [Drawn]
  private let after: [Drawn]
  /// What the frame's group has painted, which items of both frames sample.
  private let group: [Drawn]
  /// The number of items after which the surface is copied for items that read what lies behind.
  private let copyPlace: Int

  fileprivate static let imageSide = 48
  fileprivate static let coverageSide = 16
  fileprivate static let image = TextureID(rawValue: 1)
  private static let coverage = TextureID(rawValue: 2)
  private static let mipmapped = TextureID(rawValue: 3)
  /// The pixels of `image`, as a layer of an array texture if the device has these.
  fileprivate static let layered = TextureID(rawValue: 4)

  /// An item with what it points to.
  fileprivate struct Drawn {
    var program: FramePlan.Program
    var blend: FramePlan.Blend
    var rect: CGRect
    var transform: CATransform3D
    /// Whether its edges are not antialiased.
    var isHard = false
    var color: ItemColor
    var radius: Double
    var numbers: SIMD2<Float>
    var filter: FramePlan.TextureSource.Filter
    /// Which of the possible sources it samples.
    var choice: Int
  }

  /// A frame whose sides have a length in `sides`, of a random number of items or of at most
  /// `mostItems`.
  package init(
    seed: UInt64, forms: Forms = .all, sides: Range<Int> = 70..<300, mostItems: Int? = nil
  ) {
    var random = SplitMix(state: seed)
    size = PixelSize(
      width: sides.lowerBound + random.below(sides.count),
      height: sides.lowerBound + random.below(sides.count))
    let most = mostItems.map { $0 - 2 } ?? (random.below(4) == 0 ? 300 : 40)
    let (count, width, height) = (3 + random.below(most), size.width, size.height)
    before = (0..<count).map { _ in Drawn(&random, forms, width, height) }
    group = (0..<1 + random.below(12)).map { _ in Drawn(&random, forms, width, height) }
    copyPlace = random.below(count)
    var after = before
    var boxes: [PixelRect] = []
    for _ in 0..<1 + random.below(3) {
      let place = random.below(after.count)
      boxes.append(after[place].box)
      switch random.below(5) {
      case 0: after[place].color = Drawn.color(&random)
      case 1:
        after[place].transform.m41 += Double(random.below(40)) - 20
      case 2:
        after[place].transform.m42 += random.unit * 30
      case 3:
        // It draws nothing any more.
        after[place].rect = .zero
        continue
      default: after[place] = Drawn(&random, forms, width, height)
      }
      boxes.append(after[place].box)
    }
    self.after = after
    damage = Self.disjoint(
      boxes.map { $0.intersection(PixelRect(minX: 0, minY: 0, maxX: width, maxY: height)) })
  }

  /// The rectangles, those that meet replaced by what encloses them.
  private static func disjoint(_ boxes: [PixelRect]) -> [PixelRect] {
    var parts: [PixelRect] = []
    for box in boxes where !box.isEmpty {
      var box = box
      while let other = parts.firstIndex(where: { $0.meets(box) }) {
        box = box.union(parts.remove(at: other))
      }
      parts.append(box)
    }
    return parts
  }

  package var firstFrame: FramePlan { plan(before, parts: [PixelRect(size)]) }
  package var secondFrame: FramePlan { plan(after, parts: [PixelRect(size)]) }
  /// The second frame, for a surface that shows the first.
  package var update: FramePlan { plan(after, parts: damage) }

  private func plan(_ items: [Drawn], parts: [PixelRect]) -> FramePlan {
    var plan = FramePlan(size: size, damage: parts)
    plan.offscreens = [size, size]
    plan.passes = [
      .init(target: .offscreen(0), parts: parts), .init(target: .surface, parts: parts),
    ]
    for item in group { item.add(to: &plan, pass: 0, sources: [.texture(Self.image)], parts) }
    let place = min(copyPlace, items.count)
    let own: [FramePlan.TextureSource.Texture] = [.texture(Self.image), .offscreen(0)]
    for item in items[..<place] { item.add(to: &plan, pass: 1, sources: own, parts) }
    plan.passes.append(.init(target: .offscreen(1), parts: parts))
    copySurface(in: &plan)
    plan.passes.append(.init(target: .surface, parts: parts, isCleared: false))
    for item in items[place...] {
      item.add(to: &plan, pass: 3, sources: own + [.offscreen(1)], parts)
    }
    return plan
  }

  private func copySurface(in plan: inout FramePlan) {
    let whole = PixelRect(size)
    plan.items.add(Item(.group, blend: .copy), whole, within: whole)
    plan.passes[2].batches.append(
      FramePlan.Batch(
        program: .group, blend: .copy,
        sources: [FramePlan.TextureSource(texture: .surface, filter: .nearest)], scissor: whole,
        items: plan.items.items.indices.suffix(1), vertexCount: 6, isAffine: true))
  }

  private static func upload(
    _ id: TextureID, side: Int, _ format: PixelFormat, seed: UInt32? = nil, isShared: Bool = false
  ) -> FramePlan.Upload {
    var random = SplitMix(state: UInt64(seed ?? id.rawValue))
    let size = PixelSize(width: side, height: side)
    var bytes: [UInt8] = []
    for _ in 0..<side * side {
      let alpha = random.below(256)
      let channels = format == .a8 ? 0 : 3
      bytes += (0..<channels).map { _ in UInt8(random.below(alpha + 1)) } + [UInt8(alpha)]
    }
    return FramePlan.Upload(
      texture: id, size: size, format: format, region: PixelRect(size), source: .bytes(bytes),
      sharesTexture: isShared)
  }

  /// The mipmaps of the uploaded images.
  package static let mipmaps = [FramePlan.Mipmaps(texture: mipmapped, count: 4)]
}

extension FrameExecutor {
  /// The seeds for which a damaged part of the test's frame, drawn again, differs from the whole
  /// frame's. No surface of a plan may be in use.
  package func framesWithDifferingParts(
    of seeds: Range<UInt64>, forms: PartsTest.Forms = .all, sides: Range<Int> = 70..<300,
    on format: PixelFormat
  ) throws(ExecutorError) -> [UInt64] {
    try uploadPartsTest()
    defer { releasePartsTest() }
    var differing: [UInt64] = []
    for seed in seeds {
      let test = PartsTest(seed: seed, forms: forms, sides: sides)
      let whole = try pixels(of: [test.secondFrame], on: format)
      if try pixels(of: [test.firstFrame, test.update], on: format) != whole {
        differing.append(seed)
      }
    }
    return differing
  }

  /// Uploads what the test's frames sample.
  package func uploadPartsTest() throws(ExecutorError) {
    var plan = FramePlan(size: PixelSize(width: 1, height: 1))
    (plan.uploads, plan.mipmaps) = (PartsTest.uploads, PartsTest.mipmaps)
    _ = try pixels(of: [plan], on: .bgra8)
  }

  package func releasePartsTest() {
    var plan = FramePlan(size: PixelSize(width: 1, height: 1))
    plan.releases = PartsTest.uploads.map(\.texture)
    _ = try? pixels(of: [plan], on: .bgra8)
  }

  /// The bytes of a new surface on which frames were drawn, one over the other.
  package func pixels(
    of frames: [FramePlan], on format: PixelFormat
  ) throws(ExecutorError) -> [UInt8] {
    let size = frames[0].size
    let surface = try makeSurface(size: size, format: format)
    defer { releaseSurface(surface) }
    for frame in frames { _ = try execute(frame, on: surface) { _ in nil } }
    let stride = size.width * format.bytesPerPixel
    var bytes = [UInt8](repeating: 0, count: size.height * stride)
    let result = bytes.withUnsafeMutableBytes { memory -> Result<Void, ExecutorError> in
      Result { () throws(ExecutorError) in
        try readBack(surface, region: nil, into: memory, stride: stride)
      }
    }
    try result.get()
    return bytes
  }
}

extension PartsTest.Drawn {
  init(_ random: inout SplitMix, _ forms: PartsTest.Forms, _ width: Int, _ height: Int) {
    let (programs, blends) = (forms.programs, forms.blends)
    let isSolid = forms.solids > 0 && random.below(forms.solids) == 0
    program = isSolid ? .solid : programs[random.below(programs.count)]
    blend = random.below(2) == 0 ? .sourceOver : blends[random.below(blends.count)]
    if program == .blended {
      blend = .formula(BlendMode.allCases[random.below(BlendMode.allCases.count)])
    }
    let isLarge = random.below(8) == 0
    let (w, h) = isLarge ? (width * 2, height * 2) : (width / 2, height / 2)
    func length(_ most: Int) -> Double {
      let length = Double(1 + random.below(most))
      return random.below(2) == 0 ? length : length * random.unit + 0.1
    }
    rect = CGRect(x: 0, y: 0, width: length(w), height: length(h))
    let x = random.unit * Double(width + w) - Double(w)
    let y = random.unit * Double(height + h) - Double(h)
    let isWhole = random.below(2) == 0
    transform = CATransform3D(
      translationX: isWhole ? x.rounded() : x, y: isWhole ? y.rounded() : y)
    switch random.below(6) {
    case 0:
      transform = CATransform3D(rotationAngle: random.unit * 6, x: 0, y: 0, z: 1)
        .concatenating(transform)
    case 1: transform = CATransform3D(scaleX: -1, y: 0.7).concatenating(transform)
    case 2:
      var perspective = CATransform3D.identity
      perspective.m34 = -1 / 700
      transform =
        CATransform3D(rotationAngle: random.unit, x: 0.3, y: 1, z: 0).concatenating(perspective)
        .concatenating(transform)
    default: break
    }
    // Images are drawn by another rasterizer if their pixels lie on the target's.
    if program == .image || program == .plainImage, random.below(2) == 0 {
      rect = CGRect(x: 0, y: 0, width: PartsTest.imageSide, height: PartsTest.imageSide)
      transform = CATransform3D(translationX: x.rounded(), y: y.rounded())
    } else if program == .image || program == .plainImage, random.below(2) == 0 {
      // And if they are shifted.
      rect = CGRect(x: 0, y: 0, width: PartsTest.imageSide, height: PartsTest.imageSide)
      transform = CATransform3D(translationX: x, y: y)
      isHard = true
    }
    color = Self.color(&random)
    radius = random.unit * 12
    numbers = [Float(1 + random.unit * 5), 0.5]
    filter = random.below(2) == 0 ? .nearest : .linear
    choice = random.below(6)
  }

  static func color(_ random: inout SplitMix) -> ItemColor {
    // Programs of images do without a colour that is white.
    if random.below(4) == 0 { return .white }
    let alpha = random.below(3) == 0 ? 1 : random.unit
    return ItemColor(random.unit * alpha, random.unit * alpha, random.unit * alpha, alpha)
  }

  private var quad: ProjectedQuad? {
    ProjectedQuad(rect, through: Projection(transform), antialiased: isHard ? [] : .all)
  }

  /// The pixels that the item may change.
  var box: PixelRect {
    quad.map { PixelRect(covering: $0.bounds, within: .everywhere) } ?? .empty
  }

  /// Adds the item to a pass if it meets one of the parts.
  func add(
    to plan: inout FramePlan, pass: Int, sources: [FramePlan.TextureSource.Texture],
    _ parts: [PixelRect]
  ) {
    let box = box
    guard let quad, parts.contains(where: { $0.meets(box) }) else { return }
    var item = Item(program, blend: blend, color: color, numbers: numbers)
    if program.hasOutline {
      item.outline = plan.items.outline(
        CornerOutline(
          rect: rect, radii: .init(repeating: min(radius, rect.width / 2, rect.height / 2))))
    }
    if program.hasMap { item.parameters = plan.items.map(map) }
    if program.hasKernel {
      item.parameters = plan.items.kernel(
        BlurKernel(sigma: 1.5, center: 0, taps: 3, step: [1, 0], repeatsEdges: true))
    }
    if program == .colorMatrix { item.parameters = plan.items.matrix(.identity) }
    let place = plan.items.items.count
    plan.items.add(item, quad, within: box)
    guard plan.items.items.count > place else { return }
    let sampled = FramePlan.Sources(
      program.sourceCount > 0 ? source(sources) : nil,
      program.sourceCount > 1 ? source(sources.reversed()) : nil)
    let scissor = PixelRect(plan.size)
    let last = plan.passes[pass].batches.count - 1
    if last >= 0,
      plan.passes[pass].batches[last].extend(
        by: place..<place + 1, of: plan.items, sampled, scissor: scissor) > 0
    {
      return
    }
    plan.passes[pass].batches.append(
      FramePlan.Batch(place, of: plan.items, sampled, scissor: scissor))
  }

  /// From the layer's space to texture coordinates.
  private var map: CGAffineTransform {
    var map = CGAffineTransform(unitOf: rect)
    let side = program == .coverage ? PartsTest.coverageSide : PartsTest.imageSide
    // As in real plans, no pixel lies in the middle between two that are not filtered.
    if filter == .nearest, rect.width != CGFloat(side) || rect.height != CGFloat(side) {
      map.tx += 1 / (1024 * CGFloat(side))
      map.ty += 1 / (1024 * CGFloat(side))
    }
    return map
  }

  private func source(
    _ possible: [FramePlan.TextureSource.Texture]
  ) -> FramePlan.TextureSource {
    if program == .coverage {
      return .init(texture: .texture(TextureID(rawValue: 2)), filter: filter)
    }
    if program.isMipmapped {
      return .init(texture: .texture(TextureID(rawValue: 3)), filter: .trilinear(bias: -0.5))
    }
    // Only what is sampled pixel on pixel may be a target, of which no more than the parts is
    // there.
    let isPixelOnPixel: Bool =
      switch program.basic {
      case .group, .groupEdges, .groupRounded, .groupMasked, .groupMix, .alpha, .colorMatrix,
        .blended:
        true
      default: false
      }
    let isLayered = program.samplesImages && choice % 2 == 1
    let image = isLayered ? PartsTest.layered : PartsTest.image
    let texture = isPixelOnPixel ? possible[choice % possible.count] : .texture(image)
    return .init(texture: texture, filter: isPixelOnPixel ? .nearest : filter)
  }
}

/// Steele, Lea and Flood's SplitMix64, so that a seed gives the same frames everywhere.
fileprivate struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// From 0 to 1.
  var unit: Double {
    mutating get { Double(next() >> 11) / Double(1 << 53) }
  }
}
