import Lamina

/// A large tree: squares in groups, of which each is a hundred layers with its squares. The squares
/// are small, so that most of a frame's time goes to the tree.
struct BenchTree {
  let root: CALayer
  /// The squares that were there at first, without those that have been removed.
  private(set) var squares: [CALayer] = []
  private let size: PixelSize
  private var random = BenchRandom(seed: 9)

  init(_ count: Int, _ size: PixelSize) {
    root = BenchScene.background(size)
    self.size = size
    for _ in 0..<count / 100 {
      let group = BenchScene.layer(width: 0, height: 0)
      for _ in 0..<99 {
        let square = makeSquare()
        group.addSublayer(square)
        squares.append(square)
      }
      root.addSublayer(group)
    }
  }

  private mutating func makeSquare() -> CALayer {
    let square = BenchScene.layer(width: 2, height: 2)
    let (x, y) = (random.next() * Float(size.width - 2), random.next() * Float(size.height - 2))
    square.position = CGPoint(x: CGFloat(x.rounded()), y: CGFloat(y.rounded()))
    square.backgroundColor = CGColor(gray: 1, alpha: 0.5)
    return square
  }

  /// The index of a random square.
  private mutating func randomIndex() -> Int { Int(random.next() * Float(squares.count)) }

  private mutating func insertSquare() {
    let neighbor = squares[randomIndex()]
    neighbor.superlayer?.insertSublayer(makeSquare(), above: neighbor)
  }

  private mutating func removeSquare() {
    guard !squares.isEmpty else { return }
    // The last square takes the place of the removed one, so that the others need not move up.
    squares.swapAt(randomIndex(), squares.count - 1)
    squares.removeLast().removeFromSuperlayer()
  }

  // MARK: Scenes

  /// The first square moves.
  func moving() -> BenchScene {
    let first = squares.first
    return BenchScene(root: root) { frame in
      first?.position = CGPoint(x: 10 + frame % 100, y: 10)
    }
  }

  /// Each frame makes a square and inserts it at a random place: n frames add n layers.
  func inserting() -> BenchScene {
    var tree = self
    return BenchScene(root: root) { _ in tree.insertSquare() }
  }

  /// Each frame removes a random square, which nothing else refers to: n frames take away n layers.
  /// A tree that has no more squares stays as it is.
  func removing() -> BenchScene {
    var tree = self
    return BenchScene(root: root) { _ in tree.removeSquare() }
  }

  /// The square in the middle of the tree changes between two colours.
  func recoloring() -> BenchScene {
    let square = squares[squares.count / 2]
    return BenchScene(root: root) { frame in
      square.backgroundColor = CGColor(red: 1, green: CGFloat(frame % 2), blue: 0, alpha: 0.5)
    }
  }

  /// Nothing changes.
  func still() -> BenchScene { BenchScene(root: root) { _ in } }
}
