// Making a layer of the same class as another, by way of `init(layer:)`.
//
// `init(layer:)` may not be `required`, since subclasses write `override` before it and many leave
// it out; and Swift refuses `type(of: self).init(layer:)` where it is not.
//
// The way round: a convenience initializer may say `self.init(layer:)`, and the compiler sends
// that through the class's own table to the most derived override. It has to work for any
// subclass, because subclasses inherit convenience initializers. So all that is lacking is a way
// to call one on a class known only at run time. A static method is called exactly as an
// allocating initializer is: the class in the self register, a new reference handed back. So the
// second declaration below names the first one's symbol, and is legal to call so.
//
// This holds only while `init(layer:)` is a designated initializer in the class's body, and these
// two declarations stand in CALayer's own module and agree.

import LaminaCommit
import LaminaValues

/// The initial values of a presentation copy. They are kept outside the layer, which has them only
/// while a copy of it is made.
final class PresentationSeed {
  let values: LayerValues
  init(_ values: LayerValues) { self.values = values }
}

extension CALayer {
  /// The body. A convenience initializer of a class in Swift has one entry point, the allocating
  /// one, and the name given here is that entry point's.
  ///
  /// It takes `Unmanaged`, a bare pointer, because initializers own their arguments and methods
  /// borrow theirs: with nothing to own, the two agree and no count can go astray.
  @_silgen_name("lamina_CALayer_presentationCopy")
  convenience init(_presenting original: Unmanaged<CALayer>) {
    self.init(layer: original.takeUnretainedValue())
  }

  /// The same code, seen as a static method. Its parameters and result must match those above: the
  /// compiler checks nothing between the two when it does not optimise.
  @_silgen_name("lamina_CALayer_presentationCopy")
  private static func _makeCopy(of original: Unmanaged<CALayer>) -> CALayer

  /// A new layer of this layer's own class, made by its most derived `init(layer:)`.
  ///
  /// A subclass with initializers of its own that leaves `init(layer:)` out stops the program
  /// here, as on Apple's systems, with a message that names the class.
  final func makePresentationCopy() -> Self {
    // This layer must outlive the call, for the pointer alone does not hold it.
    let made = withExtendedLifetime(self) {
      type(of: self)._makeCopy(of: .passUnretained(self))
    }
    // Swift cannot answer another class from an initializer, so this fails only if the call above
    // has stopped meaning what it says. One comparison is cheap beside an allocation.
    guard type(of: made) == type(of: self) else {
      programmerError("init(layer:) of \(type(of: self)) made a \(type(of: made)) instead")
    }
    return unsafeDowncast(made, to: Self.self)
  }
}
