// libFuzzer's main calls these. FUZZ_TARGET in the environment names the way in, and FUZZ_SEEDS a
// folder into which the program writes inputs to begin with, instead of fuzzing.

import Foundation
import LaminaValues

private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
    programmerError("FUZZ_TARGET is \"\(name)\", which is none of \(names)")
  }
  return target
}()

@_cdecl("LLVMFuzzerInitialize")
public func initialize(_: UnsafeRawPointer, _: UnsafeRawPointer) -> Int32 {
  guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
  for (number, seed) in target.seeds.enumerated() {
    // With others nothing behind the first check would be reached.
    guard seed.withUnsafeBytes(target.understands) else {
      programmerError("input \(number) for \(target.rawValue) is a bad one")
    }
    let file = URL(fileURLWithPath: folder).appendingPathComponent("seed-\(number)")
    guard (try? Data(seed).write(to: file)) != nil else {
      programmerError("\(file.path) cannot be written")
    }
  }
  exit(0)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafeRawPointer, _ count: Int) -> Int32 {
  target.take(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}
