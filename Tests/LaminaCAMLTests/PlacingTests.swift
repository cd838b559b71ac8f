import Foundation
import Lamina
import Testing

@testable import LaminaCAML

@Suite("Where a document's layers go")
struct PlacingTests {
  private let documents: TemporaryDocuments

  init() throws { documents = try TemporaryDocuments() }

  private func bundle(
    _ name: String, index: String? = nil, layer: String
  ) throws -> URL {
    try documents.write(TemporaryDocuments.caml(layer), to: "\(name)/main.caml")
    if let index {
      try documents.write(TemporaryDocuments.index(index), to: "\(name)/index.xml")
    }
    return documents.folder.appendingPathComponent(name)
  }

  private static let pixels =
    "<key>documentWidth</key><real>300</real><key>documentHeight</key><real>300</real>"
    + "<key>unitsInPixelsInPlayer</key><true/>"

  @Test("In a bundle y points up, unless its index says otherwise; in a bare file down")
  func yAxis() throws {
    let layer = "<CALayer bounds=\"0 0 10 20\"/>"
    let up = try CAMLDocument(contentsOf: try bundle("a.ca", layer: layer))
    #expect(up.rootLayer.isGeometryFlipped)
    let flipped = try CAMLDocument(
      contentsOf: try bundle("b.ca", index: "<key>geometryFlipped</key><true/>", layer: layer))
    #expect(!flipped.rootLayer.isGeometryFlipped)
    let bare = try documents.document(layer)
    #expect(!bare.rootLayer.isGeometryFlipped)
    let part = try CAMLDocument(
      contentsOf: try bundle("c.ca", index: "", layer: layer).appendingPathComponent("main.caml"))
    #expect(part.rootLayer.isGeometryFlipped)
  }

  @Test("The root layer fills the document, whatever its position and anchor point")
  func rootFills() throws {
    let document = try documents.document(
      "<CALayer bounds=\"5 6 100 50\" position=\"390 0\" anchorPoint=\"0 1\"/>")
    #expect(document.size == CGSize(width: 100, height: 50))
    #expect(document.rootLayer.bounds == CGRect(x: 0, y: 0, width: 100, height: 50))
    #expect(document.rootLayer.sublayers?[0].position == CGPoint(x: 0, y: 50))
  }

  @Test("The index gives the size, which the root's bounds are stretched to")
  func indexSize() throws {
    let index = "<key>documentWidth</key><real>200</real><key>documentHeight</key><real>300</real>"
    let document = try CAMLDocument(
      contentsOf: try bundle("a.ca", index: index, layer: "<CALayer bounds=\"0 0 100 100\"/>"))
    #expect(document.size == CGSize(width: 200, height: 300))
    #expect(document.rootLayer.sublayerTransform.m11 == 2)
    #expect(document.rootLayer.sublayerTransform.m22 == 3)
    #expect(document.rootLayer.sublayers?[0].position == CGPoint(x: 100, y: 150))
  }

  @Test("The index names the document, which lies in the bundle")
  func rootDocument() throws {
    try documents.write(
      TemporaryDocuments.caml("<CALayer name=\"other\" bounds=\"0 0 1 1\"/>"), to: "a.ca/o.caml")
    let url = try bundle(
      "a.ca", index: "<key>rootDocument</key><string>o.caml</string>",
      layer: "<CALayer name=\"main\" bounds=\"0 0 1 1\"/>")
    #expect(try CAMLDocument(contentsOf: url).rootLayer.sublayers?[0].name == "other")

    try documents.write(TemporaryDocuments.caml("<CALayer bounds=\"0 0 1 1\"/>"), to: "out.caml")
    try documents.write(
      TemporaryDocuments.index("<key>rootDocument</key><string>../out.caml</string>"),
      to: "a.ca/index.xml")
    let error = try #require(throws: CAMLError.self) { try CAMLDocument(contentsOf: url) }
    #expect(error.message.contains("outside the bundle"))
  }

  @Test("A folder's bundles are stacked from the background to the foreground")
  func stacking() throws {
    for name in ["Foreground.ca", "Floating.ca", "My_Background.ca"] {
      _ = try bundle(name, layer: "<CALayer name=\"\(name)\" bounds=\"0 0 10 10\"/>")
    }
    let document = try CAMLDocument(contentsOf: documents.folder)
    let stack = try #require(document.rootLayer.sublayers?[0])
    #expect(
      stack.sublayers?.map { $0.sublayers?[0].name }
        == ["My_Background.ca", "Floating.ca", "Foreground.ca"])
    #expect(document.placing == .aspectFit)
  }

  @Test("The smallest bundle gives the size; the others are centred, screen pixels at a third")
  func mixedUnits() throws {
    _ = try bundle(
      "Background.ca", index: Self.pixels, layer: "<CALayer bounds=\"0 0 300 300\"/>")
    _ = try bundle("Floating.ca", layer: "<CALayer bounds=\"0 0 40 80\"/>")
    let document = try CAMLDocument(contentsOf: documents.folder)
    #expect(document.size == CGSize(width: 40, height: 80))
    let stack = try #require(document.rootLayer.sublayers?[0])
    let background = try #require(stack.sublayers?[0])
    #expect(background.position == CGPoint(x: 20, y: 40))
    #expect(abs(background.transform.m11 - 1 / 3.0) < 1e-15)
    #expect(stack.sublayers?[1].transform == CATransform3DIdentity)
  }

  @Test("Where all is in screen pixels those are the points, of which a frame shows the middle")
  func screenPixels() throws {
    for name in ["Background.ca", "Floating.ca"] {
      _ = try bundle(name, index: Self.pixels, layer: "<CALayer bounds=\"0 0 300 300\"/>")
    }
    let document = try CAMLDocument(contentsOf: documents.folder)
    #expect(document.size == CGSize(width: 300, height: 300))
    #expect(document.placing == .middle)
    let stack = try #require(document.rootLayer.sublayers?[0])
    #expect(stack.sublayers?[0].transform == CATransform3DIdentity)
  }

  @Test("A broken index is an error with its place")
  func brokenIndex() throws {
    _ = try bundle("a.ca", layer: "<CALayer bounds=\"0 0 1 1\"/>")
    try documents.write("<plist>\n<dict>\n</plist>", to: "a.ca/index.xml")
    let error = try #require(throws: CAMLError.self) {
      try CAMLDocument(contentsOf: documents.folder.appendingPathComponent("a.ca"))
    }
    #expect("\(error)".contains("a.ca/index.xml:3:"))
  }
}
