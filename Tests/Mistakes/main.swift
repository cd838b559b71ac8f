// Makes each mistake in a process of its own. All but the forgiven ones must end the process, and
// must describe the mistake, with its values, on standard error, in release builds too.
//
// Without arguments, makes all mistakes and checks the outcomes; with a name, makes that one.
import Foundation

/// How a process that makes `mistake` behaved other than it should; nil if it did not.
func failure(of mistake: Mistake) throws -> String? {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  process.arguments = [mistake.name]
  // Backtraces take seconds and repeat the message.
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
