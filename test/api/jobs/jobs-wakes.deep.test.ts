import { Agenda } from "agenda";
import { expect } from "chai";
import pg from "pg";
import sinon from "sinon";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { settled, until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("stops the node");

const runs: { name: string; at: number; run: OrganisationRun }[] = [];
let handle: (run: OrganisationRun) => Promise<unknown> = async () => {};
const handler = async (run: OrganisationRun) => {
  runs.push({ name: run.name, at: Date.now(), run });
  await handle(run);
};
const about = "Does what the test says";
const retry = { attempts: 3, backoff: { first: 600, factor: 1 } };

const proof = actor("proof.wakes", {
  actions: {},
  jobs: {
    "proof.soon": { about, handler, retry },
    "proof.alone": { about, concurrency: 1, lock: 60_000, handler },
    "proof.lane": { about, retry: { attempts: 1 }, handler },
    "proof.many": { about, concurrency: 30, lock: 60_000, handler },
  },
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Puts jobs into the outbox in one transaction, each to run after so many ms. */
const ask = ({ sql }: TestService, { organisation }: Tenant, name: string, waits: readonly number[]) =>
  sql.query(
    `insert into outbox (id, organisation_id, job, payload, run_at)
     select gen_random_uuid(), $1, $2, '{}', now() + w * interval '1 ms' from unnest($3::int[]) w`,
    [organisation.id, name, waits],
  );

/** The signal to a node's relay that messages wait. */
const nudge = ({ sql }: TestService) =>
  sql.query("select pg_notify('kantoor_jobs', $1)", [JSON.stringify({ node: "", wakes: [], relay: true })]);

/** A connection that can block the service's statements. */
const blocker = async ({ database }: TestService): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: database.owner });
  await client.connect();
  await client.query("begin");
  return client;
};

/** @param look between two looks of the node at all jobs; a minute for what must not need one */
const start = async (look = "60000"): Promise<[TestService, Tenant]> => {
  runs.length = 0;
  handle = async () => {};
  const service = await startService({ SERVICE_JOBS_POLL_MS: look }, [proof]);
  await jobsOf(service.node.broker).ready();
  const tenant = await service.tenant();
  await settled(service);
  return [service, tenant];
};

describe("a job of the near future", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    [service, tenant] = await start();
  });
  after(() => service.stop());
  beforeEach(() => {
    runs.length = 0;
    handle = async () => {};
  });

  it("begins at its moment also behind others of its name, long before the next look", async () => {
    const began = Date.now();
    // The test does not wait for the last of them, and neither must the jobs before it.
    await ask(service, tenant, "proof.soon", [0, 700, 1_400, 55_000]);
    await nudge(service);
    await until(() => runs.length === 3);
    const after = runs.map(({ at }) => at - began);
    for (const [n, wait] of [0, 700, 1_400].entries()) expect(after[n], JSON.stringify(after)).to.be.at.least(wait - 5);
    await service.sql.query("delete from jobs.agenda_jobs where name = 'proof.soon'");
  });

  it("announced after an earlier one runs on time too", async () => {
    const began = Date.now();
    await ask(service, tenant, "proof.soon", [600]);
    await nudge(service);
    await pause(100);
    await ask(service, tenant, "proof.soon", [1_100]);
    await nudge(service);
    await until(() => runs.length === 2);
    expect((runs[1]?.at ?? 0) - began).to.be.at.least(1_100);
  });

  it("that is retried waits its own time, regardless of retries of the same name", async () => {
    let failures = 0;
    handle = async () => {
      failures += 1;
      if (failures === 2) await pause(400);
      if (failures <= 2) throw new Error("not yet");
    };
    await ask(service, tenant, "proof.soon", [0, 0]);
    await nudge(service);
    await until(() => runs.length === 4);
  });
});

