import { expect } from "chai";
import sinon from "sinon";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { endsBefore } from "../../support/effort.ts";
import { settled, until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("stops the node");

const runs: OrganisationRun[] = [];
let handle: (run: OrganisationRun) => Promise<unknown> = async () => {};
const handler = async (run: OrganisationRun) => {
  runs.push(run);
  await handle(run);
};
const about = "Does what the test says";

const proof = actor("proof.life", {
  actions: {},
  jobs: {
    "proof.short": { about, lock: 2_400, handler },
    "proof.long": { about, lock: 60_000, handler },
    "proof.single": { about, lock: 60_000, retry: { attempts: 1 }, handler },
    "proof.covered": { about, module: "domains", handler },
  },
});

const start = async (): Promise<[TestService, Tenant]> => {
  const service = await startService({ SERVICE_JOBS_POLL_MS: "150" }, [proof]);
  await jobsOf(service.node.broker).ready();
  return [service, await service.tenant()];
};
const ask = async ({ sql }: TestService, { organisation }: Tenant, name: string): Promise<string> => {
  const { rows } = await sql.query(
    "insert into outbox (id, organisation_id, job, payload) values (gen_random_uuid(), $1, $2, '{}') returning id",
    [organisation.id, name],
  );
  return rows[0].id;
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("the life of a job", () => {
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

  /** A job as a node leaves it that died `ago` ms after it took it. */
  const abandoned = (name: string, ago: number) =>
    service.sql.query(
      `insert into jobs.agenda_jobs (name, next_run_at, locked_at, last_run_at, data) select $1, now(), t, t,
         jsonb_build_object('id', gen_random_uuid(), 'organisation', $2::text, 'payload', '{}'::jsonb, 'due', now()) from (select now() - $3 * interval '1 ms' as t) x`,
      [name, tenant.organisation.id, ago],
    );

  it("whose node died runs again after its own lock time, not another job's", async () => {
    await abandoned("proof.short", 2_500);
    await abandoned("proof.long", 2_500);
    await until(() => runs.some(({ name }) => name === "proof.short"));
    await pause(400);
    expect(runs.map(({ name }) => name)).to.deep.equal(["proof.short"]);
    await service.sql.query("update jobs.agenda_jobs set locked_at = now() - interval '61 seconds' where name = 'proof.long'");
    await until(() => runs.some(({ name }) => name === "proof.long"));
    await settled(service);
  });

  it("that a schedule made and whose node died runs again, too", async () => {
    await service.sql.query("update jobs.workers set beat_at = null");
    await service.sql.query(
      "update jobs.agenda_jobs set next_run_at = now() + interval '1 minute', locked_at = now() - interval '31 seconds' where name = 'jobs.heartbeat'",
    );
    await until(async () => (await service.sql.query("select 1 from jobs.workers where beat_at is not null")).rowCount === 1);
  });

  it("that takes longer than its lock time keeps the lock and runs once", async () => {
    handle = () => pause(5_000);
    const id = await ask(service, tenant, "proof.short");
    await until(() => runs.length === 1);
    await pause(200);
    const { rows } = await service.sql.query("select next_run_at from jobs.agenda_jobs where id = $1", [id]);
    expect(rows[0].next_run_at, "one that is only unlocked is still due").to.not.equal(null);
    await settled(service);
    expect(runs.length).to.equal(1);
  });

  it("waits while its organisation is suspended, without counting an attempt, and runs when that is over", async () => {
    await service.sql.query("update organisations set status = 'suspended' where id = $1", [tenant.organisation.id]);
    const id = await ask(service, tenant, "proof.short");
    const row = async () => (await service.sql.query("select * from jobs.agenda_jobs where id = $1", [id])).rows[0];
    const waiting = await until(async () => {
      const found = await row();
      return found?.locked_at === null && Date.parse(found.next_run_at) > Date.now() + 600_000 ? found : null;
    });
    expect([waiting.fail_count ?? 0, runs.length]).to.deep.equal([0, 0]);
    await service.sql.query("update organisations set status = 'active' where id = $1", [tenant.organisation.id]);
    await service.sql.query("update jobs.agenda_jobs set next_run_at = now() where id = $1", [id]);
    await settled(service);
    expect(runs.map(({ attempt }) => attempt)).to.deep.equal([1]);
  });

  it("is dead after seven days of suspension", async () => {
    await service.sql.query("update organisations set status = 'suspended' where id = $1", [tenant.organisation.id]);
    const { rows } = await service.sql.query(
      `insert into jobs.agenda_jobs (name, next_run_at, data) values ('proof.short', now(), jsonb_build_object('id', gen_random_uuid(),
         'organisation', $1::text, 'payload', '{}'::jsonb, 'due', now() - interval '8 days')) returning id`,
      [tenant.organisation.id],
    );
    await until(
      async () =>
        (
          await service.sql.query(
            "select 1 from jobs.agenda_jobs where id = $1 and failed_at is not null and next_run_at is null",
            [rows[0].id],
          )
        ).rowCount === 1,
    );
    expect(runs.length).to.equal(0);
    await service.sql.query("update organisations set status = 'active' where id = $1", [tenant.organisation.id]);
  });

  it("waits while its module may not be written", async () => {
    await service.sql.query("insert into product_licences (module, expires_at) values ('domains', now() - interval '1 day')");
    const id = await ask(service, tenant, "proof.covered");
    await until(
      async () =>
        (
          await service.sql.query(
            "select 1 from jobs.agenda_jobs where id = $1 and next_run_at > now() + interval '10 minutes'",
            [id],
          )
        ).rowCount === 1,
    );
    expect(runs.length).to.equal(0);
    await service.sql.query("delete from product_licences");
    await service.sql.query("update jobs.agenda_jobs set next_run_at = now() where id = $1", [id]);
    await settled(service);
    expect(runs.length).to.equal(1);
  });

  it("ends silently with its organisation", async () => {
    const other = await service.tenant();
    await service.sql.query("update organisations set status = 'deleted' where id = $1", [other.organisation.id]);
    await ask(service, other, "proof.short");
    await settled(service);
    expect(runs.length).to.equal(0);
    expect(
      (await service.sql.query("select 1 from jobs.agenda_jobs where name = 'proof.short' and failed_at is null")).rowCount,
    ).to.equal(0);
  });
});

describe("a node that stops", () => {
  it("lets running jobs end, takes on no other, and leaves those for the next node", async () => {
    const [service, tenant] = await start();
    runs.length = 0;
    let ended = 0;
    const { promise: open, resolve: end } = Promise.withResolvers<void>();
    handle = async () => {
      await open;
      ended += 1;
    };
    for (let n = 0; n < 8; n++) await ask(service, tenant, "proof.long");
    await until(() => runs.length === 5);
    const stop = sinon.spy(jobsOf(service.node.broker), "stop");
    const stopping = service.node.stop();
    await until(() => stop.called);
    end();
    await stopping;
    expect([runs.length, ended], "five at once, and no sixth").to.deep.equal([5, 5]);
    const { rows } = await service.sql.query("select locked_at from jobs.agenda_jobs where name = 'proof.long'");
    expect(rows).to.deep.equal([{ locked_at: null }, { locked_at: null }, { locked_at: null }]);
    await service.stop();
  });

  it("gives back what does not end within ten seconds: its signal is aborted, no attempt is counted, the lock is gone", async function () {
    this.timeout(90_000);
    const [service, tenant] = await start();
    runs.length = 0;
    handle = () => new Promise(() => {});
    const id = await ask(service, tenant, "proof.single");
    await until(() => runs.length === 1);
    expect(runs[0]?.lastAttempt).to.equal(true);
    const began = Date.now();
    await endsBefore(40_000, service.node.stop());
    expect(Date.now() - began).to.be.at.least(9_500);
    expect(runs[0]?.signal.aborted).to.equal(true);
    expect(runs[0]?.lastAttempt, "it is not the end").to.equal(false);
    const { rows } = await service.sql.query(
      "select locked_at, fail_count, next_run_at <= now() as due from jobs.agenda_jobs where id = $1",
      [id],
    );
    expect([rows[0].locked_at, rows[0].fail_count ?? 0, rows[0].due]).to.deep.equal([null, 0, true]);
    await service.stop();
  });
});
