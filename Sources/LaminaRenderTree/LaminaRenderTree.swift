// LaminaRenderTree
