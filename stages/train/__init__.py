"""Stage `train`: plan the cells, compute the missing ones on a Dask cluster, keep what came out."""
