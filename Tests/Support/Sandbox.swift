import Foundation

/// Whether render processes are not confined, as under sanitizers. Those keep memory that was
/// freed, and want to be loaded before libraries that have calls fail.
public let sandboxIsOff = ProcessInfo.processInfo.environment["LAMINA_SANDBOX"] == "off"
