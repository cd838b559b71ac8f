// LaminaInProcess
