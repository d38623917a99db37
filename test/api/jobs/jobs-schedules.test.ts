import { expect } from "chai";
import pg from "pg";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { settled, until } from "../../support/jobs.ts";
import { startService, type TestService } from "../../support/service.ts";

const ran: string[] = [];
const covered: string[] = [];
let installation = 0;
let handle: (run: OrganisationRun) => Promise<unknown> = async () => {};
const about = "Does what the test says";
const never = "0 0 1 1 *";

const proof = actor("proof.clock", {
  actions: {},
  jobs: {
    "proof.every": {
      about,
      schedule: never,
      everywhere: "a test",
      retry: { attempts: 2, backoff: { first: 10 } },
      async handler(run) {
        await handle(run);
        ran.push(run.organisation.slug);
      },
    },
    "proof.covered": {
      about,
      schedule: never,
      everywhere: "a test",
      module: "domains",
      handler: async (run) => covered.push(run.organisation.slug),
    },
    "proof.once": { about, schedule: never, per: "installation", handler: async () => installation++ },
    "proof.unwanted": { about, schedule: never, per: "installation", when: () => false, handler: async () => {} },
  },
});

const startWith = async (environment: Record<string, string>): Promise<TestService> => {
  const service = await startService({ ...environment }, [proof]);
  await jobsOf(service.node.broker).ready();
  return service;
};
/** The moment of a schedule comes now; every moment of these tests counts as another one. */
const begin = async ({ sql }: TestService, name: string): Promise<string> => {
  await sql.query("delete from jobs.occurrences");
  // The end of a run that is not over would write its next moment over this one.
  const fired = await until(async () => {
    const { rows } = await sql.query(
      "update jobs.agenda_jobs set next_run_at = now(), disabled = false where name = $1 and type = 'single' and locked_at is null returning id",
      [name],
    );
    return rows[0];
  });
  return fired.id;
};
/** Prevents automatic schedules for a day. */
const quiet = ({ sql }: TestService) =>
  until(async () => {
    await sql.query(
      "update jobs.agenda_jobs set next_run_at = now() + interval '1 day' where type = 'single' and locked_at is null",
    );
    return (await sql.query("select 1 from jobs.agenda_jobs where type = 'single' and locked_at is not null")).rowCount === 0;
  });
const fire = async (service: TestService, name: string) => {
  const id = await begin(service, name);
  const rested = "select 1 from jobs.agenda_jobs where id = $1 and next_run_at > now() and locked_at is null";
  await until(async () => (await service.sql.query(rested, [id])).rowCount === 1);
  await settled(service);
};
const makeOrganisations = (service: TestService, count: number) =>
  service.sql.query("insert into organisations (slug, name) select 'o' || n, 'O ' || n from generate_series(1, $1) n", [count]);

