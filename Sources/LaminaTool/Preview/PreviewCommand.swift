import Foundation
import Lamina
import LaminaInspector

/// `lamina preview`: the inspector's page in a browser, which follows the document's files.
struct PreviewCommand {
  private let document: DocumentArguments

  init(_ arguments: ParsedArguments) throws(UsageError) {
    document = try DocumentArguments(arguments)
  }

  /// How often the files are looked at, in microseconds.
  private static let interval: UInt32 = 100_000
  /// A page that takes longer to make comes after one of the moment that is looked at.
  private static let patience = Duration.milliseconds(250)

  func run() throws -> ExitStatus {
    // A document that is not there is an error of the command, unlike one that breaks later.
    guard FileManager.default.fileExists(atPath: document.path) else {
      throw InputError("\(document.path): no such file")
    }
    let pages = PreviewPages()
    var files = DocumentFiles(of: document.path)
    var duration = showAll(in: pages)
    let server = try PreviewServer(pages)
    server.start()
    print(server.address)
    fflush(nil)
    while !pages.isLeft {
      let now = DocumentFiles(of: document.path)
      guard now != files else {
        usleep(Self.interval)
        continue
      }
      files = now
      if duration > Self.patience {
        pages.show { page(of: .moment(pages.lookedAt), version: $0) }
      }
      duration = showAll(in: pages)
    }
    return .success
  }

  /// Shows a page with all moments, and returns how long it took to make.
  private func showAll(in pages: PreviewPages) -> Duration {
    ContinuousClock().measure { pages.show { page(of: .usual, version: $0) } }
  }

  /// The inspector's page of the document as it is now, or one that says why it cannot be shown.
  private func page(of times: InspectedTimes, version: Int) -> String {
    do {
      let script = PreviewPage.script(version: version, isPart: times != .usual)
      return try InspectorPage(of: document, times).html(script: script)
    } catch {
      let message = ToolFailure(error).message
      Report.error(message)
      return PreviewPage.error(message, document: document.path, version: version)
    }
  }
}
