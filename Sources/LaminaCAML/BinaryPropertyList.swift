import Foundation

/// A property list in binary form. Objects are numbered and read on demand, so lists that contain
/// themselves do no harm.
struct BinaryPropertyList {
  enum Object {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case data(Data)
    /// The number of an object in a keyed archive.
    case uid(Int)
    /// The object numbers of its elements.
    case array([Int])
    /// The object numbers of its keys and of their values.
    case dictionary(keys: [Int], values: [Int])
  }

  /// An error in a list, described in a few words.
  struct Damage: Error, Equatable {
    var message: String
    init(_ message: String) { self.message = message }
  }

  /// The number of the top object, which contains all others.
  let top: Int

  private let bytes: [UInt8]
  private let objectCount: Int
  private let referenceSize: Int
  private let offsetSize: Int
  private let offsetTable: Int

  private static let magic = Array("bplist00".utf8)
  private static let trailerSize = 32

  init(_ data: Data) throws(Damage) {
    bytes = Array(data)
    guard bytes.starts(with: Self.magic) else { throw Damage("it does not begin with bplist00") }
    let trailer = bytes.count - Self.trailerSize
    guard trailer >= Self.magic.count else { throw Damage("it is cut off") }
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = Self.unsigned(bytes[(trailer + 8)..<(trailer + 16)]),
      let top = Self.unsigned(bytes[(trailer + 16)..<(trailer + 24)]),
      let table = Self.unsigned(bytes[(trailer + 24)..<(trailer + 32)]),
      count <= bytes.count, top < count, table <= trailer, count * offsetSize <= trailer - table
    else { throw Damage("its trailer is damaged") }
    (objectCount, self.top, offsetTable) = (count, top, table)
  }

  /// A big-endian number; nil if it does not fit an Int.
  private static func unsigned(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count <= 8 || bytes.dropLast(8).allSatisfy({ $0 == 0 }) else { return nil }
    return Int(exactly: bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  /// The object with a number.
  func object(_ number: Int) throws(Damage) -> Object {
    guard (0..<objectCount).contains(number) else { throw Damage("no object \(number)") }
    let entry = offsetTable + number * offsetSize
    guard let offset = Self.unsigned(bytes[entry..<(entry + offsetSize)]), offset < offsetTable
    else { throw Damage("object \(number) lies outside") }
    let marker = bytes[offset]
    var place = offset + 1
    let low = Int(marker & 0xf)
    switch marker >> 4 {
    case 0x0 where low == 0: return .null
    case 0x0 where low == 8 || low == 9: return .bool(low == 9)
    case 0x1 where low <= 4: return .number(Self.signed(try take(1 << low, &place)))
    case 0x2 where low == 2:
      let pattern = Self.unsigned(try take(4, &place)) ?? 0
      return .number(Double(Float(bitPattern: UInt32(pattern))))
    case 0x2 where low == 3, 0x3 where low == 3:
      let pattern = try take(8, &place).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return .number(Double(bitPattern: pattern))
    case 0x4: return .data(Data(try take(try count(low, &place), &place)))
    case 0x5:
      return .string(String(decoding: try take(try count(low, &place), &place), as: UTF8.self))
    case 0x6:
      let units = try take(try count(low, &place), of: 2, &place)
      let pairs = stride(from: units.startIndex, to: units.endIndex, by: 2)
      let text = pairs.map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }
      return .string(String(decoding: text, as: UTF16.self))
    case 0x8:
      guard let uid = Self.unsigned(try take(low + 1, &place)) else { break }
      return .uid(uid)
    case 0xa, 0xc: return .array(try references(try count(low, &place), &place))
    case 0xd:
      let count = try count(low, &place)
      let keys = try references(count, &place)
      return .dictionary(keys: keys, values: try references(count, &place))
    default: break
    }
    throw Damage("object \(number) is of no known kind")
  }

  /// An object's count. A count of 15 means that the actual count follows, as a number object.
  private func count(_ low: Int, _ place: inout Int) throws(Damage) -> Int {
    guard low == 0xf else { return low }
    guard let marker = try take(1, &place).first, marker >> 4 == 1, marker & 0xf <= 3,
      let count = Self.unsigned(try take(1 << Int(marker & 0xf), &place))
    else { throw Damage("a count is damaged") }
    return count
  }

  private func take(
    _ count: Int, of size: Int = 1, _ place: inout Int
  ) throws(Damage) -> ArraySlice<UInt8> {
    guard count <= (offsetTable - place) / size else { throw Damage("an object is cut off") }
    defer { place += count * size }
    return bytes[place..<(place + count * size)]
  }

  private func references(_ count: Int, _ place: inout Int) throws(Damage) -> [Int] {
    let bytes = try take(count, of: referenceSize, &place)
    return stride(from: bytes.startIndex, to: bytes.endIndex, by: referenceSize).map {
      // A number that does not fit an Int cannot be an object's number.
      Self.unsigned(bytes[$0..<($0 + referenceSize)]) ?? .max
    }
  }

  /// An integer: signed if it has eight bytes or more, unsigned if shorter.
  private static func signed(_ bytes: ArraySlice<UInt8>) -> Double {
    let pattern = bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return bytes.count < 8 ? Double(pattern) : Double(Int64(bitPattern: pattern))
  }
}
