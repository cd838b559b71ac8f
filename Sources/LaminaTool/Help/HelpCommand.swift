import Foundation

extension Commands {
  static let helpCommand = Command(
    name: "help", summary: "Explain a command; print the manual or a shell's completions.",
    arguments: ["[COMMAND…]"], completion: .commands,
    options: [
      Option(
        name: "--as", value: "FORM", completion: .words(HelpForm.allCases.map(\.rawValue)),
        help: HelpForm.allCases.map(\.rawValue).joined(separator: ", ") + " (text)"),
      Option(
        name: "--share", value: "DIR", completion: .files([]),
        help: "write man pages and completions below DIR, as below /usr/local/share"),
      help,
    ],
    notes: [
      "Without COMMAND it names the commands. man is a page of the manual in troff's language;",
      "markdown is one page with all commands; bash, zsh and fish are completions for those shells.",
    ],
    examples: [
      Example(command: "lamina help render", says: "What lamina render does, and its flags."),
      Example(
        command: "lamina help farm status --as man > lamina-farm-status.1", says: "A man page."),
      Example(
        command: "lamina help --as bash > completions.bash && . ./completions.bash",
        says: "Completions for the shell that runs, if that is bash."),
      Example(command: "lamina help --share share", says: "All that make install puts there."),
    ])
}

/// What `lamina help` prints.
enum HelpForm: String, CaseIterable {
  case text, man, markdown, bash, zsh, fish
}

/// `lamina help`.
struct HelpCommand {
  /// The command to explain; nil for all of them.
  private let command: Command?
  private let form: HelpForm
  /// The folder for the man pages and completions; nil to print.
  private let share: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    let name = arguments.positionals.joined(separator: " ")
    command = name.isEmpty || name == "farm" ? nil : try Commands.command(named: name)
    let text = arguments.value("--as") ?? HelpForm.text.rawValue
    guard let form = HelpForm(rawValue: text) else {
      let names = HelpForm.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("--as: \"\(text)\" is none of \(names)")
    }
    self.form = form
    share = arguments.value("--share")
  }

  func run() throws(OutputError) -> ExitStatus {
    if let share {
      try write(below: share)
    } else {
      print(text, terminator: text.hasSuffix("\n") ? "" : "\n")
    }
    return .success
  }

  private var text: String {
    switch form {
    case .text: command?.helpText ?? Commands.helpText
    case .man: command.map(ManPage.page) ?? ManPage.overview
    case .markdown: ManualPage.text
    case .bash: BashCompletions.text
    case .zsh: ZshCompletions.text
    case .fish: FishCompletions.text
    }
  }

  private func write(below folder: String) throws(OutputError) {
    var files = [
      "bash-completion/completions/lamina": BashCompletions.text,
      "zsh/site-functions/_lamina": ZshCompletions.text,
      "fish/vendor_completions.d/lamina.fish": FishCompletions.text,
      "man/man1/lamina.1": ManPage.overview,
    ]
    for command in Commands.all {
      files["man/man1/\(ManPage.name(of: command)).1"] = ManPage.page(command)
    }
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
      do {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      } catch {
        throw OutputError("\(file.path): its folder cannot be made: \(error.localizedDescription)")
      }
      try OutputFile.write(Data(text.utf8), to: file.path)
    }
  }
}
