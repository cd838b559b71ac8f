import LaminaValues

/// An animation's effect on one property whose underlying value stays constant, so that only the
/// time is unknown. Gives exactly the same numbers as the `AnimationLeaf` that it is made from, but
/// keeps all it has to read in one place.
package final class CompiledAnimation: Sendable {
  fileprivate enum Course: Sendable {
    case vectors(
      AnimationVector.Kind, from: SIMD4<Double>, to: SIMD4<Double>, still: SIMD4<Double>)
    case transforms(TransformCourse)
  }

  private let pace: Pace
  private let course: Course

  /// The course of a transform, or of one of its parts.
  fileprivate final class TransformCourse: Sendable {
    enum Ends: Sendable {
      case whole(from: TransformDecomposition, to: TransformDecomposition)
      case part(StructureMember, of: TransformDecomposition, from: Double, to: Double)
    }

    let still: CATransform3D
    let ends: Ends

    init(still: CATransform3D, _ ends: Ends) {
      self.still = still
      self.ends = ends
    }

    func transform(at fraction: Double) -> CATransform3D {
      switch ends {
      case .whole(let from, let to):
        from.transform(at: fraction, to: to)
      case .part(let member, let parts, let from, let to):
        parts.transform(setting: member, to: mix(from, to, fraction)) ?? still
      }
    }
  }

  /// nil if the leaf does more than go from one value to another.
  package init?(_ leaf: AnimationLeaf, over underlying: AnimationValue) {
    let isPlain =
      leaf.ancestors.isEmpty && !leaf.isAdditive && !leaf.isCumulative && leaf.valueFunction == nil
      && leaf.turningSlot == nil
    let part = leaf.part.map { underlying.value(of: $0) } ?? underlying
    guard isPlain, let part, let content = leaf.resolved(over: part),
      let course = Course(content, leaf.part, over: underlying)
    else { return nil }
    pace = leaf.pace
    self.course = course
  }

  /// Passes the value at a time of the layer to one of the closures. Transforms have their own, so
  /// that they need no box.
  @inline(__always)
  package func value(
    at layerTime: Double, transform: (CATransform3D) -> Void, other: (AnimationValue) -> Void
  ) {
    let fraction = pace.sample(at: layerTime)?.fraction
    switch course {
    case .vectors(let kind, let from, let to, let still):
      let lanes = fraction.map { mix(from, to, $0) } ?? still
      other(AnimationVector(kind, lanes).value)
    case .transforms(let course):
      transform(fraction.map { course.transform(at: $0) } ?? course.still)
    }
  }
}

extension CompiledAnimation.Course {
  fileprivate init?(
    _ content: AnimationLeaf.Content, _ part: ValuePart?, over underlying: AnimationValue
  ) {
    switch (content, underlying, part) {
    case (.transforms(let from, let to), .transform(let still), nil):
      self = .transforms(.init(still: still, .whole(from: from, to: to)))
    case (.vectors(.number, let from, let to), .transform(let still), .member(let member)?):
      let parts = TransformDecomposition(still)
      guard parts.transform(setting: member, to: from.x) != nil else { return nil }
      self = .transforms(
        .init(still: still, .part(member, of: parts, from: from.x, to: to.x)))
    case (.vectors(let kind, let from, let to), _, nil):
      guard let still = AnimationVector(underlying), still.kind == kind,
        still.value == underlying
      else { return nil }
      self = .vectors(kind, from: from, to: to, still: still.lanes)
    default: return nil
    }
  }
}
