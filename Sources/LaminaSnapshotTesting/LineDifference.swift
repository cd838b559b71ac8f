/// How two texts differ, in the form of `diff -u`.
struct LineDifference {
  private let old: [Substring]
  private let new: [Substring]
  /// How many equal lines are shown before and after others.
  private static let context = 3

  init(_ old: String, _ new: String) {
    self.old = old.split(separator: "\n", omittingEmptySubsequences: false)
    self.new = new.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// A line of both texts together. `-` is of the old one alone, `+` of the new one.
  private struct Line {
    let mark: Character
    let text: Substring
    /// How many lines of each text lie before it.
    let oldIndex: Int
    let newIndex: Int
  }

  var text: String {
    let lines = self.lines
    let near = lines.indices.filter { index in
      lines[max(0, index - Self.context)..<min(lines.count, index + Self.context + 1)]
        .contains { $0.mark != " " }
    }
    var parts: [String] = []
    var last: Int?
    for index in near {
      if last.map({ $0 + 1 != index }) ?? true {
        parts.append(header(of: near, from: index, lines))
      }
      parts.append("\(lines[index].mark)\(lines[index].text)")
      last = index
    }
    return parts.joined(separator: "\n")
  }

  /// `@@ -1,3 +1,4 @@`: which lines of each text follow.
  private func header(of near: [Int], from start: Int, _ lines: [Line]) -> String {
    var end = start
    for index in near where index == end { end += 1 }
    let part = lines[start..<end]
    let oldCount = part.count { $0.mark != "+" }
    let newCount = part.count { $0.mark != "-" }
    return
      "@@ -\(lines[start].oldIndex + 1),\(oldCount) +\(lines[start].newIndex + 1),\(newCount) @@"
  }

  private var lines: [Line] {
    let difference = new.difference(from: old)
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var lines: [Line] = []
    var (i, j) = (0, 0)
    func add(_ mark: Character, _ text: Substring) {
      lines.append(Line(mark: mark, text: text, oldIndex: i, newIndex: j))
    }
    while i < old.count || j < new.count {
      if i < old.count, removed.contains(i) {
        add("-", old[i])
        i += 1
      } else if j < new.count, inserted.contains(j) {
        add("+", new[j])
        j += 1
      } else {
        add(" ", old[i])
        (i, j) = (i + 1, j + 1)
      }
    }
    return lines
  }
}
