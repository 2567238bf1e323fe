"""What both ways of training share: which instances, and the card of the result."""
