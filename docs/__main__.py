"""`python -m docs`: writes the generated parts; see `docs.generate`."""

import sys

from docs.generate import main

sys.exit(main())
