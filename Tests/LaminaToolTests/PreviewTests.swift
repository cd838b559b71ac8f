import Foundation
import TestSupport
import Testing

@testable import LaminaTool

@Suite("A preview", .timeLimit(.minutes(2)))
struct PreviewTests {
  private let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  private func document(_ color: String) throws -> String {
    try folder.document(
      "<CALayer name=\"\(color)\" bounds=\"0 0 20 10\" backgroundColor=\"\(color)\"/>")
  }

  @Test("is for whoever has its address, by this machine's name, from its own page")
  func refusals() throws {
    let preview = try Preview(try document("#f00"))
    #expect(try preview.get("") == 200)
    #expect(try preview.request("HEAD \(preview.path) HTTP/1.1\r\nHost: \(preview.host)") == 200)
    let localhost = "localhost:\(preview.port)"
    #expect(try preview.request("GET \(preview.path) HTTP/1.1\r\nHost: \(localhost)") == 200)

    // Without the token, or with a part of it.
    for path in ["/", "/events", "/\(String(repeating: "0", count: 32))/", "/favicon.ico"] {
      #expect(
        try preview.request("GET \(path) HTTP/1.1\r\nHost: \(preview.host)") == 403, "\(path)")
    }
    let part = preview.path.dropLast(2)
    #expect(try preview.request("GET \(part)/ HTTP/1.1\r\nHost: \(preview.host)") == 403)
    // Another host's name, which a page elsewhere can point at this machine.
    for host in ["example.com", "example.com:\(preview.port)", "127.0.0.1", ""] {
      #expect(
        try preview.request("GET \(preview.path) HTTP/1.1\r\nHost: \(host)") == 403, "\(host)")
    }
    #expect(try preview.request("GET \(preview.path) HTTP/1.1") == 403)
    for site in ["cross-site", "same-site"] {
      let head = "GET \(preview.path) HTTP/1.1\r\nHost: \(preview.host)\r\nSec-Fetch-Site: \(site)"
      #expect(try preview.request(head) == 403, "\(site)")
    }
    // There are no files, whatever the path.
    for path in ["../../../etc/passwd", "a.caml", "%2e%2e/a.caml", "events/", "..", "/"] {
      #expect(try preview.get(path) == 404, "\(path)")
    }
    #expect(try preview.get("time?at=1.5") == 204)
    for time in ["", "?at=", "?at=-1", "?at=nan", "?at=1e300"] {
      #expect(try preview.get("time\(time)") == 400, "\(time)")
    }
    #expect(try preview.request("POST \(preview.path) HTTP/1.1\r\nHost: \(preview.host)") == 405)
    for head in ["", "GET", "GET  HTTP/1.1", "GET \(preview.path) SPDY/1", "GET / HTTP/1.1\r\nx"] {
      #expect(try preview.request(head) == 400, "\(head)")
    }
  }

  @Test("shows what the files say once they change, and an error with its line until it is mended")
  func follows() throws {
    let path = try document("#f00")
    let preview = try Preview(path)
    #expect(try preview.page().contains("#f00"))
    let events = try preview.events()

    _ = try document("#0f0")
    #expect(try events.next() == "event: change")
    #expect(try preview.page().contains("#0f0"))

    try Data("<caml>\n<CALayer\n</caml>".utf8).write(
      to: URL(fileURLWithPath: path), options: .atomic)
    #expect(try events.next() == "event: change")
    let broken = try preview.page()
    #expect(broken.contains("a.caml:3:"))
    #expect(broken.contains("EventSource"))

    _ = try document("#00f")
    #expect(try events.next() == "event: change")
    #expect(try preview.page().contains("#00f"))
  }

  @Test("ends when its page is closed")
  func ends() throws {
    let preview = try Preview(try document("#f00"))
    // Its connection is closed when it is let go.
    _ = try preview.events()
    #expect(preview.statusAtEnd() == 0)
  }

  @Test("is refused for a document that is not there, and begins with one that is broken")
  func start() throws {
    let missing = try ToolRun(["preview", folder.path("none.caml")])
    #expect(missing.status == 2)
    #expect(missing.errors == "lamina: \(folder.path("none.caml")): no such file\n")
    let path = folder.path("broken.caml")
    try Data("<caml>".utf8).write(to: URL(fileURLWithPath: path))
    #expect(try Preview(path).page().contains("broken.caml:1:"))
  }

  @Test("reads the heads of requests, and nothing that is none")
  func heads() {
    func head(_ text: String) -> PageRequest? { PageRequest(Array(text.utf8)) }
    let request = head("GET /a/events?x=1&from=12 HTTP/1.1\r\nHost: a:1\r\nAccept: b\r\naccept:c ")
    #expect(request?.method == "GET")
    #expect(request?.path == "/a/events")
    #expect(request?.number("from") == 12)
    #expect(request?.number("rom") as Int? == nil)
    #expect(request?.headers == ["host": "a:1", "accept": "b, c"])
    #expect(head("GET /?from=99999999999999999999 HTTP/1.1")?.number("from") as Int? == nil)
    for text in ["GET a HTTP/1.1", "GET /a b HTTP/1.1", "GET / HTTP/1.1\r\n: a", "\0"] {
      #expect(head(text) == nil, "\(text)")
    }
    #expect(head("GET / HTTP/1.1\r\na: " + String(repeating: "b", count: 20_000)) == nil)
    // Damaged heads are read or not, but end nothing.
    var random = SeededGenerator(seed: 1)
    let whole = Array("GET /a/?from=1 HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: none".utf8)
    let read = (0..<2000).count { _ in
      var bytes = whole
      for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      return PageRequest(Array(bytes.prefix(random.below(80)))) != nil
    }
    #expect(read > 100)
  }
}

