// LaminaCAML
