/// Ends the program because of a programming error in a place that cannot throw. The message names
/// the values and goes to standard error, in release builds too. Errors in input from outside, such
/// as a document or another process, are thrown instead.
package func programmerError(
  _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
  fatalError(message(), file: file, line: line)
}
