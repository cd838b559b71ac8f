import Foundation

/// The page that is shown now, and whoever waits for the next one.
final class PreviewPages: @unchecked Sendable {
  private let condition = NSCondition()
  private var html = ""
  private var version = 0
  /// Streams that tell a page in a browser of changes, and how many there have been.
  private var listening = (now: 0, ever: 0)
  /// Since when nobody has listened.
  private var alone = ContinuousClock.now
  private var time = 0.0

  /// Shows another page. `make` gets its number.
  func show(_ make: (_ version: Int) -> String) {
    let html = make(condition.withLock { version } + 1)
    condition.withLock {
      version += 1
      self.html = html
      condition.broadcast()
    }
  }

  /// The moment of the document that is looked at, in seconds.
  var lookedAt: Double {
    get { condition.withLock { time } }
    set { condition.withLock { time = newValue } }
  }

  /// The page, which one thread shows and any may ask for.
  var current: String { condition.withLock { html } }

  /// Waits until there is a page with a greater number, and returns that; nil if there is none
  /// within `limit`.
  func next(after old: Int, within limit: TimeInterval) -> Int? {
    let deadline = Date(timeIntervalSinceNow: limit)
    return condition.withLock {
      while version <= old {
        if !condition.wait(until: deadline) { return nil }
      }
      return version
    }
  }

  func startListening() {
    condition.withLock { listening = (listening.now + 1, listening.ever + 1) }
  }

  func stopListening() {
    condition.withLock {
      listening.now -= 1
      alone = .now
    }
  }

  /// Whether a page was open in a browser, and none has been for some seconds: as long as one takes
  /// to load again.
  var isLeft: Bool {
    condition.withLock {
      listening.ever > 0 && listening.now == 0 && ContinuousClock.now - alone > .seconds(4)
    }
  }
}

/// The parts of a page that belong to the preview.
enum PreviewPage {
  /// Has a page load again when there is a newer one, and tells the server which moment is looked
  /// at. `isPart` says that the page has that moment alone, until the others are there.
  static func script(version: Int, isPart: Bool) -> String {
    """
    {
      let told = null, timer = 0
      const tell = time => {
        if (time === told) return
        told = time
        clearTimeout(timer)
        timer = setTimeout(() => fetch(`time?at=${time}`).catch(() => {}), 200)
      }
      window.laminaPreview = { isPart: \(isPart), lookAt: tell }
      new EventSource('events?from=\(version)').addEventListener('change', () => location.reload())
    }
    """
  }

  /// A page that says why there is no picture.
  static func error(_ message: String, document: String, version: Int) -> String {
    """
    <!doctype html>
    <html lang="en"><head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>\(escaped(document))</title>
    <style>
    :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
    main { max-width: 60rem; margin: 4rem auto; padding: 0 1.5rem; }
    h1 { font-size: 1.25rem; }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 1rem; border-radius: .5rem;
      border-left: .3rem solid #d33; background: color-mix(in srgb, currentcolor 7%, transparent); }
    </style>
    <script>\(script(version: version, isPart: true))</script>
    </head><body><main>
    <h1>\(escaped(document)) cannot be shown</h1>
    <pre role="alert">\(escaped(message))</pre>
    <p>The page loads again when the document changes.</p>
    </main></body></html>
    """
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;")
      .replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: "\"", with: "&quot;")
  }
}
