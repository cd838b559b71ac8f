import Foundation

// If the reader of a pipe or ffmpeg goes away, that is a write error and must not kill the process.
signal(SIGPIPE, SIG_IGN)
Interruption.listen()
await Tool.main(Array(CommandLine.arguments.dropFirst()))
