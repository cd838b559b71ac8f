import Foundation
import LaminaValues

/// Writes a message's bytes, little-endian, into memory that is reused for the next message.
package final class ByteWriter {
  private struct Buffer {
    var base: UnsafeMutableRawPointer
    var capacity: Int
    var count = 0
  }

  /// A pointer, because each access to a class's own variables is checked for exclusivity, which
  /// takes longer than writing a number.
  private let buffer: UnsafeMutablePointer<Buffer>

  package init(capacity: Int = 4096) {
    let capacity = max(capacity, 64)
    buffer = .allocate(capacity: 1)
    buffer.initialize(
      to: Buffer(base: .allocate(byteCount: capacity, alignment: 16), capacity: capacity))
  }

  deinit {
    buffer.pointee.base.deallocate()
    buffer.deallocate()
  }

  package var count: Int { buffer.pointee.count }

  package func removeAll() { buffer.pointee.count = 0 }

  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: buffer.pointee.base, count: buffer.pointee.count)
  }

  @inline(__always)
  package func reserve(_ additional: Int) {
    if buffer.pointee.count + additional > buffer.pointee.capacity { grow(additional) }
  }

  @inline(never)
  private func grow(_ additional: Int) {
    let capacity = max(buffer.pointee.capacity * 2, buffer.pointee.count + additional)
    let base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    base.copyMemory(from: buffer.pointee.base, byteCount: buffer.pointee.count)
    buffer.pointee.base.deallocate()
    buffer.pointee.base = base
    buffer.pointee.capacity = capacity
  }

  @inline(__always)
  package func write<Value: BitwiseCopyable>(_ value: Value) {
    let size = MemoryLayout<Value>.size
    reserve(size)
    buffer.pointee.base.storeBytes(of: value, toByteOffset: buffer.pointee.count, as: Value.self)
    buffer.pointee.count += size
  }

  @inline(__always)
  package func write(_ bool: Bool) { write(bool ? 1 : 0 as UInt8) }

  package func write(_ string: String) {
    var string = string
    string.withUTF8 { bytes in
      write(UInt32(bytes.count))
      append(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Writes bytes as they are.
  package func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    guard let base = bytes.baseAddress else { return }
    (buffer.pointee.base + count).copyMemory(from: base, byteCount: bytes.count)
    buffer.pointee.count += bytes.count
  }
}

/// Reads a message's bytes without trusting them: every read checks the remaining length, and
/// throws.
package struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  package private(set) var offset: Int

  /// `bytes` must outlive the reader, which begins at an offset of them.
  package init(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0) {
    (self.bytes, self.offset) = (bytes, offset)
  }

  package var remaining: Int { bytes.count - offset }

  /// The bytes that remain.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[offset...]) }

  @inline(__always)
  package mutating func read<Value: BitwiseCopyable>(
    _ type: Value.Type = Value.self
  ) throws(CommitError) -> Value {
    let size = MemoryLayout<Value>.size
    guard remaining >= size else {
      throw .truncated(needed: size, available: remaining)
    }
    defer { offset += size }
    return bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
  }

  package mutating func readBool() throws(CommitError) -> Bool {
    let byte = try read(UInt8.self)
    guard byte <= 1 else { throw .unknownCode(of: "truth value", code: Int(byte)) }
    return byte == 1
  }

  /// Reads a double, which may be infinite but not NaN.
  package mutating func readNumber() throws(CommitError) -> Double {
    let value = try read(Double.self)
    guard !value.isNaN else { throw .notFinite("number") }
    return value
  }

  @inline(__always)
  package mutating func readFinite(
    _ what: @autoclosure () -> String
  ) throws(CommitError) -> Double {
    let value = try read(Double.self)
    guard value.isFinite else { throw .notFinite(what()) }
    return value
  }

  package mutating func readString() throws(CommitError) -> String {
    let count = Int(try read(UInt32.self))
    guard remaining >= count else { throw .truncated(needed: count, available: remaining) }
    defer { offset += count }
    return String(decoding: bytes[offset..<offset + count], as: UTF8.self)
  }

  /// Reads a count of elements, each of at least `minimumSize` bytes. Throws if the message cannot
  /// hold that many, so that a false count does not cause a large allocation.
  package mutating func readCount(
    of what: String, minimumSize: Int
  ) throws(CommitError) -> Int {
    let count = Int(try read(UInt32.self))
    guard count <= remaining / max(minimumSize, 1) else {
      throw .truncated(needed: count, available: remaining)
    }
    return count
  }

  package func finish() throws(CommitError) {
    guard remaining == 0 else { throw .trailingBytes(remaining) }
  }
}

extension [UInt8] {
  /// `withUnsafeBytes` for a body that throws an error of one type.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBytes { bytes in
      Swift.Result { () throws(Failure) in try body(bytes) }
    }.get()
  }
}
