import { BODY, BODY_CSS, PHONE_CSS } from "./body.ts";

const html = `<header class="letterhead">
{% if logo %}<img class="logo" src="{{ logo }}" alt="{{ brand }}">{% else %}<p class="brand">{{ brand }}</p>{% endif %}
<address class="seller">{% for field in seller %}<span class="{{ field.key }}">{% if field.label != "" %}<i>{{ field.label }}</i> {% endif %}{{ field.value }}</span> {% endfor %}</address>
</header>
<section class="bill-to">{% for field in bill_to %}<div class="{{ field.key }}">{% if field.label != "" %}<span>{{ field.label }}</span> {% endif %}{{ field.value }}</div>{% endfor %}</section>
<h1>{{ heading }}</h1>
<dl class="meta">{% for field in meta %}<div class="{{ field.key }}"><dt>{{ field.label }}</dt><dd>{{ field.value }}</dd></div>{% endfor %}</dl>
${BODY}`;

const css = `${BODY_CSS}
.letterhead { text-align: center; margin: 0 0 7mm; padding: 0 0 4mm; border-bottom: .7mm solid var(--accent); }
.logo { display: block; height: 19mm; width: auto; max-width: 110mm; object-fit: contain; margin: 0 auto 4mm; }
.brand { font-size: 22pt; font-weight: 700; letter-spacing: -.025em; color: var(--accent-text); margin: 0 0 3mm; }
.seller { font-style: normal; font-size: 8pt; line-height: 1.6; color: var(--soft); }
.seller span { display: inline-block; margin: 0 1.8mm; }
.seller .name { font-weight: 600; color: var(--ink); }
.seller i { font-style: normal; }
.bill-to { min-height: 20mm; margin: 0 0 6mm; white-space: pre-line; overflow-wrap: anywhere; max-width: 95mm; }
.bill-to .label { color: var(--soft); font-size: 8pt; margin-bottom: 1mm; }
.bill-to .name { font-weight: 600; }
.bill-to span { color: var(--soft); }
h1 { margin: 0 0 4mm; font-size: 18pt; font-weight: 700; letter-spacing: -.02em; color: var(--ink); }
.meta { display: flex; flex-wrap: wrap; gap: 3mm 9mm; margin: 0 0 5mm; padding: 2.6mm 5mm; border-radius: 1.2mm; background: var(--wash); }
.meta dt { color: var(--soft); font-size: 8pt; }
.meta dd { font-weight: 600; overflow-wrap: anywhere; }
.lines thead th { background: var(--accent); color: var(--on-accent); font-size: 8pt; padding-top: 2mm; padding-bottom: 2mm; }
.lines thead th:first-child { padding-left: 3mm; border-radius: 1.2mm 0 0 1.2mm; }
.lines thead th:last-child { padding-right: 3mm; border-radius: 0 1.2mm 1.2mm 0; }
.lines tbody td:first-child, .lines .section th { padding-left: 3mm; }
.lines tbody td:last-child { padding-right: 3mm; }
.lines tbody td { border-bottom: .2mm solid var(--rule); }
.lines .subtotal td { border-bottom: 0; }
.lines .section th { color: var(--accent-text); }
.totals td { padding-right: 3mm; }
.totals .strong th, .totals .strong td { font-weight: 700; color: var(--ink); }
.totals .total th, .totals .total td { border-top: .2mm solid var(--ink); padding-top: 1.5mm; font-size: 11pt; }
.totals .to_pay th, .totals .to_pay td { background: var(--wash); padding-top: 1.5mm; padding-bottom: 1.5mm; }
.totals .to_pay th { padding-left: 3mm; }
${PHONE_CSS}`;

/** Centres the organisation on top, like letterhead paper, with the document's data in a band. */
export const letterhead = { html, css };
