"""The colours of all pictures: distinct for the colour-blind (after Okabe and Ito, "Color universal design", 2008)."""

BLUE, ORANGE, GREEN, PINK, SKY, VERMILION = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"
BROWN, GREY, LIGHT_GREY, DARK = "#7f4a12", "#7f7f7f", "#bbbbbb", "#1a1a1a"
LINES = (BLUE, VERMILION, GREEN, PINK, SKY, ORANGE, DARK, BROWN) # of curves, the most different ones first
