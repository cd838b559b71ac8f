import LaminaValues

@testable import Lamina

/// The warnings that `body` emits in this task.
@discardableResult
func warnings(of body: () throws -> Void) rethrows -> [String] {
  let said = Said()
  try Warnings.$current.withValue(Warnings { said.add($0) }, operation: body)
  return said.lines
}

private final class Said: Sendable {
  private let all = Lock<[String]>([])
  var lines: [String] { all.withLock { $0 } }
  func add(_ line: String) { all.withLock { $0.append(line) } }
}
