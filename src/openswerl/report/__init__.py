"""Tables with intervals, paired comparisons, figures, and one page that works offline."""
