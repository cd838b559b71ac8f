// Draws documents, at half a second, into PNGs, all with one render process.
//
// usage: draw-scenes PLATFORM FOLDER DOCUMENT…
//
// The first line printed is "platform NAME: RENDERER, VERSION", where NAME is the platform that
// really draws; the following lines say why other platforms do not, and on which device. The exit
// status is 1 if NAME is not PLATFORM.

import Foundation
import Lamina
import LaminaCAML
import LaminaCommit

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("draw-scenes: \(message)\n".utf8))
  exit(1)
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count > 2, let platform = RenderPlatform(rawValue: arguments[1]) else {
  fail("usage: draw-scenes PLATFORM FOLDER DOCUMENT…")
}
let folder = URL(fileURLWithPath: arguments[2])

// On an emulated CPU, Mesa alone takes longer to start than the usual limit for a render process.
let server = RenderServer(
  launcher: RenderServerLauncher(name: "patient", startTimeout: 120) {
    () throws(ServerFailure) in
    try RenderServerLauncher.spawn(try RenderServerLauncher.findProgram(named: nil))
  }
).on(platform)

func draw(_ path: String) throws -> CGImage {
  let document = try CAMLDocument(contentsOf: URL(fileURLWithPath: path)) {
    fail("\(path): \($0)")
  }
  let renderer = try CARenderer(size: document.size, server: server)
  document.rootLayer.position = CGPoint(x: document.size.width / 2, y: document.size.height / 2)
  renderer.layer = document.rootLayer
  return try renderer.image(at: 0.5)
}

do {
  let renderer = try CARenderer(size: CGSize(width: 16, height: 16), server: server)
  let report = renderer.platform
  print("platform \(report.name): \(report.renderer), \(report.version)")
  for reason in report.reasons { print("  \(reason)") }
  guard report.name == platform.rawValue else { fail("\(report.name) is not \(platform)") }
  for path in arguments.dropFirst(2) {
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    try draw(path).writePNG(to: folder.appendingPathComponent("\(name).png"))
  }
} catch {
  fail("\(error)")
}
