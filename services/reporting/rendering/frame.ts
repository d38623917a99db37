import { escapedHtml } from "../../../core/values/text.ts";
import { containedCss, cssText } from "../../../mixins/documents/sanitise.ts";
import { FONTS } from "../../../mixins/documents/typefaces.ts";
import { shortened } from "../../../mixins/drawing/svg.ts";
import type { Design } from "../designs/designs.ts";
import type { ReportView } from "./report-view.ts";

/** Paper, type and colours of every report. */
const PAPER = `* { box-sizing: border-box; }
:root { --ink: #171717; --soft: #5c5c57; --rule: #deded8; --wash: #f4f4f1; }
html { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body { margin: 0; color: var(--ink); font: 400 9.5pt/1.5 ${FONTS}; text-rendering: geometricPrecision; }
h1, h2, h3, p, td, th, dt { unicode-bidi: plaintext; text-align: left; }
p { orphans: 2; widows: 2; }
@media screen {
  html { background: #e9e9e5; }
  .sheet { width: 210mm; min-height: 297mm; margin: 8mm auto; padding: 14mm 18mm 20mm; background: #fff; box-shadow: 0 1px 2px #0000001f, 0 8px 28px #0000001a; overflow: hidden; }
}
@media screen and (max-width: 230mm) { .sheet { width: auto; margin: 0; padding: 8mm; box-shadow: none; } }
@media screen and (max-width: 150mm) { .sheet { padding: 4mm; } }`;

/** Characters of a name that fit in a page's footer, next to two others. */
const MOST_NAME = 32;

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** A text whose direction does not change that of its neighbours (Unicode UAX 9: first strong isolate). */
const isolated = (text: string): string => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

/** The footer of every page: brand, title, client and page number. */
function pageRules({ brand, client, title, words }: ReportView): string {
  const margin = `font: 400 7.5pt ${FONTS}; color: #6b6b66; vertical-align: top; padding-top: 5mm;`;
  return `@page { size: A4; margin: 14mm 18mm 20mm;
@bottom-left { content: ${cssText([brand, title, client].map((text) => isolated(shortened(text, MOST_NAME))).join(" · "))}; ${margin} }
@bottom-right { content: ${cssText(`${words.page} `)} counter(page) " / " counter(pages); ${margin} } }`;
}

/** A whole report around a rendered body. The same input gives the same bytes. */
export function framed(view: ReportView, { html, css }: Design): string {
  const { locale, full_title: fullTitle, client, palette, made_on: madeOn } = view;
  const colours = `:root { --accent: ${palette.accent}; --accent-text: ${palette.text}; --on-accent: ${palette.onAccent}; }`;
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">${madeOn === null ? "" : `\n<meta name="dcterms.date" content="${madeOn}">`}
<title>${escapedHtml(`${fullTitle} – ${client}`)}</title>
<style>
${PAPER}
${pageRules(view)}
${colours}
${containedCss(css)}
</style>
</head>
<body>
<main class="sheet">
${html}
</main>
</body>
</html>
`;
}
