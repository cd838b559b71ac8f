import Foundation
import Lamina
import Testing

@testable import LaminaCAML

@Suite("Documents as layers")
struct CAMLDocumentTests {
  private let documents: TemporaryDocuments
  private let warnings = Warnings()

  init() throws { documents = try TemporaryDocuments() }

  private func root(_ layer: String) throws -> CALayer {
    try documents.root(layer, warnings: warnings)
  }

  // MARK: Properties

  @Test("Attributes are the properties of their names")
  func attributes() throws {
    let layer = try root(
      """
      <CALayer name="a" bounds="0 0 30 40" anchorPoint="0 1" opacity="0.5" hidden="1" \
      backgroundColor="1 0 0" cornerRadius="3" masksToBounds="1" zPosition="2" contentsGravity="top"/>
      """)
    #expect(layer.name == "a")
    #expect(layer.bounds == CGRect(x: 0, y: 0, width: 30, height: 40))
    #expect(layer.anchorPoint == CGPoint(x: 0, y: 1))
    #expect(layer.opacity == 0.5)
    #expect(layer.isHidden)
    #expect(layer.backgroundColor == CGColor(red: 1, green: 0, blue: 0, alpha: 1))
    #expect(layer.cornerRadius == 3)
    #expect(layer.masksToBounds)
    #expect(layer.zPosition == 2)
    #expect(layer.contentsGravity == .top)
    #expect(warnings.all.isEmpty)
  }

  @Test("A key path changes a member of what the attribute of the whole set")
  func keyPathAttributes() throws {
    let layer = try root(
      """
      <CALayer bounds="0 0 1 1" transform.translation.x="5" position="1 2" \
      transform="scale(2, 2, 1)" />
      """)
    #expect(layer.transform.m11 == 2)
    #expect(layer.transform.m41 == 5)
  }

  @Test("A colour may be a child with an opacity, or wrap one")
  func colorElements() throws {
    let layer = try root(
      """
      <CALayer bounds="0 0 1 1"><backgroundColor opacity="0.5" value="1 0 0"/>
      <borderColor><CGColor value="0 1 0"/></borderColor></CALayer>
      """)
    #expect(layer.backgroundColor == CGColor(red: 1, green: 0, blue: 0, alpha: 0.5))
    #expect(layer.borderColor == CGColor(red: 0, green: 1, blue: 0, alpha: 1))
    #expect(warnings.all.isEmpty)
  }

