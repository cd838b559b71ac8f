import Foundation
import Lamina

extension CARenderer {
  /// A page that shows the renderer's layers at a moment: the frame, the tree, what each layer is
  /// set to and shows, what it costs, and why it does not show.
  ///
  /// It is HTML in one piece, which needs no network:
  ///
  ///     try renderer.inspect(at: 1.5).write(toFile: "page.html", atomically: true, encoding: .utf8)
  public func inspect(at time: CFTimeInterval, title: String = "Layers") throws -> String {
    try inspect(at: [time], title: title)
  }

  /// The same for several moments, which the page steps through. They ascend.
  public func inspect(
    at times: some Collection<CFTimeInterval>, title: String = "Layers"
  ) throws -> String {
    var page = InspectorPage(title: title, frameCount: times.count)
    for time in times { try page.addFrame(of: self, at: time) }
    return try page.html()
  }
}
