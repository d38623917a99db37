import type { Backlog } from "../../../core/jobs/queue/table.ts";
import type { Trouble } from "../../../core/outbound/provider/circuit.ts";
import { button, form } from "../../../core/pages/elements.ts";
import { type Html, html } from "../../../core/pages/html.ts";
import type { MailFailure } from "../../../mixins/ops/database.ts";
import type { InstallationFigures, ListedNode } from "../../../mixins/ops/installation-figures.ts";
import { inMegabytes, inMilliseconds, span } from "../../../mixins/ops/texts.ts";
import { dotted, instant, number, state, table } from "./elements.ts";

type Answering = Exclude<ListedNode, { state: "silent" }>;

/** A cell of a node that answers. */
const answering =
  (read: (node: Answering) => string) =>
  (node: ListedNode): string =>
    node.state === "silent" ? "–" : read(node);

export const nodeTable = (nodes: readonly ListedNode[]): Html =>
  table<ListedNode>(
    "Nodes",
    [
      { title: "Node", cell: ({ id }) => id },
      { title: "State", cell: (node) => state(node.state, node.state === "serving" ? "good" : "bad") },
      { title: "Version", cell: answering(({ version }) => version), isExtra: true },
      { title: "Actors", cell: ({ actors }) => number(actors), isNumber: true, isExtra: true },
      { title: "Up", cell: answering(({ uptime_seconds: seconds }) => span(seconds)), isNumber: true },
      { title: "CPU", cell: answering(({ cpu_percent: percent }) => `${percent} %`), isNumber: true },
      { title: "Memory", cell: answering(({ memory_bytes: bytes }) => inMegabytes(bytes)), isNumber: true },
      {
        title: "Event loop p99 / most",
        cell: answering(({ loop_p99_ms: p99, loop_max_ms: most }) => `${inMilliseconds(p99)} / ${inMilliseconds(most)}`),
        isNumber: true,
        isExtra: true,
      },
      {
        title: "Connections busy / idle / waited for",
        cell: answering(({ connections: { busy, idle, waiting } }) => `${busy} / ${idle} / ${waiting}`),
        isNumber: true,
        isExtra: true,
      },
    ],
    nodes,
    { empty: "No node answers." },
  );

export const actionTable = (actions: InstallationFigures["actions"]): Html =>
  table<InstallationFigures["actions"][number]>(
    "Actions",
    [
      { title: "Action", cell: ({ action }) => (action === "none" ? "(pages and unknown paths)" : dotted(action)) },
      { title: "A second", cell: ({ per_second: rate }) => number(rate), isNumber: true },
      {
        title: "Errors",
        cell: ({ errors }) => (errors > 0 ? html`<strong class="bad">${number(errors)}</strong>` : "0"),
        isNumber: true,
      },
      { title: "p50", cell: ({ p50_ms: p50 }) => inMilliseconds(p50), isNumber: true, isExtra: true },
      { title: "p99", cell: ({ p99_ms: p99 }) => inMilliseconds(p99), isNumber: true },
      { title: "Time", cell: ({ seconds }) => `${number(Math.round(seconds * 10) / 10)} s`, isNumber: true, isExtra: true },
    ],
    actions,
    { empty: "No request in the last minutes." },
  );

export const queueTable = (queues: readonly Backlog[]): Html =>
  table<Backlog>(
    "Jobs by name",
    [
      { title: "Job", cell: ({ name }) => html`<a href="/ops/jobs?name=${encodeURIComponent(name)}">${dotted(name)}</a>` },
      { title: "Due", cell: ({ due }) => number(due), isNumber: true },
      { title: "Running", cell: ({ running }) => number(running), isNumber: true },
      { title: "Later", cell: ({ waiting }) => number(waiting), isNumber: true, isExtra: true },
      {
        title: "Dead",
        cell: ({ name, dead }) =>
          dead === 0
            ? "0"
            : html`<a class="bad" href="/ops/jobs?state=dead&amp;name=${encodeURIComponent(name)}">${number(dead)}</a>`,
        isNumber: true,
      },
      {
        title: "Oldest due",
        cell: ({ due, oldest_seconds: seconds }) => (due > 0 ? span(seconds) : "–"),
        isNumber: true,
        isExtra: true,
      },
    ],
    queues,
    { empty: "No job is due, running or dead." },
  );

