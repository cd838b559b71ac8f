// Calls `init()` of a class known only at run time, in the way that CALayer+PresentationCopy.swift
// explains for `init(layer:)`. It cannot be `required`, since subclasses write `override init()`.

import LaminaValues

extension CAAnimation {
  @_silgen_name("lamina_CAAnimation_fresh")
  convenience init(_freshFor zone: UInt) { self.init() }

  /// The same code declared as a static method: parameters and result must match the initializer's.
  @_silgen_name("lamina_CAAnimation_fresh")
  private static func _fresh(for zone: UInt) -> CAAnimation

  /// A new animation of this animation's class, made by the class's own `init()`.
  final func fresh() -> CAAnimation {
    let made = type(of: self)._fresh(for: 0)
    guard type(of: made) == type(of: self) else {
      programmerError("init() of \(type(of: self)) made a \(type(of: made)) instead")
    }
    return made
  }
}
