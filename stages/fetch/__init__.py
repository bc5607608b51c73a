"""Stage `fetch`: bring raw files from this machine or the network, or generate them."""
