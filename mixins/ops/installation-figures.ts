import type { ServiceBroker } from "moleculer";
import type { Backlog } from "../../core/jobs/queue/table.ts";
import { type Trouble, troubles } from "../../core/outbound/provider/circuit.ts";
import { uncounted } from "../../core/request/statement-count.ts";
import { jobsOf } from "../jobs.ts";
import * as database from "./database.ts";
import { quantile } from "./durations.ts";
import { FIGURES, meterOf, type NodeFigures } from "./node-figures.ts";
import { busiest, type Load, MINUTES, sumOf } from "./recent-requests.ts";
import type { SlowestStatements } from "./slowest-statements.ts";

/** How long, in milliseconds, figures serve everybody who asks: ten open pages cost what one does. */
const FRESH = 2_000;
/** Longest wait for a node's own figures, in milliseconds. */
const PATIENCE = 2_000;
/** Organisations that are listed. */
const MOST_ORGANISATIONS = 10;
const MOST_STATEMENTS = 50;

/** What one node measures, without what is added up over all of them. */
export type ListedNode = { id: string; actors: number } & (
  | Omit<NodeFigures, "requests" | "due_jobs" | "statements">
  | { state: "silent" }
);

/** The requests of an action, or of all, over the last minutes. */
export interface Rate {
  requests: number;
  per_second: number;
  /** Answers of class 5xx. */
  errors: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

export interface HistoryMinute {
  /** Its beginning, ISO 8601. */
  at: string;
  requests: number;
  errors: number;
  p99_ms: number | null;
  /** Due jobs of all nodes; null where no node counted them. */
  due_jobs: number | null;
}

/** What the whole installation does now. A part of the database is null while that cannot be read. */
export interface InstallationFigures {
  /** When it was gathered, ISO 8601, and by which node. */
  at: string;
  node: string;
  nodes: ListedNode[];
  /** Every actor with the nodes that run it. */
  actors: { name: string; nodes: string[] }[];
  /** Requests over `seconds` seconds: of all actions, and by action. */
  requests: Rate & { seconds: number };
  actions: ({ action: string; seconds: number } & Rate)[];
  /** The last 60 minutes, the oldest first. */
  history: HistoryMinute[];
  queues: Backlog[] | null;
  outbox: database.OutboxFigures | null;
  mails: database.MailFigures | null;
  circuits: Trouble[] | null;
  webhooks: database.WebhookFigures | null;
  /** The ten organisations whose requests took most time. */
  organisations: { slug: string; id: string | null; name: string | null; requests: number; seconds: number }[];
  /** The slowest statements of the last hour, by node. */
  statements: ({ node: string } & SlowestStatements)[];
}

const kept = new WeakMap<ServiceBroker, { until: number; figures: Promise<InstallationFigures> }>();

/** The figures of the installation, at most two seconds old. Never rejects: what cannot be read is null. */
export function installationFigures(broker: ServiceBroker): Promise<InstallationFigures> {
  const before = kept.get(broker);
  if (before && performance.now() < before.until) return before.figures;
  const figures = uncounted(() => gather(broker));
  kept.set(broker, { until: performance.now() + FRESH, figures });
  return figures;
}

/** Makes the next reading fresh, after an operator has changed something. */
export const forgetFigures = (broker: ServiceBroker): void => void kept.delete(broker);

interface RegisteredNode {
  id: string;
  services?: { fullName: string }[];
}

interface AskedNode {
  id: string;
  actors: string[];
  figures: NodeFigures | null;
}

/** Asks each available node once. */
function askNodes(broker: ServiceBroker): Promise<AskedNode[]> {
  const nodes = broker.registry.getNodeList({ onlyAvailable: true, withServices: true }) as unknown as RegisteredNode[];
  const ask = (nodeID: string) =>
    broker.call<NodeFigures, object>(FIGURES, {}, { nodeID, timeout: PATIENCE, retries: 0 }).catch(() => null);
  return Promise.all(
    nodes.map(async ({ id, services = [] }) => ({
      id,
      actors: services.map(({ fullName }) => fullName).filter((name) => !name.startsWith("$")),
      figures: id === broker.nodeID ? meterOf(broker).read() : await ask(id),
    })),
  );
}

const orNull = <T>(work: Promise<T>): Promise<T | null> => work.catch(() => null);

async function gather(broker: ServiceBroker): Promise<InstallationFigures> {
  const asking = askNodes(broker);
  const [nodes, queues, outbox, mails, circuits, webhooks, organisations] = await Promise.all([
    asking,
    orNull((async () => (await jobsOf(broker).queue?.backlog()) ?? null)()),
    orNull(database.outboxFigures()),
    orNull(database.mailFigures()),
    orNull(troubles()),
    orNull(database.webhookFigures()),
    asking.then(busiestOrganisations),
  ]);
  const answered = nodes.flatMap(({ id, figures }) => (figures ? [{ id, figures }] : []));
  const all = answered.map(({ figures }) => figures);
  const seconds = Math.max(1, ...all.map(({ requests }) => requests.seconds));
  const actions = actionRates(all, seconds);
  return {
    at: new Date().toISOString(),
    node: broker.nodeID,
    nodes: nodes.map(listed).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    actors: actorsOf(nodes),
    requests: { seconds, ...actions.all },
    actions: actions.each,
    history: historyOf(all, Math.floor(Date.now() / 60_000)),
    queues,
    outbox,
    mails,
    circuits,
    webhooks,
    organisations,
    statements: answered
      .flatMap(({ id: node, figures }) => figures.statements.map((one) => ({ node, ...one })))
      .toSorted((one, other) => other.worst_ms - one.worst_ms)
      .slice(0, MOST_STATEMENTS),
  };
}

function listed({ id, actors, figures }: AskedNode): ListedNode {
  if (!figures) return { id, actors: actors.length, state: "silent" };
  const { requests: _requests, due_jobs: _due, statements: _statements, ...own } = figures;
  return { id, actors: actors.length, ...own };
}

function actorsOf(nodes: readonly AskedNode[]): InstallationFigures["actors"] {
  const byName = Map.groupBy(
    nodes.flatMap(({ id, actors }) => actors.map((name) => ({ id, name }))),
    ({ name }) => name,
  );
  return [...byName]
    .map(([name, found]) => ({ name, nodes: found.map(({ id }) => id).sort() }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

const rateOf = ({ requests, errors, buckets }: Load, seconds: number): Rate => ({
  requests,
  per_second: Math.round((requests / seconds) * 100) / 100,
  errors,
  p50_ms: quantile(buckets, 0.5),
  p99_ms: quantile(buckets, 0.99),
});

function actionRates(nodes: readonly NodeFigures[], seconds: number): { all: Rate; each: InstallationFigures["actions"] } {
  const byAction = Map.groupBy(
    nodes.flatMap(({ requests }) => requests.actions),
    ({ action }) => action,
  );
  const sums = busiest([...byAction].map(([action, loads]) => ({ action, ...sumOf(loads) })));
  return {
    all: rateOf(sumOf(sums), seconds),
    each: sums.map(({ action, ...load }) => ({
      action,
      seconds: Math.round(load.milliseconds) / 1000,
      ...rateOf(load, seconds),
    })),
  };
}

function historyOf(nodes: readonly NodeFigures[], current: number): HistoryMinute[] {
  const loads = Map.groupBy(
    nodes.flatMap(({ requests }) => requests.minutes),
    ({ minute }) => minute,
  );
  const due = new Map<number, number>();
  for (const { due_jobs: counted } of nodes)
    for (const [minute, jobs] of counted) due.set(minute, Math.max(jobs, due.get(minute) ?? 0));
  return Array.from({ length: MINUTES }, (_, at) => {
    const minute = current - MINUTES + 1 + at;
    const { requests, errors, buckets } = sumOf(loads.get(minute) ?? []);
    const begin = new Date(minute * 60_000).toISOString();
    return { at: begin, requests, errors, p99_ms: quantile(buckets, 0.99), due_jobs: due.get(minute) ?? null };
  });
}

/** The organisations that kept all nodes busiest, with their names if the database can be read. */
async function busiestOrganisations(nodes: readonly AskedNode[]): Promise<InstallationFigures["organisations"]> {
  const bySlug = Map.groupBy(
    nodes.flatMap(({ figures }) => figures?.requests.organisations ?? []),
    ({ slug }) => slug,
  );
  const sums = [...bySlug].map(([slug, loads]) => ({
    slug,
    requests: loads.reduce((sum, { requests }) => sum + requests, 0),
    milliseconds: loads.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
  }));
  const most = busiest(sums).slice(0, MOST_ORGANISATIONS);
  const names = await orNull(database.organisationNames(most.map(({ slug }) => slug)));
  return most.map(({ slug, requests, milliseconds }) => {
    const { id = null, name = null } = names?.get(slug) ?? {};
    return { slug, id, name, requests, seconds: Math.round(milliseconds) / 1000 };
  });
}
