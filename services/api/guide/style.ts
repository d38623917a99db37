import { BASE, DARK, LIGHT } from "../pages/style.ts";

/** Colours of the guide alone: of its ground, of code, and of what was found. */
const OWN_LIGHT = "--code: #f3f4f6; --rule: #d5d9e0; --hit: #fde68a; --comment: #586070; --text: #1c6b3c; --word: #1f4fa8;";
const OWN_DARK =
  "--code: #121419; --rule: #363c49; --hit: #5c4a0a; --comment: #a7aebd; --text: #8fdcae; --word: #a9c4ff; --brand: #4d7cd6;";

const theme = `:root { color-scheme: light; ${LIGHT} ${OWN_LIGHT} }
@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) { color-scheme: dark; ${DARK} ${OWN_DARK} } }
:root[data-theme=dark] { color-scheme: dark; ${DARK} ${OWN_DARK} }
`;

const frame = `html { scroll-padding-top: 5rem; }
body { background: var(--paper); }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 9; background: var(--paper); padding: .5rem; }
.top { position: sticky; top: 0; z-index: 5; display: flex; gap: .75rem; align-items: center; min-height: 3.75rem; padding: .5rem 1.25rem; background: var(--paper); border-bottom: 3px solid var(--brand); }
.top .name { font-weight: 700; color: inherit; text-decoration: none; white-space: nowrap; }
.top .ways { display: flex; gap: 1rem; margin-left: auto; }
.top .ways a { text-decoration: none; padding: .4rem 0; }
.top .ways a[aria-current] { font-weight: 600; text-decoration: underline; text-underline-offset: .3rem; }
.top button { font: inherit; min-width: 2.5rem; min-height: 2.5rem; color: inherit; background: none; border: 1px solid var(--rule); border-radius: .35rem; cursor: pointer; }
.top .menu { display: none; padding: 0 .7rem; }
html:not([data-script]) .scripted { display: none; }
.search { position: relative; flex: 0 1 24rem; margin: 0 0 0 1.5rem; }
.search input { width: 100%; font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: .35rem; padding: .4rem .7rem; }
.results { position: absolute; left: 0; top: calc(100% + .4rem); width: max(100%, 34rem); max-height: min(30rem, 75vh); overflow-y: auto; margin: 0; padding: .35rem; list-style: none; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; box-shadow: 0 .5rem 1.5rem rgb(0 0 0 / .25); }
.results [role=option] { display: block; padding: .5rem .65rem; border-radius: .35rem; color: inherit; cursor: pointer; overflow-wrap: anywhere; }
.results [aria-selected=true] { background: var(--back); outline: 2px solid var(--link); outline-offset: -2px; }
.results b { display: block; color: var(--link); }
.results a { text-decoration: none; }
.found { position: absolute; width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
.results[hidden] + .found:not(:empty) { left: 0; top: calc(100% + .4rem); width: auto; height: auto; padding: .5rem 1rem; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; }
.results .kind { float: right; margin-left: .75rem; font-size: .8rem; color: var(--soft); }
.results small { display: block; color: var(--soft); font-size: .85rem; }
mark { background: var(--hit); color: inherit; }
.frame { display: grid; grid-template-columns: 17rem minmax(0, 48rem) 14rem; gap: 0 3rem; max-width: 90rem; margin: 0 auto; padding: 0 1.25rem; }
.side { position: sticky; top: 3.75rem; inset: auto; z-index: 1; display: block; width: auto; height: calc(100vh - 3.75rem); margin: 0; padding: 1.25rem .75rem 3rem 0; border: 0; border-right: 1px solid var(--rule); overflow-y: auto; background: none; color: inherit; font-size: .93rem; }
.side summary { cursor: pointer; font-weight: 700; padding: .35rem 0; }
.side ul { list-style: none; margin: 0 0 .75rem; padding: 0; }
.side ul ul { margin: .1rem 0 .4rem .5rem; padding-left: .6rem; border-left: 1px solid var(--rule); }
.side a { display: block; padding: .3rem .5rem; border-radius: .35rem; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
.side a:hover { background: var(--back); }
.side a[aria-current] { background: var(--back); color: var(--link); font-weight: 600; box-shadow: inset 3px 0 var(--brand); }
.side .label { display: block; padding: .3rem .5rem; color: var(--soft); }
.side .elsewhere { display: none; }
.contents { position: sticky; top: 3.75rem; align-self: start; max-height: calc(100vh - 3.75rem); overflow-y: auto; padding: 1.75rem 0 2rem; font-size: .88rem; }
.contents p { margin: 0 0 .4rem; font-weight: 700; }
.contents ol, .onpage ol { list-style: none; margin: 0; padding: 0; }
.contents .deep { padding-left: .8rem; }
.contents a { display: block; padding: .2rem 0; color: var(--soft); text-decoration: none; }
.contents a:hover, .contents a.seen { color: var(--link); }
.onpage { display: none; margin: 0 0 1.25rem; border: 1px solid var(--rule); border-radius: .35rem; padding: .3rem .8rem; }
.onpage summary { cursor: pointer; font-weight: 600; padding: .2rem 0; }
.onpage a { display: block; padding: .35rem 0; }
main { padding: 1.5rem 0 4rem; min-width: 0; }
`;

