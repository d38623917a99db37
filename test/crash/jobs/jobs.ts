import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readConfig } from "../../../core/config/config.ts";
import { closeDatabase, openDatabase } from "../../../core/database/connection/database.ts";
import { enqueue } from "../../../core/database/query.ts";
import type { Organisation } from "../../../core/declare/principal.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { queueMail } from "../../../core/mail/mail.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { statement } from "../../../core/sql/statement.ts";
import { roleOf } from "../../../migrations/run.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { prepareRuntime } from "../../../operator/boot.ts";
import { createOrganisation } from "../../../operator/organisations.ts";
import { KeyedWrites } from "../../simulators/keyed-writes.ts";
import { Mailbox, relayOf } from "../../support/mail/mailbox.ts";
import { startNats } from "../../support/nodes/nats.ts";
import { freePort } from "../../support/ports.ts";
import { launch, type Spawned } from "../../support/process.ts";
import { CrashDatabase, killing, rest } from "../database.ts";

export const VICTIMS = ["worker", "postgres", "nats"] as const;
export type Victim = (typeof VICTIMS)[number];

export interface Plan {
  victim: Victim;
  kills: number;
  jobs: number;
  mails: number;
}

/** The effects of a run. Lost: requested and never done. Doubled: done twice, or done without a request. */
export interface Counts extends Plan {
  lost: number;
  doubled: number;
  mailsLost: number;
  /** Unrequested mails; a mail is identified by its Message-ID. */
  mailsDoubled: number;
  /** Handed to the relay again under the same Message-ID, by a node that died before it could write down that they were sent. */
  mailsRepeated: number;
  /** Calls the provider answered from memory, because a run was repeated. */
  callsRepeated: number;
  /** Jobs, waiting places and events that were left, dead letters included. */
  stuck: number;
  seconds: number;
}

const NODE = path.join(import.meta.dirname, "node.ts");
const ASKED = statement("insert into crash_asked (n) values ($1)");
/** Work on its way at once: enough to be in the middle of something at every moment. */
const AHEAD = 120;
const ASKING = 4;

/** Everything of one run: PostgreSQL, NATS where it is the victim, the worker, and the target of the jobs' writes. */
class World {
  readonly provider = new KeyedWrites();
  readonly mailbox = new Mailbox();
  readonly database = new CrashDatabase();
  organisation!: Organisation;
  #environment: Record<string, string> = {};
  #worker: Spawned | null = null;
  #other: Spawned | null = null;
  #nats: Spawned | null = null;
  #natsPort = 0;

  async open(victim: Victim): Promise<void> {
    await this.database.open();
    const { server } = this.database;
    await this.database.asOwner(async (client) => {
      this.organisation = await createOrganisation(client, { slug: "crash", name: "Crash" });
      await client.query(
        `create table crash_asked (n int primary key); grant all on crash_asked to ${roleOf(server.url("application"))}`,
      );
    });
    await this.provider.start();
    await this.mailbox.start();
    if (victim === "nats") await this.#startNats();
    this.#environment = {
      SERVICE_DATABASE_URL: server.url("application"),
      SERVICE_SECRET: "a secret for the crash run that nobody else has, 0123456789",
      SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "fatal",
      SERVICE_JOBS_POLL_MS: "250",
      SERVICE_REQUEST_TIMEOUT_MS: "1000",
      SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
      CRASH_PROVIDER_URL: this.provider.origin,
      ...relayOf(this.mailbox),
      ...(victim === "nats" && { TRANSPORTER: `nats://127.0.0.1:${this.#natsPort}` }),
    };
    const config = readConfig(this.#environment);
    prepareRuntime(config);
    openDatabase({ ...config, databaseUrl: server.url("application") }, () => {});
    if (victim === "nats") this.#other = await this.#launch("names");
    this.#worker = await this.#launch("writer");
  }

  #launch(role: string): Promise<Spawned> {
    return launch([process.execPath, "--disable-warning=ExperimentalWarning", NODE, role], { environment: this.#environment });
  }

  async #startNats(): Promise<void> {
    // It starts again on the same port, which no other process may get meanwhile.
    this.#natsPort ||= await freePort();
    this.#nats = await startNats(this.#natsPort);
  }

