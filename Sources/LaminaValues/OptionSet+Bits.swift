extension OptionSet where Self == Element, RawValue == UInt8 {
  // The standard library's ask for equality, which is not inlined in other modules. Where the type
  // is not frozen, neither is `rawValue`.
  @inlinable package var isEmpty: Bool { rawValue == 0 }

  @inlinable package func contains(_ other: Self) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }
}
