import Foundation

// Code for Apple's systems casts to Core Foundation's types (`[red, blue] as CFArray`). Foundation
// does not export these names on Linux, so they stand for Swift's and Foundation's own types here.

public typealias CFString = String
public typealias CFArray = [Any]
public typealias CFDictionary = [AnyHashable: Any]
public typealias CFAttributedString = NSAttributedString
public typealias CFTypeRef = Any
public typealias CFIndex = Int
public typealias CFData = Data
public typealias CFMutableData = NSMutableData
public typealias CFURL = URL

/// A range of indices: `length` of them from `location` on.
public struct CFRange: Hashable, Sendable {
  public var location: CFIndex
  public var length: CFIndex

  public init(location: CFIndex = 0, length: CFIndex = 0) {
    self.location = location
    self.length = length
  }
}

public func CFRangeMake(_ loc: CFIndex, _ len: CFIndex) -> CFRange {
  CFRange(location: loc, length: len)
}

/// Empty data to append to. `allocator` must be nil; `capacity` is ignored, since data grows.
public func CFDataCreateMutable(_ allocator: Any?, _ capacity: CFIndex) -> CFMutableData? {
  NSMutableData()
}
