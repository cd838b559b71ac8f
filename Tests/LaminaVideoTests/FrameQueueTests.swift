import Dispatch
import Foundation
import LaminaVideo
import Testing

@Suite("Decoding ahead")
struct FrameQueueTests {
  private let folder: FilmFolder

  init() throws { folder = try FilmFolder() }

  /// A queue and what it reports.
  private final class Player: Sendable {
    let queue: FrameQueue
    private let news: DispatchSemaphore

    init(_ path: String) {
      let news = DispatchSemaphore(value: 0)
      self.news = news
      queue = FrameQueue(path: path) { news.signal() }
    }

    /// Waits until there is news that meets a condition.
    func wait<Result>(_ condition: (FrameQueue) -> Result?) throws -> Result {
      while true {
        if let result = condition(queue) { return result }
        try #require(news.wait(timeout: .now() + 30) == .success)
      }
    }
  }

  @Test("Each frame comes in the end, forwards, backwards and around a loop")
  func frames() throws {
    let path = try folder.make(Film("film.mp4", "\(Film.pattern(40)) \(Film.h264)"))
    let reference = try FilmReference(path)
    let player = Player(path)
    let timeline = try player.wait { $0.timeline }
    for (numbers, step) in [
      (Array(0..<40), 1), (Array((0..<40).reversed()), -1), ([39, 0, 1], 1), ([20], 0),
    ] {
      for number in numbers {
        let time = timeline.time(ofFrame: number)
        _ = try player.wait { queue in
          let frame = queue.frame(at: time, step: step, isLoop: true)
          return frame.map { Data($0.frame.rawBytes) == reference.frames[number] } ?? false
            ? true : nil
        }
      }
    }
    #expect(player.queue.failure == nil)
  }

  @Test("Until a frame is decoded, the one before stays; one that is late is left out")
  func stays() throws {
    let path = try folder.make(Film("film.mp4", "\(Film.pattern(40)) \(Film.h264)"))
    let player = Player(path)
    _ = try player.wait { $0.timeline }
    let first = try player.wait { $0.frame(at: 0, step: 0)?.frame }
    // Nothing but the first frame was asked for, so nothing else can be there.
    #expect(player.queue.frame(at: 1)?.frame === first)
  }

  @Test("A file that cannot be opened is a failure that is reported")
  func failure() throws {
    let player = Player(folder.path("nowhere.mp4"))
    let failure = try player.wait { $0.failure }
    #expect(failure.problem == .unreadable(code: ENOENT))
    #expect(player.queue.frame(at: 0) == nil)
  }
}
