"""What a sentence begins with that joins it to others and claims nothing."""

from __future__ import annotations

import re

from citeseek.verification.tokens import tokens

_ENGLISH = (
    "however|yes|no|sure|certainly|of course|in summary|in addition|additionally|"
    "furthermore|moreover|besides|therefore|thus|hence|consequently|accordingly|"
    "as a result|as such|so|then|and|but|yet|still|or|overall|in general|generally|"
    "generally speaking|broadly|typically|basically|essentially|in essence|also|too|"
    "for example|for instance|specifically|in particular|notably|importantly|"
    "interestingly|in conclusion|to conclude|to summari[sz]e|to sum up|in short|in brief|"
    "in other words|that is|in sum|first|firstly|first of all|second|secondly|third|"
    "thirdly|next|finally|lastly|last but not least|ultimately|similarly|likewise|"
    "in the same way|equally|in fact|indeed|actually|as a matter of fact|clearly|"
    "obviously|nevertheless|nonetheless|even so|that said|having said that|instead|"
    "meanwhile|at the same time|on the one hand|on the other hand|on the contrary|"
    "in contrast|by contrast|conversely|alternatively|as mentioned above|as noted above|"
    "as mentioned|to begin with|for one thing|in this context|in this case"
)
_ENGLISH_CLAUSES = (
    r"(?:please )?note that|it(?: is|'s|’s) (?:also )?(?:worth|important|interesting) "
    r"(?:noting|mentioning|to note|to mention)(?: that)?|it should be noted that"
)
_CHINESE = (
    "此外|另外|除此之外|除此以外|总之|总而言之|总的来说|总的来看|总体来说|总体而言|总体上|综上所述|综上|简而言之|简单来说"
    "|一言以蔽之|因此|因而|所以|于是|从而|由此可见|可见|结果|然而|但是|但|不过|可是|尽管如此|同时|与此同时|而且|并且|再者|况且"
    "|例如|比如|譬如|比方说|具体来说|具体而言|尤其是|特别是|事实上|实际上|其实|的确|确实|显然|当然|是的|没错|不是"
    "|首先|其次|再次|然后|接着|最后|最终|第一|第二|第三|一方面|另一方面|相比之下|相反|反之|相对而言|换句话说|换言之|也就是说"
    "|一般来说|一般而言|通常|通常来说|值得注意的是|值得一提的是|需要注意的是|需要指出的是|应当指出的是|众所周知|据悉|据了解|据报道"
)
_NAMED_CHARS = 60
_FRAME = re.compile(
    rf"(?:(?:{_ENGLISH})\s?[,:，：!]|(?:{_ENGLISH_CLAUSES})\b,?"
    rf"|(?:according to|based on|as reported by) [^,.;:!?]{{1,{_NAMED_CHARS}}},"
    rf"|(?:{_CHINESE})[，,：:、！]"
    rf"|(?:根据|依据|据|按照)[^，。；：！？,]{{1,{_NAMED_CHARS}}}[，,])\s*",
    re.IGNORECASE,
)
# Nobody stacks more of them.
_FRAMES = 4


def unframed(claim: str) -> str:
    """Return ``claim`` without the connectives and the naming of a source that it begins with.

    A frame with a number or a date in it stays: that has to be found.
    """
    for _ in range(_FRAMES):
        frame = _FRAME.match(claim)
        if not frame or frame.end() == len(claim):
            break
        if any(token.is_value for token in tokens(frame[0])) and not frame[0].startswith("第"):
            break
        claim = claim[frame.end() :]
    return claim
