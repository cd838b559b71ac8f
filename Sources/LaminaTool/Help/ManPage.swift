/// The pages of the manual, in the man macros of troff.
enum ManPage {
  /// The page's name, such as `lamina-farm-status`.
  static func name(of command: Command) -> String {
    "lamina-" + command.name.replacing(" ", with: "-")
  }

  /// The page of a command.
  static func page(_ command: Command) -> String {
    var lines = head(name(of: command), command.summary)
    lines += [".SH SYNOPSIS", ".B lamina \(escaped(command.name))"]
    lines += (command.arguments + ["[options]"]).map { ".I \(escaped($0))" }
    lines.append(".SH DESCRIPTION")
    for (index, paragraph) in ([command.summary] + command.paragraphs).enumerated() {
      lines += (index == 0 ? [] : [".PP"]) + [escaped(paragraph)]
    }
    lines.append(".SH OPTIONS")
    for option in command.options {
      let names = [option.short, option.name].compactMap { $0 }.map { "\\fB\(escaped($0))\\fR" }
      let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
      lines += [".TP", names.joined(separator: ", ") + value, escaped(option.help)]
    }
    if !command.examples.isEmpty { lines.append(".SH EXAMPLES") }
    for example in command.examples {
      lines += [".TP", "\\fB\(escaped(example.command))\\fR", escaped(example.says)]
    }
    return text(lines + common + [".SH SEE ALSO", ".BR lamina (1)"])
  }

  /// The page of the tool itself.
  static var overview: String {
    var lines = head("lamina", "Core Animation's layers, rendered, measured and compared.")
    lines += [".SH SYNOPSIS", ".B lamina", ".I COMMAND [options]", ".SH COMMANDS"]
    for command in Commands.all {
      lines += [".TP", "\\fB\(escaped(command.name))\\fR", escaped(command.summary)]
    }
    let pages = Commands.all.map { ".BR \(escaped(name(of: $0))) (1)" }
    return text(lines + common + [".SH SEE ALSO"] + pages)
  }

  private static func head(_ name: String, _ summary: String) -> [String] {
    let what = (summary.hasSuffix(".") ? String(summary.dropLast()) : summary)
    return [
      ".TH \"\(name.uppercased())\" 1 \"\" \"lamina \(Tool.version)\" \"Lamina\"", ".SH NAME",
      "\(escaped(name)) \\- \(escaped(what))",
    ]
  }

  private static var common: [String] {
    var lines = [".SH ENVIRONMENT"]
    for (name, meaning) in Commands.environment {
      lines += [".TP", ".B \(name)", escaped(meaning)]
    }
    lines.append(".SH EXIT STATUS")
    for (status, meaning) in Commands.exitStatuses { lines += [".TP", ".B \(status)", meaning] }
    return lines
  }

  private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// The text for a line, in ASCII: a hyphen is a minus, and a dot or quote in front begins no
  /// request.
  private static func escaped(_ text: String) -> String {
    let safe = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
      .unicodeScalars.map { $0.isASCII ? String($0) : "\\[u\(hexadecimal($0))]" }.joined()
    return safe.hasPrefix(".") || safe.hasPrefix("'") ? "\\&" + safe : safe
  }
}
