import { addDuration, addedUp, type Buckets } from "./durations.ts";

const MINUTE = 60_000;
/** Minutes of which the totals are kept. */
export const MINUTES = 60;
/** Minutes, the current one included, over which actions and organisations are added up. */
const WINDOW = 5;
/** Most organisations that a minute counts one by one, and most that a node reports. */
const MOST_ORGANISATIONS = 5_000;
const REPORTED = 50;
/** Most actions that a node reports. */
const MOST_ACTIONS = 100;

/** What the requests of one kind did. */
export interface Load {
  requests: number;
  /** Answers of class 5xx. */
  errors: number;
  /** Milliseconds that the requests took together. */
  milliseconds: number;
  buckets: Buckets;
}

export interface MinuteLoad extends Load {
  /** Minutes since 1970. */
  minute: number;
}

/** The requests of one node, of the last hour and by action and organisation of the last minutes. */
export interface RequestFigures {
  /** Seconds over which `actions` and `organisations` are added up. */
  seconds: number;
  minutes: MinuteLoad[];
  /** The actions that took most time, at most 100. */
  actions: ({ action: string } & Load)[];
  /** The organisations that took most time, at most 50. */
  organisations: { slug: string; requests: number; milliseconds: number }[];
}

type Growing = Omit<Load, "buckets"> & { buckets: number[] };

interface Minute extends Growing {
  minute: number;
  /** Empty once the minute is older than the window. */
  actions: Map<string, Growing>;
  organisations: Map<string, { requests: number; milliseconds: number }>;
}

/** A request that was answered. */
export interface Answered {
  action: string;
  /** Its answer was of class 5xx. */
  isError: boolean;
  /** Slug of its organisation, if it has one. */
  organisation: string | null;
  /** From its head to its answer; null for an answer that is a stream, which lasts as long as its reader. */
  milliseconds: number | null;
}

const nothing = (): Growing => ({ requests: 0, errors: 0, milliseconds: 0, buckets: [] });

function add(load: Growing, { isError, milliseconds }: Answered): void {
  load.requests += 1;
  if (isError) load.errors += 1;
  if (milliseconds === null) return;
  load.milliseconds += milliseconds;
  addDuration(load.buckets, milliseconds);
}

/** The sum of several loads. */
export const sumOf = (loads: readonly Load[]): Load => ({
  requests: loads.reduce((sum, { requests }) => sum + requests, 0),
  errors: loads.reduce((sum, { errors }) => sum + errors, 0),
  milliseconds: loads.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
  buckets: addedUp(loads.map(({ buckets }) => buckets)),
});

/** Requests of this node by minute, in memory that does not grow with their number. */
export class RecentRequests {
  readonly #began: number;
  #minutes: Minute[] = [];

  /** @param now milliseconds since 1970 */
  constructor(now = Date.now()) {
    this.#began = now;
  }

  note(answered: Answered, now = Date.now()): void {
    const minute = this.#current(now);
    add(minute, answered);
    const { action, organisation, milliseconds } = answered;
    let ofAction = minute.actions.get(action);
    if (!ofAction) minute.actions.set(action, (ofAction = nothing()));
    add(ofAction, answered);
    if (organisation === null) return;
    const load = minute.organisations.get(organisation);
    if (load) {
      load.requests += 1;
      load.milliseconds += milliseconds ?? 0;
    } else if (minute.organisations.size < MOST_ORGANISATIONS)
      minute.organisations.set(organisation, { requests: 1, milliseconds: milliseconds ?? 0 });
  }

  #current(now: number): Minute {
    const number = Math.floor(now / MINUTE);
    const last = this.#minutes.at(-1);
    // A clock that is set back counts in the latest minute.
    if (last && last.minute >= number) return last;
    this.#minutes = this.#minutes.filter(({ minute }) => minute > number - MINUTES);
    for (const old of this.#minutes)
      if (old.minute <= number - WINDOW && old.actions.size > 0) [old.actions, old.organisations] = [new Map(), new Map()];
    const made = { minute: number, ...nothing(), actions: new Map(), organisations: new Map() };
    this.#minutes.push(made);
    return made;
  }

  read(now = Date.now()): RequestFigures {
    const current = Math.floor(now / MINUTE);
    const since = (current - WINDOW + 1) * MINUTE;
    const lately = this.#minutes.filter(({ minute }) => minute > current - WINDOW);
    const actions = Map.groupBy(
      lately.flatMap(({ actions: all }) => [...all]),
      ([action]) => action,
    );
    const organisations = new Map<string, { requests: number; milliseconds: number }>();
    for (const { organisations: all } of lately)
      for (const [slug, { requests, milliseconds }] of all) {
        const before = organisations.get(slug) ?? { requests: 0, milliseconds: 0 };
        organisations.set(slug, { requests: before.requests + requests, milliseconds: before.milliseconds + milliseconds });
      }
    return {
      seconds: Math.max(1, Math.round((now - Math.max(since, this.#began)) / 1000)),
      minutes: this.#minutes
        .filter(({ minute }) => minute > current - MINUTES)
        .map(({ minute, requests, errors, milliseconds, buckets }) => ({ minute, requests, errors, milliseconds, buckets })),
      actions: busiest([...actions].map(([action, loads]) => ({ action, ...sumOf(loads.map(([, load]) => load)) }))).slice(
        0,
        MOST_ACTIONS,
      ),
      organisations: busiest([...organisations].map(([slug, load]) => ({ slug, ...load }))).slice(0, REPORTED),
    };
  }
}

/** The loads, those that took most time first. */
export const busiest = <T extends { milliseconds: number; requests: number }>(loads: readonly T[]): T[] =>
  loads.toSorted((one, other) => other.milliseconds - one.milliseconds || other.requests - one.requests);
