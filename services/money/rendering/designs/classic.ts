import { BODY, BODY_CSS, PHONE_CSS } from "./body.ts";

const html = `<header class="top">
<div class="identity">{% if logo %}<img class="logo" src="{{ logo }}" alt="{{ brand }}">{% else %}<p class="brand">{{ brand }}</p>{% endif %}</div>
<address class="seller">{% for field in seller %}<div class="{{ field.key }}">{% if field.label != "" %}<span>{{ field.label }}</span> {% endif %}{{ field.value }}</div>{% endfor %}</address>
</header>
<div class="parties">
<section class="bill-to">{% for field in bill_to %}<div class="{{ field.key }}">{% if field.label != "" %}<span>{{ field.label }}</span> {% endif %}{{ field.value }}</div>{% endfor %}</section>
<section class="about"><h1>{{ heading }}</h1>
<dl>{% for field in meta %}<div class="{{ field.key }}"><dt>{{ field.label }}</dt><dd>{{ field.value }}</dd></div>{% endfor %}</dl></section>
</div>
${BODY}`;

const css = `${BODY_CSS}
.top { display: flex; justify-content: space-between; gap: 12mm; margin: 0 0 9mm; }
.logo { display: block; height: 17mm; width: auto; max-width: 72mm; object-fit: contain; object-position: left top; }
.brand { font-size: 17pt; font-weight: 700; letter-spacing: -.02em; color: var(--accent-text); }
.seller { font-style: normal; font-size: 8pt; line-height: 1.5; text-align: left; white-space: pre-line; min-width: 48mm; }
.seller .name { font-weight: 600; }
.seller span { color: var(--soft); }
.seller .phone, .seller .vat_number { margin-top: 1.6mm; }
.seller .vat_number ~ .coc_number, .seller .iban ~ .vat_number { margin-top: 0; }
.parties { display: grid; grid-template-columns: 1fr 84mm; gap: 10mm; align-items: start; margin: 0 0 7mm; }
.bill-to { white-space: pre-line; overflow-wrap: anywhere; }
.bill-to .label { color: var(--soft); font-size: 8pt; margin-bottom: 1mm; }
.bill-to .name { font-weight: 600; }
.bill-to span { color: var(--soft); }
.bill-to .vat_number, .bill-to .email { margin-top: 1.6mm; font-size: 8.5pt; }
.bill-to .coc_number { font-size: 8.5pt; }
.about h1 { margin: 0 0 3mm; font-size: 21pt; font-weight: 700; letter-spacing: -.025em; color: var(--accent-text); }
.about dl div { display: flex; gap: 4mm; padding: .7mm 0; border-bottom: .2mm solid var(--rule); }
.about dt { flex: 0 0 32mm; color: var(--soft); }
.about dd { overflow-wrap: anywhere; }
.about .number dd { font-weight: 600; }
.lines thead th { border-bottom: .45mm solid var(--accent); font-size: 8pt; color: var(--soft); padding-top: 0; }
.lines tbody td { border-bottom: .2mm solid var(--rule); }
.lines .subtotal td { border-bottom: 0; }
.totals .total th, .totals .total td { border-top: .45mm solid var(--accent); padding-top: 1.5mm; }
.totals .strong th, .totals .strong td { font-weight: 700; color: var(--ink); }
.totals .total td, .totals .to_pay td { font-size: 11pt; }
.totals .to_pay th, .totals .to_pay td { border-top: .2mm solid var(--rule); padding-top: 1.5mm; }
${PHONE_CSS}`;

/** The default design: seller and logo on top, the addressee next to the document's data. */
export const classic = { html, css };
