import Foundation

/// What runs tasks: a queue of many machines, or this machine.
protocol FarmEngine: AnyObject {
  /// Has tasks run, and `joins` once all of them succeeded.
  func submit(_ tasks: [Int], thenJoins joins: [Int]) throws

  /// What is known of the tasks. nil if nothing can be said now, which is no failure.
  func look() throws -> FarmQueue?

  /// Ends all tasks, and returns when none is left.
  func cancel() throws
}

/// What a queue says of a job's tasks.
struct FarmQueue {
  enum Activity: Equatable {
    case waiting
    case running(node: String)
  }

  /// The tasks that will run or do.
  var active: [Int: Activity] = [:]
  /// How tasks ended that are not there any more, such as OUT_OF_MEMORY.
  var ends: [Int: String] = [:]
}
