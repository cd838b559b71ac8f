import Foundation
import LaminaAnimation
import LaminaValues

extension EmitterCellValues: LayerField {
  package static var kind: FieldKind { .cell }

  package func encode(to writer: ByteWriter) {
    name.encode(to: writer)
    writer.write(isEnabled)
    writer.write(timing.autoreverses)
    timing.fillMode.encode(to: writer)
    for number in EmitterCellProperty.numbers { writer.write(self[keyPath: number]) }
    color.encode(to: writer)
    contents.encode(to: writer)
    contentsRect.encode(to: writer)
    minificationFilter.encode(to: writer)
    magnificationFilter.encode(to: writer)
    particleType.encode(to: writer)
    cells.encode(to: writer)
  }

  package init(from reader: inout ByteReader) throws(CommitError) {
    var left = TreeLimit.emitterCells
    try self.init(from: &reader, depth: 1, left: &left)
  }

  /// `depth` is the number of cells that enclose the cell, itself included, and `left` the number
  /// of those that may still come.
  private init(
    from reader: inout ByteReader, depth: Int, left: inout Int
  ) throws(CommitError) {
    guard depth <= TreeLimit.emitterCellDepth else {
      throw .tooDeep("emitter cell", limit: TreeLimit.emitterCellDepth)
    }
    left -= 1
    guard left >= 0 else {
      throw .tooMany(
        "cells in a cell", count: TreeLimit.emitterCells + 1, limit: TreeLimit.emitterCells)
    }
    self.init()
    name = try String?(from: &reader)
    isEnabled = try reader.readBool()
    timing.autoreverses = try reader.readBool()
    timing.fillMode = try FillMode(from: &reader)
    for number in EmitterCellProperty.numbers { self[keyPath: number] = try reader.readNumber() }
    color = try CGColor?(from: &reader)
    contents = try ImageID?(from: &reader)
    contentsRect = try CGRect(from: &reader)
    minificationFilter = try ContentsFilter(from: &reader)
    magnificationFilter = try ContentsFilter(from: &reader)
    particleType = try ParticleType(from: &reader)
    guard try reader.readBool() else { return }
    let count = try reader.readCount(of: "emitter cells", minimumSize: Self.leastSize)
    var inner: [EmitterCellValues] = []
    for _ in 0..<count { inner.append(try Self(from: &reader, depth: depth + 1, left: &left)) }
    cells = inner
  }

  /// The bytes of its numbers alone.
  private static let leastSize = EmitterCellProperty.numbers.count * 8

  package var animationValue: AnimationValue { .cell(self) }

  package init?(_ value: AnimationValue) {
    guard case .cell(let cell) = value else { return nil }
    self = cell
  }
}

extension EmitterValues {
  /// Why the cells are refused; nil if they are not.
  package var cellsError: CommitError? {
    let count = (cells ?? []).reduce(0) { $0 + $1.count }
    guard count > TreeLimit.emitterCells else { return nil }
    return .tooMany("emitter cells", count: count, limit: TreeLimit.emitterCells)
  }
}

extension EmissionHistory: LayerField {
  /// Documents have none.
  package static var kind: FieldKind { .list(.cell) }

  package func encode(to writer: ByteWriter) {
    writer.write(UInt32(spans.count))
    var cells: [EmitterCellValues]?
    for span in spans {
      writer.write(span.end)
      span.values.encodePlain(to: writer)
      // An emitter that is only moved has the same cells throughout.
      writer.write(span.values.cells == cells)
      if span.values.cells != cells { span.values.cells.encode(to: writer) }
      cells = span.values.cells
      writer.write(UInt32(span.animations.count))
      for animation in span.animations { animation.encode(to: writer) }
    }
  }

  package init(from reader: inout ByteReader) throws(CommitError) {
    self.init()
    let count = try reader.readCount(of: "spans of emission", minimumSize: 16)
    guard count <= Self.limit else {
      throw .tooMany("spans of emission", count: count, limit: Self.limit)
    }
    var cells: [EmitterCellValues]?
    for _ in 0..<count {
      let end = try reader.readFinite("end of emission")
      var values = try EmitterValues(plain: &reader)
      if try !reader.readBool() { cells = try [EmitterCellValues]?(from: &reader) }
      values.cells = cells
      if let error = values.cellsError { throw error }
      let animations = try reader.readArray(
        of: "animations", minimumSize: AnimationDescription.minimumEncodedSize
      ) { reader throws(CommitError) in try AnimationDescription(from: &reader) }
      spans.append(Span(end: end, values: values, animations: animations))
    }
  }

  /// Nothing animates it.
  package var animationValue: AnimationValue { .none }
  package init?(_ value: AnimationValue) { nil }
}

extension EmitterValues {
  /// Writes the values but for cells, behaviours and history, which particles are not born with.
  fileprivate func encodePlain(to writer: ByteWriter) {
    writer.write((birthRate, lifetime, velocity, scale, spin))
    writer.write((zPosition, depth))
    position.encode(to: writer)
    size.encode(to: writer)
    shape.encode(to: writer)
    mode.encode(to: writer)
    seed.encode(to: writer)
  }

  fileprivate init(plain reader: inout ByteReader) throws(CommitError) {
    self.init()
    birthRate = try reader.readNumber()
    lifetime = try reader.readNumber()
    velocity = try reader.readNumber()
    scale = try reader.readNumber()
    spin = try reader.readNumber()
    zPosition = try reader.readNumber()
    depth = try reader.readNumber()
    position = try CGPoint(from: &reader)
    size = try CGSize(from: &reader)
    shape = try EmitterShape(from: &reader)
    mode = try EmitterMode(from: &reader)
    seed = try UInt32(from: &reader)
  }
}
