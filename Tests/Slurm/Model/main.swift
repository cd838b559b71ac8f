import Foundation

// What a film costs on a farm of up to 10,000 nodes, from what Tests/Slurm/measure-shards measured:
// the model's parameters are fitted to the measured runs, and a simulation says when the join, the
// file system or Slurm's controller becomes the limit.
//
// usage: farm-model MEASURED [--frames N] [--pixels N] [--tasks-per-second N] [--store-gb N]

/// A line of numbers that were measured: a name and its values.
struct Measured {
  private var values: [String: [[Double]]] = [:]

  init(path: String) throws {
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      let numbers = words.dropFirst().compactMap { Double($0) }
      guard let name = words.first, numbers.count == words.count - 1 else {
        throw Failure("\(path): \"\(line)\" is not a name and numbers")
      }
      values[String(name), default: []].append(numbers)
    }
  }

  func all(_ name: String) throws -> [(x: Double, y: Double)] {
    guard let rows = values[name], rows.allSatisfy({ $0.count == 2 && $0[0] > 0 }) else {
      throw Failure("there is no \"\(name) FRAMES VALUE\" among what was measured")
    }
    return rows.map { ($0[0], $0[1]) }
  }

  /// The mean of a value for each frame.
  func perFrame(_ name: String) throws -> Double {
    let rows = try all(name)
    return rows.reduce(0) { $0 + $1.y / $1.x } / Double(rows.count)
  }

  func number(_ name: String) throws -> Double {
    guard let value = values[name]?.first?.first else {
      throw Failure("there is no \"\(name) VALUE\" among what was measured")
    }
    return value
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A start and a cost of each frame, fitted to runs of several lengths by least squares of the
/// relative errors.
struct Line {
  let start: Double
  let perFrame: Double

  init(fitting runs: [(x: Double, y: Double)]) throws {
    var (w, x, y, xx, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for run in runs {
      let weight = 1 / (run.y * run.y)
      w += weight
      x += weight * run.x
      y += weight * run.y
      xx += weight * run.x * run.x
      xy += weight * run.x * run.y
    }
    let determinant = w * xx - x * x
    guard determinant > 0 else { throw Failure("runs of two lengths are needed for a fit") }
    perFrame = (w * xy - x * y) / determinant
    start = (y - perFrame * x) / w
  }

  func seconds(_ frames: Double) -> Double { start + perFrame * frames }
}

/// What a farm is made of.
struct Farm {
  /// A shard's, on one core.
  var shard: Line
  /// Seconds of a join for each frame, which it decodes and encodes.
  var joinPerFrame: Double
  /// Of one that copies pieces: for each frame and, besides its start, for each piece.
  var copyPerFrame: Double
  var pieces: Line
  /// How many bytes of pieces are checked in a second, by GLib's SHA-256.
  var checked = 0.55e9
  var segmentBytes: Double
  var filmBytes: Double
  /// How many tasks the controller can start and end in a second.
  var tasksPerSecond: Double
  /// What the file system takes and gives in a second, in bytes, for all nodes and for one.
  var store: Double
  var node: Double
}

/// A run of a film on a farm.
struct Outcome {
  var shards: Int
  var frames: Double
  var join: Double
  var limit: String
  var total: Double { frames + join }
}

/// The times of tasks on nodes of one core each: the controller starts one after another, and all
/// that run share the file system.
///
/// Tasks have the same work, and run equally fast at any moment, so those that began first end
/// first. `progress` is how much work a task would have done that ran from the begin.
func simulate(
  nodes: Int, shards: Int, frames: Int, bytesPerFrame: Double, encodes: Double, farm: Farm
) -> (seconds: Double, storeShare: Double) {
  let ownFrames = Double(frames) / Double(shards)
  let work = farm.shard.seconds(ownFrames) + encodes * ownFrames
  // A task writes while it works.
  let rate = bytesPerFrame * ownFrames / work
  let interval = 1 / farm.tasksPerSecond
  var (time, progress, nextStart) = (0.0, 0.0, 0.0)
  var (started, ended) = (0, 0)
  // The progress at which each running task ends, the first first.
  var ends: [Double] = []
  var head = 0
  var (slowed, busy) = (0.0, 0.0)
  while ended < shards {
    let running = ends.count - head
    let speed = running == 0 ? 1 : min(1, farm.store / (rate * Double(running)))
    let canStart = started < shards && running < nodes
    let untilStart = canStart ? max(0, nextStart - time) : .infinity
    let untilEnd = running == 0 ? .infinity : (ends[head] - progress) / speed
    let step = min(untilStart, untilEnd)
    time += step
    progress += step * speed
    if running > 0 {
      busy += step
      slowed += step * (1 - speed)
    }
    if untilStart <= untilEnd {
      ends.append(progress + work)
      started += 1
      nextStart = max(nextStart, time) + interval
    } else {
      head += 1
      ended += 1
      // Ends are the controller's work too.
      nextStart = max(nextStart, time - interval) + interval
    }
  }
  return (time, busy > 0 ? slowed / busy : 0)
}

/// The best number of shards for so many nodes, and what it gives.
func best(nodes: Int, frames: Int, copies: Bool, farm: Farm) -> Outcome {
  var best: Outcome?
  for factor in [1, 2, 4] {
    // Shorter shards than a second's are mostly start, and pieces grow the film.
    let shards = min(nodes * factor, max(1, frames / 60))
    // Pieces are encoded in the shards, which then write films instead of segments.
    let encodes = copies ? farm.joinPerFrame : 0
    let bytes = copies ? farm.filmBytes : farm.segmentBytes
    let run = simulate(
      nodes: nodes, shards: shards, frames: frames, bytesPerFrame: bytes, encodes: encodes,
      farm: farm)
    let reading = bytes * Double(frames) / min(farm.node, farm.store)
    let work =
      copies
      ? farm.pieces.seconds(Double(shards)) + farm.copyPerFrame * Double(frames)
        + bytes * Double(frames) / farm.checked
      : farm.joinPerFrame * Double(frames)
    // The film is written after it was read.
    let join = max(work, reading * (copies ? 2 : 1))
    let starts = 2 * Double(shards) / farm.tasksPerSecond
    var limit = "frames"
    if join > run.seconds { limit = join > work ? "file system (join)" : "join" }
    if run.seconds > join {
      if run.storeShare > 0.1 { limit = "file system" }
      if starts > run.seconds / 2 { limit = "controller" }
    }
    let outcome = Outcome(shards: shards, frames: run.seconds, join: join, limit: limit)
    if best.map({ outcome.total < $0.total }) ?? true { best = outcome }
  }
  return best!
}

func duration(_ seconds: Double) -> String {
  seconds < 120
    ? String(format: "%.0f s", seconds)
    : seconds < 7200
      ? String(format: "%.0f min", seconds / 60) : String(format: "%.1f h", seconds / 3600)
}

func run() throws {
  let arguments = CommandLine.arguments.dropFirst()
  guard let path = arguments.first, !path.hasPrefix("-") else {
    throw Failure(
      "usage: farm-model MEASURED [--frames N] [--pixels N] [--tasks-per-second N] [--store-gb N]")
  }
  func flag(_ name: String, _ fallback: Double) throws -> Double {
    guard let index = arguments.firstIndex(of: name) else { return fallback }
    guard index + 1 < arguments.endIndex, let value = Double(arguments[index + 1]), value > 0
    else { throw Failure("\(name) needs a number above 0") }
    return value
  }
  let measured = try Measured(path: path)
  let shard = try Line(fitting: measured.all("shard"))
  print(String(format: "shard: %.2f s + %.4f s a frame", shard.start, shard.perFrame))
  for run in try measured.all("shard") {
    print(
      String(
        format: "  %.0f frames: measured %.2f s, model %.2f s", run.x, run.y, shard.seconds(run.x)))
  }
  let pixels = try measured.number("pixels")
  let scale = try flag("--pixels", pixels) / pixels
  let farm = Farm(
    shard: Line(start: shard.start, perFrame: shard.perFrame * scale),
    joinPerFrame: try measured.perFrame("join") * scale,
    copyPerFrame: try Line(fitting: measured.all("copy")).perFrame * scale,
    pieces: try Line(fitting: measured.all("join-pieces")),
    segmentBytes: try measured.perFrame("segment-bytes") * scale,
    filmBytes: try measured.perFrame("film-bytes") * scale,
    tasksPerSecond: try flag("--tasks-per-second", 50), store: try flag("--store-gb", 2) * 1e9,
    node: 1.2e9)
  print(
    String(
      format: "join: %.4f s a frame; of pieces: %.2f s + %.3f s a piece + %.6f s a frame",
      farm.joinPerFrame, farm.pieces.start, farm.pieces.perFrame, farm.copyPerFrame))
  print(
    String(
      format: "a frame is %.0f KB in a segment, %.1f KB in a film", farm.segmentBytes / 1000,
      farm.filmBytes / 1000))
  let frames = Int(min(try flag("--frames", 216_000), 1e7))
  print(
    "lamina render at once, on the machine that was measured: "
      + duration(try measured.perFrame("film") * scale * Double(frames)))
  print("\n| nodes | shards | frames | join | in all | limit | by pieces | limit |")
  print("|---|---|---|---|---|---|---|---|")
  for nodes in [2, 4, 10, 30, 100, 300, 1000, 3000, 10_000] {
    let joined = best(nodes: nodes, frames: frames, copies: false, farm: farm)
    let copied = best(nodes: nodes, frames: frames, copies: true, farm: farm)
    print(
      "| \(nodes) | \(joined.shards) | \(duration(joined.frames)) | \(duration(joined.join)) |"
        + " \(duration(joined.total)) | \(joined.limit) | \(duration(copied.total)) |"
        + " \(copied.limit) |")
  }
}

extension Line {
  init(start: Double, perFrame: Double) { (self.start, self.perFrame) = (start, perFrame) }
}

do {
  try run()
} catch {
  FileHandle.standardError.write(Data("farm-model: \(error)\n".utf8))
  exit(2)
}
