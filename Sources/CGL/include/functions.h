#pragma once

// The functions that are called of each library: result, name, parameters, arguments. What is
// added here is in the library's table, and found, checked and callable like the rest.

#define LAMINA_EGL_FUNCTIONS(F) \
  F(EGLBoolean, eglBindAPI, (EGLenum api), (api)) \
  F(EGLBoolean, eglChooseConfig, \
    (EGLDisplay dpy, const EGLint *attrib_list, EGLConfig *configs, EGLint config_size, \
     EGLint *num_config), \
    (dpy, attrib_list, configs, config_size, num_config)) \
  F(EGLContext, eglCreateContext, \
    (EGLDisplay dpy, EGLConfig config, EGLContext share_context, const EGLint *attrib_list), \
    (dpy, config, share_context, attrib_list)) \
  F(EGLBoolean, eglDestroyContext, (EGLDisplay dpy, EGLContext ctx), (dpy, ctx)) \
  F(EGLContext, eglGetCurrentContext, (void), ()) \
  F(EGLDisplay, eglGetCurrentDisplay, (void), ()) \
  F(EGLSurface, eglGetCurrentSurface, (EGLint readdraw), (readdraw)) \
  F(EGLint, eglGetError, (void), ()) \
  F(EGLDisplay, eglGetPlatformDisplay, \
    (EGLenum platform, void *native_display, const EGLAttrib *attrib_list), \
    (platform, native_display, attrib_list)) \
  F(__eglMustCastToProperFunctionPointerType, eglGetProcAddress, (const char *procname), \
    (procname)) \
  F(EGLBoolean, eglInitialize, (EGLDisplay dpy, EGLint *major, EGLint *minor), \
    (dpy, major, minor)) \
  F(EGLBoolean, eglMakeCurrent, \
    (EGLDisplay dpy, EGLSurface draw, EGLSurface read, EGLContext ctx), \
    (dpy, draw, read, ctx)) \
  F(const char *, eglQueryString, (EGLDisplay dpy, EGLint name), (dpy, name)) \
  F(EGLBoolean, eglReleaseThread, (void), ()) \
  F(EGLBoolean, eglTerminate, (EGLDisplay dpy), (dpy))

