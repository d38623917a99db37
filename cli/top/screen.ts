import type { HistoryMinute, InstallationFigures, ListedNode } from "../../mixins/ops/installation-figures.ts";
import { inMegabytes, inMilliseconds, span } from "../../mixins/ops/texts.ts";

/** Where the figures are drawn. */
export interface Screen {
  columns: number;
  rows: number;
  colours: boolean;
}

const BARS = "▁▂▃▄▅▆▇█";
/** Rows of a list that is not cut by the height of the screen. */
const MOST = 10;

type Paint = (text: string) => string;
interface Paints {
  strong: Paint;
  soft: Paint;
  bad: Paint;
}
const painted =
  (code: string): Paint =>
  (text) =>
    `\x1b[${code}m${text}\x1b[0m`;
const COLOURED: Paints = { strong: painted("1"), soft: painted("2"), bad: painted("1;31") };
const plain: Paint = (text) => text;
const PLAIN: Paints = { strong: plain, soft: plain, bad: plain };

/** Values as one line of bars; a null is a gap. */
export function bars(values: readonly (number | null)[]): string {
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0));
  return values
    .map((value) => (value === null ? " " : BARS[Math.min(BARS.length - 1, Math.floor((value / most) * BARS.length))]))
    .join("");
}

interface Section {
  title: string;
  /** Cells of each row; all but those in `left` are aligned to the right. */
  rows: string[][];
  head: string[];
  /** Columns of text. The first one takes the room that is left, and is cut. */
  left: number;
  isBad?: (row: string[]) => boolean;
}

const cut = (text: string, width: number): string =>
  text.length <= width ? text : width < 2 ? text.slice(0, Math.max(0, width)) : `${text.slice(0, width - 1)}…`;

