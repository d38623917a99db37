import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServiceBroker } from "moleculer";
import { conflict, notFound, refusal } from "../../../core/errors/errors.ts";
import { JobRefused, retryById, retryDead } from "../../../core/jobs/operating.ts";
import type { Table } from "../../../core/jobs/queue/table.ts";
import { workers } from "../../../core/jobs/store.ts";
import { reopen } from "../../../core/outbound/provider/circuit.ts";
import { type Html, html } from "../../../core/pages/html.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { forgetFigures, type InstallationFigures, installationFigures } from "../../../mixins/ops/installation-figures.ts";
import { splitUrl } from "../http/input.ts";
import { receiveAll } from "../http/receiving.ts";
import { lineIn, number, section, tile } from "./elements.ts";
import { jobPage, jobsPage } from "./jobs.ts";
import { opsDocument, opsHeaders } from "./layout.ts";
import { overview } from "./overview.ts";
import { actionTable, circuitTable, mailTable, nodeTable, organisationTable, statementTable } from "./tables.ts";

/** Largest form of these pages, in bytes. */
const MOST_BYTES = 8_192;
const JOB = /^\/ops\/jobs\/([0-9a-f-]{36}|[0-9a-f]{24})(\/retry)?$/;

/** Whether a path belongs to the operator's pages, except for stored mail. */
export const isOps = (path: string): boolean => path === "/ops" || path.startsWith("/ops/");

/** Where the pages are served. */
interface OpsPlace {
  broker: ServiceBroker;
  /** Whether mails that were stored instead of sent have a page there. */
  hasMail: boolean;
  /** Records what a visitor did, with facts. */
  record(act: string, detail: Record<string, unknown>): Promise<void>;
}

/** A visit of an operator, whose right the caller has checked. */
interface OpsVisit extends OpsPlace {
  path: string;
  query: URLSearchParams;
  request: IncomingMessage;
}

type Answer = { title: string; under: string; body: Html } | { json: unknown } | { location: string };

/** The queue of jobs. @throws 503 while its store is down */
function queueOf(broker: ServiceBroker): Table {
  const { queue } = jobsOf(broker);
  if (!queue) throw refusal("unavailable", undefined, { headers: { "Retry-After": "5" } });
  return queue;
}

/** Work on a job as the API answers: 404 for one that is gone, 409 for one that runs. */
async function onJob<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof JobRefused)) throw error;
    throw error.isGone ? notFound() : conflict();
  }
}

/** Figures of the jobs of every node, and the declared jobs, at the address that scripts know. */
async function jobFigures(broker: ServiceBroker): Promise<object> {
  const engine = jobsOf(broker);
  const declared = engine.definitions.map(({ name }) => name);
  return { node: broker.nodeID, jobs: engine.meter.read(), declared, workers: await workers() };
}

type Show = (figures: InstallationFigures) => { title: string; body: Html };

/** Pages that show nothing but figures. */
const PAGES: Readonly<Record<string, Show>> = {
  "/ops": (figures) => ({ title: "Overview", body: overview(figures) }),
  "/ops/actions": ({ actions }) => ({ title: "Actions", body: html`<section>${actionTable(actions)}</section>` }),
  "/ops/mails": ({ mails }) => ({
    title: "Mails",
    body: html`<div class="tiles">${(mails?.states ?? []).map(({ state, mails: many }) =>
      tile(state, number(many), state === "queued" ? "now" : "in the last hour", undefined, state === "failed" && many > 0),
    )}</div>${section("Last failures", mailTable(mails?.failures ?? []))}`,
  }),
  "/ops/providers": ({ circuits }) => ({
    title: "Providers",
    body: html`<section><p class="soft">An account that failed five times in a row is left alone for up to five minutes. Reopen it to have it called again within five seconds.</p>${circuitTable(circuits ?? [])}</section>`,
  }),
  "/ops/statements": ({ statements }) => ({
    title: "Statements",
    body: html`<section><p class="soft">The slowest of the last hour, of each node: what one action sent together and took 10 ms or longer. Values are not kept.</p>${statementTable(statements)}</section>`,
  }),
  "/ops/organisations": ({ organisations }) => ({
    title: "Organisations",
    body: html`<section><p class="soft">The ten whose requests took most time in the last minutes.</p>${organisationTable(organisations)}</section>`,
  }),
  "/ops/nodes": ({ nodes, actors }) => ({
    title: "Nodes",
    body: html`<section>${nodeTable(nodes)}</section>${section(
      `${actors.length} actors`,
      html`<div class="scroll" role="region" aria-label="Actors" tabindex="0"><table><thead><tr><th scope="col">Actor</th><th scope="col">Nodes</th></tr></thead><tbody>${actors.map(
        ({ name, nodes: on }) => html`<tr><th scope="row">${name}</th><td>${on.join(", ")}</td></tr>
`,
      )}</tbody></table></div>`,
    )}`,
  }),
};

