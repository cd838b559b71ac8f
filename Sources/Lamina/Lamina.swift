// `import Lamina` is enough: the geometry, colours and images that layers take come with it.
@_exported import Foundation
@_exported import LaminaGraphics
@_exported import LaminaValues
