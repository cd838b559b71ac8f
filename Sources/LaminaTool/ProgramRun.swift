import Foundation

/// A run of another program, to its end.
struct ProgramRun {
  /// The exit status, or 128 and the number of the signal that ended it.
  let status: Int32
  let output: Data

  var text: String { String(decoding: output, as: UTF8.self) }

  /// The begin of what it wrote to standard error.
  let errors: String

  /// The first line that it wrote to standard error.
  var firstComplaint: String? { LaminaTool.firstComplaint(in: errors) }

  /// Runs the program at `path`. Throws if it cannot be started.
  init(_ path: String, _ arguments: [String]) throws(OutputError) {
    let pipe = Pipe()
    let program = try RunningProgram(path, arguments, output: pipe)
    try? pipe.fileHandleForWriting.close()
    output = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
    status = program.waitForEnd()
    errors = program.complaints
  }
}
