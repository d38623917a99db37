import { randomUUID } from "node:crypto";
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { fileBody } from "../../support/multipart.ts";
import { Journal, type Kind } from "./journal.ts";

/** The organisation that the clients work in. */
export interface Place {
  host: string;
  key: string;
  port: number;
}

interface Sent {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

interface Got {
  /** 0 if the connection broke. */
  status: number;
  text: string;
}

/** What a phase's requests were like. */
export interface Phase {
  name: string;
  requests: number;
  failed: number;
  /** Milliseconds of the slowest one. */
  slowest: number;
}

const LISTS = [
  "/companies?limit=25",
  "/companies?q=rarissima&limit=10",
  "/tasks?limit=25",
  "/tasks?status=open&limit=25",
  "/time/entries?limit=25",
];
/** Rows of an imported file. */
const IMPORTED = 5;
/** Longest pause between two requests of a client, in milliseconds. */
const PAUSE = 60;

const one = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)] as T;

/**
 * Clients that read, create, change and import through a proxy and repeat nothing: what does not succeed at once is a failure. Half of the
 * writes carry an `Idempotency-Key`.
 */
export class Clients {
  readonly journal = new Journal();
  readonly phases: Phase[] = [];
  readonly #place: Place;
  readonly #agent = new http.Agent({ keepAlive: true });
  #phase: Phase;
  #isOver = false;
  #working: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(place: Place) {
    this.#place = place;
    this.#phase = this.enter("before");
  }

  /** Counts the requests from now on under another name. */
  enter(name: string): Phase {
    this.#phase = { name, requests: 0, failed: 0, slowest: 0 };
    this.phases.push(this.#phase);
    return this.#phase;
  }

  start(count: number): void {
    this.#working = Promise.all(Array.from({ length: count }, (_, client) => this.#work(client)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
    this.#agent.destroy();
  }

  async #work(client: number): Promise<void> {
    const tasks: string[] = [];
    const acts: readonly (() => Promise<unknown>)[] = [
      () => this.#call("list", one(LISTS), 200),
      () => this.#call("list", one(LISTS), 200),
      () => this.#read(tasks),
      () => this.#create(client, tasks),
      () => this.#change(tasks),
      () => this.#log(client),
      ...(client % 4 === 0 ? [() => this.#import(client)] : []),
    ];
    while (!this.#isOver) {
      await one(acts)();
      await delay(Math.random() * PAUSE);
    }
  }

  async #read(tasks: readonly string[]): Promise<void> {
    const created = tasks.length > 0 ? this.journal.created.tasks.get(one(tasks)) : undefined;
    if (created) await this.#call("read", `/tasks/${created.id}`, 200);
  }

  async #create(client: number, tasks: string[]): Promise<void> {
    const title = `Upgrade ${client}-${++this.#count}`;
    const got = await this.#write("tasks", title, "/tasks", { title });
    if (!got) return;
    tasks.push(title);
    (this.journal.created.tasks.get(title) as { id?: string }).id = got["id"];
  }

  /** Changes one of the client's own tasks, which nobody else does. */
  async #change(tasks: readonly string[]): Promise<void> {
    const created = tasks.length > 0 ? this.journal.created.tasks.get(one(tasks)) : undefined;
    if (!created) return;
    const description = `Change ${++this.#count}`;
    created.unsure.push(description);
    if (!(await this.#call("change", `/tasks/${created.id}`, 200, { method: "PATCH", body: { description } }))) return;
    created.text = description;
    created.unsure.length = 0;
  }

  async #log(client: number): Promise<void> {
    const description = `Upgrade ${client}-${++this.#count}`;
    const day = String(1 + (this.#count % 28)).padStart(2, "0");
    await this.#write("time_entries", description, "/time/entries", {
      started_at: `2026-02-${day}T09:00:00Z`,
      minutes: 30,
      description,
    });
  }

  async #import(client: number): Promise<void> {
    const names = Array.from({ length: IMPORTED }, () => `Upgrade ${client}-${++this.#count}`);
    const created = names.map((name) => this.journal.begin("companies", name));
    const { body, headers } = fileBody(`name\n${names.join("\n")}\n`, "text/csv", "clients.csv");
    if (await this.#call("import", "/impex/company?dry_run=false", 200, { method: "POST", body, headers }))
      for (const row of created) row.state = "acknowledged";
  }

  async #write(kind: Kind, name: string, path: string, body: object): Promise<Record<string, string> | null> {
    const created = this.journal.begin(kind, name);
    const headers = Math.random() < 0.5 ? { "Idempotency-Key": randomUUID() } : undefined;
    const got = await this.#call(`create ${kind}`, path, 201, { method: "POST", body, ...(headers && { headers }) });
    if (!got) return null;
    created.state = "acknowledged";
    return JSON.parse(got.text) as Record<string, string>;
  }

  /** @returns null for every other status, which is a failure */
  async #call(act: string, path: string, status: number, sent: Sent = {}): Promise<Got | null> {
    const phase = this.#phase;
    const began = performance.now();
    const got = await this.#send(path, sent);
    phase.requests += 1;
    phase.slowest = Math.max(phase.slowest, Math.round(performance.now() - began));
    if (got.status === status) return got;
    phase.failed += 1;
    this.journal.failures.push({ phase: phase.name, act, status: got.status, text: got.text.slice(0, 200) });
    return null;
  }

  #send(path: string, { method = "GET", body, headers = {} }: Sent): Promise<Got> {
    const raw = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const all = {
      Host: this.#place.host,
      "X-API-Key": this.#place.key,
      ...(raw !== undefined && { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(raw)) }),
      ...headers,
    };
    const { port } = this.#place;
    return new Promise((resolve) => {
      const failed = (error: Error) => resolve({ status: 0, text: error.message });
      const request = http.request(
        { port, host: "127.0.0.1", method, path: `/api/v1${path}`, headers: all, agent: this.#agent },
        (response) => {
          let text = "";
          response
            .setEncoding("utf8")
            .on("data", (part: string) => (text += part))
            .once("end", () => resolve({ status: response.statusCode ?? 0, text }))
            .once("error", failed);
        },
      );
      request.once("error", failed).end(raw);
    });
  }
}
