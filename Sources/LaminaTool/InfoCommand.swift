import Foundation
import Lamina
import LaminaInProcess

/// `lamina info`.
struct InfoCommand {
  let isJSON: Bool
  let arguments: RendererArguments

  init(_ arguments: ParsedArguments) throws(UsageError) {
    isJSON = arguments.has("--json")
    self.arguments = try RendererArguments(arguments)
  }

  func run() throws -> ExitStatus {
    let renderer = try CARenderer(
      size: CGSize(width: 16, height: 16), scale: 1, clock: .manual(), server: arguments.server)
    print(isJSON ? try json(renderer) : text(renderer))
    return .success
  }

  private func text(_ renderer: CARenderer) -> String {
    let report = renderer.platform
    let measures = report.sandbox.measures
    let sandbox = measures.isEmpty ? "none" : measures.joined(separator: ", ")
    var rows = [
      ("lamina", Tool.version), ("platform", report.name), ("renderer", report.renderer),
      ("vendor", report.vendor),
      (report.name == "software" ? "processor" : "OpenGL ES", report.version),
      ("drawn by", report.isSoftware ? "software" : "hardware"),
      ("largest texture", "\(report.maxTextureSize)"),
      ("frames on the device", report.framebufferFormat),
      ("robust contexts", report.isRobust ? "yes" : "no"),
      ("dma-bufs", report.importsDMABufs ? "drawn from" : "copied by the program"),
      ("process", arguments.isInProcess ? "this one" : "its own"),
      ("memory for pixels", "\(report.memoryBudget >> 20) MB"), ("sandbox", sandbox),
    ]
    rows += report.sandbox.gaps.map { ("not possible", $0) }
    let width = rows.map(\.0.count).max() ?? 0
    let lines = rows.map { name, value in
      name + String(repeating: " ", count: width - name.count + 2) + value
    }
    let reasons = arguments.isVerbose ? report.reasons.map { "  \($0)" } : []
    return (lines + reasons).joined(separator: "\n")
  }

  private func json(_ renderer: CARenderer) throws -> String {
    let report = renderer.platform
    let object: [String: Any] = [
      "lamina": Tool.version, "platform": report.name, "renderer": report.renderer,
      "vendor": report.vendor, "version": report.version, "software": report.isSoftware,
      "maxTextureSize": Int(report.maxTextureSize), "framebufferFormat": report.framebufferFormat,
      "robust": report.isRobust, "importsDMABufs": report.importsDMABufs,
      "inProcess": arguments.isInProcess,
      "memoryBudget": Int(clamping: report.memoryBudget),
      "sandbox": report.sandbox.measures, "sandboxGaps": report.sandbox.gaps,
      "reasons": report.reasons,
    ]
    let data = try JSONSerialization.data(
      withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
  }
}
