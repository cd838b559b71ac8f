// Lets sources written for Apple's systems build unchanged. Text is laid out by the part of
// LaminaGraphics that has Core Text's names.
@_exported import Foundation
@_exported import LaminaDarwin
@_exported import LaminaGraphics
@_exported import LaminaValues
