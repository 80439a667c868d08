"""Units: what they measure, and how many of the plain one each is."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

# What is measured, then each unit's size and its names.
_UNITS = """
share    1/100  % percent per\xa0cent
points   1      个百分点 百分点 percentage\xa0points percentage\xa0point
yuan     1      元人民币 人民币 元 yuan rmb cny
dollar   1      美元 us\xa0dollars u.s.\xa0dollars dollars dollar usd
euro     1      欧元 euros euro eur
pound    1      英镑 pounds\xa0sterling gbp
yen      1      日元 yen jpy
hkd      1      港元 港币 hkd
cad      1      加元 加拿大元 canadian\xa0dollars cad
aud      1      澳元 澳大利亚元 australian\xa0dollars aud
nzd      1      新西兰元 nzd
sgd      1      新加坡元 sgd
length   1000   公里 千米 kilometers kilometer kilometres kilometre km
length   1      米 meters meter metres metre m
length   1/100  厘米 centimeters centimetres cm
length   1/1000 毫米 millimeters millimetres mm
length   1/1000000000 纳米 nanometers nanometer nanometres nm
mile     1      英里 miles mile
foot     1      英尺 feet foot ft
sea      1      海里 nautical\xa0miles
area     1000000 平方公里 平方千米 square\xa0kilometers square\xa0kilometres km² km2 sq\xa0km
area     1      平方米 square\xa0meters square\xa0metres m² m2
area     10000  公顷 hectares hectare ha
mu       1      亩
sqmile   1      平方英里 square\xa0miles
volume   1000   立方米 cubic\xa0meters cubic\xa0metres m³ m3
volume   1      升 liters liter litres litre l
gallon   1      加仑 gallons gallon gal
volume   1/1000 毫升 milliliters millilitres ml
mass     1000   吨 tonnes tonne metric\xa0tons tons ton
mass     1      千克 公斤 kilograms kilogram kg
mass     1/1000 克 grams gram g
lb       1      磅 pounds pound lb
celsius  1      摄氏度 ℃ °c degrees\xa0celsius
fahr     1      华氏度 °f degrees\xa0fahrenheit
degree   1      度 degrees degree °
power    1      瓦 watts w
power    1000   千瓦 kilowatts kw
power    1000000 兆瓦 megawatts mw
power    1000000000 吉瓦 gigawatts gw
energy   1      千瓦时 kilowatt-hours kwh
energy   1000   兆瓦时 mwh
time     1      秒 seconds second
time     60     分钟 minutes minute
time     3600   小时 hours hour
day      1      天 日 days day
day      7      周 星期 weeks week
month    1      个月 months month
year     1      年 years year
age      1      岁 years\xa0old year-old years\xa0of\xa0age
nth      1      期 号 楼 级 班 组 号线 轮 代
person   1      人 个人 people persons
times    1      次
fold     1      倍 times fold
bytes    1      kb
bytes    1000   mb
bytes    1000000 gb
bytes    1000000000 tb
speed    1      公里/小时 千米/小时 公里每小时 km/h kph
mph      1      mph
share    1/10   成
"""
_COUNTS = (
    "名 位 个 家 座 条 项 种 款 台 架 辆 艘 只 头 本 部 篇 层 所 届 例 起"
    " 枚 件 张 颗 株 套 间 户 处 列 栋 幢 匹 支 幅 棵 首"
)
_SCALES = {
    "万亿": 10**12, "千亿": 10**11, "百亿": 10**10, "十亿": 10**9, "亿": 10**8, "千万": 10**7,
    "百万": 10**6, "十万": 10**5, "万": 10**4, "千": 10**3, "trillion": 10**12, "billion": 10**9,
    "million": 10**6, "thousand": 10**3, "tn": 10**12, "bn": 10**9,
    "k": 10**3, "m": 10**6, "b": 10**9,
}  # fmt: skip
_CURRENCIES = {
    "us$": "dollar", "hk$": "hkd", "ca$": "cad", "c$": "cad", "au$": "aud", "a$": "aud",
    "nz$": "nzd", "s$": "sgd", "$": "dollar", "€": "euro", "£": "pound", "¥": "yuan",
    "￥": "yuan", "rmb": "yuan", "cny": "yuan", "usd": "dollar",
}  # fmt: skip
COUNT = "count"
"""What is only counted: the noun behind says what."""
# Kinds that measure the same as another one, and how many of its plain unit they are.
_COMMON = {
    "mile": ("length", Fraction("1609.344")), "foot": ("length", Fraction("0.3048")),
    "sea": ("length", Fraction(1852)), "sqmile": ("area", Fraction(2_589_988)),
    "mu": ("area", Fraction(2000, 3)), "lb": ("mass", Fraction("0.45359237")),
    "mph": ("speed", Fraction("1.609344")),
}  # fmt: skip
# Of these nobody knows how many of one the other is: the day decides it, or the country.
_CHANGING = (
    frozenset({"yuan", "dollar", "euro", "pound", "yen", "hkd", "cad", "aud", "nzd", "sgd"}),
    frozenset({"volume", "gallon"}),
    frozenset({"celsius", "fahr"}),
)


@cache
def units() -> dict[str, tuple[str, Fraction]]:
    """Return what each unit measures and its size, by name in small letters."""
    found = {name: (COUNT, Fraction(1)) for name in _COUNTS.split()}
    for line in _UNITS.strip().splitlines():
        kind, size, names = line.split(maxsplit=2)
        for name in names.split(" "):
            found[name.strip().replace("\xa0", " ")] = (kind, Fraction(size))
    found.pop("", None)
    return found


def common(kind: str) -> tuple[str, Fraction]:
    """Return the kind that measures the same as ``kind``, and how many of its unit one is."""
    return _COMMON.get(kind, (kind, Fraction(1)))


def are_changing(one: str, other: str) -> bool:
    """Whether both kinds measure the same, and no fixed number makes one of the other."""
    return any({one, other} <= kinds for kinds in _CHANGING)


_CASED = re.compile(r"(?<=[\d ])(?:[KMGTk]i?[bB]|[mM]W)(?![A-Za-z])")


def differ_in_case(claim: str, passage: str) -> bool:
    """Whether a unit of ``claim`` is another one in ``passage``: bits for bytes, milli for mega."""
    theirs = set(_CASED.findall(passage))
    folded = {unit.casefold() for unit in theirs}
    return any(unit.casefold() in folded for unit in _CASED.findall(claim) if unit not in theirs)


def scale(written: str) -> int:
    """Return how many ones 万 or ``million`` is; one for none."""
    return _SCALES[written.casefold()] if written else 1


def currency(written: str) -> str:
    """Return the unit that stands before an amount as a sign."""
    return _CURRENCIES[written.casefold()]


SCALES = "|".join(sorted(_SCALES.keys() - set("kmb"), key=len, reverse=True))
SIGNS = "|".join(sign.replace("$", r"\$") for sign in _CURRENCIES)
