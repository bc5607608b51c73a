"""Stage `features`: which images there are, and what a frozen network sees in them."""
