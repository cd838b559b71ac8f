// Makes each mistake in a process of its own: all but those that are forgiven have to end it, and
// to say on standard error what it was, with the values, in release builds too.
//
// Without arguments, makes all and compares; with a name, makes that one.
import Foundation

/// What a process that makes `mistake` did otherwise than it should; nil for nothing.
func failure(of mistake: Mistake) throws -> String? {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  process.arguments = [mistake.name]
  // Backtraces take seconds, and say the message once more.
  process.environment = ProcessInfo.processInfo.environment.merging(
    ["SWIFT_BACKTRACE": "enable=no"]
  ) { $1 }
  let errors = Pipe()
  process.standardError = errors
  try process.run()
  let said = String(
    decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  process.waitUntilExit()
  let wentOn = process.terminationReason == .exit && process.terminationStatus == 0
  if wentOn != mistake.isForgiven { return wentOn ? "goes on" : "ends: \(said)" }
  guard said.contains(mistake.message) || mistake.message.isEmpty && said.isEmpty else {
    return "says \"\(said)\" and not \"\(mistake.message)\""
  }
  return nil
}

if let name = CommandLine.arguments.dropFirst().first {
  guard let mistake = Mistake.all.first(where: { $0.name == name }) else {
    fatalError("there is no mistake \(name)")
  }
  try mistake.make()
} else {
  var count = 0
  for mistake in Mistake.all {
    guard let failure = try failure(of: mistake) else { continue }
    print("mistakes: \(mistake.name) \(failure)")
    count += 1
  }
  print("mistakes: \(Mistake.all.count - count) of \(Mistake.all.count) are as they should be")
  exit(count == 0 ? 0 : 1)
}