async function read({ broker, path, query }: OpsVisit): Promise<Answer> {
  if (path === "/ops/figures") return { json: await installationFigures(broker) };
  if (path === "/ops/jobs/figures") return { json: await jobFigures(broker) };
  const show = PAGES[path];
  if (show) return { under: path, ...show(await installationFigures(broker)) };
  if (path === "/ops/jobs")
    return { title: "Jobs", under: path, body: await jobsPage(queueOf(broker), query, await installationFigures(broker)) };
  const [, id, isAct] = JOB.exec(path) ?? [];
  if (id === undefined) throw notFound();
  if (isAct) return { location: `/ops/jobs/${id}` };
  return { under: "/ops/jobs", ...(await onJob(jobPage(queueOf(broker), id))) };
}

async function act({ broker, path, request, record }: OpsVisit): Promise<Answer> {
  const sent = await receiveAll(request, MOST_BYTES);
  if (!sent) throw refusal("validation", "errors.upload_too_large", { fields: { _: "errors.upload_too_large" } });
  const form = new URLSearchParams(sent.toString("utf8"));
  const done = (location: string): Answer => {
    forgetFigures(broker);
    return { location };
  };
  if (path === "/ops/jobs/retry") {
    const name = lineIn(form, "name");
    const jobs = await onJob(retryDead(queueOf(broker), name));
    await record("jobs.retried", { name: name ?? null, jobs: jobs.length });
    return done(`/ops/jobs?state=dead${name === undefined ? "" : `&name=${encodeURIComponent(name)}`}`);
  }
  if (path === "/ops/providers/reopen") {
    const [provider, account] = [lineIn(form, "provider"), lineIn(form, "account")];
    if (provider === undefined || account === undefined || !(await reopen(provider, account))) throw notFound();
    await record("provider.reopened", { provider, account });
    return done("/ops/providers");
  }
  const [, id, isAct] = JOB.exec(path) ?? [];
  if (id === undefined || !isAct) throw notFound();
  const { name, organisation } = await onJob(retryById(queueOf(broker), id));
  await record("job.retried", { job: id, name, organisation });
  return done("/ops/jobs?state=dead");
}

/**
 * Serves the operator's pages, and their figures as JSON. The caller has checked who may look, and that a write comes from these pages.
 * @throws 404, 405, 409 for a job that runs, 503 while the store of jobs is down
 */
export async function serveOps(place: OpsPlace, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, text] = splitUrl(request.url ?? "/");
  const visit: OpsVisit = { ...place, path: path.replace(/\/+$/, ""), query: new URLSearchParams(text), request };
  const method = request.method === "HEAD" ? "GET" : request.method;
  if (method !== "GET" && method !== "POST")
    throw refusal("method_not_allowed", undefined, { headers: { Allow: "GET, HEAD, POST" } });
  const answer = await (method === "GET" ? read(visit) : act(visit));
  if ("location" in answer) {
    response.writeHead(303, { ...opsHeaders, Location: answer.location, "Content-Length": "0" }).end();
    return;
  }
  const made =
    "json" in answer
      ? { text: JSON.stringify(answer.json), headers: { ...opsHeaders, "Content-Type": "application/json; charset=utf-8" } }
      : opsDocument({ ...answer, hasMail: place.hasMail });
  response.writeHead(200, { ...made.headers, "Content-Length": Buffer.byteLength(made.text) });
  response.end(request.method === "HEAD" ? undefined : made.text);
}
