import LaminaValues

extension FramePlan {
  /// What a batch samples: nothing, one source or two. They lie in the batch itself, since most
  /// batches of images have a single item and memory of their own would cost more than the item.
  @usableFromInline
  package struct Sources: Hashable, Sendable, RandomAccessCollection, MutableCollection,
    ExpressibleByArrayLiteral
  {
    @usableFromInline var one: TextureSource?
    @usableFromInline var two: TextureSource?

    /// A second source without a first one becomes the first.
    @inlinable package init(_ first: TextureSource?, _ second: TextureSource? = nil) {
      one = first ?? second
      two = first == nil ? nil : second
    }

    /// The first two of some sources.
    package init(_ sources: some Sequence<TextureSource>) {
      var sources = sources.makeIterator()
      self.init(sources.next(), sources.next())
    }

    @usableFromInline package init(arrayLiteral elements: TextureSource...) {
      if elements.count > 2 { programmerError("A batch samples two sources at most.") }
      self.init(elements)
    }

    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { one == nil ? 0 : two == nil ? 1 : 2 }

    @inlinable package subscript(_ index: Int) -> TextureSource {
      get { index == 0 ? one! : two! }
      set { if index == 0 { one = newValue } else { two = newValue } }
    }
  }
}
