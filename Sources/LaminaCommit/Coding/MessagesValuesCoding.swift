import LaminaValues

// Small values that messages and commits share.

extension LayerID {
  func encode(to writer: ByteWriter) { writer.write((index, generation)) }

  init(from reader: inout ByteReader) throws(CommitError) {
    let (index, generation) = try reader.read((UInt32, UInt32).self)
    self.init(index: index, generation: generation)
  }
}

extension MemoryRange {
  func encode(to writer: ByteWriter) {
    writer.write(arena.rawValue)
    writer.write(offset)
    writer.write(count)
  }

  /// Ensures that the range does not overflow. The owner of the arena must check that it lies
  /// within.
  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      arena: ArenaID(rawValue: try reader.read()), offset: try reader.read(),
      count: try reader.read())
    guard !offset.addingReportingOverflow(count).overflow else {
      throw .outOfRange("range of \(arena)", value: "\(count) bytes at \(offset)")
    }
  }
}

extension PixelSize {
  func encode(to writer: ByteWriter) {
    writer.write(UInt32(clamping: width))
    writer.write(UInt32(clamping: height))
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      width: Int(try reader.read(UInt32.self)), height: Int(try reader.read(UInt32.self)))
    guard !isEmpty, width <= ServerLimit.side, height <= ServerLimit.side else {
      throw .outOfRange("size in pixels", value: "\(self)")
    }
  }
}

extension PixelLayout {
  /// Twice the bytes of the widest row.
  static let maximumStride = ServerLimit.side * 8 * 2

  func encode(to writer: ByteWriter) {
    size.encode(to: writer)
    writer.write(UInt32(clamping: stride))
    writer.write(format.rawValue)
    writer.write(coding.map { $0.rawValue } ?? 0)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    let size = try PixelSize(from: &reader)
    let stride = Int(try reader.read(UInt32.self))
    self.init(
      width: size.width, height: size.height, stride: stride,
      format: try reader.readCode("pixel format"))
    let coding = try reader.read(UInt8.self)
    if coding != 0 {
      guard let known = YCbCrCoding(rawValue: coding) else {
        throw .unknownCode(of: "coding of pixels", code: Int(coding))
      }
      self.coding = known
    }
    guard byteCount != nil, stride <= Self.maximumStride else {
      throw .outOfRange("stride", value: "\(stride) for \(width) pixels of \(format)")
    }
  }
}

extension DMABufLayout {
  func encode(to writer: ByteWriter) {
    size.encode(to: writer)
    writer.write(format.rawValue)
    writer.write(modifier ?? Self.unknownModifier)
    writer.write(UInt8(clamping: planes.count))
    for plane in planes.prefix(Self.planeLimit) { writer.write((plane.offset, plane.stride)) }
  }

  /// Ensures that the layout does not contradict itself. Whether it fits its dma-bufs, their sizes
  /// tell.
  init(from reader: inout ByteReader) throws(CommitError) {
    let size = try PixelSize(from: &reader)
    let code = try reader.read(UInt32.self)
    guard let format = DMABufFormat(rawValue: code) else {
      throw .unknownCode(of: "format of dma-bufs", code: Int(code))
    }
    let modifier = try reader.read(UInt64.self)
    let count = Int(try reader.read(UInt8.self))
    guard count <= Self.planeLimit else {
      throw .tooMany("planes", count: count, limit: Self.planeLimit)
    }
    var planes: [Plane] = []
    for _ in 0..<count {
      planes.append(Plane(offset: try reader.read(), stride: try reader.read()))
    }
    self.init(
      size: size, format: format, modifier: modifier == Self.unknownModifier ? nil : modifier,
      planes: planes)
    do throws(DMABufError) {
      try check()
    } catch {
      throw .outOfRange("layout of a dma-buf", value: "\(error)")
    }
  }
}

extension PixelRect {
  func encode(to writer: ByteWriter) {
    writer.write(Int32(clamping: minX))
    writer.write(Int32(clamping: minY))
    writer.write(Int32(clamping: maxX))
    writer.write(Int32(clamping: maxY))
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      minX: Int(try reader.read(Int32.self)), minY: Int(try reader.read(Int32.self)),
      maxX: Int(try reader.read(Int32.self)), maxY: Int(try reader.read(Int32.self)))
    guard minX <= maxX, minY <= maxY else {
      throw .outOfRange("rectangle", value: "\(minX),\(minY) to \(maxX),\(maxY)")
    }
  }
}

extension ByteReader {
  /// A case of an enumeration, by its raw value.
  mutating func readCode<Value: RawRepresentable<UInt8>>(
    _ what: String
  ) throws(CommitError) -> Value {
    let code = try read(UInt8.self)
    guard let value = Value(rawValue: code) else {
      throw .unknownCode(of: what, code: Int(code))
    }
    return value
  }

  /// Reads the protocol's version. Both sides must have the same before they can interpret the
  /// rest.
  mutating func readVersion() throws(CommitError) -> UInt32 {
    let version = try read(UInt32.self)
    guard version == Hello.currentVersion else {
      throw .protocolViolation(
        "the peer speaks version \(version) of the protocol, this process \(Hello.currentVersion)")
    }
    return version
  }
}
