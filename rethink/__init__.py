"""Cost-sensitive multi-label classification: models, costs, search and statistics."""
