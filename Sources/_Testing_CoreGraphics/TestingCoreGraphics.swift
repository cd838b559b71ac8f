// The compiler looks for this module where a file imports both Testing and CoreGraphics: the
// toolchain declares an overlay of the two, and has it for Apple's systems only.
