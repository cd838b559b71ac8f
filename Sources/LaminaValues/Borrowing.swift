/// Passes an object to `body` without counting a reference to it, which would take longer than most
/// of what setters and commits do with it. Something else must hold the object meanwhile.
///
/// The object is an expression, such as a property of a class, because a variable would count one.
@inlinable @inline(__always)
package func borrowing<Object: AnyObject, Result>(
  _ object: @autoclosure () -> Object, _ body: (Object) -> Result
) -> Result {
  Unmanaged.passUnretained(object())._withUnsafeGuaranteedRef(body)
}

/// As above, if there is an object.
@inlinable @inline(__always)
package func borrowing<Object: AnyObject>(
  ifAny object: @autoclosure () -> Object?, _ body: (Object) -> Void
) {
  object().map(Unmanaged.passUnretained)?._withUnsafeGuaranteedRef(body)
}
