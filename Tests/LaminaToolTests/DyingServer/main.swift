// A render process that draws nothing. It answers `$FRAMES` requests for frames, none by default,
// and kills itself at the next.
import Foundation
import LaminaCommit
import LaminaValues

let socket = Socket(FileDescriptor(rawValue: 3))
let buffer = MessageBuffer()
var frames = ProcessInfo.processInfo.environment["FRAMES"].flatMap { Int($0) } ?? 0

func send(_ message: ServerMessage) throws {
  let writer = ByteWriter()
  message.encode(to: writer)
  try socket.send(writer.bytes)
}

while (try? socket.receive(into: buffer)) == true {
  switch try ClientMessage.decode(buffer.bytes) {
  case .hello:
    try send(
      .welcome(
        Welcome(
          platform: PlatformReport(
            name: "surfaceless", reasons: [], vendor: "", renderer: "none", version: "",
            maxTextureSize: 16_384, isSoftware: true, framebufferFormat: "BGRA8", isRobust: true))))
  case .commit(let commit): try send(.commitApplied(sequence: commit.sequence))
  case .frameRequest(let request):
    if frames == 0 { kill(getpid(), SIGKILL) }
    frames -= 1
    try send(
      .frameDone(
        FrameDone(
          session: request.session, time: request.time, sequence: request.afterSequence,
          number: 1, damage: [], nextFrameTime: .infinity, drawCalls: 0, instances: 0,
          uploadedBytes: 0)))
  default: break
  }
}
