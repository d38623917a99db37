/** The figures of a section or part. */
const figuresOf = (
  of: string,
) => `{% if ${of}.totals.size > 0 %}<dl class="figures">{% for total in ${of}.totals %}<div class="figure">
<dt>{{ total.label }}</dt>
<dd><span class="value {{ total.size }}">{{ total.value }}</span>{% if total.change %}<span class="change {{ total.change.meaning }}">{% if total.change.direction == "up" %}▲ {% elsif total.change.direction == "down" %}▼ {% endif %}{{ total.change.text }}</span>{% endif %}{% if total.before %}<span class="before">{{ words.before }} {{ total.before }}</span>{% endif %}</dd>
</div>{% endfor %}</dl>{% endif %}`;

/** The tables of a section or part. */
const tablesOf = (of: string) => `{% for table in ${of}.tables %}<table class="{{ table.setting }}">
<thead><tr>{% for column in table.columns %}<th scope="col"{% if column.numeric %} class="number"{% elsif column.long %} class="long"{% endif %}>{{ column.label }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in table.rows %}<tr>{% for cell in row %}<td{% if cell.numeric %} class="number"{% else %} dir="auto"{% if cell.long %} class="long"{% endif %}{% endif %}>{% if cell.long %}{{ cell.broken | markup }}{% else %}{{ cell.text }}{% endif %}</td>{% endfor %}</tr>{% endfor %}</tbody>
</table>{% if table.cut %}<p class="note cut">{{ table.cut }}</p>{% endif %}{% endfor %}`;

const html = `<header class="masthead">
<div class="identity">{% if logo %}<img class="logo" src="{{ logo }}" alt="{{ brand }}">{% else %}<p class="brand">{{ brand }}</p>{% endif %}</div>
<div class="headline">
<p class="kind">{{ title }}</p>
<h1 dir="auto">{{ client }}</h1>
<p class="period">{{ period }}</p>
{% if is_compared %}<p class="compared">{{ words.compared_with }} {{ compared }}</p>{% endif %}{% if stored_from %}<p class="compared">{{ stored_from }}</p>{% endif %}
</div>
{% if cover %}<img class="cover" src="{{ cover }}" alt="">{% endif %}
</header>
{% if intro.size > 0 %}<section class="intro">{% for paragraph in intro %}<p>{{ paragraph }}</p>{% endfor %}</section>{% endif %}
{% for section in sections %}<section class="section">
<div class="opening">
<h2>{{ section.title }}</h2>
${figuresOf("section")}
{% if section.final_until %}<p class="note">{{ words.final_until }} {{ section.final_until }}.</p>{% endif %}{% if section.no_comparison %}<p class="note">{{ section.no_comparison }}</p>{% endif %}
</div>
{% for paragraph in section.paragraphs %}<p class="prose">{{ paragraph }}</p>{% endfor %}
{% if section.chart %}<figure class="chart"><figcaption>{{ section.chart_label }}</figcaption>{{ section.chart | markup }}</figure>{% endif %}
${tablesOf("section")}
{% for part in section.parts %}<div class="opening part">
<h3 dir="auto">{{ part.name }}</h3>
${figuresOf("part")}
</div>
${tablesOf("part")}
{% endfor %}
</section>{% else %}<p class="note">{{ words.no_sections }}</p>{% endfor %}
{% if footer.size > 0 %}<footer class="closing">{% for paragraph in footer %}<p>{{ paragraph }}</p>{% endfor %}</footer>{% endif %}`;

