import LaminaValues
import Synchronization
import Testing

@Suite("Threads that share work") struct WorkerThreadsTests {
  /// Counts how often each of many things is done.
  private final class Counts: Sendable {
    private let counts = Lock([Int]())

    init(_ count: Int) { counts.withLock { $0 = Array(repeating: 0, count: count) } }

    func add(_ range: Range<Int>) {
      counts.withLock { counts in
        for index in range { counts[index] += 1 }
      }
    }

    var all: [Int] { counts.withLock { $0 } }
  }

  @Test("do each part of a loop once", arguments: [1, 2, 3, 7])
  func eachOnce(threadCount: Int) {
    let threads = WorkerThreads(count: threadCount)
    #expect(threads.count == threadCount)
    for (count, size) in [(0, 4), (1, 4), (4, 4), (5, 4), (63, 2), (1000, 32)] {
      let counts = Counts(count)
      threads.share(count, by: size) { range, thread in
        #expect((0..<threadCount).contains(thread))
        #expect(range.count == size || range.upperBound == count)
        counts.add(range)
      }
      #expect(counts.all == Array(repeating: 1, count: count))
    }
  }

  @Test("go through the parts from both ends, the one that has the work from the first on")
  func order() {
    let threads = WorkerThreads(count: 3)
    for _ in 0..<50 {
      let starts = Lock<[Int: [Int]]>([:])
      threads.share(400, by: 4) { range, thread in
        starts.withLock { $0[thread, default: []].append(range.lowerBound) }
      }
      for (thread, starts) in starts.withLock({ $0 }) {
        #expect(starts == (thread == 0 ? starts.sorted() : starts.sorted(by: >)))
      }
    }
  }

  @Test("finish many small works, one right after the other, and are not waited for in vain")
  func manyWorks() {
    let threads = WorkerThreads(count: 4)
    let sum = Atomic(0)
    for round in 1...20_000 {
      threads.share(3, by: 1) { range, _ in sum.add(range.lowerBound + 1, ordering: .relaxed) }
      guard sum.load(ordering: .relaxed) == round * 6 else {
        Issue.record("round \(round) ended before it was done")
        return
      }
    }
  }

  @Test("take a number from either end of a range, until none is left")
  func ranges() {
    let range = SharedRange()
    #expect(range.take(last: false) == nil)
    range.fill(3..<7)
    #expect([false, true, true, false].map { range.take(last: $0) } == [3, 6, 5, 4])
    #expect(range.take(last: true) == nil)
  }

  @Test("share a loop only if there are several, and steps enough")
  func worth() {
    var several = LoopSharing(WorkerThreads(count: 2))
    several.least = 10
    several.part = 4
    #expect(several.isWorth(10))
    #expect(!several.isWorth(9))
    #expect(!LoopSharing(WorkerThreads(count: 1)).isWorth(1_000_000))
    #expect([0, 1, 4, 5].map(several.partCount) == [0, 1, 1, 2])
    let parts = Lock<[Int: Range<Int>]>([:])
    several.share(10) { range, part, _ in parts.withLock { $0[part] = range } }
    #expect(parts.withLock { $0 } == [0: 0..<4, 1: 4..<8, 2: 8..<10])
  }

  @Test("are not woken for few steps")
  func fewSteps() {
    var sharing = LoopSharing(WorkerThreads(count: 9))
    (sharing.least, sharing.part) = (100, 1)
    for _ in 0..<200 {
      let used = Lock<Set<Int>>([])
      sharing.share(150) { _, _, thread in used.withLock { _ = $0.insert(thread) } }
      #expect(used.withLock { $0 }.isSubset(of: [0, 1, 2]))
    }
  }
}
