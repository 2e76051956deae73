"""What a call of the model costs: prices, and the arithmetic of usage."""

from trimtab.pricing.money import Money, cost
from trimtab.pricing.overrides import read_overrides
from trimtab.pricing.price import Price, Rates
from trimtab.pricing.table import PriceTable, price_of, price_table

__all__ = [
    "Money",
    "Price",
    "PriceTable",
    "Rates",
    "cost",
    "price_of",
    "price_table",
    "read_overrides",
]
