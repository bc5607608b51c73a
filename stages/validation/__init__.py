"""Is the data what it claims to be? Facts counted from it, and expectations on the facts."""
