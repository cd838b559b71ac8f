import Foundation
import LaminaValues

// What the archives of layers, animations, emitter cells, filters and behaviours have in common.
extension NSCoder {
  /// Archives the values under some keys, and the list of the keys. A key for which `value` returns
  /// nil is left out, and with a warning that names `owner` one whose value cannot be archived.
  final func archive(_ keys: [String], of owner: String, value: (String) -> Any?) {
    var archived: [NSString] = []
    for key in keys {
      guard let value = value(key),
        let object = archivedObject(value, key: "\(key) of \(owner)", by: self)
      else { continue }
      encode(object, forKey: key)
      archived.append(NSString(string: key))
    }
    encode(NSArray(array: archived), forKey: Self.contentsKey)
  }

  /// Archives the type, name, inputs and `isEnabled` of a filter or a behaviour, which is `owner`
  /// in warnings. `input` returns the public value under an input's key.
  final func archive(_ values: FilterValues, of owner: String, input: (String) -> Any?) {
    encode(NSString(string: values.type), forKey: "type")
    if let name = values.name { encode(NSString(string: name), forKey: "name") }
    encode(values.isEnabled, forKey: "enabled")
    let inputs = values.inputs.map { ($0.key, input($0.key) ?? NSNull()) }
    let dictionary = Dictionary(uniqueKeysWithValues: inputs)
    if let archived = archivedObject(dictionary, key: "\(owner)'s inputs", by: self) {
      encode(archived, forKey: "inputs")
    }
  }

  /// An archived filter or behaviour without its inputs, and these; nil if there is no type.
  final var archivedFilter: (values: FilterValues, inputs: [(key: String, value: Any)])? {
    guard let type = archivedValue(forKey: "type") as? String else { return nil }
    var values = FilterValues(type: type, name: archivedValue(forKey: "name") as? String)
    if containsValue(forKey: "enabled") { values.isEnabled = decodeBool(forKey: "enabled") }
    let inputs = archivedValue(forKey: "inputs") as? [AnyHashable: Any] ?? [:]
    return (
      values, inputs.compactMap { key, value in (key as? String).map { (key: $0, value: value) } }
    )
  }
}
