/// Completions for fish.
enum FishCompletions {
  static var text: String {
    var lines = [
      "# Completions of lamina for fish, made by lamina help --as fish.",
      "function __lamina_at --description 'Whether the command line has this command so far'",
      "  set -l words (commandline -opc) ''",
      "  set -l command $words[2]",
      "  if test \"$command\" = farm; set command \"farm $words[3]\"; end",
      "  test \"$command\" = \"$argv\"",
      "end",
      "function __lamina_files --description 'Files by the ends of their names, and folders'",
      "  set -l current (commandline -ct | string replace -r -- '^--[a-z-]*=' '')",
      "  for file in $current*",
      "    if test -d $file; echo $file/; continue; end",
      "    if contains -- (string split . -- $file)[-1] $argv; echo $file; end",
      "  end",
      "end",
      "complete -c lamina -f",
    ]
    for command in Commands.all where !command.name.contains(" ") {
      lines.append(row("", "-a \(command.name)", command.summary))
    }
    lines.append(row("", "-a farm", "Films on many machines."))
    for (word, command) in zip(Commands.farmWords, Commands.farm) {
      lines.append(row("farm ", "-a \(word)", command.summary))
    }
    for command in Commands.all {
      lines.append(row(command.name, argument(command.completion), nil))
      lines += command.options.map { row(command.name, flag($0), $0.help) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func row(_ command: String, _ what: String, _ help: String?) -> String {
    let help = help.map { " -d \(quoted($0))" } ?? ""
    return "complete -c lamina -n '__lamina_at \"\(command)\"' \(what)\(help)"
  }

  private static func flag(_ option: Option) -> String {
    let short = option.short.map { " -s \($0.dropFirst())" } ?? ""
    let names = "-l \(option.name.dropFirst(2))\(short)"
    guard option.value != nil else { return names }
    // -x would forbid the files that -F asks for.
    let requires = option.completion == .files([]) ? "-r" : "-x"
    return [names, requires, argument(option.completion)].filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  private static func argument(_ completion: Completion) -> String {
    switch completion {
    case .nothing: ""
    case .words(let words): "-a '\(words.joined(separator: " "))'"
    case .files(let ends):
      ends.isEmpty ? "-F" : "-a '(__lamina_files \(ends.joined(separator: " ")))'"
    case .commands:
      "-a '\((BashCompletions.firstWords + Commands.farmWords).joined(separator: " "))'"
    }
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