#define LAMINA_GLES_FUNCTIONS(F) \
  F(void, glActiveTexture, (GLenum texture), (texture)) \
  F(void, glAttachShader, (GLuint program, GLuint shader), (program, shader)) \
  F(void, glBeginQuery, (GLenum target, GLuint id), (target, id)) \
  F(void, glBindBuffer, (GLenum target, GLuint buffer), (target, buffer)) \
  F(void, glBindFramebuffer, (GLenum target, GLuint framebuffer), (target, framebuffer)) \
  F(void, glBindRenderbuffer, (GLenum target, GLuint renderbuffer), (target, renderbuffer)) \
  F(void, glBindSampler, (GLuint unit, GLuint sampler), (unit, sampler)) \
  F(void, glBindTexture, (GLenum target, GLuint texture), (target, texture)) \
  F(void, glBindVertexArray, (GLuint array), (array)) \
  F(void, glBlendColor, (GLfloat red, GLfloat green, GLfloat blue, GLfloat alpha), \
    (red, green, blue, alpha)) \
  F(void, glBlendFuncSeparate, \
    (GLenum sfactorRGB, GLenum dfactorRGB, GLenum sfactorAlpha, GLenum dfactorAlpha), \
    (sfactorRGB, dfactorRGB, sfactorAlpha, dfactorAlpha)) \
  F(void, glBufferData, (GLenum target, GLsizeiptr size, const void *data, GLenum usage), \
    (target, size, data, usage)) \
  F(void, glBlitFramebuffer, \
    (GLint srcX0, GLint srcY0, GLint srcX1, GLint srcY1, GLint dstX0, GLint dstY0, GLint dstX1, \
     GLint dstY1, GLbitfield mask, GLenum filter), \
    (srcX0, srcY0, srcX1, srcY1, dstX0, dstY0, dstX1, dstY1, mask, filter)) \
  F(GLenum, glCheckFramebufferStatus, (GLenum target), (target)) \
  F(void, glClear, (GLbitfield mask), (mask)) \
  F(void, glClearColor, (GLfloat red, GLfloat green, GLfloat blue, GLfloat alpha), \
    (red, green, blue, alpha)) \
  F(GLenum, glClientWaitSync, (GLsync sync, GLbitfield flags, GLuint64 timeout), \
    (sync, flags, timeout)) \
  F(void, glCompileShader, (GLuint shader), (shader)) \
  F(GLuint, glCreateProgram, (void), ()) \
  F(GLuint, glCreateShader, (GLenum type), (type)) \
  F(void, glDeleteFramebuffers, (GLsizei n, const GLuint *framebuffers), (n, framebuffers)) \
  F(void, glDeleteProgram, (GLuint program), (program)) \
  F(void, glDeleteShader, (GLuint shader), (shader)) \
  F(void, glDeleteSync, (GLsync sync), (sync)) \
  F(void, glDeleteTextures, (GLsizei n, const GLuint *textures), (n, textures)) \
  F(void, glDeleteVertexArrays, (GLsizei n, const GLuint *arrays), (n, arrays)) \
  F(void, glDisable, (GLenum cap), (cap)) \
  F(void, glDrawArrays, (GLenum mode, GLint first, GLsizei count), (mode, first, count)) \
  F(void, glEnable, (GLenum cap), (cap)) \
  F(void, glEnableVertexAttribArray, (GLuint index), (index)) \
  F(void, glEndQuery, (GLenum target), (target)) \
  F(GLsync, glFenceSync, (GLenum condition, GLbitfield flags), (condition, flags)) \
  F(void, glFinish, (void), ()) \
  F(void, glFlush, (void), ()) \
  F(void, glFramebufferRenderbuffer, \
    (GLenum target, GLenum attachment, GLenum renderbuffertarget, GLuint renderbuffer), \
    (target, attachment, renderbuffertarget, renderbuffer)) \
  F(void, glFramebufferTexture2D, \
    (GLenum target, GLenum attachment, GLenum textarget, GLuint texture, GLint level), \
    (target, attachment, textarget, texture, level)) \
  F(void, glFramebufferTextureLayer, \
    (GLenum target, GLenum attachment, GLuint texture, GLint level, GLint layer), \
    (target, attachment, texture, level, layer)) \
  F(void, glGenBuffers, (GLsizei n, GLuint *buffers), (n, buffers)) \
  F(void, glGenFramebuffers, (GLsizei n, GLuint *framebuffers), (n, framebuffers)) \
  F(void, glGenQueries, (GLsizei n, GLuint *ids), (n, ids)) \
  F(void, glGenRenderbuffers, (GLsizei n, GLuint *renderbuffers), (n, renderbuffers)) \
  F(void, glGenSamplers, (GLsizei count, GLuint *samplers), (count, samplers)) \
  F(void, glGenTextures, (GLsizei n, GLuint *textures), (n, textures)) \
  F(void, glGenVertexArrays, (GLsizei n, GLuint *arrays), (n, arrays)) \
  F(void, glGenerateMipmap, (GLenum target), (target)) \
  F(GLenum, glGetError, (void), ()) \
  F(void, glGetIntegerv, (GLenum pname, GLint *data), (pname, data)) \
  F(void, glGetProgramBinary, \
    (GLuint program, GLsizei bufSize, GLsizei *length, GLenum *binaryFormat, void *binary), \
    (program, bufSize, length, binaryFormat, binary)) \
  F(void, glGetProgramInfoLog, \
    (GLuint program, GLsizei bufSize, GLsizei *length, GLchar *infoLog), \
    (program, bufSize, length, infoLog)) \
  F(void, glGetProgramiv, (GLuint program, GLenum pname, GLint *params), (program, pname, params)) \
  F(void, glGetShaderInfoLog, (GLuint shader, GLsizei bufSize, GLsizei *length, GLchar *infoLog), \
    (shader, bufSize, length, infoLog)) \
  F(void, glGetShaderiv, (GLuint shader, GLenum pname, GLint *params), (shader, pname, params)) \
  F(const GLubyte *, glGetString, (GLenum name), (name)) \
  F(GLint, glGetUniformLocation, (GLuint program, const GLchar *name), (program, name)) \
  F(void, glLinkProgram, (GLuint program), (program)) \
  F(void, glPixelStorei, (GLenum pname, GLint param), (pname, param)) \
  F(void, glProgramBinary, \
    (GLuint program, GLenum binaryFormat, const void *binary, GLsizei length), \
    (program, binaryFormat, binary, length)) \
  F(void, glProgramParameteri, (GLuint program, GLenum pname, GLint value), \
    (program, pname, value)) \
  F(void, glReadPixels, \
    (GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *pixels), \
    (x, y, width, height, format, type, pixels)) \
  F(void, glRenderbufferStorage, \
    (GLenum target, GLenum internalformat, GLsizei width, GLsizei height), \
    (target, internalformat, width, height)) \
  F(void, glSamplerParameteri, (GLuint sampler, GLenum pname, GLint param), \
    (sampler, pname, param)) \
  F(void, glScissor, (GLint x, GLint y, GLsizei width, GLsizei height), (x, y, width, height)) \
  F(void, glShaderSource, \
    (GLuint shader, GLsizei count, const GLchar *const *string, const GLint *length), \
    (shader, count, string, length)) \
  F(void, glTexImage2D, \
    (GLenum target, GLint level, GLint internalformat, GLsizei width, GLsizei height, \
     GLint border, GLenum format, GLenum type, const void *pixels), \
    (target, level, internalformat, width, height, border, format, type, pixels)) \
  F(void, glTexImage3D, \
    (GLenum target, GLint level, GLint internalformat, GLsizei width, GLsizei height, \
     GLsizei depth, GLint border, GLenum format, GLenum type, const void *pixels), \
    (target, level, internalformat, width, height, depth, border, format, type, pixels)) \
  F(void, glTexParameteri, (GLenum target, GLenum pname, GLint param), (target, pname, param)) \
  F(void, glTexSubImage2D, \
    (GLenum target, GLint level, GLint xoffset, GLint yoffset, GLsizei width, GLsizei height, \
     GLenum format, GLenum type, const void *pixels), \
    (target, level, xoffset, yoffset, width, height, format, type, pixels)) \
  F(void, glTexSubImage3D, \
    (GLenum target, GLint level, GLint xoffset, GLint yoffset, GLint zoffset, GLsizei width, \
     GLsizei height, GLsizei depth, GLenum format, GLenum type, const void *pixels), \
    (target, level, xoffset, yoffset, zoffset, width, height, depth, format, type, pixels)) \
  F(void, glUniform1f, (GLint location, GLfloat v0), (location, v0)) \
  F(void, glUniform1i, (GLint location, GLint v0), (location, v0)) \
  F(void, glUniform2f, (GLint location, GLfloat v0, GLfloat v1), (location, v0, v1)) \
  F(void, glUseProgram, (GLuint program), (program)) \
  F(void, glVertexAttribPointer, \
    (GLuint index, GLint size, GLenum type, GLboolean normalized, GLsizei stride, \
     const void *pointer), \
    (index, size, type, normalized, stride, pointer)) \
  F(void, glViewport, (GLint x, GLint y, GLsizei width, GLsizei height), (x, y, width, height))

