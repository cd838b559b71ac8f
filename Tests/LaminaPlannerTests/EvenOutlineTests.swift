import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues
import Testing
import TreeSupport

@testable import LaminaPlanner

@Suite("Outlines that are even")
struct EvenOutlineTests {
  /// The numbers of pixels to a unit of the rounded items that a layer is drawn with.
  private func pixelsPerUnit(
    _ set: (inout LayerValues) -> Void
  ) throws -> [Double?] {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    scene.layer(frame: CGRect(x: 20, y: 20, width: 40, height: 30), in: root) {
      $0.backgroundColor = .blue
      $0.cornerRadius = 8
      $0.borderWidth = 2
      $0.borderColor = .red
      set(&$0)
    }
    let plan = try scene.plan()
    let batches = plan.passes.flatMap(\.batches).filter { $0.program.coversOutline }
    for batch in batches {
      for item in plan.items.items[batch.items] {
        let radii = plan.items.outlines[Int(item.outline)].radii
        let isEven =
          plan.items.pixelsPerUnit(of: item) != nil && radii == .init(repeating: radii.x)
        #expect(isEven == (batch.outlines != .any))
      }
    }
    return batches.flatMap { batch in
      batch.items.map {
        batch.outlines == .any ? nil : plan.items.pixelsPerUnit(of: plan.items.items[$0])
      }
    }
  }

  @Test("are those with equal corners, wherever they are moved, turned, mirrored or enlarged to")
  func even() throws {
    let transforms: [(CATransform3D, Double)] = [
      (CATransform3DIdentity, 1),
      (CATransform3DMakeTranslation(0.25, -3.5, 0), 1),
      (CATransform3DMakeRotation(0.7, 0, 0, 1), 1),
      (CATransform3DMakeScale(-1.5, 1.5, 1), 1.5),
      (CATransform3DScale(CATransform3DMakeRotation(2, 0, 0, 1), 0.4, 0.4, 1), 0.4),
    ]
    for (transform, scale) in transforms {
      let found = try pixelsPerUnit { $0.transform = transform }
      #expect(found.count >= 2)
      for number in found {
        let number = try #require(number)
        #expect(abs(number - scale) < 1e-9)
      }
    }
  }

  @Test("are none that are stretched, skewed, seen in perspective or have unequal corners")
  func uneven() throws {
    var perspective = CATransform3DIdentity
    perspective.m34 = -1 / 200
    var skewed = CATransform3DIdentity
    skewed.m21 = 0.1
    let sets: [(inout LayerValues) -> Void] = [
      { $0.transform = CATransform3DMakeScale(1.1, 1, 1) },
      { $0.transform = skewed },
      { $0.transform = CATransform3DRotate(perspective, 0.5, 0, 1, 0) },
      { $0.transform = CATransform3DMakeRotation(0.5, 0, 1, 0) },
      { $0.maskedCorners = 3 },
    ]
    for set in sets {
      let found = try pixelsPerUnit(set)
      #expect(found.count >= 2 && found.allSatisfy { $0 == nil })
    }
  }
}
