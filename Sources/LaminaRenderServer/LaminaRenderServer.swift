// LaminaRenderServer
