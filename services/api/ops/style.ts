/** Rules of the operator's pages, in addition to those of all pages (../pages/style.ts). */
export const opsStyle = `
main { max-width: 84rem; padding-top: 1rem; }
header.brand { margin-bottom: .75rem; padding-bottom: .5rem; }
header.brand .when { margin-left: auto; font-weight: 400; font-size: .9rem; color: var(--soft); }
header.brand label { display: flex; gap: .4rem; align-items: center; margin: 0; font-weight: 400; font-size: .9rem; }
header.brand label input { width: 1.1rem; height: 1.1rem; }
html:not(.live) header.brand label { display: none; }
nav.ops { display: flex; flex-wrap: wrap; gap: .25rem .4rem; margin-bottom: 1rem; }
nav.ops a { padding: .35rem .7rem; border-radius: .35rem; text-decoration: none; border: 1px solid transparent; }
nav.ops a:hover { border-color: var(--line); }
nav.ops a[aria-current] { background: var(--brand); color: var(--on-brand); }
section { padding: .9rem 1rem; margin-bottom: 1rem; }
section > h2 { display: flex; justify-content: space-between; gap: 1rem; align-items: baseline; margin-bottom: .5rem; }
section > h2 a { font-size: .9rem; font-weight: 400; white-space: nowrap; }
h1 { margin-bottom: .75rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: 1rem; margin-bottom: 1rem; }
.tile { background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; min-width: 0; }
.tile dt, .tile .what { color: var(--soft); font-size: .9rem; }
.tile .value { font-size: 1.6rem; font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums; }
.tile .value small { font-size: .95rem; font-weight: 400; color: var(--soft); }
.tile p { margin: 0; font-size: .9rem; }
.tile svg { display: block; width: 100%; height: 2.75rem; margin-top: .4rem; }
.tile svg path.line { fill: none; stroke: var(--link); stroke-width: 1.5; vector-effect: non-scaling-stroke; stroke-linejoin: round; stroke-linecap: round; }
.tile svg path.area { fill: var(--link); opacity: .14; stroke: none; }
.tile.bad svg path.line { stroke: var(--bad); } .tile.bad svg path.area { fill: var(--bad); }
.tile.bad .value, .bad { color: var(--bad); }
.pair { columns: 2 34rem; column-gap: 1rem; margin-bottom: 1rem; }
.pair > section { break-inside: avoid; }
.scroll { overflow-x: auto; overscroll-behavior-x: contain; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: break-word; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; }
td.long { min-width: 14rem; }
th.number, td.number { text-align: right; white-space: nowrap; padding-right: 1.25rem; }
th.number:last-child, td.number:last-child { padding-right: 0; }
.nowrap { white-space: nowrap; }
td code, pre { font-family: ui-monospace, monospace; font-size: .85rem; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
td form { margin: 0; }
td button, .actions button { min-height: 2rem; padding: .2rem .7rem; font-size: .9rem; white-space: nowrap; }
form.filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin-bottom: .5rem; }
form.filter > div { flex: 1 1 12rem; max-width: 22rem; }
form.filter select { margin: 0; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-bottom: .75rem; }
.pages { display: flex; gap: 1rem; justify-content: space-between; margin: .75rem 0 0; }
.state { display: inline-block; padding: 0 .5rem; border-radius: 1rem; border: 1px solid currentColor; font-size: .85rem; white-space: nowrap; }
.state.good { color: var(--good); }
.facts dd { overflow-wrap: anywhere; }
.empty { color: var(--soft); margin: 0; }
@media (max-width: 40rem) {
  main { padding: .75rem .6rem 2rem; }
  .more { display: none; }
  section { padding: .75rem .7rem; }
  .tiles { grid-template-columns: 1fr 1fr; gap: .6rem; }
  .tile { padding: .6rem .7rem; }
  .tile .value { font-size: 1.3rem; }
  nav.ops a { padding: .25rem .5rem; }
  th, td { padding-right: .5rem; }
  th.number, td.number { padding-right: .6rem; }
  table.stack thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table.stack tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  table.stack tbody tr:last-child { border-bottom: 0; padding-bottom: 0; }
  table.stack tbody :is(th, td) { display: block; border: 0; padding: .1rem 0; min-width: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
  table.stack tbody td.more { display: none; }
  table.stack td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
  table.stack td pre { display: block; }
  table.stack td form { margin-top: .3rem; }
}
`;

/**
 * Replaces the part of the page that changes every five seconds, so that scroll, focus and selection stay. It waits while the visitor uses
 * that part, looks elsewhere, or has paused it; without a session it loads the page, which leads to signing in.
 */
export const refreshScript = `
(() => {
  const pause = document.getElementById("pause");
  document.documentElement.classList.add("live");
  pause.checked = sessionStorage.getItem("pause") === "1";
  pause.addEventListener("change", () => sessionStorage.setItem("pause", pause.checked ? "1" : "0"));
  const isUsed = () => document.getElementById("now").contains(document.activeElement) || !getSelection().isCollapsed;
  const refresh = async () => {
    if (pause.checked || document.hidden || isUsed()) return;
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "manual" });
    if (answer.type === "opaqueredirect" || answer.status === 401) return location.reload();
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (pause.checked || isUsed()) return;
    for (const id of ["now", "when"]) {
      const [old, made] = [document.getElementById(id), page.getElementById(id)];
      if (!old || !made) continue;
      const moved = [...old.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
      old.replaceWith(made);
      [...made.querySelectorAll(".scroll")].forEach((one, at) => (one.scrollLeft = moved[at] || 0));
    }
  };
  setInterval(() => refresh().catch(() => {}), 5000);
})();
`;
