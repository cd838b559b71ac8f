import Foundation
import LaminaValues

/// Things that must not outlive this process: incomplete outputs and the processes that write them.
enum Unfinished {
  struct Work {
    /// The paths of incomplete files and folders.
    fileprivate var paths: Set<String> = []
    fileprivate var processes: Set<pid_t> = []
    /// Those that end in order when they are asked to.
    fileprivate var orderlyProcesses: Set<pid_t> = []
    /// What is said if the process is interrupted.
    var farewell: String?
  }

  /// Code that creates a file, or starts a process that does, holds this lock meanwhile.
  static let work = Lock(Work())

  /// Removes everything and ends the process. It keeps the lock, so that no other thread can create
  /// anything new or end the process first.
  static func removeAndExit(_ status: Int32) -> Never {
    work.withLock { work in
      for process in work.processes { kill(process, SIGKILL) }
      for process in work.orderlyProcesses { kill(process, SIGTERM) }
      // A dying process may still finish creating its file.
      waitForEnd(of: work.processes, atMost: .seconds(1))
      waitForEnd(of: work.orderlyProcesses, atMost: .seconds(10))
      for path in work.paths { try? FileManager.default.removeItem(atPath: path) }
      if let farewell = work.farewell { Report.note(farewell) }
      _exit(status)
    }
  }

  /// Waits until children have ended.
  private static func waitForEnd(of processes: Set<pid_t>, atMost limit: Duration) {
    let deadline = ContinuousClock.now + limit
    while processes.contains(where: { waitpid($0, nil, WNOHANG) == 0 }), .now < deadline {
      usleep(1000)
    }
  }
}

extension Unfinished.Work {
  /// Starts a process, which is killed if this one is interrupted.
  mutating func run(_ process: Process) throws {
    try process.run()
    processes.insert(process.processIdentifier)
  }

  /// Starts a process that removes what it leaves itself, if this one is interrupted.
  mutating func runOrderly(_ process: Process) throws {
    try process.run()
    orderlyProcesses.insert(process.processIdentifier)
  }

  /// Notes a folder that is removed if this process is interrupted.
  mutating func note(_ path: String) { paths.insert(path) }
  mutating func forget(_ path: String) { paths.remove(path) }

  mutating func noteEnd(of process: Process) {
    processes.remove(process.processIdentifier)
    orderlyProcesses.remove(process.processIdentifier)
  }
}

/// A file or folder with the temporary name `.NAME.PID@HOST.tmp`, beside its final name `NAME`. It
/// is removed with the last reference, unless it was renamed. Machines that share a folder do not
/// get in each other's way.
///
/// This process holds a lock on it, which the system releases if the process is killed. So the next
/// process of this machine that writes `NAME` can tell that the file is abandoned, and removes it.
final class UnfinishedOutput {
  let path: String
  private let lock: Int32
  private var hasMoved = false

  init(beside path: String, isFolder: Bool = false) throws(OutputError) {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent()
    guard access(folder.path, W_OK) == 0 else {
      let reason = errno == ENOENT ? "no such folder" : FileError.reason(errno)
      throw OutputError("\(path): cannot be written: \(folder.path): \(reason)")
    }
    Self.removeAbandoned(named: url.lastPathComponent, in: folder.path)
    let start = folder.appendingPathComponent(".\(url.lastPathComponent).\(getpid())").path
    (self.path, lock) = try Unfinished.work.withLock { work throws(OutputError) in
      // In containers, processes of one host name may have the same number.
      for copy in 0... {
        let own = "\(start)\(copy > 0 ? ".\(copy)" : "")@\(Self.host).tmp"
        guard let lock = try Self.make(own, for: path, isFolder: isFolder) else { continue }
        work.paths.insert(own)
        return (own, lock)
      }
      throw .system(path, code: EEXIST)
    }
  }

  deinit {
    Unfinished.work.withLock { work in
      if !hasMoved { try? FileManager.default.removeItem(atPath: path) }
      work.paths.remove(path)
    }
    close(lock)
  }

  /// Gives the output its final name.
  func move(to path: String) throws(OutputError) {
    guard rename(self.path, path) == 0 else { throw .system(path) }
    hasMoved = true
  }

  /// Creates a file in the folder. Errors name it by its final path.
  func makeFile(_ name: String, for path: String) throws(OutputError) -> ByteStream {
    try Unfinished.work.withLock { _ throws(OutputError) in
      try ByteStream(creating: "\(self.path)/\(name)", name: path)
    }
  }

  /// Gives the folder's files their final names. An interruption waits until all have them.
  func moveFiles(_ moves: some Sequence<(name: String, path: String)>) throws(OutputError) {
    try Unfinished.work.withLock { _ throws(OutputError) in
      for move in moves {
        guard rename("\(path)/\(move.name)", move.path) == 0 else { throw .system(move.path) }
      }
    }
  }

  /// Gives a folder in this one its final name. A folder that has the name comes here, and is
  /// removed with this one. An interruption waits until the name is given.
  func replace(_ path: String, with part: String) throws(OutputError) {
    try Unfinished.work.withLock { _ throws(OutputError) in
      guard rename(part, path) != 0 else { return }
      let old = "\(self.path)/replaced"
      guard errno == ENOTEMPTY || errno == EEXIST, rename(path, old) == 0 else {
        throw .system(path)
      }
      guard rename(part, path) == 0 else {
        let error = OutputError.system(path)
        rename(old, path)
        throw error
      }
    }
  }

  /// This machine's name.
  static let host: String = {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()

  /// Creates the output. Returns the descriptor that holds the lock; nil if something has the path.
  /// Errors call it `name`.
  private static func make(
    _ path: String, for name: String, isFolder: Bool
  ) throws(OutputError) -> Int32? {
    if isFolder, mkdir(path, 0o777) != 0 {
      if errno == EEXIST { return nil }
      throw .system(name)
    }
    let flags = isFolder ? O_RDONLY | O_DIRECTORY : O_WRONLY | O_CREAT | O_EXCL
    let descriptor = open(path, flags | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      if errno == EEXIST { return nil }
      throw .system(name)
    }
    // A file system without locks fails with another error; no file there counts as abandoned.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
      close(descriptor)
      throw OutputError("\(path): another process is writing it")
    }
    return descriptor
  }

  private static func removeAbandoned(named name: String, in folder: String) {
    let (start, end) = (".\(name).", "@\(host).tmp")
    for entry in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where entry.hasPrefix(start) && entry.hasSuffix(end)
      && Int(entry.dropFirst(start.count).dropLast(end.count).prefix { $0 != "." }) != nil
    {
      let path = "\(folder)/\(entry)"
      let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        try? FileManager.default.removeItem(atPath: path)
      }
      close(descriptor)
    }
  }
}
