/// Ends the program because of a mistake in its own code that a function cannot throw. The message
/// names the values; it goes to standard error, in release builds too. What comes from outside, a
/// document or another process, is thrown instead.
package func programmerError(
  _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
  fatalError(message(), file: file, line: line)
}
