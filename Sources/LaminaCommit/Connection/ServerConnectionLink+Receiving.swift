import Foundation
import LaminaValues

extension ServerConnectionLink {
  /// Why a server serves no more.
  private enum End {
    /// It said so, or this program ended the connection.
    case final(ServerFailure)
    /// It died, or its messages make no sense.
    case death(ServerFailure?)
  }

  /// Receives from one server after the other, until the connection ends.
  func receiveAll() {
    var deaths = DeathLog(key.policy)
    while true {
      let server = server
      let end = receive(from: server)
      server.socket.shutDown()
      switch end {
      case .final(let failure):
        // Fails the pending requests first, so that they do not wait for the process to end.
        fail(failure)
        _ = server.child?.reap()
        return
      case .death(let reason):
        if failure == nil, reason != nil, let child = server.child { kill(child.id, SIGKILL) }
        let how = server.child?.reap() ?? .unknown
        guard failure == nil, replace(server, diedOf: reason ?? .died(how), &deaths) else {
          return fail(reason ?? .died(how))
        }
      }
    }
  }

  /// Receives until the server serves no more.
  private func receive(from server: ConnectedServer) -> End {
    let buffer = MessageBuffer()
    var watchdog = Watchdog(patience: key.policy.responseTimeout)
    var arrival = BriefWait()
    while true {
      do throws(SocketError) {
        var isHung = false
        try arrival.wait { () throws(SocketError) in
          try server.socket.receive(into: buffer, wait: false)
        } orSleep: { () throws(SocketError) in
          while server.child != nil, !isHung,
            try !server.socket.waitUntilReadable(seconds: watchdog.interval)
          {
            isHung = watchdog.notesSilence(isWaiting: state.withLock { $0.isWaiting })
          }
          if !isHung { try server.socket.receive(into: buffer) }
        }
        if isHung { return .death(.hung(seconds: key.policy.responseTimeout)) }
        watchdog.noteAnswer()
      } catch .closed {
        return state.withLock { $0.sendFailure }.map { .final($0) } ?? .death(nil)
      } catch {
        return .death(ServerFailure(receiving: error))
      }
      do throws(CommitError) {
        if let failure = handle(try ServerMessage.decode(buffer.bytes)) { return .final(failure) }
      } catch {
        return .death(.badMessage("\(error)"))
      }
    }
  }

  /// Returns why the connection ends, or nil if the message does not end it.
  private func handle(_ message: ServerMessage) -> ServerFailure? {
    switch message {
    case .frameDone(var frame):
      let answer = state.withLock { state -> FrameAnswer? in
        guard var session = state.sessions[frame.session], !session.frames.isEmpty else {
          return nil
        }
        state.queue.frameDone(frame.session)
        frame.number += session.frameNumberBefore
        session.frameNumber = frame.number
        let answer = session.frames.removeFirst().answer
        state.sessions[frame.session] = session
        return answer
      }
      answer?(.success(frame))
    case .commitApplied(let sequence):
      // Whoever waits for memory is told without the lock.
      let free = state.withLock { commitApplied(sequence, &$0) }
      withExtendedLifetime(free) {}
    case .inspected(let request, let result):
      let inspection = state.withLock { state in
        state.queue.inspected(request)
        return state.inspections.removeValue(forKey: request)
      }
      inspection?.answer(.success(result))
    case .dmaBufTaken(let id): note(.taken, for: id)
    case .dmaBufRefused(let id, let why): note(.refused(why), for: id)
    case .failed(let session?, let why): fail(session, why)
    case .failed(nil, let why): return .failed(why)
    case .welcome: return .badMessage("a second welcome")
    }
    return nil
  }

  private func note(_ answer: DMABufAnswer, for id: DMABufID) {
    let receivers = state.withLock { $0.dmaBufs.note(answer, for: id) }
    for receiver in receivers { receiver(.success(answer)) }
  }

  /// Returns the memory that the server no longer reads.
  private func commitApplied(_ sequence: UInt64, _ state: inout State) -> [StorePixels] {
    state.lastApplied = max(state.lastApplied, sequence)
    let free = state.stores.commitApplied(sequence)
    let (commits, messages) = state.queue.commitApplied(sequence)
    for commit in commits { state.record.append(commit) }
    for message in messages {
      switch message {
      case .openSession(let session, _): state.sessions[session]?.isRecorded = true
      case .closeSession(let session): state.sessions[session] = nil
      default: break
      }
    }
    flush(&state)
    joinRecord(&state)
    return free
  }

  // MARK: The record

  /// One thread for all connections: joining may wait.
  private static let joining = DispatchQueue(label: "lamina-record", qos: .utility)