/** A section as lines of at most `columns` characters, without colours. */
function table({ head, rows, left }: Section, columns: number): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const others = widths.slice(1).reduce((sum, width) => sum + width + 2, 0);
  widths[0] = Math.max(8, Math.min(widths[0] as number, columns - others));
  return all.map((row) =>
    cut(
      row
        .map((cell, column) => {
          const width = widths[column] as number;
          return column < left ? cut(cell, width).padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
      columns,
    ),
  );
}

function nodeRow(node: ListedNode): string[] {
  if (node.state === "silent") return [node.id, "silent", String(node.actors), "", "", "", "", ""];
  const { id, state, actors, uptime_seconds: up, cpu_percent: cpu, memory_bytes: memory, loop_p99_ms: p99, connections } = node;
  const pool = `${connections.busy}/${connections.busy + connections.idle}`;
  return [id, state, String(actors), span(up), `${cpu} %`, inMegabytes(memory), inMilliseconds(p99), pool];
}

function sectionsOf(figures: InstallationFigures): Section[] {
  const { nodes, actions, queues, circuits, organisations, statements, mails } = figures;
  const isLate = (row: string[]) => row[1] !== "serving";
  const sections: Section[] = [
    {
      title: "Nodes",
      head: ["node", "state", "actors", "up", "cpu", "memory", "loop p99", "connections"],
      rows: nodes.map(nodeRow),
      left: 2,
      isBad: isLate,
    },
    {
      title: "Actions by time",
      head: ["action", "per s", "errors", "p50", "p99"],
      rows: actions
        .slice(0, MOST)
        .map(({ action, per_second: rate, errors, p50_ms: p50, p99_ms: p99 }) => [
          action,
          String(rate),
          String(errors),
          inMilliseconds(p50),
          inMilliseconds(p99),
        ]),
      left: 1,
      isBad: (row) => row[2] !== "0",
    },
    {
      title: "Jobs",
      head: ["job", "due", "running", "later", "dead", "oldest due"],
      rows: (queues ?? [])
        .filter(({ due, running, dead }) => due + running + dead > 0)
        .toSorted((one, other) => other.due - one.due || other.dead - one.dead)
        .slice(0, MOST)
        .map(({ name, due, running, waiting, dead, oldest_seconds: oldest }) => [
          name,
          String(due),
          String(running),
          String(waiting),
          String(dead),
          due > 0 ? span(oldest) : "",
        ]),
      left: 1,
      isBad: (row) => row[4] !== "0",
    },
    {
      title: "Providers that do not work",
      head: ["provider", "account", "state", "failures", "last"],
      rows: (circuits ?? [])
        .slice(0, MOST)
        .map(({ provider, account, state, failures, last_failure: last }) => [provider, account, state, String(failures), last]),
      left: 3,
      isBad: (row) => row[2] === "open",
    },
    {
      title: "Failed mails",
      head: ["kind", "organisation", "state", "attempts", "error"],
      rows: (mails?.failures ?? [])
        .slice(0, 5)
        .map(({ kind, organisation, status, attempts, error }) => [kind, organisation, status, String(attempts), error]),
      left: 3,
      isBad: (row) => row[2] === "failed",
    },
    {
      title: "Organisations by time",
      head: ["organisation", "requests", "time"],
      rows: organisations.map(({ slug, requests, seconds }) => [slug, String(requests), `${seconds} s`]),
      left: 1,
    },
    {
      title: "Slowest statements of the last hour",
      head: ["action", "times", "longest", "text"],
      rows: statements
        .slice(0, 5)
        .map(({ action, times, worst_ms: worst, sql }) => [
          action ?? "-",
          String(times),
          inMilliseconds(worst),
          (sql[0] ?? "").replaceAll(/\s+/g, " "),
        ]),
      left: 1,
    },
  ];
  return sections.filter(({ rows }) => rows.length > 0);
}

/** One line for each plot of the last hour. */
function history(minutes: readonly HistoryMinute[], columns: number): string[] {
  const plots: [name: string, unit: string, read: (minute: HistoryMinute) => number | null][] = [
    ["requests", "a minute", ({ requests }) => requests],
    ["errors", "a minute", ({ errors }) => errors],
    ["p99", "ms", ({ p99_ms: p99 }) => p99],
    ["due jobs", "at once", ({ due_jobs: due }) => due],
  ];
  const shown = minutes.slice(-Math.max(1, columns - 28));
  return plots.map(([name, unit, read]) => {
    const values = shown.map(read);
    const most = Math.max(0, ...values.map((value) => value ?? 0));
    return `${name.padEnd(8)} ${bars(values)} most ${Math.round(most)} ${unit}`;
  });
}

function summary(figures: InstallationFigures): string[] {
  const { at, nodes, requests, queues, outbox, mails, webhooks } = figures;
  const sum = (read: (one: NonNullable<typeof queues>[number]) => number) =>
    queues === null ? "?" : queues.reduce((total, one) => total + read(one), 0);
  const mail = (state: string) => mails?.states.find((one) => one.state === state)?.mails ?? "?";
  const age = outbox && outbox.waiting > 0 ? `, the oldest ${span(outbox.oldest_seconds)}` : "";
  return [
    `Kantoor  ${at.slice(11, 19)} UTC  ${nodes.length} node${nodes.length === 1 ? "" : "s"}`,
    `Requests ${requests.per_second} a second, ${requests.errors} errors, p50 ${inMilliseconds(requests.p50_ms)}, p99 ${inMilliseconds(requests.p99_ms)} (last ${span(requests.seconds)})`,
    `Jobs     ${sum(({ due }) => due)} due, ${sum(({ running }) => running)} running, ${sum(({ waiting }) => waiting)} later, ${sum(({ dead }) => dead)} dead; outbox ${outbox?.waiting ?? "?"}${age}`,
    `Mails    ${mail("queued")} queued; last hour ${mail("sent")} sent, ${mail("failed")} failed   Webhooks ${webhooks?.pending ?? "?"} pending, ${webhooks?.failing ?? "?"} endpoints failing`,
  ];
}

/** The figures as lines that fit a screen. */
export function screen(figures: InstallationFigures, { columns, rows, colours }: Screen): string[] {
  const { strong, soft, bad } = colours ? COLOURED : PLAIN;
  const lines = summary(figures).map((line, at) => (at === 0 ? strong(cut(line, columns)) : cut(line, columns)));
  lines.push("", ...history(figures.history, columns).map((line) => cut(line, columns)));
  for (const section of sectionsOf(figures)) {
    const [head = "", ...body] = table(section, columns);
    lines.push("", strong(cut(section.title, columns)), soft(head));
    for (const [at, line] of body.entries()) lines.push(section.isBad?.(section.rows[at] as string[]) ? bad(line) : line);
  }
  return lines.slice(0, rows);
}
