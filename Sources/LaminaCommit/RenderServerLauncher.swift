import CLinux
import Foundation
import LaminaValues

/// A way to start a render server. Two launchers are the same if their names are.
package struct RenderServerLauncher: Hashable, Sendable {
  /// A server that was started: the client's end of its connection.
  package struct Started: Sendable {
    package let socket: Socket
    /// nil where the server shares this process.
    package let processID: pid_t?

    package init(socket: Socket, processID: pid_t? = nil) {
      self.socket = socket
      self.processID = processID
    }
  }

  package let name: String
  /// How long the server may take from its start until it answers, in seconds: it loads a driver
  /// and builds its first programs in that time.
  package let startTimeout: Double
  private let body: @Sendable () throws(RenderServerError) -> Started

  package init(
    name: String, startTimeout: Double = 10,
    start: @escaping @Sendable () throws(RenderServerError) -> Started
  ) {
    self.name = name
    self.startTimeout = startTimeout
    body = start
  }

  package func start() throws(RenderServerError) -> Started { try body() }

  package static func == (a: Self, b: Self) -> Bool { a.name == b.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension RenderServerLauncher {
  /// The environment variable that names the program.
  package static let environmentVariable = "LAMINA_RENDER_SERVER"
  package static let programName = "lamina-render-server"

  /// A process of its own: the program `lamina-render-server`.
  package static let process = RenderServerLauncher(name: "process") {
    () throws(RenderServerError) in
    let environment = ProcessInfo.processInfo.environment
    return try spawn(try findProgram(named: environment[environmentVariable]))
  }

  /// The program at `named`, and nowhere else where that is given; else beside this
  /// process's program; else beside the file that this code was loaded from, where that is a
  /// library or a bundle of tests that another program loaded.
  package static func findProgram(
    named: String?
  ) throws(RenderServerError) -> String {
    let places = named.map { [$0] } ?? folders().map { $0 + "/" + programName }
    for place in places where access(place, X_OK) == 0 { return place }
    throw .notFound(lookedAt: places)
  }

  private static func folders() -> [String] {
    var folders: [String] = []
    func add(folderOf file: String) {
      guard let slash = file.lastIndex(of: "/") else { return }
      let folder = String(file[..<slash])
      if !folders.contains(folder) { folders.append(folder) }
    }
    if let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
      add(folderOf: program)
    }
    if let path = lamina_loaded_file(#dsohandle), let resolved = realpath(path, nil) {
      add(folderOf: String(cString: resolved))
      free(resolved)
    }
    return folders
  }

  /// Starts a program that serves on descriptor 3.
  package static func spawn(
    _ program: String, _ arguments: [String] = []
  ) throws(RenderServerError) -> Started {
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

/// Waits for the end of a process that was told to go, and ends it by force when it does not.
func reap(_ process: pid_t) -> RenderServerError.End {
  var status: Int32 = 0
  for attempt in 0... {
    let result = waitpid(process, &status, attempt < patience ? WNOHANG : 0)
    if result == process { break }
    if result < 0, errno != EINTR { return .unknown }
    if attempt == patience - 1 { kill(process, SIGKILL) }
    if attempt < patience { usleep(1000) }
  }
  let code = lamina_exit_code(status)
  return code < 0 ? .signal(-code) : .status(code)
}

/// Milliseconds that a server has to end by itself once its connection is closed.
private let patience = 2000