#define LAMINA_GBM_FUNCTIONS(F) \
  F(struct gbm_bo *, gbm_bo_create, \
    (struct gbm_device *gbm, uint32_t width, uint32_t height, uint32_t format, uint32_t flags), \
    (gbm, width, height, format, flags)) \
  F(void, gbm_bo_destroy, (struct gbm_bo *bo), (bo)) \
  F(int, gbm_bo_get_fd, (struct gbm_bo *bo), (bo)) \
  F(uint32_t, gbm_bo_get_height, (struct gbm_bo *bo), (bo)) \
  F(uint64_t, gbm_bo_get_modifier, (struct gbm_bo *bo), (bo)) \
  F(uint32_t, gbm_bo_get_offset, (struct gbm_bo *bo, int plane), (bo, plane)) \
  F(uint32_t, gbm_bo_get_stride, (struct gbm_bo *bo), (bo)) \
  F(uint32_t, gbm_bo_get_width, (struct gbm_bo *bo), (bo)) \
  F(struct gbm_bo *, gbm_bo_import, \
    (struct gbm_device *gbm, uint32_t type, void *buffer, uint32_t flags), \
    (gbm, type, buffer, flags)) \
  F(void *, gbm_bo_map, \
    (struct gbm_bo *bo, uint32_t x, uint32_t y, uint32_t width, uint32_t height, \
     uint32_t flags, uint32_t *stride, void **map_data), \
    (bo, x, y, width, height, flags, stride, map_data)) \
  F(void, gbm_bo_unmap, (struct gbm_bo *bo, void *map_data), (bo, map_data)) \
  F(struct gbm_device *, gbm_create_device, (int fd), (fd)) \
  F(void, gbm_device_destroy, (struct gbm_device *gbm), (gbm))

// The tables: a pointer to each function. They are filled by lamina_open_egl and its kin.
#define LAMINA_POINTER(result, name, parameters, arguments) result(*name) parameters;
extern struct lamina_egl { LAMINA_EGL_FUNCTIONS(LAMINA_POINTER) } lamina_egl;
extern struct lamina_gles { LAMINA_GLES_FUNCTIONS(LAMINA_POINTER) } lamina_gles;
extern struct lamina_gbm { LAMINA_GBM_FUNCTIONS(LAMINA_POINTER) } lamina_gbm;
#undef LAMINA_POINTER
