import Foundation
import LaminaAnimation
import LaminaValues
import TestSupport

@testable import LaminaCommit

extension MemoryRange: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> MemoryRange {
    MemoryRange(
      arena: ArenaID(rawValue: .arbitrary(&random)), offset: random.next() >> 1,
      count: random.next() >> 1)
  }
}

extension PixelSize: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> PixelSize {
    PixelSize(width: 1 + random.below(ServerLimit.side), height: 1 + random.below(ServerLimit.side))
  }
}

extension PixelRect {
  static func arbitrary(within size: PixelSize, _ random: inout SeededGenerator) -> PixelRect {
    let x = random.below(size.width)
    let y = random.below(size.height)
    return PixelRect(
      minX: x, minY: y, maxX: x + 1 + random.below(size.width - x),
      maxY: y + 1 + random.below(size.height - y))
  }
}

extension DMABufLayout: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> DMABufLayout {
    let size = PixelSize.arbitrary(&random)
    let isLinear = random.chance(0.5)
    let rest = strideLimit - UInt32(size.width * 4)
    let modifier = random.next() | 1
    return DMABufLayout(
      size: size, format: DMABufFormat.allCases.randomElement(using: &random)!,
      modifier: isLinear ? linear : modifier == unknownModifier ? nil : modifier,
      planes: (0...(isLinear ? 0 : random.below(planeLimit))).map { _ in
        Plane(
          offset: .arbitrary(&random),
          stride: strideLimit - UInt32(random.below(Int(rest) + 1)))
      })
  }
}

extension Commit.StoreUpdate {
  static func arbitrary(of image: ImageID, _ random: inout SeededGenerator) -> Self {
    if random.chance(0.2) {
      return Self(
        image: image, place: .dmaBuf(DMABufID(rawValue: .arbitrary(&random))),
        layout: PixelLayout(
          width: 1 + random.below(40), height: 1 + random.below(40), format: .bgra8)!,
        isOpaque: random.chance(0.5))
    }
    let coding = random.chance(0.3) ? YCbCrCoding.allCases.randomElement(using: &random) : nil
    let format = PixelFormat.allCases.randomElement(using: &random)!
    let layout = PixelLayout(
      width: 1 + random.below(40), height: 1 + random.below(40),
      format: coding == nil ? format : .bgra8, coding: coding)!
    var memory = MemoryRange.arbitrary(&random)
    memory.count = UInt64(layout.byteCount!) + UInt64(random.below(100))
    return Self(
      image: image, memory: memory, layout: layout, isOpaque: random.chance(0.5),
      dirty: random.chance(0.5)
        ? random.many { PixelRect.arbitrary(within: layout.size, &$0) } : nil)
  }
}

extension Commit.AnimationEdit {
  static func arbitrary(of layer: LayerID, _ random: inout SeededGenerator) -> Self {
    random.chance(0.6)
      ? .add(layer: layer, key: .arbitrary(&random), animation: .arbitrary(&random))
      : .remove(layer: layer, key: .arbitrary(&random))
  }
}

extension Commit: Arbitrary {
  /// Well-formed, but its layers need not exist.
  static func arbitrary(_ random: inout SeededGenerator) -> Commit {
    var commit = Commit(sequence: random.next())
    commit.stores = random.many { .arbitrary(of: .arbitrary(&$0), &$0) }
    commit.created = random.many {
      Creation(layer: .arbitrary(&$0), kind: LayerKind.allCases.randomElement(using: &$0)!)
    }
    commit.edits = random.many { random in
      switch random.below(3) {
      case 0:
        .insert(
          child: .arbitrary(&random), parent: .arbitrary(&random), index: .arbitrary(&random))
      case 1: .remove(child: .arbitrary(&random))
      default: .setMask(mask: .arbitrary(&random), layer: .arbitrary(&random))
      }
    }
    commit.changes = LayerChanges(
      random.many { Commit.LayerChange.arbitrary(of: .arbitrary(&$0), &$0) })
    commit.animations = random.many { .arbitrary(of: .arbitrary(&$0), &$0) }
    commit.roots = random.many {
      RootChange(session: SessionID(rawValue: .arbitrary(&$0)), layer: .arbitrary(&$0))
    }
    commit.destroyed = .arbitrary(&random)
    commit.releasedStores = .arbitrary(&random)
    return commit
  }
}

extension EvaluatedLayer: Arbitrary {
  /// Default values except for a few properties.
  static func arbitrary(_ random: inout SeededGenerator) -> EvaluatedLayer {
    let change = Commit.LayerChange.arbitrary(of: .arbitrary(&random), &random)
    return EvaluatedLayer(
      time: random.chance(0.2) ? .infinity : random.finite(), values: change.values)
  }
}

