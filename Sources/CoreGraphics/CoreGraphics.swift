// Lets sources written for Apple's systems build unchanged. On Linux, Foundation declares CGPoint,
// CGSize and CGRect.
@_exported import Foundation
@_exported import LaminaDarwin
@_exported import LaminaGraphics
@_exported import LaminaValues