describe("a job with a schedule", () => {
  let service: TestService;
  before(async () => {
    service = await startWith({});
    await makeOrganisations(service, 8);
  });
  after(() => service.stop());
  beforeEach(() => {
    for (const list of [ran, covered]) list.length = 0;
    handle = async () => {};
  });

  it("runs once for every active organisation, and not for one that is suspended or deleted", async () => {
    await service.sql.query("update organisations set status = 'suspended' where slug = 'o2'");
    await service.sql.query("update organisations set status = 'deleted' where slug = 'o3'");
    await fire(service, "proof.every");
    expect(ran.toSorted()).to.deep.equal(["o1", "o4", "o5", "o6", "o7", "o8"]);
    await service.sql.query("update organisations set status = 'active'");
  });

  it("made by two nodes at one moment is made once", async () => {
    const ids = (await service.sql.query("select array_agg(id) as ids from organisations")).rows[0].ids;
    const due = "2030-01-01T00:00:00Z";
    const clients = [1, 2, 3].map(() => new pg.Client({ connectionString: service.database.owner }));
    await Promise.all(clients.map((client) => client.connect()));
    const make = "select jsonb_array_length(jobs.fan_out('proof.nowhere', $1, $2, false)) as made";
    const made = await Promise.all(clients.map(async (client) => (await client.query(make, [due, ids])).rows[0].made));
    await Promise.all(clients.map((client) => client.end()));
    expect(made.toSorted()).to.deep.equal([0, 0, 8]);
  });

  it("begins at its moment where there are few organisations, and those of many within its spread, each at its own time", async () => {
    const { sql } = service;
    /** Seconds from the moment to the start of each organisation's job. */
    const starts = async (occurrence: string) => {
      const { rows } = await sql.query(
        `select j -> 'data' ->> 'organisation' as id, extract(epoch from (j ->> 'due')::timestamptz - now())::float8 as seconds
           from jsonb_array_elements(jobs.fan_out_due('proof.spread', $1, null, '{}', 30, false)) j`,
        [occurrence],
      );
      return new Map<string, number>(rows.map(({ id, seconds }) => [id, seconds]));
    };
    await sql.query("begin");
    try {
      expect([...new Set((await starts("2030-01-01")).values())]).to.deep.equal([0]);
      await sql.query("insert into organisations (slug, name) select 'many' || n, 'Many' from generate_series(1, 192) n");
      const spread = await starts("2030-01-02");
      expect([...spread.values()].every((seconds) => seconds >= 0 && seconds < 1800)).to.equal(true);
      const tenths = Map.groupBy(spread.values(), (seconds) => Math.floor(seconds / 180));
      expect(tenths.size).to.equal(10);
      for (const [tenth, { length }] of tenths) expect(length, `of 200 in tenth ${tenth}`).to.be.within(5, 45);
      expect(await starts("2030-01-03"), "the same every day").to.deep.equal(spread);
    } finally {
      await sql.query("rollback");
    }
  });

  it("is not made for an organisation whose last one has not ended", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    handle = (run) => (run.organisation.slug === "o1" ? released : Promise.resolve());
    await begin(service, "proof.every");
    await until(() => ran.length === 7);
    await begin(service, "proof.every");
    await until(() => ran.length === 14);
    release();
    await settled(service);
    expect(ran.filter((slug) => slug === "o1")).to.deep.equal(["o1"]);
  });

  it("that fails in one organisation runs in the others", async () => {
    handle = async (run) => {
      if (run.organisation.slug === "o4") throw new Error("no");
    };
    await fire(service, "proof.every");
    expect(ran.toSorted()).to.deep.equal(["o1", "o2", "o3", "o5", "o6", "o7", "o8"]);
  });

  it("per installation runs once, outside of any organisation", async () => {
    await fire(service, "proof.once");
    expect(installation).to.equal(1);
  });

  it("that this installation does not need is not there", async () => {
    expect((await service.sql.query("select 1 from jobs.agenda_jobs where name = 'proof.unwanted'")).rowCount).to.equal(0);
  });

  it("has the organisation's date, whatever the server's", async () => {
    await service.sql.query("update organisations set timezone = 'Pacific/Kiritimati' where slug = 'o1'");
    await service.sql.query("update organisations set timezone = 'Pacific/Pago_Pago' where slug = 'o2'");
    const dates: Record<string, string> = {};
    handle = async (run) => (dates[run.organisation.slug] = run.today());
    await fire(service, "proof.every");
    expect(Date.parse(dates["o1"] as string) - Date.parse(dates["o2"] as string), "25 hours apart").to.be.at.least(86_400_000);
  });

  it("skips organisations whose module may not be written", async () => {
    await fire(service, "proof.covered");
    expect(covered.length, "in the trial everything may").to.equal(8);
    await service.sql.query("insert into product_licences (module, expires_at) values ('domains', now() - interval '1 day')");
    covered.length = 0;
    await fire(service, "proof.covered");
    expect(covered).to.deep.equal([]);
    await service.sql.query("delete from product_licences");
  });

  it("that came due while nothing ran is run at the next start, and a changed schedule replaces the old one", async () => {
    const { rows } = await service.sql.query(
      "select repeat_interval, repeat_timezone from jobs.agenda_jobs where name = 'proof.every' and type = 'single'",
    );
    expect(rows).to.deep.equal([{ repeat_interval: never, repeat_timezone: "UTC" }]);
  });

  it("with one slow organisation and 200 fast ones delays no fast one", async () => {
    await service.sql.query("insert into organisations (slug, name) select 'fast' || n, 'F' from generate_series(1, 193) n");
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    handle = (run) => (run.organisation.slug === "o1" ? released : Promise.resolve());
    await begin(service, "proof.every");
    await until(() => ran.length === 200);
    expect(ran).to.not.include("o1");
    release();
    await settled(service);
  });
});

describe("a job with a schedule, hosted", () => {
  let service: TestService;
  before(async () => {
    service = await startWith({ SERVICE_POSTURE: "hosted" });
    await makeOrganisations(service, 5);
    ran.length = 0;
    handle = async () => {};
  });
  after(() => service.stop());

  it("skips organisations whose plan has lapsed", async () => {
    await service.sql.query("update organisations set plan = 'none' where slug = 'o1'");
    await service.sql.query("update organisations set plan_ends_at = now() - interval '1 hour' where slug = 'o2'");
    await service.sql.query("update organisations set plan = 'standard' where slug = 'o3'");
    await fire(service, "proof.every");
    expect(ran.toSorted()).to.deep.equal(["o3", "o4", "o5"]);
  });

  it("ends trials whose time is up, at 03:30", async () => {
    const { rows } = await service.sql.query("select repeat_interval from jobs.agenda_jobs where name = 'jobs.trial-expiry'");
    expect(rows).to.deep.equal([{ repeat_interval: "30 3 * * *" }]);
    await fire(service, "jobs.trial-expiry");
    const plans = await service.sql.query("select slug, plan from organisations order by slug");
    expect(plans.rows.map(({ slug, plan }) => `${slug} ${plan}`)).to.deep.equal([
      "o1 none",
      "o2 none",
      "o3 standard",
      "o4 trial",
      "o5 trial",
    ]);
  });
});

