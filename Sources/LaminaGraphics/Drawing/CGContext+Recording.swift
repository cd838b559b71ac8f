import LaminaValues

/// What a context that records keeps, instead of drawing it.
enum RecordedStep {
  /// An operation, with the state in which it paints.
  case paint(PaintOperation, GraphicsState)
  case beginLayer(PixelRect, GraphicsState)
  case endLayer
}

extension CGContext {
  /// Calls `body`, and keeps what it draws until `playBack` draws it. The pixels are the same, but
  /// the time that they take is spent there, on whichever thread that is.
  ///
  /// Nothing may use the context in between. If `body` reads pixels from it, it draws what is
  /// recorded, and all else at once.
  package func record(_ body: () -> Void) {
    recording = []
    body()
  }

  /// Whether anything is recorded.
  package var hasRecorded: Bool { recording?.isEmpty == false }

  /// Draws what is recorded, if anything is.
  package func playBack() {
    guard let steps = recording else { return }
    recording = nil
    let (state, open) = (state, targets.dropFirst())
    targets.removeLast(open.count)
    for step in steps {
      switch step {
      case .paint(let operation, let state):
        self.state = state
        paint(operation)
      case .beginLayer(let region, let state):
        self.state = state
        beginLayer(within: region)
      case .endLayer: endTransparencyLayer()
      }
    }
    // The layers that are open now have the pixels of those that were while recording.
    for (layer, recorded) in zip(targets.dropFirst(), open) {
      layer.savedStates = recorded.savedStates
    }
    self.state = state
  }
}
