"""What both ways of training share: which instances, when to stop for bad numbers, and the card of the result."""
