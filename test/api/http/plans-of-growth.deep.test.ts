import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { GrowthWatch } from "../../../core/database/connection/growth.ts";
import { until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const CHANGES = 30;

describe("the plans of a table that grows from nothing", () => {
  let service: TestService;
  let tenant: Tenant;
  let pool: pg.Pool;
  before(async () => {
    service = await startService({ SERVICE_DATABASE_POOL: "2" });
    await service.sql.query("alter table notifications set (autovacuum_enabled = false)");
    tenant = await service.tenant();
    pool = new pg.Pool({ connectionString: service.database.application, max: 1 });
  });
  after(async () => {
    await pool.end();
    await service.stop();
  });

  const scans = async () => {
    const { rows } = await service.sql.query(
      "select seq_scan::int as whole, coalesce(idx_scan, 0)::int as by_index from pg_stat_user_tables where relname = 'notifications'",
    );
    return rows[0] as { whole: number; by_index: number };
  };

  /** The figures once PostgreSQL has taken them from its backends: at least so many scans, and no more since the look before. */
  const settled = async (most = 0) => {
    for (let known = -1; ; ) {
      const now = await scans();
      const all = now.whole + now.by_index;
      if (all === known && all >= most) return now;
      known = all;
      await delay(1500);
    }
  };

  it("are made again, so that a write does not scan the inboxes of all", async () => {
    const colleague = await tenant.member("admin");
    const project = await tenant.owner.post("/projects", { name: "Grows" });
    const task = await tenant.owner.post("/tasks", {
      title: "Moves",
      project_id: project.body.id,
      assignees: [{ user_id: colleague.accountId, is_primary: true }],
    });
    expect(task.status, task.text).to.equal(201);
    const move = async (times: number) => {
      for (let time = 0; time < times; time++) {
        const status = time % 2 === 0 ? "in_progress" : "open";
        const { status: answered, text } = await tenant.owner.patch(`/tasks/${task.body.id}`, { status });
        expect(answered, text).to.equal(200);
      }
    };
    const watch = new GrowthWatch(pool);
    await watch.look();
    await move(8);
    // PostgreSQL plans again now, for a table of one page.
    await service.sql.query("analyze notifications");
    await move(2);
    await service.sql.query(
      `insert into notifications (organisation_id, account_id, event_id, event_type, entity_type, entity_id, read_at, visible_at)
       select n.organisation_id, n.account_id, n.event_id, n.event_type, n.entity_type, n.entity_id, now(), now()
       from (select * from notifications limit 1) n cross join generate_series(1, 20000)`,
    );
    // PostgreSQL counts rows of a transaction up to ten seconds after it.
    await service.sql.query("select pg_stat_force_next_flush()");
    expect(await watch.look()).to.equal(true);
    // Other tables may grow meanwhile; then a look finds nothing new.
    await until(async () => !(await watch.look()));
    await move(2);
    const before = await settled();
    await move(CHANGES);
    const after = await settled(before.whole + before.by_index + CHANGES);
    // Jobs of the service look at the table now and then; by the old plan each change scans it twice.
    expect(after.whole - before.whole).to.be.below(CHANGES / 2);
  });

  it("are the only ones that are made again", async () => {
    await service.sql.query("alter table outbox set (autovacuum_enabled = false)");
    const client = new pg.Client({ connectionString: service.database.application });
    await client.connect();
    const planOf = async (name: string): Promise<string> => {
      const { rows } = await client.query(`explain (costs off) execute ${name}(0)`);
      return rows.map((row) => row["QUERY PLAN"]).join(" ");
    };
    // A plan that is kept scans: the setting counts only for one that is made again.
    await client.query("set plan_cache_mode = force_generic_plan; set enable_indexscan = off; set enable_bitmapscan = off");
    await client.query("prepare of_grown(bigint) as select id from outbox where seq = $1");
    await client.query("prepare of_other(bigint) as select id from webhook_deliveries where seq = $1");
    for (const name of ["of_grown", "of_other"]) expect(await planOf(name)).to.include("Seq Scan");
    await client.query("reset enable_indexscan; set enable_seqscan = off");
    for (const name of ["of_grown", "of_other"]) expect(await planOf(name)).to.include("Seq Scan");
    const watch = new GrowthWatch(pool);
    await watch.look();
    await service.sql.query(
      `insert into outbox (id, organisation_id, event, entity_type, entity_id, payload, relayed_at)
       select gen_random_uuid(), $1, 'task.created', 'task', gen_random_uuid(), '{}', now() from generate_series(1, 20000)`,
      [tenant.organisation.id],
    );
    await service.sql.query("select pg_stat_force_next_flush()");
    expect(await watch.look()).to.equal(true);
    const [grown, other] = [await planOf("of_grown"), await planOf("of_other")];
    await service.sql.query("delete from outbox where relayed_at is not null");
    await client.end();
    expect(grown).to.include("Index").and.not.include("Seq Scan");
    expect(other).to.include("Seq Scan");
  });

  it("are outgrown by PostgreSQL's own counts of rows, before it analyses the table", async () => {
    await service.sql.query("create table grown (id int) with (autovacuum_enabled = false)");
    const { rows } = await service.sql.query("select 'grown'::regclass::oid::int8::text as id");
    const ofGrown = {
      async query(text: string, values: unknown[] = []) {
        const found = await pool.query<{ id: string }>(text, values);
        return { ...found, rows: found.rows.filter(({ id }) => id === rows[0].id) };
      },
    };
    const watch = new GrowthWatch(ofGrown as unknown as pg.Pool);
    const looked = async (added: number) => {
      await service.sql.query("insert into grown select generate_series(1, $1::int)", [added]);
      await service.sql.query("select pg_stat_force_next_flush()");
      return watch.look();
    };
    expect(await watch.look()).to.equal(false);
    expect([await looked(10), await looked(20_000), await looked(10)]).to.deep.equal([false, true, false]);
    await service.sql.query("drop table grown");
  });
});
