import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { ChannelsSimulator } from "../simulators/channels.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { holdTimesOfDay, until } from "../support/jobs.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { makeTenant, type Tenant } from "../support/service.ts";

const ROOMS = 10;
/** Events for every room: at least, and at most until both nodes have had a part. */
const EVENTS = { least: 30, most: 300 };

/** Records which node took a delivery; a setting of its connections identifies a node. */
const OBSERVE = `
  create table proof_claims (delivery_id uuid, node text);
  create function proof_claim() returns trigger language plpgsql security definer as $$ begin
    insert into public.proof_claims values (new.id, current_setting('proof.node'));
    return null;
  end $$;
  create trigger proof_claim after update on notification_deliveries for each row
    when (new.status = 'sending' and old.status <> 'sending') execute function proof_claim();`;
const NOTIFY_ALL = `with reported as (
    insert into notification_events (id, organisation_id, event_type, entity_type, entity_id, payload)
    values (gen_random_uuid(), $1, 'task.overdue', 'task', $2, '{"title": "Letter"}') returning id)
  insert into notification_deliveries (organisation_id, way, channel_id, event_id, due_at)
  select $1, 'channel', c.id, reported.id, now() from reported, notification_channels c where c.organisation_id = $1`;
/** Two runs of one organisation at once: as when a live node is taken for dead. */
const RUN_TWICE = `insert into outbox (id, organisation_id, job, payload)
  select gen_random_uuid(), $1, 'notifications.deliver', '{}' from generate_series(1, 2)`;

describe("what leaves the service from two nodes (platform chapter §5.8)", function () {
  this.timeout(180_000);
  const provider = new ChannelsSimulator();
  let database: TestDatabase;
  let sql: pg.Client;
  let nodes: Spawned[] = [];
  let tenant: Tenant;
  before(async () => {
    await provider.start();
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdTimesOfDay(sql);
    await sql.query(OBSERVE);
    const start = (node: string) => {
      const address = new URL(database.application);
      address.searchParams.set("options", `-c proof.node=${node}`);
      return launchService({
        ...nodeSettings({ application: address.href }),
        SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.1",
        SERVICE_JOBS_POLL_MS: "200",
      });
    };
    nodes = await Promise.all([start("one"), start("two")]);
    tenant = await makeTenant(sql, () => nodes[0]?.port as number, "delivery");
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await sql?.end();
    await database?.drop();
    await provider.stop();
  });

  it("reaches each channel once, from any node", async () => {
    const { id: organisation } = tenant.organisation;
    const paths = Array.from({ length: ROOMS }, (_, n) => `/room/${n}`);
    for (const path of paths) {
      const made = await tenant.owner.post("/notifications/channels", {
        kind: "webhook",
        name: path,
        url: provider.origin + path,
      });
      expect(made.status, made.text).to.equal(201);
    }
    const takenBy = async () =>
      (await sql.query("select distinct node from proof_claims order by node")).rows.map(({ node }) => node);
    const reported: string[] = [];
    while (reported.length < EVENTS.least || (reported.length < EVENTS.most && (await takenBy()).length < 2)) {
      const entity = randomUUID();
      reported.push(entity);
      await sql.query(NOTIFY_ALL, [organisation, entity]);
      await sql.query(RUN_TWICE, [organisation]);
      // Time for the other node, however busy the machine.
      if (reported.length >= EVENTS.least) await delay(100);
    }
    await until(async () => {
      await sql.query("select schedule_due_deliveries()");
      const { rows } = await sql.query("select from notification_deliveries where status in ('pending', 'sending')");
      return rows.length === 0;
    }, 90_000);
    expect(await takenBy()).to.deep.equal(["one", "two"]);
    const { rows } = await sql.query("select delivery_id from proof_claims group by delivery_id having count(*) > 1");
    expect(rows, "taken twice").to.deep.equal([]);
    const ended = await sql.query("select status, attempts, count(*)::int as rows from notification_deliveries group by 1, 2");
    expect(ended.rows).to.deep.equal([{ status: "sent", attempts: 1, rows: reported.length * ROOMS }]);
    for (const path of paths) {
      const messages = provider.taken.filter((message) => message.path === path);
      const items = messages.flatMap(({ body }) => body["items"] as { entity_id: string }[]);
      expect(items.map(({ entity_id }) => entity_id).toSorted(), path).to.deep.equal(reported.toSorted());
      expect(new Set(messages.map(({ body }) => body["id"])).size, path).to.equal(messages.length);
    }
    expect(provider.complaints).to.deep.equal([]);
  });
});