const article = `h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1.25rem; overflow-wrap: break-word; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 2.25rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }
.anchor { margin-left: .4rem; color: var(--soft); text-decoration: none; opacity: 0; }
h2:hover .anchor, h3:hover .anchor, .anchor:focus { opacity: 1; }
p, ul, ol, dl { margin: 0 0 1rem; }
li + li { margin-top: .25rem; }
.lead { font-size: 1.15rem; }
.soft { color: var(--soft); }
main img { max-width: 100%; height: auto; border: 1px solid var(--rule); border-radius: .35rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; }
code { overflow-wrap: break-word; }
:not(pre) > code { background: var(--code); border-radius: .25rem; padding: .1em .3em; }
a code { color: inherit; }
pre code { font-size: inherit; }
.code { position: relative; margin: 0 0 1.25rem; }
pre { margin: 0; padding: .9rem 1rem; overflow-x: auto; background: var(--code); border: 1px solid var(--rule); border-radius: .5rem; line-height: 1.5; }
pre i { font-style: normal; color: var(--comment); }
pre b { font-weight: 400; color: var(--word); }
pre s { text-decoration: none; color: var(--text); }
.copy { position: absolute; top: .45rem; right: .45rem; font: inherit; font-size: .8rem; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: .3rem; padding: .15rem .55rem; cursor: pointer; opacity: .85; }
.code:hover .copy, .copy:focus-visible { opacity: 1; }
.samples { margin: 0 0 1.25rem; }
.samples .code { margin: 0; }
.samples pre { border-top-left-radius: 0; }
.switch { display: flex; gap: .25rem; }
.switch button { font: inherit; font-size: .85rem; min-height: 2.1rem; padding: .25rem .8rem; color: var(--soft); background: none; border: 1px solid var(--rule); border-bottom: 0; border-radius: .4rem .4rem 0 0; cursor: pointer; }
.switch button[aria-pressed=true] { color: var(--link); font-weight: 600; background: var(--code); box-shadow: inset 0 3px var(--brand); }
.language { margin: .75rem 0 .25rem; font-weight: 600; font-size: .85rem; }
html[data-script] .language, html[data-language=sh] .sample:not([data-language=sh]), html[data-language=ts] .sample:not([data-language=ts]), html[data-language=python] .sample:not([data-language=python]) { display: none; }
.table { overflow-x: auto; margin: 0 0 1.25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .45rem .9rem .45rem 0; border-bottom: 1px solid var(--rule); }
td:last-child, th:last-child { padding-right: 0; }
table:not(:has(th)) td:first-child { width: 15rem; }
.turn { display: flex; flex-wrap: wrap; gap: 1rem; margin-top: 3rem; }
.turn a { flex: 1 1 14rem; padding: .8rem 1rem; border: 1px solid var(--rule); border-radius: .5rem; text-decoration: none; }
.turn a:hover { border-color: var(--link); }
.turn span { display: block; color: var(--soft); font-size: .85rem; }
.turn .next { text-align: right; }
.notice { border-left: .3rem solid var(--brand); padding: .25rem 0 .25rem .9rem; margin: 0 0 1.25rem; }
main details { margin: 0 0 .75rem; border: 1px solid var(--rule); border-radius: .5rem; padding: .4rem .9rem; }
main details > summary { cursor: pointer; font-weight: 600; padding: .3rem 0; }
main details.onpage { padding: .3rem .8rem; }
.plain { list-style: none; padding: 0; }
.plain li { padding: .35rem 0; }
@media (max-width: 75rem) { .frame { grid-template-columns: 16rem minmax(0, 1fr); } .contents { display: none; } .onpage { display: block; } }
@media (max-width: 56rem) {
  .top { padding: .5rem 1rem; }
  .top .name, .top .ways { display: none; }
  .top .menu { display: block; }
  .search { flex: 1 1 8rem; margin: 0; }
  .results { position: fixed; left: 1rem; right: 1rem; top: 3.9rem; width: auto; }
  table:not(:has(th)) tr, table:not(:has(th)) td, table:not(:has(th)) td:first-child { display: block; width: auto; padding: 0; border: 0; }
  table:not(:has(th)) tr { padding: .5rem 0; border-bottom: 1px solid var(--rule); }
  .frame { display: block; padding: 0 1rem; }
  .side { display: none; }
  .side:popover-open { display: block; position: fixed; inset: 0 auto 0 0; width: min(20rem, 88vw); height: 100%; padding: 1rem; background: var(--paper); border-right: 3px solid var(--brand); }
  .side::backdrop { background: rgb(0 0 0 / .5); }
  .side .elsewhere { display: block; }
  .side a, .side .label { padding: .45rem .5rem; }
  h1 { font-size: 1.6rem; }
  .anchor { display: none; }
}
@media print { .top, .side, .contents, .onpage, .turn, .copy, .switch { display: none; } .frame { display: block; } }
`;

/** The style sheet of the guide and of the error pages. */
export const SITE_STYLE = theme + BASE + frame + article;