extension LayerRecords {
  /// A tree of a few records.
  static func arbitrary(_ random: inout SeededGenerator) -> LayerRecords {
    var records = LayerRecords()
    (records.items, records.pixels) = (.arbitrary(&random), random.next())
    for index in 0..<UInt32(random.below(5)) {
      let change = Commit.LayerChange.arbitrary(of: .arbitrary(&random), &random)
      var record = LayerRecord(
        layer: .arbitrary(&random), kind: random.pick(LayerKind.allCases),
        parent: index == 0 ? nil : index - 1,
        place: random.pick([.root, .mask, .old, .sublayer(.arbitrary(&random))]),
        copy: random.chance(0.5) ? 3 : nil, bounds: .arbitrary(&random),
        corners: random.chance(0.5)
          ? [] : (0..<4).map { _ in CGPoint.arbitrary(&random) },
        frame: random.chance(0.5) ? nil : .arbitrary(&random), time: random.finite(),
        animated: change.properties.intersection(.crossing), of: change.values)
      record.isOld = random.chance(0.5)
      record.reason = random.chance(0.5) ? nil : random.pick(LayerRecord.Reason.allCases)
      record.cause = random.chance(0.5) ? nil : index
      (record.cost.items, record.cost.pixels) = (.arbitrary(&random), random.next())
      records.layers.append(record)
    }
    return records
  }
}

extension ClientMessage {
  /// One of each kind.
  static func all(_ random: inout SeededGenerator) -> [ClientMessage] {
    let session = SessionID(rawValue: .arbitrary(&random))
    let options = SessionOptions(
      size: .arbitrary(&random), scale: Double(1 + random.below(4)),
      format: PixelFormat.allCases.randomElement(using: &random)!,
      overlay: random.chance(0.5) ? OverlayKind.allCases.randomElement(using: &random)! : nil)
    let surface = FrameRequest.Surface(
      memory: .arbitrary(&random), stride: UInt32(1 + random.below(PixelLayout.maximumStride)))
    return [
      .hello(
        Hello(
          platform: RenderPlatform.allCases.randomElement(using: &random)!,
          memoryBudget: random.chance(0.5) ? random.next() : nil, isTraced: .arbitrary(&random))),
      .arena(
        ArenaID(rawValue: .arbitrary(&random)), byteCount: random.next(),
        use: ArenaUse.allCases.randomElement(using: &random)!),
      .releaseArena(ArenaID(rawValue: .arbitrary(&random))),
      .dmaBuf(DMABufID(rawValue: .arbitrary(&random)), .arbitrary(&random)),
      .releaseDMABuf(DMABufID(rawValue: .arbitrary(&random))),
      .openSession(session, options),
      .closeSession(session),
      .commit(.arbitrary(&random)),
      .frameRequest(
        FrameRequest(
          session: session, time: random.finite(), afterSequence: random.next(),
          surface: random.chance(0.5) ? surface : nil)),
      .inspect(
        Inspect(
          request: .arbitrary(&random), session: session, time: random.finite(),
          afterSequence: random.next(),
          subject: random.pick([.tree, .plan, .values(.arbitrary(&random)), .layers]))),
    ]
  }
}

extension ServerMessage {
  /// One of each kind.
  static func all(_ random: inout SeededGenerator) -> [ServerMessage] {
    let session = SessionID(rawValue: .arbitrary(&random))
    let report = PlatformReport(
      name: .arbitrary(&random), reasons: .arbitrary(&random), vendor: .arbitrary(&random),
      renderer: .arbitrary(&random), version: .arbitrary(&random),
      maxTextureSize: .arbitrary(&random), isSoftware: .arbitrary(&random),
      framebufferFormat: .arbitrary(&random), isRobust: .arbitrary(&random),
      importsDMABufs: .arbitrary(&random),
      sandbox: SandboxReport(measures: .arbitrary(&random), gaps: .arbitrary(&random)),
      memoryBudget: random.next())
    return [
      .welcome(Welcome(platform: report)),
      .frameDone(
        FrameDone(
          session: session, time: random.finite(), sequence: random.next(),
          number: random.next(),
          damage: (0..<Int.random(in: 0...8, using: &random)).map { _ in
            .arbitrary(within: .arbitrary(&random), &random)
          },
          nextFrameTime: random.chance(0.5) ? .infinity : random.finite(),
          drawCalls: .arbitrary(&random), instances: .arbitrary(&random),
          uploadedBytes: random.next(), evaluationTime: .arbitrary(&random),
          planningTime: .arbitrary(&random),
          deviceTime: random.chance(0.5) ? random.finite() : nil,
          counters: FrameCounters(
            passes: .arbitrary(&random), shadedPixels: random.next(),
            cacheHits: .arbitrary(&random), cacheMisses: .arbitrary(&random),
            cacheEvictions: .arbitrary(&random), cacheBytes: random.next()),
          trace: (0..<random.below(4)).map { _ in
            let start = random.next() / 2
            return TraceEvent(
              random.pick(TraceEvent.Stage.allCases), start: start,
              end: start + UInt64(random.below(1000)))
          })),
      .commitApplied(sequence: random.next()),
      .inspected(request: .arbitrary(&random), .text(.arbitrary(&random))),
      .inspected(request: .arbitrary(&random), .values([.arbitrary(&random)])),
      .inspected(request: .arbitrary(&random), .layers(.arbitrary(&random))),
      .dmaBufTaken(DMABufID(rawValue: .arbitrary(&random))),
      .dmaBufRefused(DMABufID(rawValue: .arbitrary(&random)), why: .arbitrary(&random)),
      .failed(random.chance(0.5) ? session : nil, why: .arbitrary(&random)),
    ]
  }
}
