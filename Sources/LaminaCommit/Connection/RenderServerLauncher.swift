import CLinux
import Foundation
import LaminaValues

/// A way to start a render server. Launchers are equal if their names are.
package struct RenderServerLauncher: Hashable, Sendable {
  /// A started server, seen from the client's end of the connection.
  package struct Started: Sendable {
    package let socket: Socket
    /// nil if the server shares this process.
    package let processID: pid_t?

    package init(socket: Socket, processID: pid_t? = nil) {
      self.socket = socket
      self.processID = processID
    }
  }

  package let name: String
  /// Longest time from the server's start to its first answer, in seconds. In that time the server
  /// loads a driver and builds its first programs.
  package let startTimeout: Double
  private let body: @Sendable () throws(ServerFailure) -> Started

  package init(
    name: String, startTimeout: Double = 10,
    start: @escaping @Sendable () throws(ServerFailure) -> Started
  ) {
    self.name = name
    self.startTimeout = startTimeout
    body = start
  }

  package func start() throws(ServerFailure) -> Started { try body() }

  package static func == (a: Self, b: Self) -> Bool { a.name == b.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension RenderServerLauncher {
  /// The environment variable that holds the path of the program.
  package static let environmentVariable = "LAMINA_RENDER_SERVER"
  package static let programName = "lamina-render-server"
  /// The program as SwiftPM names it where it builds it for `LaminaRenderServerPlugin`.
  package static let toolName = programName + "-tool"

  /// Runs the server as a separate process: the program `lamina-render-server`.
  package static let process = RenderServerLauncher(name: "process") {
    () throws(ServerFailure) in
    try spawn(try findProgram(named: Environment.process[environmentVariable]))
  }

  /// Returns the path of the server program.
  ///
  /// If `named` is given, no other place is tried. Otherwise the program is looked for beside this
  /// process's program and in `../libexec/lamina`, seen from there; then beside the file that this
  /// code was loaded from, which differs for a library or for a test bundle that another program
  /// loaded.
  package static func findProgram(named: String?) throws(ServerFailure) -> String {
    guard let named else { return try findProgram(besides: [programFolder, codeFolder]) }
    guard access(named, X_OK) == 0 else { throw .notFound(lookedAt: [named]) }
    return named
  }

  /// Returns the path of the server program in the first of the folders that has it, under either
  /// name. A build folder may have both, one of them left from an earlier build: the newer is
  /// taken. A folder is looked up if those before it do not have the program; nil is passed over.
  package static func findProgram(besides folders: [() -> String?]) throws(ServerFailure) -> String
  {
    var places: [String] = []
    for folder in folders {
      guard let folder = folder() else { continue }
      for folder in [folder, folder + "/../libexec/lamina"] {
        let names = [programName, toolName].map { folder + "/" + $0 }
        let built = names.filter { access($0, X_OK) == 0 }
        if let newest = built.max(by: { modified($0) < modified($1) }) { return newest }
        if !places.contains(names[0]) { places += names }
      }
    }
    throw .notFound(lookedAt: places)
  }

  /// Returns when a file was last written, in seconds since 1970.
  private static func modified(_ path: String) -> Double {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
  }

  /// The folder of this process's program.
  private static func programFolder() -> String? {
    folder(of: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
  }

  /// The folder of the file that this code was loaded from.
  private static func codeFolder() -> String? {
    guard let path = lamina_loaded_file(#dsohandle), let resolved = realpath(path, nil) else {
      return nil
    }
    defer { free(resolved) }
    return folder(of: String(cString: resolved))
  }

  private static func folder(of file: String?) -> String? {
    guard let file, let slash = file.lastIndex(of: "/") else { return nil }
    return String(file[..<slash])
  }

  /// Starts a program that serves the connection on descriptor 3.
  package static func spawn(
    _ program: String, _ arguments: [String] = []
  ) throws(ServerFailure) -> Started {
    let ours: Socket
    let theirs: Socket
    do throws(SocketError) {
      (ours, theirs) = try Socket.pair()
    } catch {
      throw .couldNotStart("\(error)")
    }
    var arguments = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let process = withExtendedLifetime(theirs) {
      lamina_spawn(program, &arguments, environ, theirs.descriptor)
    }
    guard process > 0 else {
      throw .couldNotStart("\(program): \(String(cString: strerror(-process)))")
    }
    return Started(socket: ours, processID: process)
  }
}
