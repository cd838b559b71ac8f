import Foundation

/// What a browser asks the preview for: the head of a request of HTTP/1.1, whose bytes anybody on
/// this machine may have sent.
struct PageRequest: Equatable {
  var method: String
  /// The path and the query as they were sent, such as `/3f…/events?from=2`.
  var target: String
  /// By name in lower case. Of a header that was sent twice, both values, with a comma between.
  var headers: [String: String]

  /// More bytes than this are not read.
  static let limit = 16 << 10

  /// Reads a head, without the empty line that ends it; nil if it is not one.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.limit, bytes.allSatisfy({ $0 != 0 }) else { return nil }
    var lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
    let first = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
    guard first.count == 3, first[2].hasPrefix("HTTP/1."), first[1].hasPrefix("/") else {
      return nil
    }
    (method, target) = (String(first[0]), String(first[1]))
    headers = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { return nil }
      let name = line[..<colon].lowercased()
      guard name.allSatisfy({ $0.isASCII && !$0.isWhitespace }) else { return nil }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      headers[name] = headers[name].map { "\($0), \(value)" } ?? value
    }
  }

  /// The target without its query.
  var path: Substring { target.prefix { $0 != "?" } }

  /// A number in the query; nil if it has none of that name.
  func number<Number: LosslessStringConvertible>(_ name: String) -> Number? {
    target.drop { $0 != "?" }.dropFirst().split(separator: "&")
      .first { $0.hasPrefix("\(name)=") }
      .flatMap { Number(String($0.dropFirst(name.count + 1))) }
  }
}

/// The answer to a request.
struct PageAnswer: Equatable {
  var status: Int
  var type: String
  var body: String

  static func page(_ html: String) -> PageAnswer {
    PageAnswer(status: 200, type: "text/html; charset=utf-8", body: html)
  }

  static func refusal(_ status: Int, _ why: String) -> PageAnswer {
    PageAnswer(status: status, type: "text/plain; charset=utf-8", body: why + "\n")
  }

  private var reason: String {
    switch status {
    case 200: "OK"
    case 204: "No Content"
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    default: "Service Unavailable"
    }
  }

  /// The bytes of the answer, without its body if `isHead`. A page may load nothing from anywhere,
  /// and its address, which has the token, is told to nobody.
  func bytes(isHead: Bool) -> [UInt8] {
    Array(
      """
      HTTP/1.1 \(status) \(reason)\r
      Content-Type: \(type)\r
      Content-Length: \(body.utf8.count)\r
      \(Self.headers)\r
      Connection: close\r
      \r

      """.utf8) + (isHead ? [] : Array(body.utf8))
  }

  /// What all answers have.
  static let headers = """
    Cache-Control: no-store\r
    X-Content-Type-Options: nosniff\r
    Referrer-Policy: no-referrer\r
    Cross-Origin-Resource-Policy: same-origin\r
    Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; \
    style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'self'; \
    frame-ancestors 'none'
    """
}
