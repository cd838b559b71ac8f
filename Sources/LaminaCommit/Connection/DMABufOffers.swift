import LaminaValues

/// What a render process says of a dma-buf.
package enum DMABufAnswer: Hashable, Sendable {
  case taken
  case refused(String)
}

/// The dma-bufs that were offered to the server, with its answers.
struct DMABufOffers {
  typealias Receiver = @Sendable (Result<DMABufAnswer, ServerFailure>) -> Void

  private struct Offer {
    weak var buffer: DMABuf?
    /// nil until the server has answered.
    var answer: DMABufAnswer?
    var receivers: [Receiver] = []
  }

  private var offers: [DMABufID: Offer] = [:]

  /// Whether an answer is awaited.
  var isWaiting: Bool { offers.values.contains { $0.answer == nil } }

  /// Has the answer passed to `receiver` when it comes. Returns it if it is known; then `receiver`
  /// is not called. `isNew` tells that the dma-buf is to be offered.
  mutating func add(
    _ buffer: DMABuf, _ receiver: @escaping Receiver
  ) -> (known: DMABufAnswer?, isNew: Bool) {
    guard var offer = offers[buffer.id] else {
      offers[buffer.id] = Offer(buffer: buffer, receivers: [receiver])
      return (nil, true)
    }
    if let answer = offer.answer { return (answer, false) }
    offer.receivers.append(receiver)
    offers[buffer.id] = offer
    return (nil, false)
  }

  /// Notes an answer. Returns who waits for it.
  mutating func note(_ answer: DMABufAnswer, for id: DMABufID) -> [Receiver] {
    guard var offer = offers[id] else { return [] }
    defer { offers[id] = offer }
    offer.answer = answer
    defer { offer.receivers = [] }
    return offer.receivers
  }

  /// Those that the server took, or may have taken, and that are still used, in order.
  var buffers: [DMABuf] {
    offers.keys.sorted().compactMap { id in
      guard let offer = offers[id] else { return nil }
      if case .refused = offer.answer { return nil }
      return offer.buffer
    }
  }

  /// Forgets those that nobody uses any more. Returns those that the server has.
  mutating func takeUnused() -> [DMABufID] {
    let unused = offers.filter { $0.value.buffer == nil && $0.value.answer != nil }
    for id in unused.keys { offers[id] = nil }
    return unused.filter { $0.value.answer == .taken }.keys.sorted()
  }

  /// Forgets those that nobody uses any more and that another server was not offered.
  mutating func removeUnused(besides known: some Collection<DMABufID>) {
    let known = Set(known)
    offers = offers.filter { $0.value.buffer != nil || known.contains($0.key) }
  }

  /// Those that were never offered to this server, in order.
  var unanswered: [DMABuf] {
    offers.keys.sorted().compactMap { offers[$0]?.answer == nil ? offers[$0]?.buffer : nil }
  }

  /// Forgets all. Returns who waits for an answer.
  mutating func removeAll() -> [Receiver] {
    defer { offers = [:] }
    return offers.values.flatMap(\.receivers)
  }
}

/// Copies of pictures in dma-bufs that a server cannot draw from.
struct DMABufCopies {
  private var buffers: [DMABufID: PixelBuffer] = [:]

  /// Copies each picture as it is now. Of one that cannot be copied, nothing is shown.
  init(of refused: [DMABuf], _ warnings: Warnings) throws(DMABufError) {
    for buffer in refused {
      do throws(DMABufError) {
        buffers[buffer.id] = try buffer.copied()
      } catch {
        warnings.report("a picture is lost that only another render process could draw: \(error)")
        buffers[buffer.id] = try Self.blank(buffer.layout.size)
      }
    }
  }

  private static func blank(_ size: PixelSize) throws(DMABufError) -> PixelBuffer {
    do throws(SharedMemoryError) {
      let blank = try PixelBuffer(
        width: size.width, height: size.height, format: .bgra8, use: .store)
      blank.clear()
      return blank
    } catch {
      throw .memory(error)
    }
  }

  var isEmpty: Bool { buffers.isEmpty }

  subscript(id: DMABufID) -> PixelBuffer? { buffers[id] }

  func replacing(_ update: Commit.StoreUpdate) -> Commit.StoreUpdate {
    guard let id = update.place.dmaBuf, let buffer = buffers[id] else { return update }
    return Commit.StoreUpdate(
      image: update.image, buffer: buffer, isOpaque: update.isOpaque, dirty: update.dirty)
  }
}

extension Commit.StoreUpdate {
  /// Names pixels in memory that both processes map.
  package init(
    image: ImageID, buffer: PixelBuffer, isOpaque: Bool, dirty: [PixelRect]? = nil
  ) {
    self.init(
      image: image,
      memory: MemoryRange(
        arena: buffer.arenaID, offset: UInt64(buffer.offset), count: UInt64(buffer.byteCount)),
      layout: buffer.layout, isOpaque: isOpaque, dirty: dirty)
  }

  package init(
    image: ImageID, pixels: StorePixels, isOpaque: Bool, dirty: [PixelRect]? = nil
  ) {
    switch pixels {
    case .memory(let buffer):
      self.init(image: image, buffer: buffer, isOpaque: isOpaque, dirty: dirty)
    case .dmaBuf(let picture):
      self.init(
        image: image, place: .dmaBuf(picture.buffer.id), layout: picture.buffer.layout.pixels,
        isOpaque: isOpaque, dirty: dirty)
    }
  }
}
