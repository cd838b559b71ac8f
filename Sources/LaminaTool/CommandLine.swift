/// A flag of a command: a row in the command's table.
struct Option: Sendable {
  /// The name with its dashes, such as `--size`.
  let name: String
  /// A second name, such as `-o`.
  var short: String?
  /// The name of its value in the help; nil for a flag without a value.
  var value: String?
  /// Whether the flag may be given more than once.
  var repeats = false
  /// Whether the arguments that follow its value, up to the next flag, are values too.
  var takesMany = false
  /// What shells complete the value with.
  var completion = Completion.nothing
  let help: String
}

/// What shells complete a value with.
enum Completion: Sendable, Equatable {
  case nothing
  case words([String])
  /// Files whose names end in a dot and one of these, and folders; all files if there are none.
  case files([String])
  /// Names of commands.
  case commands
}

/// A command line for the help, and what it does. A test runs them all.
struct Example: Sendable {
  let command: String
  let says: String
}

/// A command, for the help and the parser.
struct Command: Sendable {
  let name: String
  let summary: String
  /// The names of the arguments without a flag, all of which are required but for those in
  /// brackets. If the last one ends in `…`, there may be several of it.
  let arguments: [String]
  /// What shells complete arguments with.
  var completion = Completion.files([])
  let options: [Option]
  /// What the flags alone do not say, in lines. A paragraph ends with an empty line.
  var notes: [String] = []
  /// Run one after the other, in one folder.
  var examples: [Example] = []

  func option(named name: String) -> Option? {
    options.first { $0.name == name || $0.short == name }
  }
}

/// An error in the usage. The message is one line.
struct UsageError: Error, Equatable {
  var message: String
  init(_ message: String) { self.message = message }
}

/// A command's parsed arguments.
struct ParsedArguments: Equatable {
  var positionals: [String] = []
  /// The values by the option's long name. A flag without a value has an empty string.
  var values: [String: [String]] = [:]

  func has(_ option: String) -> Bool { values[option] != nil }
  func value(_ option: String) -> String? { values[option]?.last }

  /// Those of some options as they could be given again.
  func flags(of options: [Option]) -> [String] {
    options.flatMap { option in
      (values[option.name] ?? []).map {
        option.value == nil ? option.name : "\(option.name)=\($0)"
      }
    }
  }
}

extension Command {
  /// Parses `arguments`. Accepts `--name value` and `--name=value`. After `--`, everything is an
  /// argument without a flag.
  func parse(_ arguments: [String]) throws(UsageError) -> ParsedArguments {
    var parsed = ParsedArguments()
    var rest = arguments[...]
    var takesOptions = true
    while let argument = rest.popFirst() {
      if takesOptions, argument == "--" {
        takesOptions = false
      } else if takesOptions, argument.count > 1, argument.hasPrefix("-") {
        try parseOption(argument, rest: &rest, into: &parsed)
      } else {
        parsed.positionals.append(argument)
      }
    }
    if parsed.has("--help") { return parsed }
    let takesMany = self.arguments.last?.contains("…") ?? false
    let required = self.arguments.filter { !$0.hasPrefix("[") }
    if parsed.positionals.count > self.arguments.count, !takesMany {
      throw UsageError("\(name): unexpected argument \(parsed.positionals[self.arguments.count])")
    }
    if parsed.positionals.count < required.count {
      throw UsageError("\(name): \(required[parsed.positionals.count]) is missing")
    }
    return parsed
  }

  private func parseOption(
    _ argument: String, rest: inout ArraySlice<String>, into parsed: inout ParsedArguments
  ) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let given = String(parts[0])
    guard let option = option(named: given) else {
      let hint = nearestName(to: given, among: options.map(\.name)).map { "; did you mean \($0)?" }
      throw UsageError("\(name): unknown option \(given)\(hint ?? "")")
    }
    if !option.repeats, parsed.has(option.name) {
      throw UsageError("\(name): \(option.name) is given twice")
    }
    var value = ""
    if let valueName = option.value {
      if parts.count == 2 {
        value = String(parts[1])
      } else if let next = rest.popFirst() {
        value = next
      } else {
        throw UsageError("\(name): \(option.name) needs a value, \(valueName)")
      }
    } else if parts.count == 2 {
      throw UsageError("\(name): \(option.name) takes no value")
    }
    parsed.values[option.name, default: []].append(value)
    while option.takesMany, let next = rest.first, !next.hasPrefix("-") {
      parsed.values[option.name, default: []].append(next)
      rest = rest.dropFirst()
    }
  }
}

/// Returns the name that was probably meant by the text typed: the one it abbreviates, or else the
/// one with the fewest edits, one for every three of its letters at most; nil if there is none.
func nearestName(to typed: String, among names: [String]) -> String? {
  func distance(_ name: String) -> Int {
    name.hasPrefix(typed) && typed.count > 3 ? 0 : editDistance(typed, name)
  }
  return names.filter { name in
    distance(name) <= max(1, name.count { $0 != "-" } / 3)
  }.min { distance($0) < distance($1) }
}

/// The number of characters to insert, remove or replace, and of neighbours to swap, to turn `a`
/// into `b`.
func editDistance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a), Array(b))
  // The distances of the prefixes of `b` from the one of `a` so far, and from the two before.
  var row = Array(0...b.count)
  var (last, lastButOne) = (row, row)
  for i in a.indices {
    (lastButOne, last) = (last, row)
    row[0] = i + 1
    for j in b.indices {
      let replaced = last[j] + (a[i] == b[j] ? 0 : 1)
      row[j + 1] = min(replaced, row[j] + 1, last[j + 1] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        row[j + 1] = min(row[j + 1], lastButOne[j - 1] + 1)
      }
    }
  }
  return row[b.count]
}
