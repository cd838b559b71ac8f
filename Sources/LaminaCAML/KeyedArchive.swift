import Foundation
import Lamina

/// The objects of a keyed archive, as NSKeyedArchiver writes them in binary form. Only the property
/// list is decoded; classes are just names.
final class KeyedArchive {
  typealias Damage = BinaryPropertyList.Damage

  enum Value {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case data(Data)
    case array([Value])
    /// An object of the archive, given by its number.
    case object(Int)
  }

  /// An object that has a class.
  struct Record {
    var className: String
    var values: [String: Value]
  }

  private let list: BinaryPropertyList
  /// The numbers of the objects in the property list.
  private let objects: [Int]
  /// The amount that may still be read, roughly in bytes, repeated reads included. Without a limit,
  /// objects shared by many others could multiply endlessly.
  private var budget: Int

  init(_ data: Data) throws(Damage) {
    list = try BinaryPropertyList(data)
    budget = 8 * data.count + 1_000_000
    guard case .dictionary(let keys, let values) = try list.object(list.top) else {
      throw Damage("it holds no dictionary")
    }
    var objects: [Int]?
    var root: Int?
    for (key, value) in zip(keys, values) {
      guard case .string(let key) = try list.object(key) else { continue }
      switch (key, try list.object(value)) {
      case ("$objects", .array(let numbers)): objects = numbers
      case ("$top", .dictionary(let keys, let values)):
        for (key, value) in zip(keys, values) {
          if case .string("root") = try list.object(key),
            case .uid(let uid) = try list.object(value)
          {
            root = uid
          }
        }
      default: break
      }
    }
    guard let objects, let root else { throw Damage("it has no $objects or no root") }
    (self.objects, self.root) = (objects, .object(root))
  }

  /// The object that was archived.
  let root: Value

  /// Follows a reference to a string, number or other plain value, which are objects of the archive
  /// too. A reference to an object with members is returned as it is.
  func resolve(_ value: Value) throws(Damage) -> Value {
    guard case .object(let uid) = value else { return value }
    let object = try stored(uid)
    switch object {
    case .dictionary: return value
    case .string("$null"): return .null
    default: return try plain(object, depth: 0)
    }
  }

  /// The object with a number; nil if it has no class.
  func record(_ uid: Int) throws(Damage) -> Record? {
    guard case .dictionary(let keys, let values) = try stored(uid) else { return nil }
    var record = Record(className: "", values: [:])
    for (key, value) in zip(keys, values) {
      guard case .string(let key) = try read(key) else { continue }
      let value = try plain(try read(value), depth: 0)
      if key == "$class" {
        guard case .object(let uid) = value else { return nil }
        record.className = try className(uid)
      } else {
        record.values[key] = value
      }
    }
    return record.className.isEmpty ? nil : record
  }

  /// The names that Core Animation's archives use for the classes with which Lamina archives
  /// values, by Lamina's class names.
  private static let ownNames: [String: String] = Dictionary(
    NSCoder.archivedClasses.compactMap { type, name in name.map { ("\(type)", $0) } },
    uniquingKeysWith: { first, _ in first })

  /// The name of a class object, without the module name that may precede it.
  private func className(_ uid: Int) throws(Damage) -> String {
    guard case .dictionary(let keys, let values) = try stored(uid) else { return "" }
    for (key, value) in zip(keys, values) {
      if case .string("$classname") = try read(key), case .string(let name) = try read(value) {
        let name = name.split(separator: ".").last.map(String.init) ?? ""
        return Self.ownNames[name] ?? name
      }
    }
    return ""
  }

  private func stored(_ uid: Int) throws(Damage) -> BinaryPropertyList.Object {
    guard objects.indices.contains(uid) else { throw Damage("no object \(uid)") }
    return try read(objects[uid])
  }

  private func read(_ number: Int) throws(Damage) -> BinaryPropertyList.Object {
    let object = try list.object(number)
    let size =
      switch object {
      case .string(let text): text.utf8.count + 1
      case .data(let data): data.count + 1
      case .array(let numbers): numbers.count + 1
      case .dictionary(let keys, _): 2 * keys.count + 1
      default: 1
      }
    budget -= size
    guard budget > 0 else { throw Damage("its objects repeat each other without end") }
    return object
  }

  private func plain(
    _ object: BinaryPropertyList.Object, depth: Int
  ) throws(Damage) -> Value {
    switch object {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .number(let value): return .number(value)
    case .string(let value): return .string(value)
    case .data(let value): return .data(value)
    case .uid(let uid): return .object(uid)
    case .array(let numbers):
      // Lists in an archive contain references to objects, not other lists.
      guard depth < 4 else { throw Damage("its lists nest too deeply") }
      var values: [Value] = []
      for number in numbers { values.append(try plain(try read(number), depth: depth + 1)) }
      return .array(values)
    case .dictionary: throw Damage("a dictionary stands where a value should")
    }
  }
}