  /// Has the record joined on another thread if it has grown long.
  private func joinRecord(_ state: inout State) {
    guard state.record.shouldJoin else { return }
    let messages = state.record.startJoining()
    let generation = state.generation
    Self.joining.async {
      // These are this process's own messages, which a server has understood.
      guard let tree = try? CommittedTree(messages) else { return }
      let joined = tree.encoded()
      self.state.withLock { state in
        if state.generation == generation { state.record.finishJoining(joined) }
      }
    }
  }

  // MARK: Another server

  /// Starts another server in place of one that died and brings it to the same state. Returns false
  /// if the connection has ended instead.
  private func replace(
    _ dead: ConnectedServer, diedOf death: ServerFailure, _ deaths: inout DeathLog
  ) -> Bool {
    guard key.policy.deathsAllowed > 0 else { return false }
    state.withLock { state in
      state.isRestarting = true
      state.lastDeath = death
    }
    var (platform, consequence) = (dead.choice, "")
    var work = dead.progress?.work
    var death = death
    do throws(ServerFailure) {
      while true {
        let frameNumber = state.withLock { state in
          work?.session.flatMap { state.sessions[$0]?.frameNumber } ?? 0
        }
        switch deaths.note(work, after: frameNumber) {
        case .restart: break
        case .endSession(let session):
          fail(session, "its frame ended the render process twice; the last time, \(death)")
          consequence = ", without \(session), whose frame ended it twice"
        case .leavePlatform(let count):
          guard key.platform == .auto, let next = dead.platform.fallback(from: platform) else {
            throw .diedTooOften(deaths: count, last: "\(death)")
          }
          platform = next
          consequence = ", on \(next.rawValue) after \(count) deaths within a minute"
        }
        do throws(ServerFailure) {
          let next = try ServerStart(key, platform).waitForWelcome()
          let buffers = state.withLock { $0.dmaBufs.buffers }
          let answers = try next.answers(to: buffers, within: key.policy.responseTimeout)
          warnings.report("\(death); another one took its place\(consequence)")
          try install(next, offered: buffers, answers)
          for buffer in buffers { note(answers[buffer.id] ?? .taken, for: buffer.id) }
          return true
        } catch {
          guard error.isDeath else { throw error }
          (death, work) = (error, nil)
        }
      }
    } catch {
      fail(error)
      return false
    }
  }

  /// Makes a server that was started the connection's, and queues all that it must know. It was
  /// offered the dma-bufs, with these answers.
  private func install(
    _ server: ConnectedServer, offered buffers: [DMABuf], _ answers: [DMABufID: DMABufAnswer]
  ) throws(ServerFailure) {
    let refused = buffers.filter { answers[$0.id] != .taken }
    try state.withLock { state throws(ServerFailure) in
      state.server = server
      state.generation += 1
      state.isRestarting = false
      state.isFlushing = false
      guard state.failure == nil else { return server.socket.shutDown() }
      do throws(CommitError) {
        try replace(refused, &state)
        try restore(&state)
      } catch {
        throw .badMessage("\(error), in this program's own record")
      }
      state.dmaBufs.removeUnused(besides: answers.keys)
      for buffer in state.dmaBufs.unanswered where answers[buffer.id] == nil {
        state.queue.offer(buffer)
      }
      flush(&state)
    }
  }

  /// Copies what dma-bufs show that the server refused.
  private func replace(_ refused: [DMABuf], _ state: inout State) throws(CommitError) {
    guard !refused.isEmpty else { return }
    let copies: DMABufCopies
    do throws(DMABufError) {
      copies = try DMABufCopies(of: refused, warnings)
    } catch {
      throw .badMemory("\(error)")
    }
    state.stores.replace(copies)
    try state.queue.replace(copies)
  }

  private func restore(_ state: inout State) throws(CommitError) {
    let sessions = state.sessions.filter(\.value.isRecorded).sorted {
      $0.key.rawValue < $1.key.rawValue
    }
    for session in state.sessions.keys {
      let number = state.sessions[session]?.frameNumber ?? 0
      state.sessions[session]?.frameNumberBefore = number
      state.sessions[session]?.isRecorded = false
    }
    let commit = try state.record.joined(
      stores: state.stores.stores(upTo: state.lastApplied), sessions: Set(sessions.map(\.key)))
    state.record = CommitRecord()
    state.queue.restart(sessions.map { .openSession($0.key, $0.value.options) }, commit)
    for case .memory(let buffer) in state.stores.pixels { state.queue.announce(buffer) }
    for session in state.sessions.values {
      for surface in session.frames.compactMap(\.surface) { state.queue.announce(surface) }
    }
  }
}
