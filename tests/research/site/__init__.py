"""A small web of our own to write reports about: articles, copies, rumours, PDFs and broken pages.

``ResearchSite`` serves it from a loopback server, with a search index over it. What its pages say
is invented, and ``Truth`` knows which of them answers what.
"""

from .kinds import site_pages
from .page import SitePage
from .serving import ResearchSite
from .topics import Fact, Topic, topics
from .truth import Question, Truth

__all__ = ["Fact", "Question", "ResearchSite", "SitePage", "Topic", "Truth", "site_pages", "topics"]