describe("the platform's own jobs", () => {
  let service: TestService;
  before(async () => {
    service = await startWith({});
    await makeOrganisations(service, 1);
  });
  after(() => service.stop());

  it("are on the clock of conventions §20", async () => {
    const { rows } = await service.sql.query(
      "select name, repeat_interval as at from jobs.agenda_jobs where type = 'single' and name like 'jobs.%' order by name",
    );
    expect(rows).to.deep.equal([
      { name: "jobs.acts", at: "* * * * *" },
      { name: "jobs.counts", at: "* * * * *" },
      { name: "jobs.heartbeat", at: "* * * * *" },
      { name: "jobs.retention", at: "45 3 * * *" },
    ]);
  });

  it("show in system/info that jobs run: a heartbeat counts for 180 seconds", async () => {
    const tenant = await service.tenant();
    const worker = async () => (await tenant.owner.get("/system/info")).body.worker;
    await quiet(service);
    await service.sql.query("update jobs.workers set beat_at = null");
    expect((await worker()).status).to.equal("down");
    const began = Date.now();
    await fire(service, "jobs.heartbeat");
    await quiet(service);
    const alive = await worker();
    expect(alive).to.include({ status: "ok", queue_depth: 0 });
    expect(Date.parse(alive.last_seen_at)).to.be.within(began, Date.now());
    await service.sql.query(
      "update jobs.workers set beat_at = now() - interval '181 seconds', seen_at = now() - interval '181 seconds'",
    );
    expect((await worker()).status).to.equal("down");
  });

  it("remove remembered answers after 24 hours, ended sessions after a day, dead letters after 30", async () => {
    const tenant = await service.tenant();
    const { accountId } = tenant.owner;
    const { id } = tenant.organisation;
    await service.sql.query(
      `insert into sessions (organisation_id, account_id, token_hash, expires_at, ended_at) values
        ($1, $2, 'a', now() + interval '1 day', now() - interval '25 hours'), ($1, $2, 'b', now() + interval '1 day', now() - interval '1 hour'),
        ($1, $2, 'c', now() - interval '25 hours', null), ($1, $2, 'd', now() + interval '1 day', null)`,
      [id, accountId],
    );
    await service.sql.query(
      `insert into idempotency_keys (organisation_id, principal_id, path, key, body_hash, created_at) values
        ($1, $2, '/x', 'old', '', now() - interval '25 hours'), ($1, $2, '/x', 'new', '', now() - interval '23 hours')`,
      [id, accountId],
    );
    await service.sql.query(
      `insert into jobs.agenda_jobs (name, next_run_at, failed_at) values
        ('x', null, now() - interval '31 days'), ('x', null, now() - interval '29 days'), ('x', now() + interval '40 days', null)`,
    );
    await begin(service, "jobs.retention");
    await begin(service, "access.clear");
    await until(async () => (await service.sql.query("select 1 from idempotency_keys")).rowCount === 1);
    await until(async () => (await service.sql.query("select 1 from sessions where length(token_hash) = 1")).rowCount === 2);
    expect(
      (
        await service.sql.query(
          "select convert_from(token_hash, 'UTF8') as t from sessions where length(token_hash) = 1 order by 1",
        )
      ).rows,
    ).to.deep.equal([{ t: "b" }, { t: "d" }]);
    await until(async () => (await service.sql.query("select 1 from jobs.agenda_jobs where name = 'x'")).rowCount === 2);
  });

  it("grant a permission that ships later once, to the system roles that default to it, and never again", async () => {
    const tenant = await service.tenant();
    const grants = async () =>
      (
        await service.sql.query("select key, permissions from roles where organisation_id = $1 and is_system", [
          tenant.organisation.id,
        ])
      ).rows;
    const take = "update roles set permissions = array_remove(permissions, 'companies.company.read') where organisation_id = $1";
    const ship = "select jobs.ship_permissions($1, $2) as new";
    const { permissions, systemRoles } = await import("../../../core/declare/permissions.ts");
    const values = [
      permissions().map(({ key }) => key),
      JSON.stringify(Object.fromEntries(systemRoles().map(({ key, grants: g }) => [key, g]))),
    ];
    await service.sql.query(take, [tenant.organisation.id]);
    expect((await service.sql.query(ship, values)).rows[0].new, "known at the first start").to.deep.equal([]);
    await service.sql.query("delete from jobs.shipped_permissions where permission = 'companies.company.read'");
    expect((await service.sql.query(ship, values)).rows[0].new).to.deep.equal(["companies.company.read"]);
    const holders = (await grants())
      .filter(({ permissions: held }) => held.includes("companies.company.read"))
      .map(({ key }) => key);
    expect(holders.toSorted()).to.deep.equal(
      systemRoles()
        .filter(({ grants: g }) => g.includes("companies.company.read"))
        .map(({ key }) => key)
        .toSorted(),
    );
    await service.sql.query(take, [tenant.organisation.id]);
    await service.sql.query(ship, values);
    expect(
      (await grants()).some(({ permissions: held }) => held.includes("companies.company.read")),
      "unticked stays unticked",
    ).to.equal(false);
  });
});
