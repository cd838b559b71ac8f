// Lamina
