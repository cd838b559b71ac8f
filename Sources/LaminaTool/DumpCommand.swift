import Foundation
import Lamina
import LaminaCAML

/// `lamina dump`.
struct DumpCommand {
  enum Stage: CaseIterable {
    case tree, commit, items, plan
    /// The layers as JSON.
    case json

    var flag: String {
      switch self {
      case .tree: "--tree"
      case .commit: "--commit"
      case .items: "--items"
      case .plan: "--plan"
      case .json: "--json"
      }
    }
  }

  let document: DocumentArguments
  let time: Double
  let stage: Stage

  init(_ arguments: ParsedArguments) throws(UsageError) {
    document = try DocumentArguments(arguments)
    time = try arguments.number("--at") ?? 0
    var stages = Stage.allCases.filter { arguments.has($0.flag) }
    // The tree as JSON.
    if stages == [.tree, .json] { stages = [.json] }
    guard stages.count <= 1 else {
      throw UsageError("dump: \(stages[0].flag) or \(stages[1].flag), not both")
    }
    stage = stages.first ?? .tree
  }

  func run() throws -> ExitStatus {
    let stage = try DocumentStage(document, background: .none, keepsWide: false)
    if self.stage != .commit { try stage.changeStates(until: time) }
    switch self.stage {
    case .tree: print(try stage.renderer.treeDescription(at: time))
    case .items: print(try stage.renderer.itemsDescription(at: time))
    case .plan: print(try stage.renderer.planDescription(at: time))
    case .commit: print(try stage.renderer.commitDescription())
    case .json: print(try json(stage.renderer))
    }
    return .success
  }

  private func json(_ renderer: CARenderer) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(renderer.snapshotTree(at: time)), as: UTF8.self)
  }
}
