"""The language of the command line."""

from __future__ import annotations

from citeseek.catalogue import BOTH, Catalogue, catalogue, languages
from citeseek.settings import Settings
from citeseek.settings.server_settings import PageSection


def catalogue_of(settings: Settings) -> Catalogue:
    """Return what things are said with: the language that somebody set, else both."""
    lang = settings.page.language
    is_set = settings.was_given(PageSection.language) and lang in languages()
    return catalogue(lang if is_set else BOTH)
