"""What the user writes: the parameters and the catalogue of data sets, typed and closed."""
