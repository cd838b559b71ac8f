import Foundation
import LaminaAnimation
import LaminaValues

extension AnimationDescription.CalculationMode: LayerName {}
extension ValueFunction: LayerName {}
extension AnimationDescription.RotationMode: LayerName {}
extension AnimationDescription.TransitionStyle: LayerName {}
extension AnimationDescription.TransitionSide: LayerName {}

extension AnimationValue {
  package func encode(to writer: ByteWriter) {
    switch self {
    case .none: writer.write(0 as UInt8)
    case .number(let number): encode(1, number, to: writer)
    case .point(let point): encode(2, point, to: writer)
    case .size(let size): encode(3, size, to: writer)
    case .rect(let rect): encode(4, rect, to: writer)
    case .transform(let transform): encode(5, transform, to: writer)
    case .color(let color): encode(6, color, to: writer)
    case .path(let path): encode(7, path, to: writer)
    case .image(let id): encode(8, id, to: writer)
    case .string(let string): encode(9, string, to: writer)
    case .array(let values):
      writer.write(10 as UInt8)
      values.encode(to: writer) { $0.encode(to: $1) }
    case .filter(let filter): encode(11, filter, to: writer)
    case .cell(let cell): encode(12, cell, to: writer)
    }
  }

  private func encode(_ code: UInt8, _ field: some LayerField, to writer: ByteWriter) {
    writer.write(code)
    field.encode(to: writer)
  }

  /// `depth` is the number of arrays that enclose the value.
  package init(from reader: inout ByteReader, depth: Int = 0) throws(CommitError) {
    let code = try reader.read(UInt8.self)
    switch code {
    case 0: self = .none
    case 1: self = .number(try Double(from: &reader))
    case 2: self = .point(try CGPoint(from: &reader))
    case 3: self = .size(try CGSize(from: &reader))
    case 4: self = .rect(try CGRect(from: &reader))
    case 5: self = .transform(try CATransform3D(from: &reader))
    case 6: self = .color(try CGColor(from: &reader))
    case 7: self = .path(try Path(from: &reader))
    case 8: self = .image(try ImageID(from: &reader))
    case 9: self = .string(try reader.readString())
    case 10:
      guard depth < TreeLimit.animatedArrayDepth else {
        throw .tooDeep("array of animation values", limit: TreeLimit.animatedArrayDepth)
      }
      self = .array(
        try reader.readArray(of: "animation values", minimumSize: 1) { reader throws(CommitError) in
          try AnimationValue(from: &reader, depth: depth + 1)
        })
    case 11: self = .filter(try FilterValues(from: &reader))
    case 12: self = .cell(try EmitterCellValues(from: &reader))
    default: throw .unknownCode(of: "animation value", code: Int(code))
    }
  }
}

extension MediaTiming {
  func encode(to writer: ByteWriter) {
    writer.write((beginTime, duration, speed, timeOffset, repeatCount, repeatDuration))
    writer.write(autoreverses)
    fillMode.encode(to: writer)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      beginTime: try reader.readFinite("beginTime"), duration: try reader.readNumber(),
      speed: try reader.readFinite("speed"), timeOffset: try reader.readFinite("timeOffset"),
      repeatCount: try reader.readNumber(), repeatDuration: try reader.readNumber(),
      autoreverses: try reader.readBool(), fillMode: try FillMode(from: &reader))
  }
}

extension TimingCurve {
  func encode(to writer: ByteWriter) {
    writer.write((c1x, c1y, c2x, c2y))
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      try reader.readFinite("timing curve"), try reader.readFinite("timing curve"),
      try reader.readFinite("timing curve"), try reader.readFinite("timing curve"))
  }
}

extension AnimationDescription {
  /// The size of an empty group: timing, absence of a curve, removal flag, content.
  static let minimumEncodedSize = 6 * 8 + 2 + 1 + 1 + 1 + 4

  package func encode(to writer: ByteWriter) {
    timing.encode(to: writer)
    writer.write(timingCurve != nil)
    timingCurve?.encode(to: writer)
    writer.write(isRemovedOnCompletion)
    switch content {
    case .basic(let target, let values):
      writer.write(0 as UInt8)
      target.encode(to: writer)
      values.encode(to: writer)
    case .keyframe(let target, let values):
      writer.write(1 as UInt8)
      target.encode(to: writer)
      values.encode(to: writer)
    case .spring(let target, let values, let spring):
      writer.write(2 as UInt8)
      target.encode(to: writer)
      values.encode(to: writer)
      spring.encode(to: writer)
    case .group(let animations):
      writer.write(3 as UInt8)
      animations.encode(to: writer) { $0.encode(to: $1) }
    case .transition(let values):
      writer.write(4 as UInt8)
      values.encode(to: writer)
    }
  }

  /// The error with which the render process would refuse the animation and end the session; nil if
  /// it would accept it.
  package var refusal: CommitError? {
    let writer = ByteWriter()
    encode(to: writer)
    return withExtendedLifetime(writer) {
      var reader = ByteReader(writer.bytes)
      do throws(CommitError) {
        _ = try AnimationDescription(from: &reader)
        return nil
      } catch {
        return error
      }
    }
  }

