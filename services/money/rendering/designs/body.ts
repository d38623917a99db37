/** The body of every shipped design: the template's blocks in order. */
export const BODY = `{% for block in body %}{% case block.key %}
{% when "intro", "notes", "payment", "footer" %}<section class="prose {{ block.key }}">{{ block.html | markup }}</section>
{% when "lines" %}<table class="lines">
<caption class="unseen">{{ block.caption }}</caption>
<thead><tr>{% for column in block.columns %}<th scope="col" class="{{ column.key }}{% if column.is_figure %} figure{% endif %}">{{ column.label }}</th>{% endfor %}</tr></thead>
{% for section in block.sections %}<tbody>
{% if section.title %}<tr class="section"><th colspan="{{ block.columns.size }}" scope="rowgroup">{{ section.title }}</th></tr>{% endif %}
{% for row in section.rows %}<tr>{% for cell in row.cells %}<td class="{{ cell.key }}{% if cell.is_figure %} figure{% endif %}"{% if cell.is_figure %} data-label="{{ block.columns[forloop.index0].label }}"{% endif %}>{{ cell.value }}</td>{% endfor %}</tr>
{% endfor %}{% if section.subtotal %}<tr class="subtotal"><td colspan="{{ block.columns.size }}"><span>{{ block.section_subtotal }}</span> <b>{{ section.subtotal }}</b></td></tr>{% endif %}
</tbody>{% endfor %}
</table>{% if block.text %}<p class="remark">{{ block.text }}</p>{% endif %}
{% when "totals" %}<table class="totals"><tbody>
{% for row in block.rows %}<tr class="{{ row.key }}{% if row.is_strong %} strong{% endif %}"><th scope="row">{{ row.label }}</th><td class="figure">{{ row.value }}</td></tr>
{% endfor %}</tbody></table>
{% when "tax_summary" %}<section class="tax-summary"><h2>{{ block.title }}</h2><table>
<thead><tr><th scope="col">{{ block.headings.name }}</th><th scope="col" class="figure">{{ block.headings.base }}</th><th scope="col" class="figure">{{ block.headings.tax }}</th></tr></thead>
<tbody>{% for group in block.groups %}<tr><th scope="row">{{ group.name }}</th><td class="figure">{{ group.base }}</td><td class="figure">{{ group.tax }}</td></tr>{% endfor %}</tbody>
</table></section>
{% when "reverse_charge" %}<p class="reverse-charge">{{ block.text }}</p>
{% when "payment_box" %}<dl class="payment-box">{% for row in block.rows %}<div class="{{ row.key }}"><dt>{{ row.label }}</dt><dd>{{ row.value }}</dd></div>{% endfor %}</dl>
{% when "payment_qr", "transfer_qr" %}<figure class="{{ block.key | replace: "_", "-" }}"><img src="{{ block.code.address }}" alt="{{ block.code.caption }}"><figcaption>{{ block.code.caption }}</figcaption></figure>
{% when "payment_link" %}{% for row in block.rows %}<p class="payment-link"><a href="{{ row.value }}">{{ row.label }}</a></p>{% endfor %}
{% endcase %}{% endfor %}`;