  async kill(victim: Victim): Promise<void> {
    if (victim === "worker") {
      await this.#worker?.kill();
      this.#worker = await this.#launch("writer");
    } else if (victim === "postgres") {
      await this.database.kill();
    } else {
      await this.#nats?.kill();
      await delay(Math.random() * 1_000);
      await this.#startNats();
    }
  }

  /** The worker's output, for a run that went wrong. */
  get said(): string {
    return this.#worker?.output() ?? "";
  }

  async close(): Promise<void> {
    await this.#worker?.stop();
    await this.#other?.stop();
    await closeDatabase();
    await this.#nats?.stop();
    await this.provider.stop();
    await this.mailbox.stop();
    await this.database.close();
  }
}

const idsOf = (mailbox: Mailbox) => mailbox.delivered.map(({ mail }) => mail.messageId ?? "");

/** Requests work until each number is requested exactly once, through every failure of the database. */
async function ask(world: World, { jobs, mails, victim }: Plan): Promise<void> {
  let next = 0;
  const total = Math.max(jobs, mails);
  const isAsked = (n: number) =>
    world.database
      .asOwner(async (client) => (await client.query("select 1 from crash_asked where n = $1", [n])).rowCount === 1)
      .catch(() => false);
  const askFor = async (n: number) => {
    for (;;) {
      try {
        return await inTenancy(
          () => systemRequest("crash", world.organisation, "write"),
          async () => {
            enqueue(ASKED, [n]);
            if (n < jobs) schedule("crash.write", { n, asks: victim === "nats" }, n % 2 ? { key: `lane ${n % 10}` } : {});
            if (n < mails) await queueMail({ kind: "test", to: { address: `n${n}@example.test` } });
          },
        );
      } catch {
        // The commit may have come through although its answer did not.
        await delay(200);
        if (await isAsked(n)) return undefined;
      }
    }
  };
  const asker = async () => {
    while (next < total) {
      const n = next++;
      while (n > Math.max(world.provider.writes.size, 0) + AHEAD) await delay(20);
      await askFor(n);
    }
  };
  await Promise.all(Array.from({ length: ASKING }, asker));
}

/** Runs the jobs and mails of a plan while its victim is killed at random moments, and counts. */
export async function crash(plan: Plan): Promise<Counts> {
  const { victim, kills, jobs, mails } = plan;
  const world = new World();
  const began = Date.now();
  try {
    await world.open(victim);
    const { provider, mailbox } = world;
    const done = () => provider.writes.size + new Set(idsOf(mailbox)).size;
    await Promise.all([ask(world, plan), killing(kills, jobs + mails, done, () => world.kill(victim))]);
    const stuck = await rest(world.database);
    if (stuck !== 0) process.stderr.write(`${world.said.slice(-4000)}\n`);
    const queued = await world.database.asOwner(
      async (client) => (await client.query<{ id: string; status: string }>("select id, status from mails")).rows,
    );
    const reported = idsOf(mailbox);
    const arrived = new Set(reported.map((id) => id.replace(/^<|@.*$/g, "")));
    const named = (id: string) => [...arrived].some((name) => name.includes(id));
    return {
      ...plan,
      lost: jobs - provider.writes.size,
      doubled: provider.doubled.length + Math.max(0, provider.writes.size - jobs),
      mailsLost: queued.filter(({ id }) => !named(id)).length + (mails - queued.length),
      mailsDoubled: arrived.size - queued.filter(({ id }) => named(id)).length,
      mailsRepeated: reported.length - arrived.size,
      callsRepeated: [...provider.calls.values()].reduce((sum, calls) => sum + calls - 1, 0),
      stuck,
      seconds: Math.round((Date.now() - began) / 1000),
    };
  } finally {
    await world.close();
  }
}

/** One line for people. */
export const reported = (counts: Counts): string =>
  `${counts.victim.padEnd(8)} jobs ${counts.jobs}, mails ${counts.mails}, kills ${counts.kills}: lost ${counts.lost}, doubled ${counts.doubled}, ` +
  `mails lost ${counts.mailsLost}, doubled ${counts.mailsDoubled}, stuck ${counts.stuck}  ` +
  `(answered again ${counts.callsRepeated}, mailed again under the same Message-ID ${counts.mailsRepeated}; ${counts.seconds} s)`;

/** Whether everything was done, and nothing twice. */
export const isWhole = ({ lost, doubled, mailsLost, mailsDoubled, stuck }: Counts): boolean =>
  [lost, doubled, mailsLost, mailsDoubled, stuck].every((count) => count === 0);
