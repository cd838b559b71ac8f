import LaminaValues

// Finds out whether a class overrides `hitTest(_:)`, which Swift cannot tell.
//
// A hit test calls the overrides and goes through all other layers in a loop, so that the depth of
// a tree takes no stack. The answer is in the classes' method tables, where a method has the same
// place in all subclasses. Two private classes reveal the place: one overrides the method, the
// other overrides nothing. If they do not reveal it, every class is assumed to override the method,
// which costs stack and changes no answer.

extension CALayer {
  /// Whether the layer's class, or one between it and CALayer, overrides `hitTest(_:)`.
  final var overridesHitTest: Bool {
    guard isOfProgramClass else { return false }
    guard let place = MethodTable.hitTestPlace else { return true }
    return MethodTable(type(of: self))[place] != MethodTable(CALayer.self)[place]
  }
}

/// The words of a class's metadata, among them pointers to its methods.
private struct MethodTable {
  private let metadata: UnsafeRawPointer

  init(_ type: CALayer.Type) { metadata = unsafeBitCast(type, to: UnsafeRawPointer.self) }

  /// The first word after the head, counted from the metadata's address. As in Swift's
  /// docs/ABI/TypeMetadata.rst for systems without Objective-C, the head is kind, superclass, flags
  /// and sizes, descriptor and a destroyer.
  private static let firstPlace = 7

  /// The number of words from the metadata's address to its end. The metadata gives its whole size,
  /// and how far into it the address points, in bytes.
  private var count: Int {
    let size = metadata.load(fromByteOffset: 32, as: UInt32.self)
    let addressPoint = metadata.load(fromByteOffset: 36, as: UInt32.self)
    return (Int(size) - Int(addressPoint)) / MemoryLayout<UInt>.size
  }

  subscript(place: Int) -> UInt {
    metadata.load(fromByteOffset: place * MemoryLayout<UInt>.size, as: UInt.self)
  }

  private class Plain: CALayer {}
  private final class Overriding: CALayer {
    override func hitTest(_ p: CGPoint) -> CALayer? { super.hitTest(p) }
  }

  /// The place of `hitTest(_:)` in the method tables; nil if it cannot be told.
  static let hitTestPlace: Int? = {
    let (base, plain, other) = (Self(CALayer.self), Self(Plain.self), Self(Overriding.self))
    guard plain.count >= base.count, other.count >= base.count else { return nil }
    let places = (firstPlace..<max(firstPlace, base.count)).filter {
      base[$0] == plain[$0] && base[$0] != other[$0]
    }
    return places.count == 1 ? places[0] : nil
  }()
}