describe("a database that is slow", () => {
  it("delays a job of which one runs at a time, and does not keep it and all others of its name from running", async () => {
    const [service, tenant] = await start();
    const blocking = await blocker(service);
    await blocking.query("lock table jobs.agenda_jobs in exclusive mode");
    await blocking.query(
      `insert into jobs.agenda_jobs (name, next_run_at, data) values ('proof.alone', now(), jsonb_build_object('id', gen_random_uuid(),
         'organisation', $1::text, 'payload', '{}'::jsonb, 'due', now()))`,
      [tenant.organisation.id],
    );
    await service.sql.query("select pg_notify('kantoor_jobs', $1)", [JSON.stringify({ node: "", wakes: [["proof.alone", 0]] })]);
    await pause(4_600);
    await blocking.query("commit");
    await blocking.end();
    await until(() => runs.length === 1);
    await ask(service, tenant, "proof.alone", [0]);
    await nudge(service);
    await until(() => runs.length === 2);
    await service.stop();
  });
});

describe("an ordered job", () => {
  it("that is dead lets the next of its ordered queue run, even if the database was away as it died", async () => {
    const [service, tenant] = await start("10000");
    let failures = 0;
    handle = async () => {
      if (failures++ === 0) throw new Error("no");
    };
    await service.sql.query("alter function jobs.finish(uuid, boolean, boolean) rename to finish_away");
    await service.sql.query(
      `insert into outbox (id, organisation_id, job, payload, key)
       select gen_random_uuid(), $1, 'proof.lane', '{}', 'one' from generate_series(1, 2)`,
      [tenant.organisation.id],
    );
    await nudge(service);
    await until(() => runs.length === 1);
    await pause(5_500);
    await service.sql.query("alter function jobs.finish_away(uuid, boolean, boolean) rename to finish");
    const ids = () => new Set(runs.map(({ run }) => run.id));
    await until(() => ids().size === 2);
    await service.stop();
  });
});

describe("a schedule", () => {
  it("is set later when the database does not take it at the start", async () => {
    const asking = sinon.stub(Agenda.prototype, "queryJobs").callThrough();
    asking.onFirstCall().rejects(new Error("the database is away"));
    try {
      const [service] = await start("10000");
      const clock = "select 1 from jobs.agenda_jobs where type = 'single' and name = 'jobs.heartbeat'";
      await until(async () => (await service.sql.query(clock)).rowCount === 1);
      await service.stop();
    } finally {
      asking.restore();
    }
  });
});

describe("a node that stops in the middle", () => {
  const rows = async ({ sql }: TestService) =>
    (await sql.query("select locked_at from jobs.agenda_jobs where name = 'proof.many'")).rows as { locked_at: unknown }[];

  it("writes down the end of every job, also when many end at once", async () => {
    const [service, tenant] = await start();
    let open: (value?: unknown) => void = () => {};
    const gate = new Promise((resolve) => (open = resolve));
    handle = () => gate;
    await ask(service, tenant, "proof.many", Array(30).fill(0));
    await nudge(service);
    await until(() => runs.length === 30);
    const stopping = service.node.stop();
    await pause(200);
    open();
    await stopping;
    expect(await rows(service)).to.deep.equal([]);
    await service.stop();
  });

  it("waits for a claimed job that has not begun, and starts none after its end", async () => {
    const [service, tenant] = await start();
    handle = () => pause(300);
    const blocking = await blocker(service);
    await blocking.query("lock table product_licences in access exclusive mode");
    await ask(service, tenant, "proof.many", [0, 0, 0]);
    await nudge(service);
    await until(async () => (await rows(service)).filter(({ locked_at: at }) => at !== null).length === 3);
    await pause(100);
    const stopping = service.node.stop().then(() => runs.length);
    await pause(700);
    await blocking.query("commit");
    await blocking.end();
    const begun = await stopping;
    await pause(500);
    expect(runs.length, "begun after the node had stopped").to.equal(begun);
    const left = await rows(service);
    expect(left.length).to.equal(3 - begun);
    expect(left.filter(({ locked_at: at }) => at !== null)).to.deep.equal([]);
    await service.stop();
  });
});
