/// What an emitter was set to before, for as long as particles of that time may live. The client
/// keeps it and sends it with each change: particles keep what they were born with, and the present
/// values do not tell that.
package struct EmissionHistory: Hashable, Sendable {
  /// The values up to a time of the layer, from that of the span before.
  package struct Span: Hashable, Sendable {
    package var end: Double
    /// Without a history of their own.
    package var values: EmitterValues
    /// The layer's animations that changed the values.
    package var animations: [AnimationDescription]

    package init(end: Double, values: EmitterValues, animations: [AnimationDescription]) {
      (self.end, self.values, self.animations) = (end, values, animations)
    }
  }

  /// Oldest first.
  package var spans: [Span] = []

  /// The most spans. Of more, the last are kept: an emitter that is moved in every frame leaves one
  /// each, and two seconds of them are enough for its trail.
  package static let limit = 128

  package init() {}

  /// Adds a span that ends at `now`, and forgets those whose particles are all dead.
  package mutating func add(_ span: Span) {
    let now = span.end
    // A time that went back has undone what came after.
    spans.removeAll { $0.end > now || $0.end + $0.values.longestWindow < now }
    // Of several changes at a time, the first tells what was before.
    guard spans.last?.end != now else { return }
    spans.append(span)
    if spans.count > Self.limit { spans.removeFirst(spans.count - Self.limit) }
  }
}
