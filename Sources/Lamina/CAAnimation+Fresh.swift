// Calls `init()` of a class known only at run time, as CALayer+Shadow.swift does `init(layer:)`:
// see there. `init()` cannot be `required`, since subclasses write `override init()`.

import LaminaValues

extension CAAnimation {
  @_silgen_name("lamina_CAAnimation_fresh")
  convenience init(_freshFor zone: UInt) { self.init() }

  /// The same code, seen as a static method: its parameters and result must match those above.
  @_silgen_name("lamina_CAAnimation_fresh")
  private static func _fresh(for zone: UInt) -> CAAnimation

  /// A new animation of this one's own class, made by its most derived `init()`.
  final func fresh() -> CAAnimation {
    let made = type(of: self)._fresh(for: 0)
    guard type(of: made) == type(of: self) else {
      programmerError("init() of \(type(of: self)) made a \(type(of: made)) instead")
    }
    return made
  }
}
