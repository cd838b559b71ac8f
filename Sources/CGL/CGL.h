// EGL, GLES 3 and GBM, for LaminaGLES only.
#define EGL_EGLEXT_PROTOTYPES 0
#define EGL_NO_X11 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <gbm.h>
