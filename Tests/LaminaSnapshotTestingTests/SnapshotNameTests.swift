import Foundation
import Lamina
import Testing

@testable import LaminaSnapshotTesting

@Suite("Names of references") struct SnapshotNameTests {
  @Test("Names are the test's, then a name or a number that counts, then the time")
  func names() {
    let recorder = Recorder()
    _ = recorder.failures(of: square(.red), as: .image)
    _ = recorder.failures(of: square(.red), as: .image, named: "wide one")
    _ = recorder.failures(of: square(.red), as: .image, at: [0, 0.5, 2])
    _ = recorder.failures(of: square(.red), as: .caml)
    #expect(
      recorder.names == [
        "names.1.png", "names.2-0.5s.png", "names.2-0s.png", "names.2-2s.png", "names.3.caml",
        "names.wide-one.png",
      ])
  }

  @Test("What is no letter, digit or underscore becomes one dash, and none at the ends")
  func fileNames() {
    #expect(SnapshotNames.fileName("card()") == "card")
    #expect(SnapshotNames.fileName("card(of:_:)") == "card-of-_")
    #expect(SnapshotNames.fileName("`a card's corners`") == "a-card-s-corners")
    #expect(SnapshotNames.fileName("../../etc/Größe_2") == "etc-Größe_2")
  }

  @Test("A test with arguments must give names", arguments: [1, 2])
  func arguments(_ number: Int) {
    let recorder = Recorder()
    let failures = recorder.failures(of: square(.red), as: .image)
    #expect(
      failures == [
        "no snapshot could be taken: a test with arguments must give its snapshots names, by named:"
      ])
    #expect(recorder.failures(of: square(.red), as: .image, named: "\(number)").count == 1)
    #expect(recorder.names == ["arguments-_.\(number).png"])
  }

  @Test("Artifacts lie in folders of their kind, and a passing assertion removes them")
  func artifacts() throws {
    let recorder = Recorder()
    let files = recorder.files("artifacts.square.png")
    _ = recorder.failures(of: square(.red), as: .image, named: "square")
    let failures = recorder.failures(of: square(.blue), as: .image, named: "square")
    let message = try #require(failures.first)
    let paths = message.matches(of: /\n(reference|result|difference): (.*)/).map { String($0.2) }
    #expect(paths.count == 3)
    let images = try paths.map { try CGImage(contentsOfFile: $0) }
    #expect(try images[0].difference(from: CGImage(contentsOf: files.reference)).greatest == 0)
    #expect(images[0].pixel(x: 1, y: 1) == (0, 0, 255, 255))
    #expect(images[1].pixel(x: 1, y: 1) == (255, 0, 0, 255))
    #expect(message.contains("\nreport: lamina compare --ignore-missing "))
    #expect(recorder.failures(of: square(.red), as: .image, named: "square").isEmpty)
    #expect(!paths.contains { FileManager.default.fileExists(atPath: $0) })
  }
}
