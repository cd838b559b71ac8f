// A render process that draws as any other, until what its arguments say:
//
// - `dies-at N`: its executor's Nth call kills it;
// - `dies-drawing W`: it dies of a bad access when it draws a frame that is W pixels wide;
// - `fills-memory 0`: it takes more and more memory when it draws a frame;
// - `stops-at N`: its executor's Nth call stops it as SIGSTOP does;
// - `tries-forbidden`: instead of drawing, it tries what a render process has no business with, and
//   fails with what became of each act;
// - `tries-forbidden unconfined`: the same, outside a sandbox.
import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderServer
import LaminaValues

let arguments = CommandLine.arguments.dropFirst()
let fault = arguments.first ?? ""
let value = arguments.last ?? ""

final class FaultyExecutor: FrameExecutor {
  private let real: any FrameExecutor
  private var calls = 0
  private var widths: [SurfaceID: Int] = [:]

  init(_ real: any FrameExecutor) { self.real = real }

  var profile: DeviceProfile { real.profile }
  var description: DeviceDescription { real.description }

  private func call() {
    calls += 1
    guard calls == Int(value) else { return }
    if fault == "dies-at" { kill(getpid(), SIGKILL) }
    // By `kill`, another thread may take the signal, and this one goes on meanwhile.
    if fault == "stops-at" { raise(SIGSTOP) }
  }

  private func fillMemory() -> Never {
    while true { memset(malloc(1 << 20), 1, 1 << 20) }
  }

  func makeSurface(size: PixelSize, format: PixelFormat) throws(ExecutorError) -> SurfaceID {
    call()
    let surface = try real.makeSurface(size: size, format: format)
    widths[surface] = size.width
    return surface
  }

  func releaseSurface(_ surface: SurfaceID) { real.releaseSurface(surface) }

  func execute(
    _ plan: FramePlan, on surface: SurfaceID,
    stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) -> Int {
    call()
    if fault == "fills-memory" { fillMemory() }
    if fault == "tries-forbidden" { throw .badPlan(ForbiddenActs.outcomes) }
    if fault == "dies-drawing", widths[surface] == Int(value) {
      // Without Swift's report of the crash, which takes seconds.
      signal(SIGSEGV, SIG_DFL)
      UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 0
    }
    return try real.execute(plan, on: surface, stores: stores)
  }

  func readBack(
    _ surface: SurfaceID, region: PixelRect?, into memory: UnsafeMutableRawBufferPointer,
    stride: Int
  ) throws(ExecutorError) {
    call()
    try real.readBack(surface, region: region, into: memory, stride: stride)
  }

  func finish() throws(ExecutorError) {
    call()
    try real.finish()
  }

  func close() { real.close() }
}

if fault == "tries-forbidden" { ForbiddenActs.makeVictim() }
if value == "unconfined" { setenv(Sandbox.environmentVariable, "off", 1) }
exit(
  ServerProcess.run([]) { choice, driverLoaded throws(ExecutorError) in
    FaultyExecutor(try makeExecutor(for: choice, driverLoaded: driverLoaded))
  })