const css = `.masthead { margin: 0 0 9mm; }
.identity { margin: 0 0 7mm; }
.logo { display: block; height: 15mm; width: auto; max-width: 70mm; object-fit: contain; object-position: left center; }
.brand { margin: 0; font-size: 15pt; font-weight: 700; letter-spacing: -.02em; color: var(--accent-text); }
.headline { padding: 7mm 8mm; background: var(--accent); color: var(--on-accent); border-radius: 1.5mm; }
.headline p, .headline h1 { margin: 0; overflow-wrap: anywhere; }
.kind { font-size: 9pt; font-weight: 600; }
.headline h1 { margin: 1mm 0 3mm; font-size: 25pt; line-height: 1.1; font-weight: 700; letter-spacing: -.03em; }
.period { font-size: 10.5pt; }
.compared { font-size: 8.5pt; }
.cover { display: block; width: 100%; max-height: 70mm; margin: 4mm 0 0; object-fit: cover; border-radius: 1.5mm; }
.intro, .closing { overflow-wrap: anywhere; }
.intro { margin: 0 0 8mm; font-size: 10.5pt; line-height: 1.55; }
.intro p, .prose { margin: 0 0 2.5mm; overflow-wrap: anywhere; }
.section { margin: 0 0 8mm; }
.opening { break-inside: avoid; break-after: avoid; }
h2 { margin: 0 0 3.5mm; padding: 0 0 1.5mm; border-bottom: .5mm solid var(--accent); font-size: 15pt; line-height: 1.2; font-weight: 700; letter-spacing: -.02em; color: var(--accent-text); overflow-wrap: anywhere; break-after: avoid; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(38mm, 1fr)); gap: 2.5mm; margin: 0 0 4mm; break-inside: avoid; }
.figure { min-width: 0; padding: 2.5mm 3.5mm; background: var(--wash); border-radius: 1mm; overflow-wrap: anywhere; break-inside: avoid; }
.figure:only-child { max-width: 56mm; }
.figure dt { color: var(--soft); font-size: 8pt; }
.figure dd { margin: 0; font-variant-numeric: tabular-nums; }
.value { display: block; font-size: 16pt; line-height: 7mm; font-weight: 700; letter-spacing: -.02em; white-space: nowrap; }
.value.medium { font-size: 12pt; }
.value.small { font-size: 9pt; }
.change { margin-right: 2mm; font-size: 8.5pt; font-weight: 600; white-space: nowrap; }
.change.good { color: #17663a; }
.change.bad { color: #a3221b; }
.before { display: block; color: var(--soft); font-size: 8pt; white-space: nowrap; }
.figure:only-child .before { display: inline; }
.chart { margin: 4mm 0; break-inside: avoid; }
.chart figcaption { margin: 0 0 1.5mm; font-size: 9pt; font-weight: 600; overflow-wrap: anywhere; }
.chart svg, .chart img { display: block; max-width: 100%; height: auto; }
table { width: 100%; margin: 3mm 0 0; border-collapse: collapse; }
.part { margin: 4mm 0 0; }
h3 { margin: 0 0 2mm; font-size: 11pt; line-height: 1.25; font-weight: 700; overflow-wrap: anywhere; break-after: avoid; }
thead { display: table-header-group; }
th { padding: 1.2mm 1.5mm; border-bottom: .35mm solid var(--ink); color: var(--soft); font-size: 8pt; font-weight: 600; text-align: left; vertical-align: bottom; }
td { padding: 1.3mm 1.5mm; border-bottom: .2mm solid var(--rule); vertical-align: top; overflow-wrap: break-word; }
td.long, th.long { min-width: 38mm; overflow-wrap: anywhere; }
.dense, .crowded { font-size: 7.6pt; }
.dense th, .crowded th { font-size: 7pt; }
.dense td.long, .dense th.long { min-width: 31mm; }
.crowded td.long, .crowded th.long { min-width: 20mm; }
.crowded td, .crowded th { overflow-wrap: anywhere; }
tr { break-inside: avoid; }
tbody tr:first-child:not(:last-child) { break-after: avoid; }
tbody tr:last-child:not(:first-child) { break-before: avoid; }
th:first-child, td:first-child { padding-left: 0; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
.note { margin: 0 0 3mm; color: var(--soft); font-size: 8pt; }
.cut { margin: 1.5mm 0 0; break-before: avoid; }
.closing { margin: 8mm 0 0; padding: 3mm 0 0; border-top: .2mm solid var(--rule); color: var(--soft); font-size: 8.5pt; break-inside: avoid; break-before: avoid; }
.closing p { margin: 0 0 1.5mm; }`;

/** The plain shipped design: figures first, then text, chart and table; readable without colour, on paper and on a phone. */
export const standard = { html, css };
