import type { EventName } from "../declare/events.ts";
import type { InstallationJob, JobDeclaration, Jobs, OrganisationJob, OrganisationRun, Subscriptions } from "./jobs.ts";

/** A declared job or subscriber with every default filled in. */
export interface Definition {
  name: string;
  service: string;
  about: string;
  /** The event that a subscriber receives; null for a job. */
  event: EventName | null;
  per: "organisation" | "installation";
  module: string | null;
  /** Runs on schedule even when a plan has lapsed. */
  licenceExempt: boolean;
  schedule: string | null;
  /** Function that returns the organisations with due rows; null for those that `worksOn` chooses. */
  due: string | null;
  /** Tables without whose rows an organisation gets no scheduled job; empty for every organisation. */
  worksOn: readonly string[];
  /** Minutes over which the scheduled jobs of many organisations begin. */
  spread: number;
  concurrency: number;
  timeout: number;
  lock: number;
  dedupe: "start" | "end";
  attempts: number;
  backoff: { first: number; factor: number; most: number };
  handler: OrganisationJob["handler"] | InstallationJob["handler"];
}

/** A definition as the live registry, the database and the command line show it. */
export type Facts = Omit<Definition, "handler">;

const BACKOFF = { first: 1_000, factor: 4, most: 3_600_000 };
/** Longest spread of a clock's jobs, in minutes: they begin in the hour of their moment. */
const MOST_SPREAD = 59;
const CRON = /^[\d*,/A-Za-z-]+( [\d*,/A-Za-z-]+){4,5}$/;

/** @throws TypeError for a schedule of organisations that does not say which, or begins their jobs over more than an hour */
function requireReach(name: string, declaration: JobDeclaration): void {
  if (declaration.schedule === undefined || declaration.per === "installation") return;
  const { due, worksOn = [], everywhere, spread = 0 } = declaration;
  if ([due !== undefined, worksOn.length > 0, everywhere !== undefined].filter(Boolean).length !== 1)
    throw new TypeError(
      `job '${name}' has a schedule: name the rows that are 'due', the tables it 'worksOn', or why it runs 'everywhere'`,
    );
  if (!Number.isInteger(spread) || spread < 0 || spread > MOST_SPREAD)
    throw new TypeError(`job '${name}' has the spread ${spread}: whole minutes, at most ${MOST_SPREAD}`);
}

/** @throws TypeError for a schedule that is not cron text of five or six fields, or has no reach: the actor then does not start */
function definitionOf(service: string, name: string, declaration: JobDeclaration): Definition {
  const { about, schedule = null, concurrency = 5, timeout = 60_000, lock = 30_000, dedupe = "start", retry = {} } = declaration;
  if (schedule !== null && !CRON.test(schedule))
    throw new TypeError(`job '${name}' has the schedule '${schedule}': cron with five fields, or six with seconds, UTC`);
  requireReach(name, declaration);
  const { due, worksOn = [], spread = 0 } = declaration as OrganisationJob;
  return {
    name,
    service,
    about,
    event: null,
    per: declaration.per ?? "organisation",
    module: (declaration as OrganisationJob).module ?? null,
    licenceExempt: (declaration as OrganisationJob).licenceExempt !== undefined,
    schedule,
    due: due?.name ?? null,
    worksOn,
    spread,
    concurrency,
    timeout,
    lock,
    dedupe,
    attempts: retry.attempts ?? 5,
    backoff: { ...BACKOFF, ...retry.backoff },
    handler: declaration.handler,
  };
}

/** Name of the job that delivers one event to one subscriber. */
export const deliveryName = (event: string, service: string): string => `${event} > ${service}`;

type AnyHandler = (event: unknown, run: OrganisationRun) => Promise<unknown>;

/**
 * The definitions of one actor.
 * @throws TypeError for an invalid schedule
 */
export function definitionsOf(service: string, jobs: Jobs = {}, subscribe: Subscriptions = {}): Definition[] {
  const named = Object.entries(jobs)
    .filter(([, declaration]) => declaration.when?.() ?? true)
    .map(([name, declaration]) => definitionOf(service, name, declaration));
  const subscribers = Object.entries(subscribe).map(([event, declared]) => {
    const { module, handler } = typeof declared === "function" ? { module: null, handler: declared } : declared;
    return {
      ...definitionOf(service, deliveryName(event, service), {
        about: `Brings '${event}' to ${service}`,
        handler: async () => {},
      }),
      event: event as EventName,
      module,
      // The engine adds the event to the run.
      handler: (run: OrganisationRun & { event?: unknown }) => (handler as AnyHandler)(run.event, run),
    };
  });
  return [...named, ...subscribers] as Definition[];
}

export const factsOf = ({ handler, ...facts }: Definition): Facts => facts;

/** The wait after a failure in ms, varied by a fifth so that many jobs do not retry at once. */
export function waitAfter({ backoff }: Pick<Definition, "backoff">, attempt: number, random = Math.random()): number {
  const { first, factor, most } = backoff;
  return Math.round(Math.min(first * factor ** (attempt - 1), most) * (0.8 + 0.4 * random));
}
