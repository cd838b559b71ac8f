extension Option {
  /// The names and the value, such as `-o, --output OUT`.
  var head: String {
    [short, name].compactMap { $0 }.joined(separator: ", ") + (value.map { " \($0)" } ?? "")
  }
}

extension Command {
  /// The usage line.
  var usage: String { (["lamina", name] + arguments + ["[options]"]).joined(separator: " ") }

  /// The help text: the usage line, a line for each flag, the notes and the examples.
  var helpText: String {
    let width = options.map(\.head.count).max() ?? 0
    var lines = ["usage: \(usage)", "", summary, ""]
    for option in options {
      let gap = String(repeating: " ", count: width - option.head.count + 2)
      lines.append("  " + option.head + gap + option.help)
    }
    if !notes.isEmpty { lines += [""] + notes }
    if !examples.isEmpty { lines += ["", "examples:"] }
    for example in examples { lines += ["  " + example.command, "      " + example.says] }
    return lines.joined(separator: "\n")
  }

  /// The notes as paragraphs without line breaks.
  var paragraphs: [String] {
    notes.split(separator: "").map { $0.joined(separator: " ") }
  }
}

extension Commands {
  /// Returns the command, or throws an error that names the nearest one.
  static func command(named name: String) throws(UsageError) -> Command {
    if let command = inOrder.first(where: { $0.name == name }) { return command }
    let hint = nearestName(to: name, among: all.map(\.name)).map { "; did you mean \($0)?" }
    throw UsageError("unknown command \(name)\(hint ?? "")")
  }

  /// A line for each command.
  static func rows(_ commands: [Command]) -> [String] {
    let width = commands.map(\.name.count).max() ?? 0
    return commands.map { command in
      "  " + command.name + String(repeating: " ", count: width - command.name.count + 2)
        + command.summary
    }
  }

  /// The help text of the tool itself.
  static var helpText: String {
    return """
      usage: lamina COMMAND [options]

      \(rows(all).joined(separator: "\n"))

      lamina help COMMAND says more; lamina --version names the version.
      Exit status: 0; 1 when a comparison fails; 2 for bad usage or input; 3 when the render
      process fails.
      """
  }

  /// The environment variables that the tool reads.
  static let environment = [
    ("LAMINA_PLATFORM", "what draws, if --platform does not say it"),
    ("LAMINA_RENDER_SERVER", "the path of the render process's program, if not the installed one"),
    ("LAMINA_SANDBOX", "off leaves the render process unconfined, as debuggers need it"),
    ("LAMINA_CPU", "the most the CPU draws with, baseline, avx2 or avx512; no pixel changes"),
  ]

  /// What the exit statuses mean.
  static let exitStatuses = [
    (0, "success"), (1, "a comparison found a difference"),
    (2, "bad usage or input, or output that cannot be written"), (3, "the render process failed"),
  ]
}
