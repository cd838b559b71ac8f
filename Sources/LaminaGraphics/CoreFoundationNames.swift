import Foundation

// Code for Apple's systems casts to Core Foundation's types (`[red, blue] as CFArray`). Foundation
// does not export them on Linux, where they are Swift's and Foundation's own.

public typealias CFString = String
public typealias CFArray = [Any]
public typealias CFDictionary = [AnyHashable: Any]
public typealias CFAttributedString = NSAttributedString
public typealias CFIndex = Int