  @Test("A shape has its path, its rule and its colours")
  func shapes() throws {
    let layer = try #require(
      try root(
        """
        <CAShapeLayer bounds="0 0 9 9" fillRule="even-odd" lineWidth="2" lineCap="round" \
        fillColor="1 1 1"><path type="CGPath" d="M0 0 L5 0 L5 5 Z"/></CAShapeLayer>
        """) as? CAShapeLayer)
    #expect(layer.path?.boundingBox == CGRect(x: 0, y: 0, width: 5, height: 5))
    #expect(layer.fillRule == .evenOdd)
    #expect(layer.lineCap == .round)
    #expect(layer.lineWidth == 2)
    #expect(warnings.all.isEmpty)
  }

  @Test("A gradient has its colours, locations, points and type")
  func gradients() throws {
    let layer = try #require(
      try root(
        """
        <CAGradientLayer bounds="0 0 9 9" type="radial" startPoint="0.5 0.25" endPoint="1 1">
        <colors><CGColor value="1 0 0"/><CGColor value="0 0 1" opacity="0.5"/></colors>
        <locations><real value="0.25"/><integer value="1"/></locations></CAGradientLayer>
        """) as? CAGradientLayer)
    #expect(
      layer.colors as? [CGColor] == [
        CGColor(red: 1, green: 0, blue: 0, alpha: 1),
        CGColor(red: 0, green: 0, blue: 1, alpha: 0.5),
      ])
    #expect(layer.locations == [0.25, 1])
    #expect(layer.startPoint == CGPoint(x: 0.5, y: 0.25))
    #expect(layer.endPoint == CGPoint(x: 1, y: 1))
    #expect(layer.type == .radial)
    #expect(warnings.all.isEmpty)
  }

  @Test("Sublayers keep their order, and a mask is a layer in either form")
  func hierarchy() throws {
    let layer = try root(
      """
      <CALayer bounds="0 0 9 9"><sublayers><CALayer name="a"/><CALayer name="b">
      <mask type="CAShapeLayer" name="m"/></CALayer></sublayers>
      <mask><CALayer name="n"/></mask></CALayer>
      """)
    #expect(layer.sublayers?.map(\.name) == ["a", "b"])
    #expect(layer.sublayers?[1].mask is CAShapeLayer)
    #expect(layer.sublayers?[1].mask?.name == "m")
    #expect(layer.mask?.name == "n")
  }

  // MARK: Images

  @Test("A document's images keep the colours that their profiles say")
  func profiles() throws {
    let photo = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("AppleSourceTests/Photos/meadow.png")
    try documents.write(try Data(contentsOf: photo), to: "wide.png")
    let layer = try root(
      """
      <CALayer bounds="0 0 9 9"><contents type="CGImage" src="wide.png"/></CALayer>
      """)
    let image = try #require(layer.contents as? CGImage)
    #expect(image.colorSpace?.name == CGColorSpace.displayP3 && warnings.all.isEmpty)
    // Green of Display P3 is beyond sRGB's.
    let shown = CGImage(image.sRGBBuffer).pixel(x: 10, y: 24)
    #expect(image.pixel(x: 10, y: 24).green < shown.green && shown.red == 0)
  }

  @Test("Contents are an image in both forms")
  func contents() throws {
    try documents.write(try TemporaryDocuments.png(width: 3), to: "assets/an image.png")
    let layer = try root(
      """
      <CALayer bounds="0 0 9 9"><contents type="CGImage" src="assets/an%20image.png"/><sublayers>
      <CALayer><contents><CGImage src="assets/an%20image.png"/></contents></CALayer>
      </sublayers></CALayer>
      """)
    let image = try #require(layer.contents as? CGImage)
    #expect(image.width == 3)
    #expect(layer.sublayers?[0].contents as? CGImage === image)
    #expect(warnings.all.isEmpty)
  }

  @Test(
    "An image that cannot be had is a warning with its line, and the layer stays",
    arguments: ["assets/missing.png", "../document.caml", "broken.png", "data:;base64,AAAA"])
  func badImages(src: String) throws {
    try documents.write("no image", to: "broken.png")
    let contents = "<contents type=\"CGImage\" src=\"\(src)\"/>"
    let layer = try root("<CALayer bounds=\"0 0 9 9\">\n\(contents)</CALayer>")
    #expect(layer.contents == nil)
    let warning = try #require(warnings.all.first)
    #expect(warnings.all.count == 1)
    #expect(warning.location.line == 4)
    #expect("\(warning)".contains("document.caml:4: warning: "))
  }

  // MARK: Animations

  @Test("Animations keep their class, values and timing")
  func animations() throws {
    let layer = try root(
      """
      <CALayer bounds="0 0 9 9"><animations>
      <animation type="CABasicAnimation" key="fade" keyPath="opacity" duration="2" beginTime="1e-100" \
      fillMode="both" removedOnCompletion="0" repeatCount="inf" timingFunction="easeIn">
      <fromValue type="real" value="0"/><toValue><real value="1"/></toValue></animation>
      <move type="CAKeyframeAnimation" keyPath="position" calculationMode="cubicPaced" duration="1">
      <values><CGPoint value="0 0"/><CGPoint value="10 20"/></values>
      <keyTimes><integer value="0"/><real value="1"/></keyTimes></move>
      <animation type="CASpringAnimation" key="spring" keyPath="position.x" mass="2" velocity="3"/>
      </animations></CALayer>
      """)
    #expect(layer.animationKeys() == ["fade", "move", "spring"])
    let fade = try #require(layer.animation(forKey: "fade") as? CABasicAnimation)
    #expect(fade.keyPath == "opacity")
    #expect(fade.fromValue as? Double == 0)
    #expect(fade.toValue as? Double == 1)
    #expect(fade.beginTime == 1e-100)
    #expect(fade.repeatCount == .infinity)
    #expect(fade.fillMode == .both)
    #expect(!fade.isRemovedOnCompletion)
    let move = try #require(layer.animation(forKey: "move") as? CAKeyframeAnimation)
    #expect(move.values as? [CGPoint] == [.zero, CGPoint(x: 10, y: 20)])
    #expect(move.keyTimes == [0, 1])
    #expect(move.calculationMode == .cubicPaced)
    let spring = try #require(layer.animation(forKey: "spring") as? CASpringAnimation)
    #expect(spring.mass == 2)
    #expect(spring.initialVelocity == 3)
    #expect(warnings.all.isEmpty)
  }

  @Test("With a value function an animation's values are numbers")
  func valueFunctions() throws {
    let layer = try root(
      """
      <CALayer bounds="0 0 9 9"><animations>
      <animation type="CABasicAnimation" key="turn" keyPath="transform" valueFunction="rotateZ" \
      duration="2"><fromValue type="real" value="0"/><toValue><real value="3"/></toValue></animation>
      <animation type="CAKeyframeAnimation" key="grow" keyPath="transform" valueFunction="scale">
      <values><NSArray><real value="1"/><real value="1"/><real value="1"/></NSArray></values>
      </animation></animations></CALayer>
      """)
    let turn = try #require(layer.animation(forKey: "turn") as? CABasicAnimation)
    #expect(turn.valueFunction?.name == .rotateZ)
    #expect(turn.fromValue as? Double == 0)
    #expect(turn.toValue as? Double == 3)
    let grow = try #require(layer.animation(forKey: "grow") as? CAKeyframeAnimation)
    #expect(grow.values as? [[Double]] == [[1, 1, 1]])
    #expect(warnings.all.isEmpty)
  }

  @Test("A group holds its animations")
  func groups() throws {
    let layer = try root(
      """
      <CALayer bounds="0 0 9 9"><animations><spin type="CAAnimationGroup" duration="3"><animations>
      <animation type="CABasicAnimation" keyPath="transform.rotation.z"><toValue><real value="3"/>
      </toValue></animation></animations></spin></animations></CALayer>
      """)
    let group = try #require(layer.animation(forKey: "spin") as? CAAnimationGroup)
    #expect(group.duration == 3)
    #expect((group.animations?.first as? CABasicAnimation)?.keyPath == "transform.rotation.z")
  }

  // MARK: References

  @Test("A reference is the object it names, and a circle of them is a warning")
  func references() throws {
    let layer = try root(
      """
      <CALayer bounds="0 0 9 9"><sublayers>
      <CALayer id="#1"><backgroundColor id="#c" value="1 0 0"/></CALayer>
      <CALayer id="#2"><backgroundColor object="#c"/><mask object="#3"/></CALayer>
      <CALayer name="x" id="#4"><mask object="#4"/></CALayer>
      <CALayer object="#9"/>
      </sublayers><mask id="#3" type="CALayer" name="m"/></CALayer>
      """)
    let sublayers = try #require(layer.sublayers)
    #expect(sublayers.count == 3)
    #expect(sublayers[1].backgroundColor == CGColor(red: 1, green: 0, blue: 0, alpha: 1))
    #expect(sublayers[1].mask?.name == "m")
    #expect(sublayers[2].mask == nil)
    #expect(warnings.messages.contains { $0.contains("contains itself") })
    #expect(warnings.messages.contains { $0.contains("the id \"#9\"") })
  }

  @Test("References that double at every step end")
  func referenceBomb() throws {
    var arrays = "<NSArray id=\"#0\"><real value=\"1\"/></NSArray>"
    for i in 1...60 {
      let reference = "<NSArray object=\"#\(i - 1)\"/>"
      arrays += "<NSArray id=\"#\(i)\">\(reference)\(reference)</NSArray>"
    }
    _ = try root(
      """
      <CALayer bounds="0 0 9 9"><animations><animation type="CAKeyframeAnimation" \
      keyPath="opacity"><values>\(arrays)</values></animation></animations></CALayer>
      """)
    #expect(warnings.messages.contains { $0.contains("too many objects") })
  }

  // MARK: Content that is not understood

  @Test("Names that editors leave behind are no matter")
  func ignoredNames() throws {
    _ = try root(
      """
      <CALayer bounds="0 0 9 9" locked="0" caplayFoo="1" mica_x="2" CUI_y="3" relativePath="x" \
      debugDescription="d"><scriptComponents/><hash/><modules/></CALayer>
      """)
    #expect(warnings.all.isEmpty)
  }

  @Test(
    "Anything else unknown is one warning with its line",
    arguments: [
      "<CALayer bounds=\"0 0 9 9\"\n wobble=\"1\"/>",
      "<CALayer bounds=\"0 0 9 9\">\n<wobble/></CALayer>",
      "<CALayer bounds=\"0 0 9 9\"><sublayers>\n<CAWobbleLayer/></sublayers></CALayer>",
      "<CALayer bounds=\"0 0 9 9\"><animations>\n<animation type=\"CAWobble\"/></animations>"
        + "</CALayer>",
      "<CALayer bounds=\"0 0 9 9\"><animations>\n<animation type=\"CABasicAnimation\" "
        + "keyPath=\"transform\" valueFunction=\"spin\"/></animations></CALayer>",
      "<CALayer bounds=\"0 0 9 9\"\nopacity=\"much\"/>",
      "<CALayer bounds=\"0 0 9 9\"\nopacity=\"nan\"/>",
      "<CALayer bounds=\"0 0 9 9\"\ncornerRadius=\"inf\"/>",
      "<CALayer bounds=\"0 0 9 9\"\ncontentsGravity=\"up\"/>",
      "<CAShapeLayer bounds=\"0 0 9 9\">\n<path type=\"CGPath\" d=\"M0 0 Lx\"/></CAShapeLayer>",
    ])
  func unknownNames(layer: String) throws {
    _ = try root(layer)
    #expect(warnings.all.map(\.location.line) == [4])
  }

  @Test("A class that is not drawn is a plain layer with its sublayers")
  func plainLayers() throws {
    let layer = try root(
      """
      <CAMetalLayer bounds="0 0 9 9" opacity="0.5">
      <sublayers><CALayer name="a"/></sublayers></CAMetalLayer>
      """)
    #expect(layer.opacity == 0.5)
    #expect(layer.sublayers?.map(\.name) == ["a"])
    #expect(warnings.messages.allSatisfy { $0.contains("CAMetalLayer") })
    #expect(warnings.all.count <= 1)
  }

  @Test("A tiled layer is read with its attributes, and a warning that documents draw no tiles")
  func tiledLayers() throws {
    let layer = try root(
      """
      <CATiledLayer bounds="0 0 9 9" levelsOfDetail="3" levelsOfDetailBias="1" tileSize="64 32">
      <sublayers><CALayer name="a"/></sublayers></CATiledLayer>
      """)
    let tiled = try #require(layer as? CATiledLayer)
    #expect(tiled.levelsOfDetail == 3 && tiled.levelsOfDetailBias == 1)
    #expect(tiled.tileSize == CGSize(width: 64, height: 32))
    #expect(tiled.sublayers?.map(\.name) == ["a"])
    #expect(warnings.messages.count == 1 && warnings.messages[0].contains("tiles"))
  }

  @Test("A replicator is read with all its attributes")
  func replicator() throws {
    let layer = try root(
      """
      <CAReplicatorLayer bounds="0 0 9 9" instanceCount="14" preservesDepth="1" instanceDelay="0.1"
      instanceTransform="rotate(30deg, 0, 0, 1)" instanceColor="1 0.5 0 0.25" instanceRedOffset="-0.5"
      instanceGreenOffset="0.25" instanceBlueOffset="0.125" instanceAlphaOffset="-0.25">
      <sublayers><CALayer name="a"/></sublayers></CAReplicatorLayer>
      """)
    let replicator = try #require(layer as? CAReplicatorLayer)
    #expect(warnings.all.isEmpty)
    #expect(replicator.instanceCount == 14 && replicator.preservesDepth)
    #expect(replicator.instanceDelay == 0.1 && abs(replicator.instanceTransform.m12 - 0.5) < 1e-9)
    #expect(replicator.instanceColor == CGColor(red: 1, green: 0.5, blue: 0, alpha: 0.25))
    #expect(replicator.instanceRedOffset == -0.5 && replicator.instanceGreenOffset == 0.25)
    #expect(replicator.instanceBlueOffset == 0.125 && replicator.instanceAlphaOffset == -0.25)
  }

  @Test("Too many copies, also of copies, are read as none, with a warning that names the line")
  func tooManyCopies() throws {
    let layer = try root(
      """
      <CAReplicatorLayer bounds="0 0 9 9" instanceCount="20"><sublayers>
      <CAReplicatorLayer instanceCount="600"><sublayers>
      <CAReplicatorLayer instanceCount="400"><sublayers><CALayer/></sublayers></CAReplicatorLayer>
      </sublayers></CAReplicatorLayer>
      <CAReplicatorLayer instanceCount="1000000000"/>
      </sublayers></CAReplicatorLayer>
      """)
    let outer = try #require(layer as? CAReplicatorLayer)
    let counts = (outer.sublayers ?? []).map { ($0 as? CAReplicatorLayer)?.instanceCount }
    #expect(outer.instanceCount == 20 && counts == [1, 1])
    #expect(warnings.all.map(\.location.line) == [4, 7])
    #expect(warnings.messages[0].contains("600") && warnings.messages[1].contains("1000000000"))
  }

  @Test("A transition's element has its class for a name, so that its type is the transition's")
  func transitions() throws {
    let layer = try root(
      """
      <CALayer bounds="0 0 9 9"><animations><CATransition type="push" subtype="fromTop" \
      startProgress="0.25" endProgress="0.5" duration="2" beginTime="1e-100"/>
      </animations></CALayer>
      """)
    let transition = try #require(layer.animation(forKey: "transition") as? CATransition)
    #expect(transition.type == .push && transition.subtype == .fromTop)
    #expect(transition.startProgress == 0.25 && transition.endProgress == 0.5)
    #expect(transition.duration == 2)
    #expect(warnings.all.isEmpty)
    let other = try root(
      """
      <CALayer bounds="0 0 9 9"><animations><CATransition type="cube" subtype="fromInside"/>
      </animations></CALayer>
      """)
    #expect((other.animation(forKey: "transition") as? CATransition)?.type == .fade)
    #expect(warnings.all.count == 2)
  }

  @Test(
    "What is no document is an error with its place",
    arguments: ["<caml/>", "<html/>", "<caml><states/></caml>", "<caml><CALayer/></caml>"])
  func noDocuments(text: String) throws {
    let url = try documents.write(text, to: "a.caml")
    let error = try #require(throws: CAMLError.self) { try CAMLDocument(contentsOf: url) }
    #expect(error.code == .notADocument)
    #expect(error.location.file == url.path)
    #expect(error.location.line == 1)
  }

  @Test("A missing file, a folder without bundles and other files are errors that name them")
  func unreadable() throws {
    try documents.write("x", to: "a.txt")
    for name in ["missing.caml", "", "a.txt"] {
      let url = documents.folder.appendingPathComponent(name)
      let error = try #require(throws: CAMLError.self) { try CAMLDocument(contentsOf: url) }
      #expect(error.code == .unreadable)
      #expect("\(error)".contains(url.path))
    }
  }
}
