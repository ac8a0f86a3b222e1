"""The colours of all pictures: distinct for the colour-blind (after Okabe and Ito, "Color universal design", 2008),
and lighter and darker ones."""

BLUE, ORANGE, GREEN, PINK, SKY, VERMILION = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"
BROWN, GREY, LIGHT_GREY, PALE, DARK = "#7f4a12", "#999999", "#bbbbbb", "#eaeaea", "#1a1a1a"
PALETTE = (BLUE, ORANGE, GREEN, PINK, SKY, VERMILION, "#5b3a9b", GREY, "#f0e442", "#882255", "#44aa99", "#999933",
           "#ee99aa", BROWN, "#99ddff", "#225522") # for areas
LINES = (BLUE, VERMILION, GREEN, PINK, SKY, ORANGE, DARK, BROWN) # for curves, the most different ones first
