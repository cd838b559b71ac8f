import Foundation
import Lamina
import TestSupport
import Testing

@testable import LaminaCAML

/// An entry of a keyed archive, for writing archives object by object.
private indirect enum Entry {
  case number(Double)
  case flag(Bool)
  case text(String)
  case data(Data)
  case uid(UInt8)
  case list([Entry])
  case dictionary([(String, Entry)])

  /// An object whose class is the object with the number `classID`.
  static func object(_ classID: UInt8, _ values: [(String, Entry)]) -> Entry {
    .dictionary(values + [("$class", .uid(classID))])
  }

  static func className(_ name: String) -> Entry { .dictionary([("$classname", .text(name))]) }

  /// An archive of these objects, whose root is the first of them, number 1.
  static func archive(_ objects: [Entry]) -> Data {
    var writer = Writer()
    let top = writer.add(
      .dictionary([
        ("$top", .dictionary([("root", .uid(1))])), ("$objects", .list([.text("$null")] + objects)),
      ]))
    return writer.file(top: top)
  }

  private struct Writer {
    var objects: [[UInt8]] = []

    mutating func add(_ entry: Entry) -> UInt16 {
      let bytes: [UInt8]
      switch entry {
      case .number(let number): bytes = [0x23] + Self.bytes(number.bitPattern)
      case .flag(let flag): bytes = [flag ? 9 : 8]
      case .text(let text): bytes = Self.header(0x50, text.utf8.count) + Array(text.utf8)
      case .data(let data): bytes = Self.header(0x40, data.count) + Array(data)
      case .uid(let uid): bytes = [0x80, uid]
      case .list(let entries):
        bytes = Self.header(0xa0, entries.count) + entries.flatMap { Self.bytes(add($0)) }
      case .dictionary(let pairs):
        let keys = pairs.flatMap { Self.bytes(add(.text($0.0))) }
        bytes = Self.header(0xd0, pairs.count) + keys + pairs.flatMap { Self.bytes(add($0.1)) }
      }
      objects.append(bytes)
      return UInt16(objects.count - 1)
    }

    func file(top: UInt16) -> Data {
      var bytes = Array("bplist00".utf8)
      var offsets: [UInt8] = []
      for object in objects {
        offsets += Self.bytes(UInt32(bytes.count))
        bytes += object
      }
      let trailer: [UInt64] = [UInt64(objects.count), UInt64(top), UInt64(bytes.count)]
      return Data(bytes + offsets + [0, 0, 0, 0, 0, 0, 4, 2] + trailer.flatMap(Self.bytes))
    }

    private static func header(_ marker: UInt8, _ count: Int) -> [UInt8] {
      count < 15 ? [marker | UInt8(count)] : [marker | 15, 0x11] + bytes(UInt16(count))
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
  }
}

@Suite("Archives of layers") struct ArchiveTests {
  private let documents: TemporaryDocuments
  private let warnings = Warnings()

  init() throws { documents = try TemporaryDocuments() }

  /// An archive whose root is the layer.
  private func archive(_ layer: CALayer) throws -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode(
      NSDictionary(dictionary: [
        "rootLayer": layer, "documentWidth": 80, "documentHeight": 60, "geometryFlipped": true,
      ]), forKey: NSKeyedArchiveRootObjectKey)
    return archiver.encodedData
  }

  private func document(_ data: Data) throws -> CAMLDocument {
    try CAMLDocument(
      contentsOf: try documents.write(data, to: "a.caar"), warnings: warnings.add)
  }

  private static func layer() throws -> CALayer {
    let root = CALayer()
    root.bounds = CGRect(x: 0, y: 0, width: 80, height: 60)
    root.isGeometryFlipped = true
    let shape = CAShapeLayer()
    shape.name = "shape"
    shape.frame = CGRect(x: 10.5, y: 20, width: 30, height: 12.25)
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 1, y: 2))
    path.addLine(to: CGPoint(x: 30, y: 4))
    path.addQuadCurve(to: CGPoint(x: 5, y: 26), control: CGPoint(x: 7, y: 8))
    path.addCurve(
      to: CGPoint(x: 9, y: 10), control1: CGPoint(x: 11, y: 12), control2: CGPoint(x: 3, y: 4))
    path.closeSubpath()
    shape.path = path
    shape.fillColor = CGColor(red: 0.1, green: 0.2, blue: 0.3, alpha: 0.4)
    shape.fillRule = .evenOdd
    shape.lineDashPattern = [3, 1.5]
    shape.transform = CATransform3DMakeRotation(0.25, 1, 2, 3)
    shape.isHidden = true
    shape.contents = try CGImage(data: TemporaryDocuments.png(width: 3, height: 1), named: "a dot")
    let mask = CALayer()
    mask.cornerRadius = 4
    shape.mask = mask
    root.addSublayer(shape)
    return root
  }

  @Test("Layers come back with every kind of value, their masks and their contents")
  func layers() throws {
    let originalRoot = try Self.layer()
    let original = try #require(originalRoot.sublayers?[0] as? CAShapeLayer)
    let document = try document(try archive(originalRoot))
    #expect(document.size == CGSize(width: 80, height: 60))
    let root = try #require(document.rootLayer.sublayers?[0])
    let shape = try #require(root.sublayers?[0] as? CAShapeLayer)
    #expect(shape.name == "shape")
    #expect(shape.frame == original.frame)
    #expect(shape.path == original.path)
    #expect(shape.fillColor == original.fillColor)
    #expect(shape.fillRule == .evenOdd)
    #expect(shape.lineDashPattern == [3, 1.5])
    #expect(shape.transform == original.transform)
    #expect(shape.isHidden)
    #expect(shape.mask?.cornerRadius == 4)
    #expect((shape.contents as? CGImage).map { [$0.width, $0.height] } == [3, 1])
    // The root layer applies the archive's flip only once.
    #expect(document.rootLayer.isGeometryFlipped && root.isGeometryFlipped)
    #expect(warnings.all.isEmpty, "\(warnings.all)")
  }

  /// An archive of a text layer whose string is as Foundation archives it: red in an AppKit font,
  /// then in UIKit's colour. `info` are the runs' lengths and numbers.
  private static func foundationText(_ info: [UInt8]) -> Data {
    Entry.archive([
      .object(2, [("NS.keys", .list([.uid(3)])), ("NS.objects", .list([.uid(4)]))]),
      .className("NSDictionary"), .text("rootLayer"),
      .object(5, [("bounds", .uid(6)), ("string", .uid(8))]), .className("CATextLayer"),
      .object(
        7,
        [
          ("kind", .number(2)), ("x", .number(0)), ("y", .number(0)), ("width", .number(9)),
          ("height", .number(9)),
        ]),
      .className("LKNSValueCodingProxy"),
      .object(
        9,
        [
          ("NSString", .uid(10)), ("NSAttributes", .uid(11)),
          ("NSAttributeInfo", .data(Data(info))),
        ]),
      .className("NSConcreteAttributedString"), .text("ab😀c"),
      .object(12, [("NS.objects", .list([.uid(13), .uid(18)]))]), .className("NSArray"),
      .object(
        2,
        [
          ("NS.keys", .list([.uid(14), .uid(20), .uid(24)])),
          ("NS.objects", .list([.uid(15), .uid(21), .uid(25)])),
        ]),
      .text("NSFont"),
      .object(16, [("NSName", .uid(17)), ("NSSize", .number(15))]), .className("NSFont"),
      .text("DejaVu Sans"),
      .object(2, [("NS.keys", .list([.uid(20)])), ("NS.objects", .list([.uid(19)]))]),
      .object(
        22,
        [
          ("UIRed", .number(0)), ("UIGreen", .number(0)), ("UIBlue", .number(1)),
          ("UIAlpha", .number(1)),
        ]),
      .text("NSColor"), .object(23, [("NSRGB", .data(Data("1 0 0\0".utf8)))]),
      .className("UIColor"), .className("NSColor"), .text("NSParagraphStyle"),
      .object(26, [("NSAlignment", .number(2)), ("NSLineSpacing", .number(3))]),
      .className("NSParagraphStyle"),
    ])
  }

  @Test("Attributed strings as Foundation archives them keep their fonts, colours and alignment")
  func foundationText() throws {
    let document = try document(Self.foundationText([4, 0, 1, 1]))
    let layer = try #require(document.rootLayer.sublayers?.first as? CATextLayer)
    let string = try #require(layer.string as? NSAttributedString)
    #expect(string.string == "ab😀c" && warnings.messages == [])
    let colors = [0, 3, 4].map {
      string.attribute(.foregroundColor, at: $0, effectiveRange: nil) as? CGColor
    }
    #expect(colors == [.red, .red, .blue])
    let font = string.attribute(.font, at: 0, effectiveRange: nil) as? CTFont
    #expect(font == CTFontCreateWithName("DejaVu Sans", 15, nil))
    let styles = [0, 4].map {
      string.attribute(.paragraphStyle, at: $0, effectiveRange: nil) as? CTParagraphStyle
    }
    #expect(styles == [CTParagraphStyle(alignment: .center, lineSpacing: 3), nil])
    for damaged in [[4, 9], [0, 0]] as [[UInt8]] {
      #expect(throws: CAMLError.self) { try self.document(Self.foundationText(damaged)) }
    }
    for short in [[], [4], [2, 0], [255, 255, 255, 255, 255]] as [[UInt8]] {
      let rest = try self.document(Self.foundationText(short)).rootLayer.sublayers?.first
      #expect(((rest as? CATextLayer)?.string as? NSAttributedString)?.string == "ab😀c")
    }
  }

  @Test("Animations come back with their keys, values and timing")
  func animations() throws {
    let layer = CALayer()
    layer.bounds = CGRect(x: 0, y: 0, width: 10, height: 10)
    let keyframes = CAKeyframeAnimation(keyPath: "transform")
    keyframes.values = [CATransform3DIdentity, CATransform3DMakeScale(2, 3, 1)]
    keyframes.keyTimes = [0, 1]
    keyframes.timingFunctions = [CAMediaTimingFunction(controlPoints: 0.25, 0.5, 0.75, 1)]
    keyframes.beginTime = 1e-100
    keyframes.duration = 2.5
    keyframes.repeatCount = .infinity
    keyframes.isRemovedOnCompletion = false
    keyframes.fillMode = .forwards
    layer.add(keyframes, forKey: "turn")
    let spring = CASpringAnimation(keyPath: "position")
    spring.toValue = CGPoint(x: 3, y: 4)
    spring.damping = 7
    spring.duration = 1
    let group = CAAnimationGroup()
    group.animations = [spring]
    group.duration = 4
    group.autoreverses = true
    layer.add(group, forKey: "together")
    let document = try document(try archive(layer))
    let read = try #require(document.rootLayer.sublayers?[0])
    #expect(read.animationKeys() == ["turn", "together"])
    let turn = try #require(read.animation(forKey: "turn") as? CAKeyframeAnimation)
    #expect(turn.keyPath == "transform")
    #expect((turn.values as? [CATransform3D])?[1] == CATransform3DMakeScale(2, 3, 1))
    #expect(turn.keyTimes == [0, 1])
    #expect(
      turn.timingFunctions?.map(\.controlNumbers)
        == keyframes.timingFunctions?.map(\.controlNumbers))
    #expect((turn.beginTime, turn.duration, turn.repeatCount) == (1e-100, 2.5, .infinity))
    #expect(!turn.isRemovedOnCompletion && turn.fillMode == .forwards)
    let together = try #require(read.animation(forKey: "together") as? CAAnimationGroup)
    #expect((together.duration, together.autoreverses) == (4, true))
    let inner = try #require(together.animations?[0] as? CASpringAnimation)
    #expect(inner.toValue as? CGPoint == CGPoint(x: 3, y: 4))
    #expect(inner.damping == 7)
    #expect(warnings.all.isEmpty, "\(warnings.all)")
  }

  // MARK: Written by hand

  /// An archive of 10 × 10 points with the given values of its root layer. `objects` are numbered
  /// from 8 on; 2 is the class of layers, 3 the class of arrays.
  private func archive(_ values: [(String, Entry)], _ objects: [Entry] = []) -> Data {
    .init(
      Entry.archive(
        [
          .object(
            4,
            [
              (
                "NS.keys",
                .list([.text("rootLayer"), .text("documentWidth"), .text("documentHeight")])
              ),
              ("NS.objects", .list([.uid(5), .uid(6), .uid(6)])),
            ]),
          .className("CALayer"), .className("NSArray"), .className("NSDictionary"),
          .object(2, values), .number(10), .className("LKNSValueCodingProxy"),
        ] + objects))
  }

  @Test("A delegate that is the layer itself is no matter, a sublayer that is it is a warning")
  func cycles() throws {
    let document = try document(
      archive(
        [("delegate", .uid(5)), ("sublayers", .uid(8)), ("opacity", .uid(9))],
        [.object(3, [("NS.objects", .list([.uid(5)]))]), .number(0.5)]))
    let root = try #require(document.rootLayer.sublayers?[0])
    #expect(root.opacity == 0.5)
    #expect(root.sublayers == nil)
    #expect(warnings.messages == ["an object of the archive lies in itself"])
  }

  @Test("Values are read under the names that Core Animation gives their classes")
  func values() throws {
    let segments = [(0.0, 1.0, 2.0), (1, 3, 4), (4, 0, 0)].map { type, x, y -> Entry in
      .object(
        13,
        [
          ("LKCGPathType", .number(type)), ("LKCGPathPoint0_x", .number(x)),
          ("LKCGPathPoint0_y", .number(y)),
        ])
    }
    let document = try document(
      archive(
        [
          ("transform", .uid(8)), ("shadowPath", .uid(9)), ("backgroundColor", .uid(10)),
          ("filters", .uid(11)), ("hidden", .flag(true)), ("name", .text("n")),
        ],
        [
          .object(7, [("kind", .number(3))]), .object(14, [("LKCGPathSegments", .uid(12))]),
          .object(
            15,
            [("r", .number(0.25)), ("g", .number(0.5)), ("b", .number(1)), ("a", .number(0.75))]),
          .object(16, [("array", .uid(17))]),
          .object(3, [("NS.objects", .list([.uid(18), .uid(19), .uid(20)]))]),
          .className("CACGPathCodingSegment"), .className("CACGPathCodingProxy"),
          .className("LKCGColorCodingProxy"), .className("LKNSArrayCodingProxy"),
          .object(3, [("NS.objects", .list([]))]),
        ] + segments))
    let root = try #require(document.rootLayer.sublayers?[0])
    // A transform without members is the identity.
    #expect(root.transform == CATransform3DIdentity)
    #expect(root.backgroundColor == CGColor(red: 0.25, green: 0.5, blue: 1, alpha: 0.75))
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 1, y: 2))
    path.addLine(to: CGPoint(x: 3, y: 4))
    path.closeSubpath()
    #expect(root.shadowPath == path)
    #expect(root.isHidden && root.name == "n")
    #expect(warnings.all.isEmpty, "\(warnings.all)")
  }

  @Test(
    "An image is read from the bytes of its file, whatever their key, in an object or bare",
    arguments: [false, true])
  func images(isObject: Bool) throws {
    let png = try TemporaryDocuments.png(width: 3, height: 2)
    let document = try document(
      archive(
        [("contents", .uid(8))],
        [
          .object(
            9, [("type", .text("public.png")), ("bytes", isObject ? .uid(10) : .data(png))]),
          .className("LKCGImageCodingProxy"), .object(11, [("NS.data", .data(png))]),
          .className("NSMutableData"),
        ]))
    let root = try #require(document.rootLayer.sublayers?[0])
    #expect((root.contents as? CGImage).map { [$0.width, $0.height] } == [3, 2])
    #expect(warnings.all.isEmpty, "\(warnings.all)")
  }

  @Test("Filters are read with inputs of their own, or in a dictionary")
  func filters() throws {
    let document = try document(
      archive(
        [("filters", .uid(8)), ("compositingFilter", .uid(11))],
        [
          .object(3, [("NS.objects", .list([.uid(9), .uid(12)]))]),
          .object(
            10,
            [
              ("type", .text("gaussianBlur")), ("name", .text("blur")), ("inputRadius", .number(4)),
              ("enabled", .flag(false)),
            ]), .className("CAFilter"),
          .object(10, [("filter", .text("multiplyBlendMode"))]),
          .object(10, [("name", .text("colorSaturate")), ("inputs", .uid(13))]),
          .object(4, [("NS.keys", .list([.uid(14)])), ("NS.objects", .list([.uid(15)]))]),
          .text("inputAmount"), .number(0.5),
        ]))
    let root = try #require(document.rootLayer.sublayers?[0])
    let filters = try #require(root.filters as? [CAFilter])
    #expect(filters.map(\.type) == ["gaussianBlur", "colorSaturate"])
    #expect(filters.map(\.isEnabled) == [false, true])
    #expect(root.value(forKeyPath: "filters.blur.inputRadius") as? Double == 4)
    #expect(root.value(forKeyPath: "filters.colorSaturate.inputAmount") as? Double == 0.5)
    #expect((root.compositingFilter as? CAFilter)?.type == "multiplyBlendMode")
    #expect(warnings.all.isEmpty, "\(warnings.all)")
  }

  @Test("Emitters with cells and behaviours, and replicators, come back from an archive")
  func emitters() throws {
    let emitter = CAEmitterLayer()
    emitter.frame = CGRect(x: 0, y: 0, width: 20, height: 10)
    emitter.emitterShape = .circle
    emitter.seed = 7
    let cell = CAEmitterCell()
    cell.name = "spark"
    cell.birthRate = 4
    cell.lifetime = .infinity
    cell.contents = try CGImage(
      width: 1, height: 1, unpremultipliedRGBA: [UInt8](repeating: 255, count: 4))
    let inner = CAEmitterCell()
    inner.scale = 0.25
    cell.emitterCells = [inner]
    emitter.emitterCells = [cell]
    let wave = CAEmitterBehavior(type: "wave")
    wave.name = "sway"
    wave.isEnabled = false
    wave.setValue([1, 2, 3], forKey: "force")
    let pull = CAEmitterBehavior(type: "attractor")
    pull.setValue(5, forKey: "stiffness")
    pull.setValue(CGPoint(x: 3, y: 4), forKey: "position")
    emitter.emitterBehaviors = [wave, pull]
    let sway = CABasicAnimation(keyPath: "emitterBehaviors.sway.frequency")
    sway.toValue = 2
    sway.duration = 1
    emitter.add(sway, forKey: "sway")
    let replicator = CAReplicatorLayer()
    replicator.frame = CGRect(x: 0, y: 0, width: 80, height: 60)
    replicator.instanceCount = 3
    replicator.instanceDelay = 0.5
    replicator.instanceTransform = CATransform3DMakeTranslation(9, 0, 0)
    replicator.instanceColor = CGColor(red: 1, green: 0.5, blue: 0, alpha: 1)
    replicator.addSublayer(emitter)
    let read = try document(try archive(replicator)).content.root
    #expect(LayerDifference(replicator, read).text == nil)
    let back = try #require(read.sublayers?.first as? CAEmitterLayer)
    #expect(back.emitterBehaviors == [wave, pull])
    #expect(back.emitterCells?.first?.emitterCells?.first?.scale == 0.25)
    #expect(warnings.all.isEmpty, "\(warnings.all)")
  }

  @Test("The flag for continuous corners is a curve, unless the curve is archived too")
  func continuousCorners() throws {
    for (values, curve) in [
      ([("continuousCorners", Entry.flag(true))], CALayerCornerCurve.continuous),
      ([("continuousCorners", .flag(false))], .circular),
      ([("continuousCorners", .number(1))], .continuous),
      ([("continuousCorners", .flag(false)), ("cornerCurve", .text("continuous"))], .continuous),
    ] {
      let document = try document(archive(values))
      #expect(document.rootLayer.sublayers?[0].cornerCurve == curve)
    }
    #expect(warnings.all.isEmpty, "\(warnings.all)")
  }

  @Test("Every random tree comes back from an archive equal in its layers and animations")
  func randomTrees() throws {
    for seed in 0..<40 {
      let tree = try RandomDocuments.tree(seed: seed, hasFrameRates: false)
      // Archives have neither states nor ranges of frame rates.
      var layers = [tree]
      while let layer = layers.popLast() {
        (layer.states, layer.stateTransitions) = (nil, nil)
        layers += (layer.sublayers ?? []) + (layer.mask.map { [$0] } ?? [])
      }
      let read = try document(archive(tree)).content.root
      #expect(LayerDifference(tree, read).text == nil, "seed \(seed)")
    }
    let others = warnings.messages.filter { !$0.contains("CATiledLayer has no tiles") }
    #expect(others.isEmpty, "\(others)")
  }

  @Test("Objects of unknown classes are left out with a warning")
  func unknownClasses() throws {
    _ = try document(
      archive(
        [("contents", .uid(8)), ("opacity", .number(0.5))],
        [.object(9, []), .className("CAWobble")]))
    #expect(warnings.messages == ["contents of the class CAWobble is left out"])
  }

  @Test("Lists that double at every step end")
  func doubling() throws {
    let lists = (0..<60).map { step -> Entry in
      .object(3, [("NS.objects", .list([.uid(UInt8(9 + step)), .uid(UInt8(9 + step))]))])
    }
    let url = try documents.write(
      archive([("sublayers", .uid(8))], lists + [.number(1)]), to: "a.caar")
    let error = try #require(throws: CAMLError.self) { try CAMLDocument(contentsOf: url) }
    #expect(error.code == .malformed)
  }

  @Test("A list that lies in itself, as an object of its own, is left out there")
  func ownList() throws {
    // Object 8 is the list that is the value of `sublayers`, and its only element.
    let data = archive([("sublayers", .uid(8))], [.list([.uid(8)])])
    let url = try documents.write(data, to: "a.caar")
    let document = try CAMLDocument(contentsOf: url, warnings: warnings.add)
    #expect(document.rootLayer.sublayers?.first?.sublayers == nil)
    #expect(warnings.messages.contains("an object of the archive lies in itself"))
  }

  @Test("What is no archive of layers is an error of one line")
  func noArchives() throws {
    let whole = archive([])
    for data in [
      Data(), Data("bplist00".utf8), whole.prefix(whole.count - 1), Data(repeating: 255, count: 99),
      Data(Entry.archive([.text("a")])), Data("bplist00".utf8) + Data(repeating: 0, count: 32),
    ] {
      let url = try documents.write(data, to: "a.caar")
      let error = try #require(throws: CAMLError.self) { try CAMLDocument(contentsOf: url) }
      #expect(error.code == .malformed || error.code == .notADocument)
      #expect(error.description.hasPrefix("\(url.path): "))
      #expect(!error.description.contains("\n"))
    }
  }

  @Test("None of 800 tampered archives traps", arguments: 0..<8)
  func tampered(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let layer = try Self.layer()
    let animation = CABasicAnimation(keyPath: "position")
    animation.toValue = CGPoint(x: 1, y: 2)
    animation.timingFunction = CAMediaTimingFunction(name: .easeIn)
    layer.sublayers?[0].add(animation, forKey: "a")
    let whole = Array(try archive(layer))
    for _ in 0..<100 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        // Half of the changes are in the last 40 bytes, which hold the trailer.
        let end = Bool.random(using: &generator) ? 40 : bytes.count
        let place = bytes.count - Int.random(in: 1...end, using: &generator)
        bytes[place] = UInt8.random(in: 0...255, using: &generator)
      }
      if Int.random(in: 0..<10, using: &generator) == 0 {
        bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
      }
      let url = try documents.write(Data(bytes), to: "a.caar")
      do throws(CAMLError) {
        _ = try CAMLDocument(contentsOf: url)
      } catch {
        #expect(!error.description.contains("\n"))
      }
    }
  }
}
