import Foundation

// If the reader of a pipe or ffmpeg goes away, that is a write error and must not kill the process.
signal(SIGPIPE, SIG_IGN)
Interruption.listen()
exit(await Tool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
