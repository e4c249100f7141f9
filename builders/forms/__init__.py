"""Release forms: what of a built corpus may be passed on, and how its texts come back.

The full form is what a build makes. The ids form has no source text in it; hydration joins
the texts back from a file that its user has. A builder declares its forms in ``FORMS``.
"""

from .declare import IdsForm
from .hydrate import hydrate
from .release import release
from .written import FormResult

__all__ = ["FormResult", "IdsForm", "hydrate", "release"]
