"""Shadow roots that a page declares: their content where a browser shows it."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

_DECLARED = "template[shadowrootmode]"
_MOST = 1_000
_DEEPEST = 10


def unfold_shadow_roots(document: LexborHTMLParser, depth: int = 0) -> None:
    """Put the content of declared shadow roots into their hosts, with what is slotted in its place.

    What a host holds and no slot takes is not shown, and goes. Of more than a thousand, or those in
    more than ten others, the rest stay as they are.
    """
    if depth >= _DEEPEST:
        return
    hosts: dict[int, tuple[LexborNode, LexborNode]] = {}
    for template in document.css(_DECLARED)[:_MOST]:
        if (host := template.parent) is not None:
            # Of several of one host the first counts.
            hosts.setdefault(host.mem_id, (host, template))
    # What is filled is copied, so the inner ones come first.
    for host, template in reversed(hosts.values()):
        content = LexborHTMLParser(template.template_fragments()[0].html or "")
        unfold_shadow_roots(content, depth + 1)
        if content.body is not None:
            _fill(host, content.body)


def _fill(host: LexborNode, content: LexborNode) -> None:
    given = [node for node in host.iter(include_text=True) if node.tag != "template"]
    for slot in content.css("slot"):
        name = slot.attributes.get("name") or ""
        taken = [node for node in given if _slot_of(node) == name]
        for node in taken or list(slot.iter(include_text=True)):
            slot.insert_before(node)
        given = [node for node in given if _slot_of(node) != name]
        slot.decompose()
    for node in list(host.iter(include_text=True)):
        node.decompose()
    # What is inserted is a copy.
    for node in content.iter(include_text=True):
        host.insert_child(node)


def _slot_of(node: LexborNode) -> str:
    return (node.attributes.get("slot") or "") if node.is_element_node else ""
