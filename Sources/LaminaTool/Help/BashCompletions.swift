/// Completions for bash, which needs nothing besides.
enum BashCompletions {
  static var text: String {
    var lines = [
      "# Completions of lamina for bash, made by lamina help --as bash.",
      "_lamina_files() {  # the ends of files' names; all files if there are none",
      "  local end",
      "  compopt -o filenames 2>/dev/null",
      "  mapfile -t COMPREPLY < <(",
      "    if [ $# = 0 ]; then compgen -f -- \"$current\"; else",
      "      compgen -d -- \"$current\"",
      "      for end; do compgen -f -X \"!*.$end\" -- \"$current\"; done; fi | sort -u)",
      "}",
      "_lamina_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\"); }",
      "_lamina() {",
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
      "  # --flag=value is three words here.",
      "  if [ \"$current\" = = ]; then current=",
      "  elif [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi",
      "  local command=${COMP_WORDS[1]} first=2",
      "  COMPREPLY=()",
      "  if [ \"$COMP_CWORD\" = 1 ]; then",
      "    _lamina_words '\(firstWords.joined(separator: " "))'; return; fi",
      "  if [ \"$command\" = farm ]; then",
      "    if [ \"$COMP_CWORD\" = 2 ]; then _lamina_words '\(farmWords)'; return; fi",
      "    command=\"farm ${COMP_WORDS[2]}\"; fi",
      "  case $command in",
    ]
    for command in Commands.all { lines += cases(of: command) }
    lines += ["  esac", "}", "complete -F _lamina lamina"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func cases(of command: Command) -> [String] {
    var lines = ["  '\(command.name)')", "    case $before in"]
    for option in command.options where option.value != nil {
      let names = [option.short, option.name].compactMap { $0 }.joined(separator: "|")
      lines.append("      \(names)) \(action(option.completion)); return ;;")
    }
    let flags = command.options.map(\.name).joined(separator: " ")
    return lines + [
      "    esac",
      "    case $current in",
      "      -*) _lamina_words '\(flags)' ;;",
      "      *) \(action(command.completion)) ;;",
      "    esac ;;",
    ]
  }

  private static func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: ":"
    case .words(let words): "_lamina_words '\(words.joined(separator: " "))'"
    case .files(let ends): (["_lamina_files"] + ends).joined(separator: " ")
    case .commands: "_lamina_words '\(firstWords.joined(separator: " ")) \(farmWords)'"
    }
  }

  /// What may follow `lamina`.
  static var firstWords: [String] {
    Commands.all.map(\.name).filter { !$0.contains(" ") } + ["farm"]
  }

  /// What may follow `lamina farm`.
  static var farmWords: String { Commands.farmWords.joined(separator: " ") }
}

extension Commands {
  /// The second words of `lamina farm …`.
  static var farmWords: [String] { farm.map { String($0.name.dropFirst("farm ".count)) } }
}
