// Little CMS, which converts pixels from the colours of one ICC profile to those of another, with
// the pixel formats that are macros there.
#ifndef LAMINA_CCOLOR_H
#define LAMINA_CCOLOR_H

#include <lcms2.h>

/// Bytes of blue, green, red and alpha; a conversion leaves the alpha as it is.
static const cmsUInt32Number LAMINA_BGRA8 = TYPE_BGRA_8;
/// Bytes of gray in the place of blue, and three that are left as they are.
static const cmsUInt32Number LAMINA_GRAY8 =
    COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1);
/// Bytes of four inks, where 255 is no ink.
static const cmsUInt32Number LAMINA_CMYK8 = TYPE_CMYK_8_REV;
/// `Float` red, green, blue and alpha.
static const cmsUInt32Number LAMINA_RGBA_FLOAT = TYPE_RGBA_FLT;
/// `Float` gray in the place of red, and three numbers that are left out.
static const cmsUInt32Number LAMINA_GRAY_FLOAT =
    FLOAT_SH(1) | COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(4);

#endif
