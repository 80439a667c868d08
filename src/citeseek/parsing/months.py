"""Names of the months, whole and short, in the languages that pages write them in."""

from __future__ import annotations

_NAMES = (
    (
        "jan january januar januari jänner jaenner janvier janv enero ene gennaio gen janeiro"
        " styczeń stycznia sty leden ledna január januára ianuarie ian gener tammikuu tammikuuta"
        " jaanuar janvāris janvārī sausio siječnja januarja јануар ianuari"
        " январь января янв січень січня січ януари студзеня ocak oca yanvar qaңtar"
        " كانون_الثاني ιανουάριος ιανουαρίου ιαν يناير جانفي ינואר בינואר ژانویه जनवरी জানুয়ারি มกราคม"
    ),
    (
        "feb february februar februari feber février fevrier févr fevr fév febrero febbraio febr"
        " fevereiro fev luty lutego lut únor února február februára februarie febrer helmikuu"
        " helmikuuta veebruar februāris februārī vasario veljače februarja фебруар"
        " февраль февраля фев лютий лютого лют февруари лютага şubat subat şub fevral"
        " شباط φεβρουάριος φεβρουαρίου φεβ فبراير فيفري פברואר בפברואר فوریه फ़रवरी फरवरी"
        " ফেব্রুয়ারি กุมภาพันธ์"
    ),
    (
        "mar march märz maerz marz mrz mars marzo março marco marca marzec března březen maart mrt"
        " márciusa március marec martie març maaliskuu maaliskuuta märts marts martā kovo ožujka"
        " marta март марта мар березень березня бер сакавіка mart μάρτιος μαρτίου μαρ"
        " مارس آذار מרץ במרץ maret mac मार्च মার্চ มีนาคม"
    ),
    (
        "apr april avril avr abril abr aprile kwiecień kwietnia kwi duben dubna aprila aprilie"
        " huhtikuu huhtikuuta aprill aprīlis aprīlī balandžio travnja április"
        " апрель апреля апр квітень квітня кві април красавіка nisan nis aprel"
        " απρίλιος απριλίου απρ أبريل ابريل نيسان أفريل אפריל באפריל آوریل अप्रैल এপ্রিল เมษายน"
    ),
    (
        "may mai mayo maggio mag maio maja maj květen května mei mája máj toukokuu toukokuuta"
        " maijs maijā gegužės svibnja május май мая мај травень травня тра траўня mayıs mayis"
        " μάιος μαΐου μαι مايو ماي أيار מאי במאי مه मई মে พฤษภาคม maig"
    ),
    (
        "jun june juni juin junio giugno giu junho czerwiec czerwca cze červen června jún júna"
        " iunie iun juny kesäkuu kesäkuuta juuni jūnijs jūnijā birželio lipnja junija június"
        " июнь июня июн червень червня чер јун юни чэрвеня haziran haz iyun"
        " ιούνιος ιουνίου ιουν يونيو يونيه جوان حزيران יוני ביוני ژوئن जून জুন มิถุนายน"
    ),
    (
        "jul july juli juillet juil julio luglio lug julho lipiec lipca lip července červenec júl"
        " júla iulie iul juliol heinäkuu heinäkuuta julai juuli jūlijs jūlijā liepos srpnja julija"
        " július июль июля июл липень липня јул юли ліпеня temmuz tem iyul"
        " ιούλιος ιουλίου ιουλ يوليو يوليه جويلية تموز יולי ביולי ژوئیه जुलाई জুলাই กรกฎาคม"
    ),
    (
        "aug august août aout agosto ago sierpień sierpnia sie srpen srpna augusta augustus"
        " augusti agost elokuu elokuuta augusts agustus agt ogos augustā rugpjūčio kolovoza avgusta"
        " augusztus август августа авг серпень серпня сер жніўня ağustos agustos ağu avqust"
        " αύγουστος αυγούστου αυγ أغسطس اغسطس أوت آب אוגוסט באוגוסט اوت अगस्त আগস্ট สิงหาคม"
    ),
    (
        "sep sept september septembre septiembre setiembre settembre set setembro wrzesień września"
        " wrz září zář septembra septembrie setembre syyskuu syyskuuta septembris septembrī"
        " rugsėjo rujna"
        " szeptember сентябрь сентября сен сент вересень вересня вер септембар септември верасня"
        " eylül eylul eyl sentyabr σεπτέμβριος σεπτεμβρίου σεπ سبتمبر أيلول ספטמבר בספטמבר سپتامبر"
        " सितंबर सितम्बर সেপ্টেম্বর กันยายน"
    ),
    (
        "oct october okt oktober octobre octubre ottobre ott outubro out październik października"
        " paź říjen října október októbra octombrie lokakuu lokakuuta oktoober oktobris oktobrī"
        " spalio oktobra октябрь октября окт жовтень жовтня жов октобар октомври"
        " кастрычніка ekim eki oktyabr οκτώβριος οκτωβρίου οκτ أكتوبر اكتوبر تشرين_الأول אוקטובר"
        " באוקטובר اکتبر अक्टूबर अक्तूबर অক্টোবর ตุลาคม"
    ),
    (
        "nov november novembre noviembre novembro listopad listopada lis novembra noiembrie"
        " marraskuu marraskuuta novembris novembrī lapkričio studenoga ноябрь ноября ноя нояб"
        " листопад листопада лис новембар ноември лістапада kasım kasim kas noyabr"
        " νοέμβριος νοεμβρίου νοε نوفمبر تشرين_الثاني נובמבר בנובמבר نوامبر नवंबर नवम्बर নভেম্বর"
        " พฤศจิกายน"
    ),
    (
        "dec december dez dezember décembre decembre déc diciembre dic dicembre dezembro"
        " grudzień grudnia gru prosinec prosince decembra decembrie desembre joulukuu joulukuuta"
        " detsember decembris decembrī gruodžio prosinca desember des disember"
        " декабрь декабря дек грудень грудня гру децембар декември снежня aralık aralik ara dekabr"
        " δεκέμβριος δεκεμβρίου δεκ ديسمبر كانون_الأول דצמבר בדצמבר دسامبر दिसंबर दिसम्बर ডিসেম্বর"
        " ธันวาคม"
    ),
)

# An underscore stands for a space within a name.
MONTH_OF = {
    name.casefold().replace("_", " "): month
    for month, names in enumerate(_NAMES, 1)
    for name in names.split()
}

# Of the solar calendar of Iran, whose year begins in March.
IRANIAN_MONTH_OF = {
    name: month
    for month, name in enumerate(
        "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split(), 1
    )
}
