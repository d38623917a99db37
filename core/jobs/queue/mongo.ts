import { createHash } from "node:crypto";
import { MongoJobRepository } from "@agendajs/mongo-backend";
import type { JobParameters } from "agenda";
import { type Collection, MongoClient, ObjectId } from "mongodb";
import type { QueuedJob } from "../store.ts";
import type { Backlog, End, Table } from "./table.ts";

const COLLECTION = "agendaJobs";
const TIMEOUT = 3_000;

/** Most jobs that a count reads. */
const MOST_COUNTED = 100_000;

/** MongoDB's id of one of our jobs: always the same for a job, so that adding it twice creates one. */
const idOf = (id: string): ObjectId => new ObjectId(createHash("sha1").update(id).digest().subarray(0, 12));

/** Agenda's jobs in a MongoDB. */
export class MongoTable implements Table {
  readonly own = false;
  repository!: MongoJobRepository;
  readonly #url: string;
  #client: MongoClient | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  get #jobs(): Collection {
    return (this.#client as MongoClient).db().collection(COLLECTION);
  }

  /** @throws Error with a one-sentence message when the server is unreachable */
  async connect(): Promise<void> {
    const client = new MongoClient(this.#url, {
      serverSelectionTimeoutMS: TIMEOUT,
      connectTimeoutMS: TIMEOUT,
      appName: "kantoor",
    });
    try {
      await client.connect();
      this.#client = client;
      this.repository ??= new MongoJobRepository({ mongo: client.db(), db: { collection: COLLECTION }, ensureIndex: false });
      await this.repository.connect();
      await this.#jobs.createIndex({ name: 1, nextRunAt: 1, lockedAt: 1 });
    } catch (error) {
      this.#client = null;
      await client.close().catch(() => {});
      throw new Error(`SERVICE_JOBS_URL cannot be used: ${(error as Error).message}`, { cause: error });
    }
  }

  async disconnect(): Promise<void> {
    await this.#client?.close();
    this.#client = null;
  }

  async put(jobs: readonly QueuedJob[]): Promise<void> {
    if (!this.#client) throw new Error("the job store is not connected");
    const wanted: QueuedJob[] = [];
    const joins = ({ name, data }: QueuedJob) =>
      data.dedupe !== undefined && data.key === undefined ? `${name} ${data.dedupe}` : null;
    for (const one of jobs) {
      const place = joins(one);
      const isJoined = place !== null && (wanted.some((other) => joins(other) === place) || (await this.#isJoined(one)));
      if (!isJoined) wanted.push(one);
    }
    if (wanted.length === 0) return;
    const writes = wanted.map(({ id, name, data, due }) => ({
      updateOne: {
        filter: { _id: idOf(id) },
        update: {
          $setOnInsert: { name, data, type: "normal", priority: 0, nextRunAt: new Date(due), lockedAt: null, disabled: false },
        },
        upsert: true,
      },
    }));
    await this.#jobs.bulkWrite(writes, { ordered: true });
  }

  /** Whether another job with the same dedupe text replaces this one; if so, moves its start to the earlier time. */
  async #isJoined({ id, name, data, due }: QueuedJob): Promise<boolean> {
    const waiting = { nextRunAt: { $ne: null }, lockedAt: null };
    const unfinished = data.until === "end" ? [waiting, { lockedAt: { $ne: null } }] : [waiting];
    const { matchedCount } = await this.#jobs.updateOne(
      { name, "data.dedupe": data.dedupe, "data.id": { $ne: id }, $or: unfinished },
      { $min: { nextRunAt: new Date(due) } },
    );
    return matchedCount > 0;
  }

  dueNames = async (): Promise<null> => null;

  async touch(ids: readonly string[], at: Date): Promise<void> {
    const own = ids.map((id) => new ObjectId(id));
    await this.#jobs.updateMany({ _id: { $in: own }, lockedAt: { $ne: null } }, { $set: { lockedAt: at } });
  }

  readonly mostClaimed = 1;

  async claim(name: string, now: Date, deadline: Date, node: string): Promise<JobParameters[]> {
    const job = await this.repository.getNextJobToRun(name, now, deadline, now, { lastModifiedBy: node });
    return job ? [job] : [];
  }

  async end({ id }: End): Promise<readonly QueuedJob[]> {
    await this.#jobs.deleteOne({ _id: new ObjectId(id) });
    return [];
  }

  async page({ name, state, limit, skip = 0 }: Parameters<Table["page"]>[0]): ReturnType<Table["page"]> {
    const of = name === undefined ? {} : { name };
    if (state !== "dead")
      return this.repository.queryJobs({ ...of, ...(state && { state }), sort: { nextRunAt: "asc" }, limit, skip });
    const { jobs } = await this.repository.queryJobs({ ...of, state: "failed", sort: { failedAt: "desc" } as never });
    const dead = jobs.filter(({ nextRunAt }) => !nextRunAt);
    return { jobs: dead.slice(skip, skip + limit), total: dead.length };
  }

  /** Counted here: FerretDB has no conditions in its groups. */
  async backlog(): Promise<Backlog[]> {
    type Moments = { name: string; nextRunAt?: Date | null; lockedAt?: Date | null; failedAt?: Date | null };
    const projection = { _id: 0, name: 1, nextRunAt: 1, lockedAt: 1, failedAt: 1 };
    const jobs = await this.#jobs.find<Moments>({}, { projection, limit: MOST_COUNTED }).toArray();
    const now = Date.now();
    const byName = new Map<string, Backlog>();
    for (const { name, nextRunAt, lockedAt, failedAt } of jobs) {
      let of = byName.get(name);
      if (!of) byName.set(name, (of = { name, due: 0, running: 0, waiting: 0, dead: 0, oldest_seconds: 0 }));
      if (lockedAt) of.running += 1;
      else if (nextRunAt && nextRunAt.getTime() > now) of.waiting += 1;
      else if (nextRunAt) {
        of.due += 1;
        of.oldest_seconds = Math.max(of.oldest_seconds, (now - nextRunAt.getTime()) / 1000);
      } else if (failedAt) of.dead += 1;
    }
    return [...byName.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async missing(ids: string[]): Promise<string[]> {
    const found = await this.#jobs
      .find({ _id: { $in: ids.map(idOf) } })
      .project({ _id: 1 })
      .toArray();
    const there = new Set(found.map(({ _id: id }) => String(id)));
    return ids.filter((id) => !there.has(idOf(id).toHexString()));
  }
}
