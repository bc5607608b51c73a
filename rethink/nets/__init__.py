"""The machinery of the neural models, outside `rethink.models` so that torch loads only on use."""

import rethink.models  # noqa: F401  first: it imports the estimators here, and they its base class
