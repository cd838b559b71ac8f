import CGL
import LaminaFramePlan

/// A library whose functions this module calls. It is opened when a platform first requires it and
/// then stays open, so that nothing that links this module needs it to start.
struct GraphicsLibrary: Sendable {
  static let egl = GraphicsLibrary(lamina_open_egl)
  static let gles = GraphicsLibrary(lamina_open_gles)
  static let gbm = GraphicsLibrary(lamina_open_gbm)

  /// What Debian and Ubuntu have the libraries and Mesa's drivers in, for those who lack some.
  static let advice =
    "install libegl1, libgles2, libegl-mesa0, libgl1-mesa-dri and, for gbm, libgbm1 (Debian's and"
    + " Ubuntu's packages), or draw with the platform software (--platform software,"
    + " LAMINA_PLATFORM=software), which needs none of these"

  /// Why its functions cannot be called; nil if they can.
  private let failure: String?

  private init(_ open: () -> UnsafePointer<CChar>?) {
    failure = open().map { String(cString: $0) }
  }

  /// Throws unless the functions of all the libraries can be called.
  static func require(_ libraries: GraphicsLibrary...) throws(ExecutorError) {
    for library in libraries {
      if let failure = library.failure { throw .notInstalled(failure) }
    }
  }
}
