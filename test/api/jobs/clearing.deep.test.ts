import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import sinon from "sinon";
import { type ClearingRun, clearOld } from "../../../core/clearing/clear.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { MOST_AT_ONCE } from "../../../core/sql/old-rows.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { oldDeliveries } from "../../../services/webhooks/deliveries/deliveries.due.ts";
import { fire, settled, strike } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

/** Rows of the last, smaller batch. */
const REST = 7;

/** Notes how many rows of which organisation each statement removes from a table, in order. */
const NOTE = (table: string): string => `
  create table if not exists removed (at bigint generated always as identity, relation text, organisation_id uuid, rows int);
  create or replace function note_removal() returns trigger language plpgsql security definer as $$ begin
    insert into removed (relation, organisation_id, rows) select tg_table_name, g.organisation_id, count(*) from gone g group by 1, 2;
    return null; end $$;
  create trigger noted_removal after delete on ${table} referencing old table as gone for each statement execute function note_removal()`;

describe("what jobs remove because it is old", () => {
  let service: TestService;
  let tenant: Tenant;
  let other: Tenant;
  before(async () => {
    service = await startService({ SERVICE_TRAIL_DAYS: "365", SERVICE_WEBHOOK_DELIVERIES_DAYS: "10" });
    await jobsOf(service.node.broker).ready();
    for (const table of ["webhook_deliveries", "idempotency_keys", "activity"]) await service.sql.query(NOTE(table));
  });
  after(() => service.stop());
  beforeEach(async () => {
    [tenant, other] = [await service.tenant(), await service.tenant()];
    await service.sql.query("truncate removed");
  });
  afterEach(() => sinon.restore());

  const deliver = ({ organisation }: Tenant, rows: number, days: number) =>
    service.sql.query(
      `insert into webhook_deliveries (id, organisation_id, endpoint_id, event_id, event, entity_type, entity_id, payload, status,
         next_attempt_at, created_at)
       select gen_random_uuid(), $1, $4, gen_random_uuid(), 'company.updated', 'company', gen_random_uuid(), '{}', 'delivered', null,
           now() - make_interval(days => $3) - n * interval '1 second' from generate_series(1, $2::int) n`,
      [organisation.id, rows, days, randomUUID()],
    );
  const shown = async ({ owner }: Tenant): Promise<number> => (await owner.get("/webhooks/deliveries?limit=1")).body.total;
  const removed = async (relation: string, { organisation }: Tenant): Promise<number[]> =>
    (
      await service.sql.query("select rows from removed where relation = $1 and organisation_id = $2 order by at", [
        relation,
        organisation.id,
      ])
    ).rows.map(({ rows }) => rows);
  /** A run of the job that clears deliveries, for the tests that interrupt it. */
  const runOf = ({ organisation }: Tenant, onBatch: (batch: number) => void): ClearingRun => {
    let batch = 0;
    return {
      id: randomUUID(),
      name: "webhooks.clear",
      signal: new AbortController().signal,
      logger: service.node.broker.getLogger("test"),
      organisation,
      write: (work) => {
        onBatch(++batch);
        return inTenancy(() => systemRequest("webhooks.clear", organisation, "write"), work);
      },
    };
  };

  it("goes in batches of a limited size, the rows of each organisation in turn, and the younger ones stay", async () => {
    await deliver(tenant, 2 * MOST_AT_ONCE + REST, 40);
    await deliver(tenant, 3, 9);
    await deliver(other, 2, 11);
    await fire(service, "webhooks.clear");
    expect(await removed("webhook_deliveries", tenant)).to.deep.equal([MOST_AT_ONCE, MOST_AT_ONCE, REST]);
    expect(await removed("webhook_deliveries", other)).to.deep.equal([2]);
    expect([await shown(tenant), await shown(other)]).to.deep.equal([3, 0]);
  });

  it("goes on at another turn when the time of one is over, after the work of other organisations", async () => {
    await deliver(tenant, MOST_AT_ONCE + REST, 40);
    const now = Date.now.bind(Date);
    const clock = sinon.stub(Date, "now").callsFake(now);
    const run = runOf(tenant, (batch) => void (batch === 1 && clock.callsFake(() => now() + 60_000)));
    expect(await clearOld(run, oldDeliveries)).to.equal(false);
    expect(await removed("webhook_deliveries", tenant)).to.deep.equal([MOST_AT_ONCE]);
    clock.restore();
    await settled(service);
    expect(await removed("webhook_deliveries", tenant)).to.deep.equal([MOST_AT_ONCE, REST]);
    expect(await shown(tenant)).to.equal(0);
  });

  it("loses nothing else when a job breaks off between two batches", async () => {
    await deliver(tenant, MOST_AT_ONCE + REST, 40);
    await deliver(tenant, 1, 1);
    const run = runOf(tenant, (batch) => {
      if (batch === 2) throw new Error("the node dies");
    });
    const broken = await clearOld(run, oldDeliveries).catch((error: Error) => error.message);
    expect([broken, await shown(tenant)]).to.deep.equal(["the node dies", REST + 1]);
    await fire(service, "webhooks.clear");
    expect([await removed("webhook_deliveries", tenant), await shown(tenant)]).to.deep.equal([[MOST_AT_ONCE, REST], 1]);
  });

  it("goes for all organisations at once where a function removes it, without waiting for a locked row", async () => {
    const key = ({ organisation }: Tenant, rows: number, hours: number) =>
      service.sql.query(
        `insert into idempotency_keys (organisation_id, principal_id, path, key, body_hash, created_at)
         select $1, $1, '/x', $3 || '-' || n, '', now() - make_interval(hours => $3::int) from generate_series(1, $2::int) n`,
        [organisation.id, rows, hours],
      );
    await key(tenant, MOST_AT_ONCE, 26);
    await key(other, REST, 25);
    await key(other, 2, 23);
    const busy = new pg.Client({ connectionString: service.database.owner });
    await busy.connect();
    await busy.query("begin");
    await busy.query("select 1 from idempotency_keys where organisation_id = $1 and key = '25-1' for update", [
      other.organisation.id,
    ]);
    await strike(service, "jobs.retention");
    expect([await removed("idempotency_keys", tenant), await removed("idempotency_keys", other)]).to.deep.equal([
      [MOST_AT_ONCE],
      [REST - 1],
    ]);
    await busy.query("rollback");
    await busy.end();
    await strike(service, "jobs.retention");
    expect(await removed("idempotency_keys", other)).to.deep.equal([REST - 1, 1]);
    const { rows } = await service.sql.query("select key from idempotency_keys where organisation_id = any($1) order by 1", [
      [tenant.organisation.id, other.organisation.id],
    ]);
    expect(rows.map(({ key }) => key)).to.deep.equal(["23-1", "23-2"]);
  });

  it("are lines of the trail only where the operator chose a time", async () => {
    const { id } = await tenant.company();
    await service.sql.query(
      `insert into activity (id, organisation_id, entity_type, entity_id, action, created_at)
       select (lpad(to_hex((extract(epoch from now() - interval '366 days') * 1000)::bigint), 12, '0') || substr(md5(n::text), 1, 20))::uuid,
           $1, 'company', $2, 'updated', now() - interval '366 days' from generate_series(1, $3::int) n`,
      [tenant.organisation.id, id, MOST_AT_ONCE + REST],
    );
    await fire(service, "activity.clear");
    expect(await removed("activity", tenant)).to.deep.equal([MOST_AT_ONCE, REST]);
    const lines = (await tenant.owner.get(`/activity?entity_type=company&entity_id=${id}`)).body;
    expect(lines.map(({ action }: { action: string }) => action)).to.deep.equal(["created"]);
  });
});
