"""Every setting, written down once, section by section, in the order of the documentation.

Settings are looked up in ``agents.json`` (for one agent), ``config.json``, the environment and the
default, in this order. The sections are in files of their own beside this one; those of one engine
are no part of the table.
"""

from __future__ import annotations

from typing import Any

from citeseek.settings.assistant_settings import (
    AnswerSection,
    AssistantSection,
    ModelSection,
    VerificationSection,
)
from citeseek.settings.budget_settings import (
    AnswerBudgetSection,
    GuestBudgetSection,
    PersonBudgetSection,
)
from citeseek.settings.face_settings import (
    AgentSection,
    BrowserSection,
    ChatSection,
    ContractSection,
    OpenSection,
)
from citeseek.settings.mcp_settings import McpSection
from citeseek.settings.process_settings import (
    CacheSection,
    DatabaseSection,
    EvidenceSection,
    LogSection,
    RedisSection,
    SandboxSection,
    TelemetrySection,
    TraceSection,
)
from citeseek.settings.server_settings import PageSection, ServerSection
from citeseek.settings.setting import Section, Setting
from citeseek.settings.sign_in_settings import SignInSection
from citeseek.settings.web_settings import FilesSection, WebFetchSection, WebSearchSection


class Table:
    """What settings there are: ``web_fetch.max_bytes`` is the value of one."""

    chat = ChatSection()
    agent_tool = AgentSection()
    contract = ContractSection()
    browser = BrowserSection()
    open = OpenSection()
    cache = CacheSection()
    database = DatabaseSection()
    redis = RedisSection()
    evidence = EvidenceSection()
    trace = TraceSection()
    web_search = WebSearchSection()
    web_fetch = WebFetchSection()
    files = FilesSection()
    sandbox = SandboxSection()
    model = ModelSection()
    assistant = AssistantSection()
    verification = VerificationSection()
    answer = AnswerSection()
    answer_budget = AnswerBudgetSection()
    person_budget = PersonBudgetSection()
    guest_budget = GuestBudgetSection()
    server = ServerSection()
    sign_in = SignInSection()
    mcp = McpSection()
    page = PageSection()
    log = LogSection()
    telemetry = TelemetrySection()


SETTINGS: tuple[Setting[Any], ...] = tuple(
    setting
    for section in vars(Table).values()
    if isinstance(section, Section)
    for setting in section.settings()
)
