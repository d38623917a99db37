import { EventEmitter } from "node:events";
import type { JobId, JobNotification, NotificationChannel, NotificationChannelState, NotificationHandler } from "agenda";
import pg from "pg";
import { PURPOSE } from "../database/connection/connections.ts";
import { queryUnbound } from "../database/connection/database.ts";
import { statement } from "../sql/statement.ts";
import type { QueuedJob } from "./store.ts";

const CHANNEL = "kantoor_jobs";
const NOTIFY = statement("select pg_notify($1, $2)");
const RECONNECT = 1_000;
const CONNECT = 10_000;
/** After a timer, in ms, for which further ones share the search for later times: it costs as much as ten claims. */
const SHARED_SEARCH = 50;
/** PostgreSQL limits a message to less than 8000 bytes; polling finds the names beyond this. */
const MOST_NAMES = 100;

/** A job name and the instant, in ms, from which a job of it may run; `wakes` in the message between nodes. */
export type Notice = readonly [name: string, due: number];

/** Per job name: the earliest due job and the earliest upcoming one; when its timer fires, we look for the next. `now` is in ms. */
export function noticesOf(jobs: readonly Pick<QueuedJob, "name" | "due">[], now: number): Notice[] {
  const [came, comes] = [new Map<string, number>(), new Map<string, number>()];
  for (const { name, due } of jobs) {
    const moment = Date.parse(due);
    const first = moment <= now ? came : comes;
    first.set(name, Math.min(first.get(name) ?? moment, moment));
  }
  return [...came, ...comes];
}

/** Sent after a commit, by a process without jobs of its own, when the outbox may hold work. */
export const leftWork: pg.QueryConfig = {
  text: NOTIFY.text,
  values: [CHANNEL, JSON.stringify({ node: "", wakes: [], relay: true })],
};

/**
 * Notifies the workers of every node of due jobs. Only a hint: polling finds what a lost message missed. Agenda's own channel gives up when
 * PostgreSQL restarts, and sends a message each time a job runs.
 */
export class Channel extends EventEmitter implements NotificationChannel {
  readonly #node: string;
  readonly #url: string;
  readonly #within: number;
  readonly #onTrouble: (error: Error) => void;
  readonly #handlers = new Set<NotificationHandler>();
  readonly #timers = new Map<string, { due: number; timer: NodeJS.Timeout }>();
  #client: pg.Client | null = null;
  #reconnect: NodeJS.Timeout | null = null;
  #search: NodeJS.Timeout | null = null;
  #open = false;

  /** @param within how far ahead, in ms, a job gets a timer; polling finds later ones */
  constructor(node: string, url: string, within: number, onTrouble: (error: Error) => void) {
    super();
    this.#node = node;
    this.#url = url;
    this.#within = within;
    this.#onTrouble = onTrouble;
  }

  get state(): NotificationChannelState {
    return this.#open ? "connected" : "disconnected";
  }

  async connect(): Promise<void> {
    this.#open = true;
    await this.#listen();
  }

  async #listen(): Promise<void> {
    if (!this.#open) return;
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: PURPOSE.listener,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT,
    });
    // A server that goes down ends the connection, with or without an error.
    const lost = (error?: Error) => {
      if (this.#client !== client && this.#client !== null) return;
      this.#client = null;
      client.removeAllListeners("end");
      client.end().catch(() => {});
      if (!this.#open || this.#reconnect) return;
      if (error) this.#onTrouble(error);
      this.#reconnect = setTimeout(() => {
        this.#reconnect = null;
        void this.#listen();
      }, RECONNECT).unref();
    };
    client.on("error", lost);
    client.once("end", () => lost());
    client.on("notification", ({ payload }) => this.#received(payload ?? ""));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      if (this.#open) this.#client = client;
      else await client.end();
    } catch (error) {
      lost(error as Error);
    }
  }

  #received(payload: string): void {
    const message = JSON.parse(payload) as { node: string; wakes: Notice[]; said?: number; relay?: boolean };
    if (message.relay) this.emit("left");
    if (message.node !== this.#node) this.notifyAll(message.wakes, message.said ?? 0);
  }

  async disconnect(): Promise<void> {
    this.#open = false;
    for (const timer of [this.#reconnect, this.#search]) if (timer) clearTimeout(timer);
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    const client = this.#client;
    this.#client = null;
    client?.removeAllListeners();
    client?.on("error", () => {});
    await client?.end().catch(() => {});
  }

  subscribe(handler: NotificationHandler): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Triggers a search for jobs of one name on this node: now, or at `due` if that is near. A name has one timer, for its earliest time. */
  notify(name: string, due = 0): void {
    const wait = due - Date.now();
    if (wait <= 0) {
      this.#notify(name);
      return;
    }
    const waiting = this.#timers.get(name);
    if (wait > this.#within || (waiting && waiting.due <= due)) return;
    if (waiting) clearTimeout(waiting.timer);
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      this.#notify(name);
      // Times later than this one had no timer.
      this.#searchSoon();
    }, wait + 1).unref();
    this.#timers.set(name, { due, timer });
  }

  /**
   * Calls `notify` for several names. If a time was upcoming when the message was built, at `said` ms, but has passed by now, its timer
   * would have triggered a search for later ones; that search runs now.
   */
  notifyAll(notices: readonly Notice[], said: number): void {
    const isLate = notices.some(([, due]) => said > 0 && due > said && due <= Date.now());
    for (const [name, due] of notices) this.notify(name, due);
    if (isLate) this.#searchSoon();
  }

  #searchSoon(): void {
    this.#search ??= setTimeout(() => {
      this.#search = null;
      this.emit("due");
    }, SHARED_SEARCH).unref();
  }

  #notify(jobName: string): void {
    this.emit("notified", jobName);
    this.room(jobName);
  }

  /** Starts jobs of a name that this node already knows of, now that a slot is free; does not announce new ones. */
  room(jobName: string): void {
    const notification = { jobId: "" as JobId, jobName, nextRunAt: null, priority: 0, timestamp: new Date() };
    for (const handler of this.#handlers) void handler(notification);
  }

  /** Notifies this node and the others, in one message. @param said when, in ms, due times were separated from upcoming ones */
  async announce(notices: readonly Notice[], said = 0): Promise<void> {
    if (notices.length === 0) return;
    this.notifyAll(notices, said);
    await queryUnbound(NOTIFY, [CHANNEL, JSON.stringify({ node: this.#node, wakes: notices.slice(0, MOST_NAMES), said })]);
  }

  /** Agenda's own notification, used by its dashboard. */
  async publish({ jobName, nextRunAt }: JobNotification): Promise<void> {
    await this.announce([[jobName, nextRunAt?.getTime() ?? 0]]);
  }
}
