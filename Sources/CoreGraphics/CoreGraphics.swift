// So that sources written for Apple's systems build unchanged. The structures of points and sizes
// are Foundation's here.
@_exported import Foundation
@_exported import LaminaGraphics
@_exported import LaminaValues
