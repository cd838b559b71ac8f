import LaminaValues

/// Why bytes or a commit were refused. Every case says enough to find the place.
package enum CommitError: Error, Hashable, Sendable, CustomStringConvertible {
  case truncated(needed: Int, available: Int)
  case trailingBytes(Int)
  case unknownCode(of: String, code: Int)
  case notFinite(String)
  case outOfRange(String, value: String)
  case tooMany(String, count: Int, limit: Int)
  case tooDeep(String, limit: Int)
  case unknownLayer(LayerID)
  case duplicateLayer(LayerID)
  case cycle(LayerID)
  case unknownStore(ImageID)
  case unknownArena(ArenaID)
  case unknownSession(SessionID)
  case badMemory(String)
  case unknownFilter(String, LayerID)
  case protocolViolation(String)

  package var description: String {
    switch self {
    case .truncated(let needed, let available):
      "message ends early: \(needed) bytes needed, \(available) left"
    case .trailingBytes(let count): "\(count) bytes follow the message's end"
    case .unknownCode(let what, let code): "\(code) is no code of a \(what)"
    case .notFinite(let what): "\(what) is not finite"
    case .outOfRange(let what, let value): "\(what) is out of range: \(value)"
    case .tooMany(let what, let count, let limit): "\(count) \(what), at most \(limit) are allowed"
    case .tooDeep(let what, let limit): "\(what) nests deeper than \(limit)"
    case .unknownLayer(let id): "no layer \(id)"
    case .duplicateLayer(let id): "layer \(id) exists already"
    case .cycle(let id): "layer \(id) would become its own ancestor"
    case .unknownStore(let id): "no backing store for \(id)"
    case .unknownArena(let id): "no \(id)"
    case .unknownSession(let id): "no \(id)"
    case .badMemory(let why): "shared memory refused: \(why)"
    case .unknownFilter(let type, let id):
      "layer \(id) has the unknown filter \(type.debugDescription)"
    case .protocolViolation(let what): what
    }
  }
}