/** The base styles of blocks in every shipped design. */
export const BODY_CSS = `p { margin: 0 0 2mm; orphans: 3; widows: 3; }
h1, h2, h3 { line-height: 1.2; break-after: avoid; }
a { color: var(--accent-text); }
table { border-collapse: collapse; width: 100%; }
th { font-weight: 600; text-align: left; }
dl, dd, figure { margin: 0; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.figure { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.prose { margin: 0 0 4mm; max-width: 150mm; overflow-wrap: anywhere; }
.prose > :last-child { margin-bottom: 0; }
.prose ul, .prose ol { margin: 0 0 2mm; padding-left: 5mm; }
.prose h1, .prose h2, .prose h3 { margin: 3mm 0 1mm; font-size: 10.5pt; }
.prose table { width: auto; margin: 0 0 2mm; }
.prose td, .prose th { padding: .6mm 4mm .6mm 0; }
.lines { margin: 0 0 4mm; }
.lines thead { display: table-header-group; }
.lines tr { break-inside: avoid; }
.lines td, .lines thead th { padding: 1.25mm 0 1.25mm 4mm; vertical-align: top; }
.lines td:first-child, .lines thead th:first-child { padding-left: 0; }
.lines .description { width: 99%; white-space: pre-wrap; tab-size: 4; overflow-wrap: anywhere; }
.lines .unit { white-space: nowrap; }
.lines .section th { padding: 3mm 0 1mm; break-after: avoid; }
.lines .section { break-after: avoid; }
.lines .subtotal td { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.lines .subtotal span { color: var(--soft); margin-right: 4mm; }
.remark { margin: -2mm 0 5mm; color: var(--soft); font-size: 8pt; }
.totals { width: 88mm; margin: 0 0 6mm auto; break-inside: avoid; }
.totals th { font-weight: 400; color: var(--soft); padding: .8mm 6mm .8mm 0; }
.totals td { padding: .8mm 0; vertical-align: bottom; }
.tax-summary { margin: 0 0 8mm; max-width: 110mm; break-inside: avoid; }
.tax-summary h2 { font-size: 9pt; margin: 0 0 1mm; }
.tax-summary th, .tax-summary td { padding: 1mm 0 1mm 4mm; border-bottom: .2mm solid var(--rule); }
.tax-summary th:first-child { padding-left: 0; }
.tax-summary tbody th { font-weight: 400; }
.tax-summary thead th { color: var(--soft); font-size: 8pt; }
.reverse-charge { margin: 0 0 6mm; font-weight: 600; }
.payment-box { display: flex; flex-wrap: wrap; gap: 2mm 10mm; margin: 0 0 7mm; padding: 4mm 5mm; border-radius: 1.2mm; background: var(--wash); break-inside: avoid; }
.payment-box dt { color: var(--soft); font-size: 8pt; }
.payment-box dd { font-weight: 600; }
.payment-qr, .transfer-qr { display: flex; align-items: center; gap: 5mm; margin: 0 0 7mm; break-inside: avoid; }
.transfer-qr { float: left; gap: 4mm; margin: 0 6mm 4mm 0; }
.payment-qr img { width: 32mm; height: 32mm; }
.transfer-qr img { width: 26mm; height: 26mm; }
.payment-qr figcaption, .transfer-qr figcaption { color: var(--soft); max-width: 60mm; }
.transfer-qr figcaption { max-width: 34mm; }
.payment-link { margin: 0 0 7mm; }
.payment-link a { display: inline-block; padding: 2.4mm 5mm; border-radius: 1.2mm; background: var(--accent); color: var(--on-accent); font-weight: 600; text-decoration: none; overflow-wrap: anywhere; }
.payment, .footer { break-inside: avoid; }
.footer { color: var(--soft); font-size: 8pt; }
.prose pre { white-space: pre-wrap; }
.lines tbody:last-of-type tr:nth-last-child(-n + 3) { break-after: avoid; }
.lines, .remark, .tax-summary { break-after: avoid; }
.remark, .tax-summary, .totals { break-before: avoid; }
.tight .lines td { padding-top: .8mm; padding-bottom: .8mm; }
.tight .totals, .tight .prose, .tight .reverse-charge { margin-bottom: 2.5mm; }
`;

/** Styles of every shipped design on narrow screens, after its own: one column, with each document line on two rows. */
export const PHONE_CSS = `@media screen and (max-width: 150mm) {
  .top { flex-direction: column; gap: 5mm; }
  .parties { grid-template-columns: minmax(0, 1fr); gap: 6mm; }
  .about dt { flex-basis: 38%; }
  .about dd, .seller, .totals th { min-width: 0; overflow-wrap: anywhere; }
  .logo { max-width: 100%; }
  .lines thead { display: none; }
  .lines, .lines tbody { display: block; }
  .lines tr { display: flex; flex-wrap: wrap; gap: 0 4mm; padding: 2mm 0; border-bottom: .2mm solid var(--rule); }
  .lines tbody td, .lines tbody td:first-child, .lines tbody td:last-child, .lines .section th { display: block; padding: .4mm 0; border: 0; white-space: normal; }
  .lines tbody .description { flex: 0 0 100%; width: auto; font-weight: 600; white-space: pre-wrap; }
  .lines td[data-label]::before { content: attr(data-label) " "; color: var(--soft); font-weight: 400; font-size: 9pt; }
  .lines tbody .amount { margin-left: auto; font-weight: 600; }
  .lines .subtotal td { flex: 1 0 100%; }
  .totals { width: 100%; }
  .payment-qr, .transfer-qr { flex-wrap: wrap; float: none; }
}
`;
