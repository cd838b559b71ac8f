import LaminaValues

/// The deaths of a connection's servers, and what follows from them.
struct DeathLog {
  enum Verdict: Equatable {
    case restart
    /// The servers died twice of the same work, which was for this session.
    case endSession(SessionID)
    /// This platform is not tried again.
    case leavePlatform(deaths: Int)
  }

  private let deathsAllowed: Int
  /// Deaths on the current platform, oldest first.
  private var times: [ContinuousClock.Instant] = []
  /// What the last servers were working on.
  private var works: [FatalWork] = []

  /// The work that a server died of, and the number of the last frame that was answered to its
  /// session. A later frame is other work, even if nothing has changed.
  private struct FatalWork: Equatable {
    var work: ServerProgress.Work
    var frameNumber: UInt64
  }

  /// Deaths longer ago are forgiven.
  static let memory = Duration.seconds(60)
  private static let workLimit = 16

  init(_ policy: RestartPolicy) { deathsAllowed = policy.deathsAllowed }

  /// Notes a death, what the server was working on, and the number of the last frame that its
  /// session got.
  mutating func note(
    _ work: ServerProgress.Work?, after frameNumber: UInt64 = 0,
    at now: ContinuousClock.Instant = .now
  ) -> Verdict {
    times.removeAll { $0.duration(to: now) > Self.memory }
    times.append(now)
    if let work, let session = work.session {
      let fatal = FatalWork(work: work, frameNumber: frameNumber)
      guard !works.contains(fatal) else { return .endSession(session) }
      works = works.suffix(Self.workLimit - 1) + [fatal]
    }
    guard times.count > deathsAllowed else { return .restart }
    defer { times = [] }
    return .leavePlatform(deaths: times.count)
  }
}

extension PlatformReport {
  /// The platform that is tried if servers die on this one, which was asked for by a name: the next
  /// that needs less of the machine; nil for none.
  func fallback(from choice: RenderPlatform) -> RenderPlatform? {
    switch choice {
    case .software: nil
    case .surfaceless: .software
    default:
      name == RenderPlatform.software.rawValue ? nil : isSoftware ? .software : .surfaceless
    }
  }
}
