"""What a text page says without any AI: the kind of the document and its fields, each with the place it was read at.

Pure Python on words with places; rules are data (kinds.json, labels.json). Nothing here reads files or pictures.
"""

from functions._shared.extraction.classify import classify
from functions._shared.extraction.fields import SURE, fields
from functions._shared.extraction.pages import Box, Correction, Field, Kind, Page, Word

__all__ = ["SURE", "Box", "Correction", "Field", "Kind", "Page", "Word", "classify", "fields"]
