import Foundation
import LaminaRenderServer

exit(ServerProcess.run(CommandLine.arguments))
