import { listJobs, type ShownJob, showJob } from "../../../core/jobs/operating.ts";
import type { JobFilter, Table } from "../../../core/jobs/queue/table.ts";
import { button, form } from "../../../core/pages/elements.ts";
import { type Html, html, Html as Markup } from "../../../core/pages/html.ts";
import type { InstallationFigures } from "../../../mixins/ops/installation-figures.ts";
import { dotted, instant, lineIn, number, section, state, table } from "./elements.ts";
import { queueTable } from "./tables.ts";

const PAGE = 50;
/** How far pages go; beyond that a name or state narrows the list. */
const LAST_PAGE = 200;

/** States by which jobs are listed, with their names for people. */
const STATES: Readonly<Partial<Record<JobFilter, string>>> = {
  running: "running",
  queued: "due",
  scheduled: "due later",
  repeating: "by the clock",
  failed: "failed, with or without a retry",
  dead: "dead: no retry follows",
};

const stateOf = (text: string | null): JobFilter | undefined =>
  text !== null && Object.hasOwn(STATES, text) ? (text as JobFilter) : undefined;

const isDead = (job: ShownJob): boolean => job.state === "failed" && job.due_at === null;

function stateCell(job: ShownJob): Html {
  if (isDead(job)) return state("dead", "bad");
  return job.state === "failed" ? state("waits for a retry") : state(job.state === "queued" ? "due" : job.state);
}

const retryForm = (job: ShownJob): Html => form(`/ops/jobs/${job.id}/retry`, {}, button("Retry", true));

const address = (name: string | undefined, filter: JobFilter | undefined, page: number): string => {
  const query = new URLSearchParams({ ...(filter && { state: filter }), ...(name !== undefined && { name }) });
  if (page > 1) query.set("page", String(page));
  return query.size > 0 ? `/ops/jobs?${query}` : "/ops/jobs";
};

function filterForm(names: readonly string[], name: string | undefined, filter: JobFilter | undefined): Html {
  const option = (value: string, text: string, chosen: boolean) =>
    html`<option value="${value}"${chosen && new Markup(" selected")}>${text}</option>`;
  const known = name === undefined || names.includes(name) ? names : [...names, name].sort();
  return html`<form class="filter" method="get" action="/ops/jobs">
<div><label for="state">State</label><select id="state" name="state">${option("", "any", filter === undefined)}${Object.entries(
    STATES,
  ).map(([value, text]) => option(value, text, value === filter))}</select></div>
<div><label for="name">Job</label><select id="name" name="name">${option("", "any", name === undefined)}${known.map((one) =>
    option(one, one, one === name),
  )}</select></div>
${button("Show")}</form>`;
}

/** The jobs by name and state, fifty a page. */
export async function jobsPage(queue: Table, query: URLSearchParams, { queues }: InstallationFigures): Promise<Html> {
  const name = lineIn(query, "name");
  const filter = stateOf(query.get("state"));
  const typed = Number(query.get("page") ?? 1);
  const page = Number.isInteger(typed) ? Math.min(Math.max(typed, 1), LAST_PAGE) : 1;
  const { jobs, total } = await listJobs(queue, { name, state: filter, limit: PAGE, skip: (page - 1) * PAGE });
  const last = Math.min(LAST_PAGE, Math.max(1, Math.ceil(total / PAGE)));
  const list = table<ShownJob>(
    "Jobs",
    [
      { title: "Job", cell: (job) => html`<a href="/ops/jobs/${job.id}">${dotted(job.name)}</a>` },
      { title: "State", cell: stateCell },
      { title: "Due (UTC)", cell: ({ due_at: at }) => instant(at), isExtra: filter === "dead" },
      { title: "Failures", cell: ({ failures }) => number(failures), isNumber: true, isExtra: true },
      ...(filter === "dead" ? [{ title: "Failed (UTC)", cell: (job: ShownJob) => instant(job.failed_at), isExtra: true }] : []),
      { title: "Error", cell: ({ error }) => error ?? "–", isLong: true, isExtra: filter !== "dead" && filter !== "failed" },
      { title: "Action", cell: (job) => (isDead(job) ? retryForm(job) : null), isExtra: filter !== "dead" },
    ],
    jobs,
    { empty: "There is no such job.", stacked: true },
  );
  const all =
    filter === "dead" &&
    total > 1 &&
    html`<div class="actions">${form("/ops/jobs/retry", name === undefined ? {} : { name }, button(`Retry all ${number(total)} jobs`, true))}</div>`;
  const pages =
    (page > 1 || last > 1) &&
    html`<nav class="pages" aria-label="Pages"><span>${page > 1 && html`<a href="${address(name, filter, page - 1)}">Previous</a>`}</span><span class="soft">Page ${page} of ${Math.max(page, last)}</span><span>${page < last && html`<a href="${address(name, filter, page + 1)}">Next</a>`}</span></nav>`;
  const names = (queues ?? []).map((one) => one.name);
  return html`<section>${filterForm(names, name, filter)}</section>
<section><h2>${number(total)} ${total === 1 ? "job" : "jobs"}</h2>${all}${list}${pages}</section>
${name === undefined && filter === undefined && queues !== null && section("By name", queueTable(queues))}`;
}

/** One job, as `jobs show` has it. @throws JobRefused if it is gone */
export async function jobPage(queue: Table, id: string): Promise<{ title: string; body: Html }> {
  const job = await showJob(queue, id);
  const facts: [string, Html | string | number | null][] = [
    ["Id", job.id],
    ["State", stateCell(job)],
    ["Organisation", job.organisation],
    ["Due (UTC)", instant(job.due_at)],
    ["Locked (UTC)", instant(job.locked_at)],
    ["Failures", job.failures],
    ["Failed (UTC)", instant(job.failed_at)],
    ["Error", job.error],
    ["Schedule", job.schedule],
  ];
  return {
    title: job.name,
    body: html`<section><dl class="facts">${facts.map(
      ([name, value]) => html`<div><dt>${name}</dt><dd>${value ?? "–"}</dd></div>`,
    )}</dl>
<h2>Payload</h2><pre>${JSON.stringify(job.payload, null, 2)}</pre>
<p class="soft">Texts other than ids and kinds are masked.</p>
${isDead(job) && html`<div class="actions">${retryForm(job)}</div>`}<p><a href="${address(job.name, undefined, 1)}">Jobs of this name</a></p></section>`,
  };
}
