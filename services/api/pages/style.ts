import { createHash } from "node:crypto";

/** Colours of every page for people, the guide and the error pages included, on a light ground. */
export const LIGHT = `--paper: #fff; --back: #f3f4f6; --ink: #16181d; --soft: #4b5261; --line: #858c9b; --bad: #a51d1d; --good: #1c6b3c;
  --brand: #1f4fa8; --on-brand: #fff; --link: #1f4fa8;`;
/** The same on a dark ground; what is not here is as on a light one. */
export const DARK =
  "--paper: #1c1f26; --back: #121419; --ink: #f1f2f5; --soft: #b6bcc9; --line: #7d8596; --bad: #ff9d9d; --good: #8fdcae; --link: #a9c4ff;";

/** Type, links and focus of every page. */
export const BASE = `* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
a { color: var(--link); }
`;

/** The pages' only style sheet. Its address contains its digest, so browsers may cache it forever. */
export const css = `
:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) {
  :root { ${DARK} }
}
${BASE}main { max-width: 26rem; margin: 0 auto; padding: 2rem 1rem 3rem; }
main.wide { max-width: 46rem; }
header.brand { display: flex; align-items: center; gap: .75rem; margin-bottom: 1.25rem; padding-bottom: .75rem; border-bottom: 3px solid var(--brand); font-weight: 600; overflow-wrap: anywhere; }
header.brand img { height: 2.5rem; max-width: 10rem; object-fit: contain; }
section, .card { background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; padding: 1.25rem; margin-bottom: 1.25rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.15rem; margin: 0 0 .75rem; }
p { margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin: 0 0 .25rem; }
input:not([type=checkbox]), select, textarea { width: 100%; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .35rem; padding: .6rem .7rem; margin: 0 0 1rem; }
input[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
button, a.button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1rem; border-radius: .35rem; border: 1px solid var(--brand); background: var(--brand); color: var(--on-brand); cursor: pointer; }
a.button { display: block; text-align: center; text-decoration: none; box-sizing: border-box; }
button.plain, a.button.plain { background: transparent; color: var(--ink); border-color: var(--line); }
.soft { color: var(--soft); }
.notice { border-left: .3rem solid var(--good); padding: .25rem 0 .25rem .75rem; margin: 0 0 1rem; }
.notice.bad { border-color: var(--bad); color: var(--bad); font-weight: 600; }
.hint { margin: -.75rem 0 1rem; font-size: .9rem; color: var(--soft); }
.row { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; justify-content: space-between; border-top: 1px solid var(--line); padding: .75rem 0; }
.row p { margin: 0; min-width: 0; flex: 1 1 14rem; }
hr { border: 0; border-top: 1px solid var(--line); margin: 1.25rem 0; }
.scopes { border: 1px solid var(--line); border-radius: .35rem; padding: .25rem .75rem; }
.codes { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .5rem; font-family: ui-monospace, monospace; }
.secret { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
.qr { background: #fff; width: 12rem; max-width: 100%; padding: .5rem; border-radius: .35rem; margin: 0 0 1rem; }
.qr svg { display: block; width: 100%; height: auto; }
details { margin: 0 0 1rem; }
summary { cursor: pointer; padding: .4rem 0; font-weight: 600; }
.checks { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .25rem 1rem; border: 0; padding: 0; margin: 0 0 .5rem; }
.checks label { display: flex; gap: .5rem; align-items: flex-start; font-weight: 400; padding: .35rem 0; overflow-wrap: anywhere; }
.checks .whole { grid-column: 1 / -1; border-bottom: 1px solid var(--line); }
.checks .whole label { font-weight: 600; }
.links { margin: 0; padding-left: 1.25rem; }
.links a { display: inline-block; padding: .3rem 0; }
.checks input { width: 1.25rem; height: 1.25rem; flex: none; }
.facts { margin: 0 0 1rem; }
.facts div { display: flex; flex-wrap: wrap; gap: .25rem .75rem; padding: .35rem 0; border-bottom: 1px solid var(--line); }
.facts dt { flex: 0 0 10rem; color: var(--soft); }
.facts dd { flex: 1 1 12rem; margin: 0; font-weight: 600; }
iframe.document { display: block; width: 100%; height: 80vh; border: 1px solid var(--line); border-radius: .35rem; background: #fff; }
nav.languages { display: flex; gap: 1rem; justify-content: center; }
nav.languages a { padding: .4rem; }
`;

export const STYLE_PATH = `/pages/${createHash("sha256").update(css).digest("hex").slice(0, 16)}.css`;

/** Relative luminance of a colour `#rgb` or `#rrggbb` (WCAG 2.2). */
function luminance(color: string): number {
  const digits = color.slice(1).replace(/^(.)(.)(.)$/, "$1$1$2$2$3$3");
  const channel = (at: number) => {
    const value = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4);
}

/** CSS rules for an organisation's colour, with black or white text, whichever is more readable. */
export const brandRules = (color: string | null): string =>
  color === null ? "" : `:root{--brand:${color};--on-brand:${luminance(color) > 0.179 ? "#000" : "#fff"}}`;
