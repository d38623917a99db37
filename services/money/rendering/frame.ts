import { escapedHtml } from "../../../core/values/text.ts";
import { containedCss, cssText } from "../../../mixins/documents/sanitise.ts";
import { FONTS } from "../../../mixins/documents/typefaces.ts";
import type { DocumentView, Pictures } from "./document-view.ts";
import type { TemplateConfig } from "./template-config.ts";
import { documentWords } from "./texts/words.ts";

/** Paper, type and colours of every document. */
const PAPER = `* { box-sizing: border-box; }
:root { --ink: #171717; --soft: #5c5c57; --rule: #deded8; --wash: #f4f4f1; }
html { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body { margin: 0; color: var(--ink); font: 400 9pt/1.4 ${FONTS}; text-rendering: geometricPrecision; }
.bill-to *, .seller *, .lines .description, .prose * { unicode-bidi: plaintext; text-align: left; }
.sheet { position: relative; }
.content { position: relative; }
.watermark, .background { position: fixed; inset: 0; pointer-events: none; }
.watermark { display: flex; align-items: center; justify-content: center; }
.watermark span { transform: rotate(-35deg); font-size: 84pt; font-weight: 700; letter-spacing: -.02em; color: #171717; opacity: .055; white-space: nowrap; }
@media screen {
  html { background: #e9e9e5; }
  .sheet { width: 210mm; min-height: 297mm; margin: 8mm auto; padding: 14mm 18mm 20mm; background: #fff; box-shadow: 0 1px 2px #0000001f, 0 8px 28px #0000001a; overflow: hidden; }
  .watermark, .background { position: absolute; }
}
@media screen and (max-width: 230mm) { .sheet { width: auto; margin: 0; padding: 8mm; box-shadow: none; } }
@media screen and (max-width: 150mm) {
  body { font-size: 11pt; }
  .sheet { padding: 4mm; }
  .watermark span { font-size: 15vw; }
}
.tight body { line-height: 1.25; }
.bare .payment, .bare .transfer-qr, .bare .footer { display: none; }`;

/** The footer of every page: brand, document and page number. */
function pageRules({ title, brand, locale }: Framed): string {
  const margin = `font: 400 7.5pt ${FONTS}; color: #6b6b66; vertical-align: top; padding-top: 5mm;`;
  return `@page { size: A4; margin: 14mm 18mm 20mm;
@bottom-left { content: ${cssText(`${brand} · ${title}`)}; ${margin} }
@bottom-right { content: ${cssText(`${documentWords(locale).page} `)} counter(page) " / " counter(pages); ${margin} } }`;
}

/** The picture behind the text: `scale` percent of the width, centred at `x` and `y` percent of the page. */
function background({ background: asked }: TemplateConfig, picture: string | null): string {
  if (!asked?.enabled || picture === null) return "";
  const { opacity = 0.04, scale = 78, x = 50, y = 50, rotate = 0, repeat = false } = asked;
  const image = `background-image: url("${picture}"); opacity: ${opacity}`;
  const place = repeat
    ? `inset: -50%; background-repeat: repeat; background-size: ${scale / 2}% auto; background-position: ${x}% ${y}%; transform: rotate(${rotate}deg)`
    : `left: ${x}%; top: ${y}%; width: ${scale}%; aspect-ratio: 1; background-repeat: no-repeat; background-size: contain; background-position: center; transform: translate(-50%, -50%) rotate(${rotate}deg)`;
  return `<div class="background" aria-hidden="true"><div style="position: absolute; ${escapedHtml(`${place}; ${image}`)}"></div></div>\n`;
}

/** What the frame shows of a document. */
export type Framed = Pick<DocumentView, "locale" | "title" | "watermark" | "dated" | "brand" | "palette">;

/** A complete HTML document around a printed body. The same input produces the same bytes. */
export function framed(
  view: Framed,
  {
    body,
    css,
    template,
    pictures,
  }: { body: string; css: string; template: TemplateConfig; pictures: Pick<Pictures, "background"> },
): string {
  const { locale, title, watermark, palette, dated } = view;
  const name = watermark === null ? title : `${title} (${watermark})`;
  const colours = `:root { --accent: ${palette.accent}; --accent-text: ${palette.text}; --on-accent: ${palette.onAccent}; }`;
  return `<!doctype html>
<html lang="${escapedHtml(locale.replace("_", "-"))}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="dcterms.date" content="${dated}">
<title>${escapedHtml(name)}</title>
<style>
${PAPER}
${pageRules(view)}
${colours}
${containedCss(css)}
</style>
</head>
<body>
<main class="sheet">
${background(template, pictures.background)}<div class="content">
${body}
</div>
${watermark === null ? "" : `<div class="watermark" aria-hidden="true"><span>${escapedHtml(watermark)}</span></div>\n`}</main>
</body>
</html>
`;
}
