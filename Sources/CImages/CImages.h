// The parts of libpng, libjpeg-turbo and libwebp that return errors instead of jumping.
#include <png.h>
#include <turbojpeg.h>
#include <webp/decode.h>
#include <webp/encode.h>
