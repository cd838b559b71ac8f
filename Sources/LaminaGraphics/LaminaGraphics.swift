// LaminaGraphics
