"""Images: which there are, what is on them, and what a network sees in them."""
