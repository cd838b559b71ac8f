import Foundation

/// `lamina join`.
struct JoinCommand {
  let list: String
  let output: String
  let format: OutputForm.FilmFormat

  init(_ arguments: ParsedArguments) throws(UsageError) {
    list = arguments.positionals[0]
    guard let output = arguments.value("--output") else {
      throw UsageError("join: -o FILM is missing")
    }
    guard case .film(let path, let format) = try OutputForm(output) else {
      throw UsageError("--output: \"\(output)\" ends in none of .mp4, .webm, .gif, .apng")
    }
    (self.output, self.format) = (path, format)
  }

  func run() throws -> ExitStatus {
    let tools = try FilmTools()
    let segments = try SegmentList(paths: try paths(), tools: tools)
    let progress = ProgressBar(total: segments.files[0].label.filmCount)
    defer { progress.finish() }
    try segments.encode(to: output, format: format, tools: tools) { progress.update($0) }
    return .success
  }

  /// The paths that the list names, or of the segments in a folder.
  private func paths() throws -> [String] {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: list, isDirectory: &isFolder), isFolder.boolValue {
      let names = try FileManager.default.contentsOfDirectory(atPath: list)
      let endings = [".mkv", ".mp4", ".webm"]
      return names.filter { name in
        !name.hasPrefix(".") && endings.contains { name.hasSuffix($0) }
      }.sorted()
        .map { "\(list)/\($0)" }
    }
    guard let data = FileManager.default.contents(atPath: list) else {
      throw InputError("\(list): the list of segments cannot be read")
    }
    let folder = URL(fileURLWithPath: list).deletingLastPathComponent()
    return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
      .map { $0.hasPrefix("/") ? $0 : folder.appendingPathComponent($0).path }
  }
}
