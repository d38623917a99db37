import type { JobParameters } from "agenda";
import type { DomainEvent } from "../declare/events.ts";
import { type JobOrganisation, jobOrganisations, type Queue, type QueuedData, turnsOf } from "./store.ts";

/**
 * Answers older than this, in ms, are read again: the organisation may have been suspended, and if this node stalled, another may have
 * claimed its jobs.
 */
const FRESH = 1_000;

/** The state of one organisation, shared by the jobs that were claimed together. */
interface CachedOrganisation {
  at: number;
  employer: Promise<JobOrganisation | undefined>;
}

interface Facts {
  at: number;
  known: CachedOrganisation;
  /** Undefined if it is not certain that the job is next in its ordered queue; the job then checks itself. */
  turn: { state: "run"; event: DomainEvent | null } | undefined;
}

/**
 * Reads what jobs need before they begin: two statements for all that were claimed together, instead of two for each. Keyed by the data
 * object of a job, which Agenda passes on unchanged, so nothing needs cleaning up.
 */
export class Prepared {
  readonly #queue: Queue;
  readonly #facts = new WeakMap<object, Facts>();
  readonly #asking = new Map<string, Promise<JobOrganisation | undefined>>();

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** Reads everything these jobs need. If that fails, each job reads for itself. */
  async add(jobs: readonly JobParameters[]): Promise<void> {
    const datas = jobs.flatMap(({ data }) =>
      (data as Partial<QueuedData> | undefined)?.organisation ? [data as QueuedData] : [],
    );
    if (datas.length === 0) return;
    const organisations = [...new Set(datas.map(({ organisation }) => organisation))];
    const ordered = datas.filter(({ key }) => key !== undefined).map(({ id }) => id);
    const at = Date.now();
    const [employers, turns] = await Promise.all([
      jobOrganisations(this.#queue, organisations),
      ordered.length > 0 ? turnsOf(this.#queue, ordered) : {},
    ]).catch(() => [null, {}] as const);
    if (!employers) return;
    const known = new Map(organisations.map((id) => [id, { at, employer: Promise.resolve(employers.get(id)) }]));
    for (const data of datas) {
      const event = (turns as Record<string, DomainEvent | null>)[data.id];
      const turn = event === undefined ? undefined : { state: "run" as const, event };
      this.#facts.set(data, { at, known: known.get(data.organisation) as CachedOrganisation, turn });
    }
  }

  /** The organisation of a job, undefined if it is deleted. */
  employerOf(data: QueuedData): Promise<JobOrganisation | undefined> {
    const known = this.#facts.get(data)?.known;
    if (!known) return this.#ask(data.organisation);
    if (Date.now() - known.at > FRESH) Object.assign(known, { at: Date.now(), employer: this.#ask(data.organisation) });
    return known.employer;
  }

  /** The job's turn in its ordered queue and its event, if already read. */
  turnOf(data: QueuedData): Facts["turn"] {
    const facts = this.#facts.get(data);
    return facts && Date.now() - facts.at <= FRESH ? facts.turn : undefined;
  }

  /** The organisation's current state; jobs that begin together read it once. */
  #ask(id: string): Promise<JobOrganisation | undefined> {
    let asking = this.#asking.get(id);
    if (!asking) {
      asking = jobOrganisations(this.#queue, [id]).then((found) => found.get(id));
      this.#asking.set(id, asking);
      const asked = () => this.#asking.delete(id);
      asking.then(asked, asked);
    }
    return asking;
  }
}
