import Foundation

// A reader that goes away, of a pipe or a film, is an error of writing and no reason to die.
signal(SIGPIPE, SIG_IGN)
Interruption.listen()
exit(await Tool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
