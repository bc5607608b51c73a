"""A cost that the library does not have, as a user would write it."""

from rethink.costs import Cost


class Exact(Cost):
    """The share of rows whose labels are all right."""

    greater_is_better = True

    def values(self, Y, P, empty):
        return (Y == P).all(axis=1)
