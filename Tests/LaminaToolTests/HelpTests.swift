import Foundation
import Lamina
import LaminaCAML
import Testing

@testable import LaminaTool

/// The manual, which is made of the table of commands. The shells themselves complete here.
@Suite("Help") struct HelpTests {
  private let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  private func shell(_ name: String, _ arguments: [String]) throws -> ToolRun {
    let path = try #require(
      ["/usr/bin/", "/bin/"].map { $0 + name }
        .first { FileManager.default.isExecutableFile(atPath: $0) },
      "\(name) is not installed; make test installs it")
    let tools = ToolRun.executable.deletingLastPathComponent().path
    return try ToolRun(
      ["-sKILL", "120", path] + arguments,
      environment: ["PATH": "\(tools):/usr/bin:/bin", "TERM": "dumb", "HOME": folder.url.path],
      executable: ToolRun.timeLimit)
  }

  @Test("A command is explained by its help, its man page and the manual alike: all has one table")
  func table() throws {
    for command in Commands.all {
      let help = try ToolRun(["help"] + command.name.split(separator: " ").map(String.init))
      #expect(help.text == command.helpText + "\n")
      let (page, manual) = (ManPage.page(command), ManualPage.text)
      for option in command.options {
        let name = option.name.replacing("-", with: "\\-")
        #expect(page.contains("\\fB\(name)\\fR"), "\(command.name) \(option.name)")
        #expect(manual.contains("| `\(option.head)` |"), "\(command.name) \(option.name)")
      }
      #expect(!command.examples.isEmpty, "\(command.name) has no example")
      for example in command.examples {
        #expect(help.text.contains(example.command))
        #expect(page.contains(example.command.replacing("-", with: "\\-")))
        #expect(manual.contains(example.command))
      }
      let name = ManPage.name(of: command).replacing("-", with: "\\-")
      #expect(ManPage.overview.contains(".BR \(name) (1)"))
    }
  }

  @Test("A man page is ASCII, and no line of text begins a request")
  func manPages() {
    for page in [ManPage.overview] + Commands.all.map(ManPage.page) {
      #expect(page.allSatisfy { $0.isASCII })
      for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
        let request = line.prefix { $0 != " " }
        #expect([".TH", ".SH", ".TP", ".PP", ".B", ".I", ".BR"].contains(request), "\(line)")
      }
    }
  }

  @Test("The manual's page of commands is what lamina help --as markdown prints")
  func manualPage() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/Lamina/Lamina.docc/CommandLine.md")
    let written = try String(contentsOf: page, encoding: .utf8)
    #expect(written == ManualPage.text, "make manual writes it anew")
  }

  @Test("Help for an unknown command names the nearest, and a wrong form names all")
  func mistakes() throws {
    let command = try ToolRun(["help", "rendr"])
    #expect(command.status == 2)
    #expect(command.errors == "lamina: unknown command rendr; did you mean render?\n")
    let form = try ToolRun(["help", "--as", "html"])
    #expect(
      form.errors == "lamina: --as: \"html\" is none of text, man, markdown, bash, zsh, fish\n")
    #expect(form.status == 2)
    #expect(try ToolRun(["help"]).text == Commands.helpText + "\n")
  }

  /// What the examples speak of: documents, pictures, and a farm's job of which nothing is done.
  private func furnish(for command: Command) throws {
    let files = FileManager.default
    let source = try folder.document(
      """
      <CALayer bounds="0 0 64 36" backgroundColor="0 0 1"><sublayers>
      <CALayer bounds="0 0 20 20" position="10 18" backgroundColor="1 1 0" cornerRadius="7">
      <animations><animation type="CABasicAnimation" keyPath="position.x" fromValue="10"
      toValue="54" duration="6"/></animations></CALayer></sublayers></CALayer>
      """, name: "source.caml")
    for name in ["scene.ca", "other.ca"] {
      #expect(try ToolRun(["convert", source, folder.path(name)]).status == 0)
    }
    for name in ["expected", "results", "parts", "films"] {
      try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    }
    let picture = try CGImage(width: 1, height: 1, unpremultipliedRGBA: [255, 0, 0, 255])
    for name in ["reference", "result", "expected/a", "results/a", "expected/b", "results/b"] {
      try picture.writePNG(toFile: folder.path(name + ".png"))
    }
    guard ["farm status", "farm resume", "farm cancel", "farm task"].contains(command.name) else {
      return
    }
    let document = folder.path("scene.ca")
    let work = FilmWork(
      documents: [
        FilmWork.Document(
          path: document, digest: try CAMLDocument(path: document).digest(path: document),
          film: folder.path("film.mp4"),
          frameCount: 2)
      ], flags: ["--to=1", "--count=2"], shardCount: 1)
    try FarmFolder(folder.path("film.mp4.farm")).begin(
      FarmJob(
        work: .films(work),
        engine: try EngineFlags(ParsedArguments(values: ["--engine": ["local"]]))))
  }

  @Test(
    "Each example of the help does what it says, without a word on stderr", arguments: Commands.all)
  func examples(command: Command) throws {
    try furnish(for: command)
    for example in command.examples {
      let run = try shell("bash", ["-c", "cd '\(folder.url.path)' && " + example.command])
      #expect(run.status == 0, "\(example.command): \(run.errors)")
    }
  }

  /// Files for the shells to complete, and the completions.
  private func completions() throws -> String {
    try Data().write(to: folder.url.appendingPathComponent("a b.png"))
    try Data().write(to: folder.url.appendingPathComponent("s.caml"))
    try Data().write(to: folder.url.appendingPathComponent("x.txt"))
    #expect(try ToolRun(["help", "--share", folder.path("share")]).status == 0)
    return folder.path("share")
  }

  /// What is typed, and what it is completed to.
  private static let typed: [(String, Set<String>)] = [
    ("lamina rend", ["render"]), ("lamina farm s", ["status"]),
    ("lamina render --pla", ["--platform"]),
    ("lamina render --platform s", ["surfaceless", "software"]),
    ("lamina compare x --diff a", ["a b.png"]), ("lamina render ", ["s.caml", "share"]),
    ("lamina farm render --engine l", ["local"]), ("lamina help joi", ["join"]),
    ("lamina render --at ", []),
  ]

  @Test("bash completes commands, flags, words and files")
  func bash() throws {
    let share = try completions()
    for (line, expected) in Self.typed + [("lamina render --platform = so", ["software"])] {
      var words = line.split(separator: " ").map { "'\($0)'" }
      if line.hasSuffix(" ") { words.append("''") }
      let run = try shell(
        "bash",
        [
          "-c",
          """
          cd '\(folder.url.path)' && . '\(share)/bash-completion/completions/lamina'
          COMP_WORDS=(\(words.joined(separator: " "))) COMP_CWORD=\(words.count - 1)
          _lamina 2>&1; [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
          """,
        ])
      #expect(
        Set(run.text.split(separator: "\n").map(String.init)) == expected, "\(line): \(run.errors)")
    }
  }

  @Test("fish completes commands, flags, words and files")
  func fish() throws {
    let share = try completions()
    for (line, expected) in Self.typed {
      let run = try shell(
        "fish",
        [
          "--no-config", "-c",
          """
          cd '\(folder.url.path)'; source '\(share)/fish/vendor_completions.d/lamina.fish'
          complete -C '\(line)'
          """,
        ])
      let offered = run.text.split(separator: "\n").map {
        $0.prefix { $0 != "\t" }.trimmingCharacters(in: CharacterSet(charactersIn: "/"))
      }
      #expect(Set(offered) == expected, "\(line): \(run.errors)")
    }
  }

  @Test("zsh completes commands, flags, words and files")
  func zsh() throws {
    let share = try completions()
    // A terminal in which zsh runs, with what its completion system adds written to a file.
    let script = """
      cd \(folder.url.path); zmodload zsh/zpty zsh/zselect; zpty z zsh -f -i
      zpty -w z "fpath=(\(share)/zsh/site-functions \\$fpath); autoload -U compinit"
      zpty -w z "compinit -u -d added.dump; cd \(folder.url.path)"
      zpty -w z 'compadd () { local -a hits; if [[ "$*" != *-[OAD]\\ * ]]; then
        builtin compadd -A hits "$@"; print -rl -- $hits >>| added; fi; builtin compadd "$@" }'
      zpty -w z ': >| over'; while [[ ! -e over ]] zselect -t 2; rm over
      try() {
        : >| added; zpty -w -n z "$1"$'\\t'; zpty -w z $'\\x15'": >| over"
        while [[ ! -e over ]] zselect -t 2
        rm over; print -r -- "== $1"; cat added
      }
      \(Self.typed.map { "try '\($0.0)'" }.joined(separator: "\n"))
      zpty -d z
      """
    let run = try shell("zsh", ["-f", "-c", script])
    let answers = run.text.split(separator: "== ").map {
      $0.split(separator: "\n").map(String.init)
    }
    #expect(answers.count == Self.typed.count, "\(run.errors)")
    for (answer, (line, expected)) in zip(answers, Self.typed) {
      #expect(answer.first == line)
      #expect(Set(answer.dropFirst().map { $0.replacing("\\", with: "") }) == expected, "\(line)")
    }
  }
}
