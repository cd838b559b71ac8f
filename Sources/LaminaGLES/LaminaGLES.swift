// LaminaGLES
