import Foundation

// Code for Apple's systems casts to Core Foundation's types (`[red, blue] as CFArray`). Foundation
// does not export these names on Linux, so they stand for Swift's and Foundation's own types here.

/// Core Foundation's string: Swift's.
public typealias CFString = String
/// Core Foundation's array: Swift's.
public typealias CFArray = [Any]
/// Core Foundation's dictionary: Swift's.
public typealias CFDictionary = [AnyHashable: Any]
/// Core Foundation's attributed string: Foundation's.
public typealias CFAttributedString = NSAttributedString
/// Any object of Core Foundation's.
public typealias CFTypeRef = Any
/// An index or a count.
public typealias CFIndex = Int
/// Core Foundation's bytes: Foundation's.
public typealias CFData = Data
/// Core Foundation's bytes that can be changed: Foundation's.
public typealias CFMutableData = NSMutableData
/// Core Foundation's URL: Foundation's.
public typealias CFURL = URL

/// A range of indices: `length` of them from `location` on.
public struct CFRange: Hashable, Sendable {
  /// The first index.
  public var location: CFIndex
  /// How many indices there are.
  public var length: CFIndex

  /// A range of `length` indices from `location` on.
  public init(location: CFIndex = 0, length: CFIndex = 0) {
    self.location = location
    self.length = length
  }
}

/// Returns the range of `len` indices from `loc` on.
public func CFRangeMake(_ loc: CFIndex, _ len: CFIndex) -> CFRange {
  CFRange(location: loc, length: len)
}

/// Empty data to append to. `allocator` must be nil; `capacity` is ignored, since data grows.
public func CFDataCreateMutable(_ allocator: Any?, _ capacity: CFIndex) -> CFMutableData? {
  NSMutableData()
}
