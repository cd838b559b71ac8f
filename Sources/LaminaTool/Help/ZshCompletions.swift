/// Completions for zsh: a function for its completion system.
enum ZshCompletions {
  static var text: String {
    var lines = [
      "#compdef lamina",
      "# Completions of lamina for zsh, made by lamina help --as zsh.",
      "local command=${words[2]}",
      "if (( CURRENT == 2 )); then",
      "  local -a names=(",
    ]
    lines += described(Commands.all.filter { !$0.name.contains(" ") }.map { ($0.name, $0.summary) })
    lines += [
      "    'farm:Films on many machines.'", "  )", "  _describe command names; return", "fi",
    ]
    lines += ["if [[ $command == farm ]]; then", "  if (( CURRENT == 3 )); then"]
    lines += ["  local -a names=("]
    lines += described(zip(Commands.farmWords, Commands.farm).map { ($0, $1.summary) })
    lines += [
      "  )", "    _describe command names; return; fi",
      "  command=\"farm ${words[3]}\"; words=(\"${(@)words[2,-1]}\"); (( CURRENT-- ))", "fi",
      "words=(\"${(@)words[2,-1]}\"); (( CURRENT-- ))", "case $command in",
    ]
    for command in Commands.all {
      lines.append("  '\(command.name)') _arguments \\")
      lines += command.options.flatMap(specifications).map { "    \($0) \\" }
      lines.append("    '*:argument:\(action(command.completion))' ;;")
    }
    return (lines + ["esac"]).joined(separator: "\n") + "\n"
  }

  private static func described(_ rows: [(String, String)]) -> [String] {
    rows.map { name, summary in "    \(quoted("\(name):\(summary)"))" }
  }

  private static func specifications(of option: Option) -> [String] {
    let names = [option.short, option.name].compactMap { $0 }
    let others = option.repeats || option.takesMany ? "*" : "(\(names.joined(separator: " ")))"
    return names.map { name in
      let equals = option.value != nil && name.hasPrefix("--") ? "=" : ""
      let value = option.value.map { ":\(escaped($0)):\(action(option.completion))" } ?? ""
      return quoted("\(others)\(name)\(equals)[\(escaped(option.help))]\(value)")
    }
  }

  private static func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: ""
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .files(let ends):
      ends.isEmpty ? "_files" : "_files -g \"*.(\(ends.joined(separator: "|")))(-.)\""
    case .commands:
      "(\((BashCompletions.firstWords + Commands.farmWords).joined(separator: " ")))"
    }
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if "[]:\\".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }

  private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
