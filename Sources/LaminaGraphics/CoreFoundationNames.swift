import Foundation

// Code for Apple's systems casts to Core Foundation's types (`[red, blue] as CFArray`). Foundation
// does not export these names on Linux, so they stand for Swift's and Foundation's own types here.

public typealias CFString = String
public typealias CFArray = [Any]
public typealias CFDictionary = [AnyHashable: Any]
public typealias CFAttributedString = NSAttributedString
public typealias CFTypeRef = Any
public typealias CFIndex = Int
