import CLinux
import Foundation
import LaminaCommit
import LaminaGLES
import LaminaValues

/// Confines the render process, so that a client or a document that gets hold of it gets little.
///
/// It is entered in two steps. Before any thread is started, `begin` gives up what no driver needs:
/// new privileges, capabilities, core files, and writing to files that are not a driver's. Once the
/// driver is ready, and before a client's first commit, `finish` leaves what drawing needs: the
/// files of the driver's caches and its devices, and the system calls of `calls`. All else fails
/// with EPERM or EACCES. What a machine cannot do is left out and told. In between, any thread may
/// `prepare` the second step.
package struct Sandbox: Sendable {
  /// The measures that are on, and those that are not, with the reason.
  package private(set) var report = SandboxReport()
  private let usesDriver: Bool
  private let caches: [String]
  private let devices: [String]
  /// The filter of system calls. nil until it is made, and if it cannot be.
  private nonisolated(unsafe) var filter: UnsafeMutableRawPointer?
  private var isPrepared = false

  /// A variable of the environment: with `off`, a render process is not confined.
  package static let environmentVariable = "LAMINA_SANDBOX"

  /// Confines this thread, and all that it starts from now on. Returns nil if the environment says
  /// not to. `usesDriver` is false if the CPU draws, which needs no files at all.
  package static func begin(
    usesDriver: Bool, environment: Environment = .process
  ) -> Sandbox? {
    guard environment[environmentVariable] != "off" else { return nil }
    return Sandbox(usesDriver, environment)
  }

  private init(_ usesDriver: Bool, _ environment: Environment) {
    self.usesDriver = usesDriver
    caches = usesDriver ? Self.caches(environment) : []
    devices = usesDriver ? Self.devices : []
    note("no_new_privs", lamina_set_no_new_privileges())
    note("no capabilities", lamina_drop_capabilities())
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    note("no core files", setrlimit(Int32(RLIMIT_CORE.rawValue), &limit) == 0 ? 0 : -errno)
    // Libraries may be anywhere.
    restrictFiles([("/", lamina_read_files)], "landlock")
  }

  /// Makes what `finish` takes, unless that was done.
  package mutating func prepare() {
    if isPrepared { return }
    isPrepared = true
    if let failure = lamina_open_seccomp() {
      report.gaps.append("seccomp: \(String(cString: failure))")
      return
    }
    let names = Self.calls + (usesDriver ? Self.driverCalls : [])
    var pointers = names.map { UnsafePointer(strdup($0)) }
    defer { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
    let result = lamina_make_filter(&pointers, pointers.count, usesDriver, &filter)
    if result != 0 { note("seccomp", result) }
  }

  /// Confines this thread to what drawing needs, and all threads to its system calls. Call once.
  package mutating func finish() {
    prepare()
    restrictFiles([], nil)
    if let filter { note("seccomp", lamina_apply_filter(filter)) }
    filter = nil
  }

  private mutating func note(_ measure: String, _ result: Int32) {
    if result == 0 {
      report.measures.append(measure)
    } else {
      report.gaps.append("\(measure): \(String(cString: strerror(-result)))")
    }
  }

  private mutating func restrictFiles(
    _ rules: [(path: String, use: lamina_file_use)], _ measure: String?
  ) {
    let rules =
      rules + caches.map { ($0, lamina_change_files) } + devices.map { ($0, lamina_use_devices) }
    let paths = rules.map { strdup($0.path) }
    defer { for path in paths { free(path) } }
    let encoded = zip(paths, rules).map { path, rule in
      lamina_file_rule(path: UnsafePointer(path), use: rule.use)
    }
    let result = lamina_restrict_files(encoded, encoded.count)
    if let measure { note(measure, result) }
  }

  /// The folders of programs: the drivers' caches and our own. Mesa's and that are made if they are
  /// not there, since they could not be later.
  private static func caches(_ environment: Environment) -> [String] {
    let home = environment["HOME"]
    let mesa = environment["MESA_SHADER_CACHE_DIR"] ?? GLESRenderer.cacheFolder(environment)
    var caches =
      mesa.map { folder in
        ["mesa_shader_cache", "mesa_shader_cache_db", "mesa_shader_cache_sf"].map {
          folder + "/" + $0
        }
      } ?? []
    let own = GLESRenderer.programFolder(environment)
    for folder in [caches.first, own] { folder.map(GLESRenderer.makeCacheFolder) }
    if let own { caches.append(own) }
    if let nvidia = environment["__GL_SHADER_DISK_CACHE_PATH"] ?? home.map({ $0 + "/.nv" }) {
      caches.append(nvidia)
    }
    return caches
  }

  /// The nodes of GPUs. Those of NVIDIA's driver are looked for if there is the one that they
  /// are opened by.
  private static var devices: [String] {
    let nodes = ["/dev/dri", "/dev/kfd", "/dev/null"]
    guard access("/dev/nvidiactl", F_OK) == 0 else { return nodes }
    let others = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
    return nodes + others.filter { $0.hasPrefix("nvidia") }.sorted().map { "/dev/" + $0 }
  }

  /// The system calls that drawing by the CPU makes, and those by which a process ends.
  private static let calls = [
    // Messages, and the memory files that long ones travel in.
    "recvmsg", "sendmsg", "poll", "ppoll", "getsockopt", "shutdown", "memfd_create", "ftruncate",
    "fcntl", "fstat", "fstatfs", "newfstatat", "write", "writev", "close", "read", "pread64",
    "lseek",
    // Memory.
    "munmap", "mremap", "madvise", "brk",
    // Threads and time.
    "futex", "set_robust_list", "rseq", "gettid", "getpid", "sched_yield", "sched_getaffinity",
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "getcpu",
    "membarrier", "restart_syscall", "exit", "exit_group", "getrandom", "sysinfo", "uname",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "getrusage",
  ]

  /// Those that drivers make besides: they read and write their caches and talk to devices.
  private static let driverCalls = [
    "openat", "readlink", "readlinkat", "access", "faccessat", "faccessat2", "stat", "lstat",
    "statx", "statfs", "getdents64", "mkdir", "mkdirat", "rename", "renameat",
    "renameat2", "unlink", "unlinkat", "rmdir", "flock", "fallocate", "fsync", "pwrite64", "readv",
    "utimensat", "ioctl", "dup", "dup3", "pipe2", "geteuid", "getuid", "getegid", "getgid",
    "getppid", "sched_setaffinity", "sched_setscheduler", "sched_getscheduler", "sched_getparam",
    "sched_get_priority_max", "sched_get_priority_min", "getpriority", "mlock", "munlock", "msync",
    "mincore", "get_mempolicy", "set_mempolicy", "mbind", "kcmp", "epoll_create1", "epoll_ctl",
    "epoll_wait", "epoll_pwait", "eventfd2", "timerfd_create", "timerfd_settime", "setpriority",
  ]
}
