import { type Html, html, Html as Markup } from "../../../core/pages/html.ts";
import { isLine } from "../../../core/schema/schema.ts";

/** A text that a visitor sent under a name; undefined if it is empty, or none that a row can have. */
export function lineIn(sent: URLSearchParams, name: string): string | undefined {
  const text = sent.get(name);
  return text && isLine(text) ? text : undefined;
}

/** A column of a table: its title and how it is shown. */
export interface Column<Row> {
  title: string;
  cell(row: Row): Html | string | number | null;
  /** Figures, aligned to the right. */
  isNumber?: boolean;
  /** Left out on narrow screens. */
  isExtra?: boolean;
  /** A text that may take several lines. */
  isLong?: boolean;
}

/** A name of actors, actions or jobs, which may break after its dots. */
export const dotted = (name: string): Html => html`${name.split(".").map((part, at) => html`${at > 0 && html`.<wbr>`}${part}`)}`;

const classOf = <Row>({ isNumber, isExtra, isLong }: Column<Row>): Html | false => {
  const classes = [isNumber && "number", isExtra && "more", isLong && "long"].filter(Boolean).join(" ");
  return classes !== "" && html` class="${classes}"`;
};

/**
 * A table; the first column is the row's heading. Where it is wider than its section it scrolls inside, or with `stacked` its rows become
 * blocks with a line for each cell.
 */
export function table<Row>(
  label: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { empty, stacked }: { empty: string; stacked?: boolean },
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const cells = (row: Row) =>
    columns.map((column, at) => {
      const cell = column.cell(row);
      if (at === 0) return html`<th scope="row"${classOf(column)}>${cell}</th>`;
      const isLabelled = stacked && cell !== null && column.title !== "Action";
      return html`<td${classOf(column)}${isLabelled && html` data-label="${column.title}"`}>${cell}</td>`;
    });
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${stacked && new Markup(' class="stack"')}>
<thead><tr>${columns.map((column) => html`<th scope="col"${classOf(column)}>${column.title}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>${cells(row)}</tr>
`,
  )}</tbody></table></div>`;
}

/** A section with a heading, and a link to its page where that has more. */
export const section = (title: string, body: Html, more?: { href: string; text: string }): Html =>
  html`<section><h2>${title}${more && html`<a href="${more.href}">${more.text}</a>`}</h2>${body}</section>`;

export const state = (name: string, kind: "good" | "bad" | "plain" = "plain"): Html =>
  html`<span class="state${kind !== "plain" && ` ${kind}`}">${name}</span>`;

export const number = (value: number | null | undefined): string =>
  (value ?? null) === null ? "–" : (value as number).toLocaleString("en-GB");

/** An instant as text, exact for programs. @param at ISO 8601 or a date of PostgreSQL */
export function instant(at: string | null): Html | string {
  if (at === null) return "–";
  const iso = new Date(at).toISOString();
  return html`<time class="nowrap" datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)}</time>`;
}

/** Width and height in which plots are drawn; the style sheet stretches them. */
const [WIDTH, HEIGHT] = [240, 40];

/** A line of values over time, as SVG. A null is a gap. @param label read out in its place */
export function sparkline(values: readonly (number | null)[], label: string): Html {
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const x = (at: number) => ((at / Math.max(1, values.length - 1)) * WIDTH).toFixed(1);
  const y = (value: number) => (HEIGHT - 1 - (value / most) * (HEIGHT - 3)).toFixed(1);
  const runs: [at: number, value: number][][] = [];
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    if (at > 0 && values[at - 1] !== null && runs.length > 0) runs.at(-1)?.push([at, value]);
    else runs.push([[at, value]]);
  }
  const lines = runs.map(
    (run) => `M${run.map(([at, value]) => `${x(at)} ${y(value)}`).join("L")}${run.length === 1 ? "h.1" : ""}`,
  );
  const areas = runs.map(
    (run, at) =>
      `${lines[at]}L${x((run.at(-1) as [number, number])[0])} ${HEIGHT}L${x((run[0] as [number, number])[0])} ${HEIGHT}Z`,
  );
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="area" d="${areas.join("")}"/><path class="line" d="${lines.join("")}"/></svg>`;
}

/** A figure with its plot of the last hour. */
export const tile = (what: string, value: Html | string, more: Html | string, plot?: Html, isBad = false): Html =>
  html`<div class="tile${isBad && new Markup(" bad")}"><div class="what">${what}</div><div class="value">${value}</div><p class="soft">${more}</p>${plot}</div>`;
