// Lets sources written for Apple's systems build unchanged.
@_exported import Lamina
@_exported import LaminaDarwin
