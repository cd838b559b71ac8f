// `import Lamina` is enough: it brings along the geometry, colours and images that layers use.
@_exported import Foundation
@_exported import LaminaGraphics
@_exported import LaminaValues
