import Foundation

/// What a program would do that got hold of a render process.
enum ForbiddenActs {
  /// A folder of the client's, which removes it in the end.
  private static let folder = NSTemporaryDirectory() + "/lamina-victim-\(getppid())"
  private static let file = folder + "/file"

  /// Makes what is to be changed and deleted.
  static func makeVictim() {
    mkdir(folder, 0o700)
    for name in [file, file + "2"] { close(creat(name, 0o600)) }
    mkdir(folder + "/empty", 0o700)
  }

  /// Each act's name and its errno's, or "done". Tried once, since a second time much is done.
  static let outcomes = acts.map { name, act in
    errno = 0
    let result = act()
    let outcome =
      result >= 0 ? "done" : errno == EPERM ? "EPERM" : errno == EACCES ? "EACCES" : "\(errno)"
    return "\(name)=\(outcome)"
  }.joined(separator: " ")

  private static var acts: [(name: String, act: () -> Int32)] {
    [
      ("read", { open("/etc/passwd", O_RDONLY) }),
      ("readOwnMemory", { open("/proc/self/mem", O_RDWR) }),
      ("list", { opendir("/") == nil ? -1 : 0 }),
      ("create", { creat(file + "3", 0o600) }),
      ("write", { open(file, O_WRONLY) }),
      ("folder", { mkdir(folder + "/new", 0o700) }),
      ("link", { symlink("/etc/passwd", folder + "/link") }),
      ("rename", { rename(file + "2", file + "4") }),
      ("changeMode", { chmod(file, 0o777) }),
      ("delete", { unlink(file) }),
      ("deleteFolder", { rmdir(folder + "/empty") }),
      ("internet", { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }),
      ("unixSocket", { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }),
      ("listen", { listen(3, 1) }),
      ("process", { fork() }),
      ("spawn", { spawn() }),
      ("signal", { kill(getppid(), 0) }),
      ("becomeUser", { setuid(getuid()) }),
      ("changeRoot", { chroot("/") }),
      ("moveIn", { chdir("/") }),
      ("raiseLimit", { raiseLimit() }),
    ]
  }

  /// A child of `fork` ends at once.
  private static func fork() -> Int32 {
    // Swift hides fork, since a child could not use most of its libraries.
    typealias Fork = @convention(c) () -> Int32
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    let child = unsafeBitCast(symbol, to: Fork.self)()
    if child == 0 { _exit(0) }
    if child > 0 { waitpid(child, nil, 0) }
    return child
  }

  private static func spawn() -> Int32 {
    var child: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    defer { free(arguments[0]) }
    let code = posix_spawn(&child, "/bin/true", nil, nil, &arguments, environ)
    errno = code
    if code == 0 { waitpid(child, nil, 0) }
    return code == 0 ? 0 : -1
  }

  private static func raiseLimit() -> Int32 {
    var limit = rlimit()
    guard getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return -1 }
    return setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
  }
}
