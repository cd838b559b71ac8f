// Embeds Programs/.
