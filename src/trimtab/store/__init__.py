"""Where evicted blocks live."""

from trimtab.store.folder import BlockFolder, home

__all__ = ["BlockFolder", "home"]