  /// `depth` is the number of groups that enclose the animation.
  package init(from reader: inout ByteReader, depth: Int = 0) throws(CommitError) {
    let timing = try MediaTiming(from: &reader)
    let curve = try reader.readBool() ? try TimingCurve(from: &reader) : nil
    let isRemovedOnCompletion = try reader.readBool()
    let content: Content
    let code = try reader.read(UInt8.self)
    switch code {
    case 0:
      content = .basic(try PropertyTarget(from: &reader), try BasicValues(from: &reader))
    case 1:
      content = .keyframe(try PropertyTarget(from: &reader), try KeyframeValues(from: &reader))
    case 2:
      content = .spring(
        try PropertyTarget(from: &reader), try BasicValues(from: &reader),
        try SpringParameters(from: &reader))
    case 3:
      guard depth < TreeLimit.animationDepth else {
        throw .tooDeep("animation group", limit: TreeLimit.animationDepth)
      }
      content = .group(
        try reader.readArray(of: "animations", minimumSize: Self.minimumEncodedSize) {
          reader throws(CommitError) in
          try AnimationDescription(from: &reader, depth: depth + 1)
        })
    case 4: content = .transition(try TransitionValues(from: &reader))
    default: throw .unknownCode(of: "animation", code: Int(code))
    }
    self.init(
      timing: timing, timingCurve: curve, isRemovedOnCompletion: isRemovedOnCompletion,
      content: content)
  }
}

extension AnimationDescription.PropertyTarget {
  func encode(to writer: ByteWriter) {
    writer.write(keyPath)
    writer.write(isAdditive)
    writer.write(isCumulative)
    valueFunction.encode(to: writer)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      keyPath: try reader.readString(), isAdditive: try reader.readBool(),
      isCumulative: try reader.readBool(), valueFunction: try ValueFunction?(from: &reader))
  }
}

extension AnimationDescription.BasicValues {
  func encode(to writer: ByteWriter) {
    from.encode(to: writer)
    to.encode(to: writer)
    by.encode(to: writer)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      from: try AnimationValue(from: &reader), to: try AnimationValue(from: &reader),
      by: try AnimationValue(from: &reader))
  }
}

extension AnimationDescription.KeyframeValues {
  func encode(to writer: ByteWriter) {
    values.encode(to: writer) { $0.encode(to: $1) }
    path.encode(to: writer)
    keyTimes.encode(to: writer)
    timingCurves.encode(to: writer) { $0.encode(to: $1) }
    calculationMode.encode(to: writer)
    tensionValues.encode(to: writer)
    continuityValues.encode(to: writer)
    biasValues.encode(to: writer)
    rotationMode.encode(to: writer)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      values: try reader.readArray(of: "keyframes", minimumSize: 1) {
        reader throws(CommitError) in try AnimationValue(from: &reader)
      },
      path: try Path?(from: &reader),
      keyTimes: try reader.readBool() ? try reader.readFiniteNumbers("key time") : nil,
      timingCurves: try reader.readArray(of: "timing curves", minimumSize: 32) {
        reader throws(CommitError) in try TimingCurve(from: &reader)
      },
      calculationMode: try AnimationDescription.CalculationMode(from: &reader),
      tensionValues: try reader.readFiniteNumbers("tension"),
      continuityValues: try reader.readFiniteNumbers("continuity"),
      biasValues: try reader.readFiniteNumbers("bias"),
      rotationMode: try AnimationDescription.RotationMode(from: &reader))
  }
}

extension AnimationDescription.SpringParameters {
  func encode(to writer: ByteWriter) {
    writer.write(mass)
    writer.write(stiffness)
    writer.write(damping)
    writer.write(initialVelocity)
    writer.write(allowsOverdamping)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      mass: try reader.readFinite("mass"), stiffness: try reader.readFinite("stiffness"),
      damping: try reader.readFinite("damping"),
      initialVelocity: try reader.readFinite("initial velocity"),
      allowsOverdamping: try reader.readBool())
  }
}

extension AnimationDescription.TransitionValues {
  func encode(to writer: ByteWriter) {
    style.encode(to: writer)
    side.encode(to: writer)
    writer.write(startProgress)
    writer.write(endProgress)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      style: try AnimationDescription.TransitionStyle(from: &reader),
      side: try AnimationDescription.TransitionSide(from: &reader),
      startProgress: try reader.readFinite("startProgress"),
      endProgress: try reader.readFinite("endProgress"))
  }
}

extension Array {
  /// Writes a count and then every element.
  func encode(to writer: ByteWriter, _ encodeElement: (Element, ByteWriter) -> Void) {
    writer.write(UInt32(count))
    for element in self { encodeElement(element, writer) }
  }
}

extension ByteReader {
  /// Reads a count of elements, each of at least `minimumSize` bytes, and then the elements.
  mutating func readArray<Element>(
    of what: String, minimumSize: Int,
    _ readElement: (inout ByteReader) throws(CommitError) -> Element
  ) throws(CommitError) -> [Element] {
    let count = try readCount(of: what, minimumSize: minimumSize)
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try readElement(&self)) }
    return elements
  }

  mutating func readFiniteNumbers(_ what: String) throws(CommitError) -> [Double] {
    try readArray(of: what, minimumSize: 8) { reader throws(CommitError) in
      try reader.readFinite(what)
    }
  }
}
