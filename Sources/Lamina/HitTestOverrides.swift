import LaminaValues

// Whether a class has a `hitTest(_:)` of its own, which Swift cannot say.
//
// A hit test asks layers whose classes have one, and goes through all others in a loop: so that the
// depth of a tree takes no stack. The answer is in the classes' method tables, where a method has
// the same place in all subclasses. Two classes of ours tell which place that is: one overrides the
// method, and the other one nothing. If they do not tell, every class is taken to have its own,
// which costs stack and changes no answer.

extension CALayer {
  /// Whether the layer's class, or one between it and CALayer, overrides `hitTest(_:)`.
  final var overridesHitTest: Bool {
    guard isOfProgramClass else { return false }
    guard let place = MethodTable.hitTestPlace else { return true }
    return MethodTable(type(of: self))[place] != MethodTable(CALayer.self)[place]
  }
}

/// What lies behind the head of a class's metadata, pointers to its methods among it.
private struct MethodTable {
  private let metadata: UnsafeRawPointer

  init(_ type: CALayer.Type) { metadata = unsafeBitCast(type, to: UnsafeRawPointer.self) }

  /// In words from the metadata's address, as Swift's docs/ABI/TypeMetadata.rst has it for systems
  /// without Objective-C: kind, superclass, flags and sizes, descriptor and a destroyer come first.
  private static let firstPlace = 7

  /// The size of all and where in it the address points, in bytes.
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

  /// nil if it cannot be told.
  static let hitTestPlace: Int? = {
    let (base, plain, other) = (Self(CALayer.self), Self(Plain.self), Self(Overriding.self))
    guard plain.count >= base.count, other.count >= base.count else { return nil }
    let places = (firstPlace..<max(firstPlace, base.count)).filter {
      base[$0] == plain[$0] && base[$0] != other[$0]
    }
    return places.count == 1 ? places[0] : nil
  }()
}
