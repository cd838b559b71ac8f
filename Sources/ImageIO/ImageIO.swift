// Lets sources written for Apple's systems build unchanged. Image files are read and written by the
// part of LaminaGraphics that has Image I/O's names.
@_exported import Foundation
@_exported import LaminaDarwin
@_exported import LaminaGraphics
@_exported import LaminaValues