/// `lamina preview` while it runs; ended with the test.
private final class Preview {
  let port: UInt16
  /// The page's path, with the token.
  let path: String
  private let process = Process()

  init(_ document: String) throws {
    process.executableURL = ToolRun.executable
    process.arguments = ["preview", "--platform", "software", document]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = ""
    while !line.hasSuffix("\n") {
      guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
        break
      }
      line += String(decoding: byte, as: UTF8.self)
    }
    let address = try #require(URLComponents(string: line.trimmingCharacters(in: .newlines)))
    try #require(address.scheme == "http" && address.host == "127.0.0.1")
    port = try #require(address.port.flatMap { UInt16(exactly: $0) })
    path = address.path
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  var host: String { "127.0.0.1:\(port)" }

  /// The status of the answer to a request with that head.
  func request(_ head: String) throws -> Int {
    let connection = try Connection(port: port)
    try connection.send(head + "\r\n\r\n")
    let line = try connection.line()
    return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
  }

  /// The status of a file beside the page.
  func get(_ name: String) throws -> Int {
    try request("GET \(path)\(name) HTTP/1.1\r\nHost: \(host)")
  }

  func page() throws -> String {
    let connection = try Connection(port: port)
    try connection.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    return try connection.rest()
  }

  func events() throws -> Events { try Events(self) }

  /// Waits until the tool ends by itself.
  func statusAtEnd() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// What the page is told.
  final class Events {
    private let connection: Connection

    init(_ preview: Preview) throws {
      connection = try Connection(port: preview.port)
      try connection.send(
        "GET \(preview.path)events?from=1 HTTP/1.1\r\nHost: \(preview.host)\r\n\r\n")
      #expect(try connection.line() == "HTTP/1.1 200 OK")
      while try !connection.line().isEmpty {}
    }

    /// The next event's first line.
    func next() throws -> String {
      let line = try connection.line()
      while try !connection.line().isEmpty {}
      return line
    }
  }
}

/// A connection to a port of this machine.
private final class Connection {
  private let socket: Int32

  struct Failure: Error {}

  init(port: UInt16) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { [socket] in
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure() }
  }

  deinit { close(socket) }

  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw Failure()
    }
  }

  /// The next line, without its end.
  func line() throws -> String {
    var line: [UInt8] = []
    while line.last != 10 {
      var byte: UInt8 = 0
      guard recv(socket, &byte, 1, 0) == 1 else { throw Failure() }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// Everything up to the end.
  func rest() throws -> String {
    var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while true {
      let count = recv(socket, &part, part.count, 0)
      guard count >= 0 else { throw Failure() }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += part[..<count]
    }
  }
}
