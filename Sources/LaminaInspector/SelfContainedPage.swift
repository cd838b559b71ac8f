import Foundation

/// A page in one file, which loads nothing: its style, its script and its data are in it.
package struct SelfContainedPage {
  private let title: String
  private let body: String
  private let style: String
  private let script: String

  /// The contents of the body, a style sheet that comes after what all pages share, and a script
  /// that runs when everything else is there, as files that are embedded in a module. The title
  /// stands in HTML as it is.
  package init(title: String, body: [UInt8], style: [UInt8], script: [UInt8]) {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    self.title = title
    (self.body, self.style, self.script) = (text(body), text(style), text(script))
  }

  /// The page with its data, as JSON in the element `data`. A `hostScript`, if one is given, runs
  /// first, and may ask the host that served the page.
  package func html(data: some Encodable, hostScript: String? = nil) throws -> String {
    let connections = hostScript == nil ? "'none'" : "'self'"
    let first = hostScript.map { "<script>\($0)</script>\n" } ?? ""
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy"
        content="default-src 'none'; img-src data:; style-src 'unsafe-inline';
          script-src 'unsafe-inline'; connect-src \(connections); base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width">
      <title>\(title)</title>
      <style>
      \(String(decoding: PackageResources.shared_css, as: UTF8.self))
      \(style)
      </style>
      \(first)</head>
      <body>
      \(body)
      <noscript>This page needs JavaScript, which is all in this file.</noscript>

      <script id="data" type="application/json">\(try Self.json(data))</script>
      <script>
      \(script)
      </script>
      </body>
      </html>

      """
  }

  /// The data as JSON that may stand in HTML: the characters that could end its element occur in
  /// strings alone, where they are escaped.
  private static func json(_ data: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var json = String(decoding: try encoder.encode(data), as: UTF8.self)
    for character in ["<", ">", "&"] {
      let code = String(character.unicodeScalars.first?.value ?? 0, radix: 16)
      json = json.replacingOccurrences(of: character, with: "\\u00" + code)
    }
    return json
  }
}
