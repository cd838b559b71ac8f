/// The manual's page of all commands, in Markdown. `make manual` writes it to the documentation.
enum ManualPage {
  static var text: String {
    var lines = [
      "# The command line", "", "Every command of `lamina`, as `lamina help COMMAND` explains it.",
      "", "## Overview", "",
      "`lamina help --as markdown` prints this page. The exit status is "
        + Commands.exitStatuses.map { "\($0): \($1)" }.joined(separator: "; ") + ".", "",
    ]
    for command in Commands.all {
      lines += ["## lamina \(command.name)", "", command.summary, "", "```", command.usage]
      lines += ["```", ""]
      lines += ["| flag | |", "|---|---|"]
      lines += command.options.map { "| `\($0.head)` | \(escaped($0.help)) |" }
      lines += [""] + command.paragraphs.flatMap { [escaped($0), ""] }
      for example in command.examples {
        lines += [escaped(example.says), "", "```", example.command, "```", ""]
      }
    }
    lines += ["## Environment", "", "| variable | |", "|---|---|"]
    lines += Commands.environment.map { "| `\($0)` | \(escaped($1)) |" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The text with no character that Markdown reads as markup.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if "\\`*_[]<>|#".contains(character) { result.append("\\") }
      result.append(character)
    }
    // Two hyphens would become a dash.
    return result.replacing("--", with: "\\-\\-")
  }
}
