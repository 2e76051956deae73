"""trimtab keeps a long-running LLM agent inside its context window."""

__version__ = "0.1.0"
