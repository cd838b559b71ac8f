import Foundation
import LaminaValues

/// Serves one page to browsers on this machine: on 127.0.0.1, at a port that the system picks and a
/// path that begins with a random token.
///
/// Whoever does not know the token gets nothing; nor does a page of another site, whose requests
/// have its own host's name or are marked as coming from elsewhere. No file is ever served.
final class PreviewServer: Sendable {
  let port: UInt16
  let token: String
  private let socket: Int32
  private let pages: PreviewPages
  private let connections = Lock(0)
  /// More at a time are turned away.
  private static let connectionLimit = 64
  /// Seconds in which a browser must send its request, and take what it is sent.
  private static let patience = 5

  init(_ pages: PreviewPages) throws(OutputError) {
    self.pages = pages
    var random = SystemRandomNumberGenerator()
    token = (0..<4).map { _ in
      let word = String(random.next() as UInt32, radix: 16)
      return String(repeating: "0", count: 8 - word.count) + word
    }.joined()
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { [socket] in
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        socket >= 0 && bind(socket, $0, length) == 0 && listen(socket, 16) == 0
          && getsockname(socket, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else {
      throw OutputError("127.0.0.1 cannot be listened on: \(String(cString: strerror(errno)))")
    }
  }

  var address: String { "http://127.0.0.1:\(port)/\(token)/" }

  /// Answers requests from now on, on threads of its own.
  func start() {
    Thread.detachNewThread {
      while true {
        let connection = accept(self.socket, nil, nil)
        guard connection >= 0 else {
          // Descriptors may be short for a moment.
          if errno == EMFILE || errno == ENFILE { usleep(10_000) }
          continue
        }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        let isFull = self.connections.withLock {
          $0 += 1
          return $0 > Self.connectionLimit
        }
        Thread.detachNewThread {
          self.serve(Connection(connection, patience: Self.patience), isFull: isFull)
          self.connections.withLock { $0 -= 1 }
        }
      }
    }
  }

  private func serve(_ connection: Connection, isFull: Bool) {
    defer { connection.close() }
    guard !isFull else {
      connection.send(PageAnswer.refusal(503, "too many connections").bytes(isHead: false))
      return
    }
    guard let head = connection.readHead(), let request = PageRequest(head) else {
      connection.send(PageAnswer.refusal(400, "not a request").bytes(isHead: false))
      return
    }
    if let answer = answer(request) {
      connection.send(answer.bytes(isHead: request.method == "HEAD"))
    } else {
      sendEvents(after: request.number("from") ?? 0, on: connection)
    }
  }

  /// The answer to a request; nil for a stream of events.
  func answer(_ request: PageRequest) -> PageAnswer? {
    guard ["127.0.0.1:\(port)", "localhost:\(port)"].contains(request.headers["host"]) else {
      return .refusal(403, "not for this host")
    }
    let from = request.headers["sec-fetch-site"] ?? "none"
    guard ["none", "same-origin"].contains(from) else {
      return .refusal(403, "not for pages of other sites")
    }
    let path = request.path
    guard path.hasPrefix("/\(token)/") else { return .refusal(403, "not without the token") }
    guard request.method == "GET" || request.method == "HEAD" else {
      return .refusal(405, "only GET and HEAD are answered")
    }
    switch path.dropFirst(token.count + 2) {
    case "": return .page(pages.current)
    case "events" where request.method == "GET": return nil
    case "time" where request.method == "GET":
      guard let time: Double = request.number("at"), (0...1e9).contains(time) else {
        return .refusal(400, "at is not a time from 0 on, in seconds")
      }
      pages.lookedAt = time
      return PageAnswer(status: 204, type: "text/plain", body: "")
    default: return .refusal(404, "there is only the page")
    }
  }

  /// Tells a browser of a page with a greater number, as soon as there is one.
  private func sendEvents(after old: Int, on connection: Connection) {
    pages.startListening()
    defer { pages.stopListening() }
    var isThere = connection.send(
      Array(
        """
        HTTP/1.1 200 OK\r
        Content-Type: text/event-stream\r
        \(PageAnswer.headers)\r
        Connection: close\r
        \r

        """.utf8))
    var version = old
    while isThere, !connection.isClosed {
      if let next = pages.next(after: version, within: 0.5) {
        version = next
        isThere = connection.send(Array("event: change\ndata: \(next)\n\n".utf8))
      }
    }
  }
}

/// A connection to a browser.
private struct Connection {
  private let socket: Int32

  init(_ socket: Int32, patience: Int) {
    self.socket = socket
    var limit = timeval(tv_sec: patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  func close() {
    shutdown(socket, Int32(SHUT_WR))
    Glibc.close(socket)
  }

  /// The bytes before the first empty line; nil if there is none in time or within the limit.
  func readHead() -> [UInt8]? {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    let deadline = ContinuousClock.now + .seconds(10)
    while bytes.count <= PageRequest.limit, .now < deadline {
      let count = recv(socket, &part, part.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      let start = max(bytes.count - 3, 0)
      bytes += part[..<count]
      for end in start..<max(bytes.count - 3, start)
      where bytes[end...].starts(with: [13, 10, 13, 10]) {
        return Array(bytes[..<end])
      }
    }
    return nil
  }

  /// Sends all bytes, and returns whether they could be sent.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Whether the browser has closed its end. A stream of events gets nothing more from it.
  var isClosed: Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
  }
}