export const circuitTable = (circuits: readonly Trouble[]): Html =>
  table<Trouble>(
    "Provider accounts that do not work",
    [
      { title: "Provider", cell: ({ provider }) => provider },
      { title: "Account", cell: ({ account }) => html`<code>${account}</code>` },
      { title: "State", cell: (one) => state(one.state.replace("_", " "), one.state === "open" ? "bad" : "plain") },
      { title: "Failures", cell: ({ failures }) => number(failures), isNumber: true, isExtra: true },
      {
        title: "Last",
        cell: ({ last_failure: last, last_status: status }) => (status === null ? last : `${last} (${status})`),
        isExtra: true,
      },
      { title: "Called again", cell: ({ seconds }) => (seconds > 0 ? `in ${span(seconds)}` : "now"), isExtra: true },
      {
        title: "Action",
        cell: ({ provider, account }) => form("/ops/providers/reopen", { provider, account }, button("Reopen", true)),
      },
    ],
    circuits,
    { empty: "Every account that was called answers.", stacked: true },
  );

export const mailTable = (failures: readonly MailFailure[]): Html =>
  table<MailFailure>(
    "Failed mails",
    [
      { title: "Kind", cell: ({ kind }) => kind },
      { title: "Organisation", cell: ({ organisation }) => organisation },
      { title: "State", cell: ({ status }) => state(status, status === "failed" ? "bad" : "plain") },
      { title: "Attempts", cell: ({ attempts }) => number(attempts), isNumber: true, isExtra: true },
      { title: "Transport", cell: ({ transport }) => transport ?? "–", isExtra: true },
      { title: "Error", cell: ({ error }) => error, isLong: true },
      { title: "Time (UTC)", cell: ({ failed_at: at }) => instant(at), isExtra: true },
    ],
    failures,
    { empty: "No mail has failed.", stacked: true },
  );

export const organisationTable = (organisations: InstallationFigures["organisations"]): Html =>
  table<InstallationFigures["organisations"][number]>(
    "Organisations by load",
    [
      { title: "Organisation", cell: ({ slug, name }) => name ?? slug },
      { title: "Address", cell: ({ slug }) => slug, isExtra: true },
      { title: "Requests", cell: ({ requests }) => number(requests), isNumber: true },
      { title: "Time", cell: ({ seconds }) => `${number(Math.round(seconds * 10) / 10)} s`, isNumber: true },
    ],
    organisations,
    { empty: "No organisation was served in the last minutes." },
  );

export const statementTable = (statements: InstallationFigures["statements"]): Html =>
  table<InstallationFigures["statements"][number]>(
    "Slowest statements",
    [
      { title: "Action or job", cell: ({ action }) => (action === null ? "–" : dotted(action)) },
      { title: "Longest", cell: ({ worst_ms: worst }) => inMilliseconds(worst), isNumber: true },
      { title: "Times", cell: ({ times }) => number(times), isNumber: true, isExtra: true },
      {
        title: "Texts",
        cell: ({ sql }) => html`${sql.map((text) => html`<pre>${text.replaceAll(/\s+/g, " ")}</pre>`)}`,
        isLong: true,
      },
      { title: "Last (UTC)", cell: ({ last_at: at }) => instant(at), isExtra: true },
      { title: "Node", cell: ({ node }) => node, isExtra: true },
    ],
    statements,
    { empty: "No statement took 10 ms or longer in the last hour.", stacked: true },
  );
