import { type Html, html } from "../../../core/pages/html.ts";
import type { InstallationFigures } from "../../../mixins/ops/installation-figures.ts";
import { inMilliseconds, span } from "../../../mixins/ops/texts.ts";
import { number, section, sparkline, tile } from "./elements.ts";
import { actionTable, circuitTable, mailTable, nodeTable, organisationTable, queueTable, statementTable } from "./tables.ts";

const SHOWN = 8;

/** The tiles of the overview: one figure each, with its last hour. */
function tiles({ requests, history, queues, outbox, mails, webhooks }: InstallationFigures): Html {
  const sum = (read: (queue: NonNullable<typeof queues>[number]) => number) =>
    queues?.reduce((total, queue) => total + read(queue), 0);
  const [due, dead] = [sum((queue) => queue.due), sum((queue) => queue.dead)];
  const oldest = Math.max(0, ...(queues ?? []).map(({ oldest_seconds: seconds }) => seconds));
  const mail = (state: string) => mails?.states.find((one) => one.state === state)?.mails ?? null;
  const lastHour = `in the last hour`;
  const hourErrors = history.reduce((total, { errors }) => total + errors, 0);
  return html`<div class="tiles">
${tile(
  "Requests a second",
  number(requests.per_second),
  `${number(requests.requests)} in the last ${span(requests.seconds)}`,
  sparkline(
    history.map((minute) => minute.requests),
    "Requests of each minute of the last hour",
  ),
)}
${tile(
  "Errors",
  number(requests.errors),
  `${number(hourErrors)} ${lastHour}`,
  sparkline(
    history.map((minute) => minute.errors),
    "Errors of each minute of the last hour",
  ),
  requests.errors > 0,
)}
${tile(
  "99 of 100 requests within",
  inMilliseconds(requests.p99_ms),
  `half within ${inMilliseconds(requests.p50_ms)}`,
  sparkline(
    history.map((minute) => minute.p99_ms),
    "99th percentile of each minute of the last hour",
  ),
)}
${tile(
  "Due jobs",
  number(due),
  oldest > 0 ? `the oldest for ${span(oldest)}` : "none is late",
  sparkline(
    history.map((minute) => minute.due_jobs),
    "Due jobs in each minute of the last hour",
  ),
)}
${tile("Jobs", html`${number(sum((queue) => queue.running))} <small>running</small>`, `${number(sum((queue) => queue.waiting))} due later`)}
${tile("Dead jobs", number(dead), html`<a href="/ops/jobs?state=dead">show them</a>`, undefined, (dead ?? 0) > 0)}
${tile(
  "Outbox",
  number(outbox?.waiting),
  outbox && outbox.waiting > 0 ? `the oldest for ${span(outbox.oldest_seconds)}` : "rows on their way to the queue",
)}
${tile("Mails", html`${number(mail("queued"))} <small>queued</small>`, `${number(mail("sent"))} sent, ${number(mail("failed"))} failed ${lastHour}`)}
${tile(
  "Webhooks",
  html`${number(webhooks?.pending)} <small>pending</small>`,
  webhooks ? `endpoints: ${webhooks.working} working, ${webhooks.failing} failing, ${webhooks.disabled} disabled` : "",
)}
</div>`;
}

/** The overview: what an operator looks at first. */
export function overview(figures: InstallationFigures): Html {
  const { nodes, actions, queues, circuits, mails, statements, organisations } = figures;
  const busy = (queues ?? []).filter(({ due, running, dead }) => due + running + dead > 0);
  const unread = queues === null && html`<p class="notice bad">The queue cannot be read now.</p>`;
  return html`${tiles(figures)}
${section("Nodes", nodeTable(nodes), { href: "/ops/nodes", text: "actors" })}
<div class="pair">
${section("Actions that take most time", actionTable(actions.slice(0, SHOWN)), { href: "/ops/actions", text: "all" })}
${section("Jobs at work", html`${unread}${queueTable(busy.slice(0, SHOWN))}`, { href: "/ops/jobs", text: "all" })}
${section("Providers that do not work", circuitTable((circuits ?? []).slice(0, SHOWN)), { href: "/ops/providers", text: "all" })}
${section("Busiest organisations", organisationTable(organisations.slice(0, SHOWN)), { href: "/ops/organisations", text: "all" })}
</div>
${section("Failed mails", mailTable((mails?.failures ?? []).slice(0, 5)), { href: "/ops/mails", text: "all" })}
${section("Slowest statements", statementTable(statements.slice(0, 5)), { href: "/ops/statements", text: "all" })}`;
}
