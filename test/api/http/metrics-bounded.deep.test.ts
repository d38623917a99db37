import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { Lease } from "../../../core/database/lease.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { send } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import { freePort } from "../../support/ports.ts";
import { startService, type TestService } from "../../support/service.ts";

const ORGANISATIONS = 1000;
/** Organisations that call; more than are shown. */
const CALLING = 25;
/** Series that no number of organisations can make, for each job: eleven of the node and of the queue, and its buckets once it ran. */
const PER_JOB = 50;

describe("the series of the metrics with a thousand organisations", () => {
  let service: TestService;
  let port: number;
  before(async () => {
    port = await freePort();
    service = await startService({ SERVICE_METRICS_PORT: String(port) });
    await service.sql.query(
      `with made as (insert into organisations (slug, name) select 'many-' || n, 'Many ' || n from generate_series(1, $1::int) n returning id),
         endpoints as (insert into webhook_endpoints (id, organisation_id, name, url, events, secret, enabled, failing_since)
           select gen_random_uuid(), id, 'Endpoint', 'https://example.com', '{company.created}', 'v1.00000000.x', i <> 2, case i when 3 then now() end
             from made, generate_series(1, 3) i returning id, organisation_id),
         mails as (insert into mails (id, organisation_id, kind, to_address, locale, variables, status, created_at)
           select gen_random_uuid(), id, 'reset-password', 'a@b.test', 'nl', '{}', s, now() - interval '10 minutes'
             from made, unnest('{queued,queued,sent,failed,kept}'::text[]) s)
       insert into webhook_deliveries (id, organisation_id, endpoint_id, event_id, event, entity_type, entity_id, payload,
           next_attempt_at)
         select gen_random_uuid(), organisation_id, id, gen_random_uuid(), 'company.created', 'company', gen_random_uuid(), '{}',
           now() + interval '1 day' from endpoints`,
      [ORGANISATIONS],
    );
    await service.sql.query(
      `insert into provider_troubles (provider, account, failures, last_failure, closed_until, paused_until)
       select 'beacon', n::text, n, 'timeout', case when n % 2 = 0 then now() + interval '1 hour' end, case n when 6 then now() + interval '1 hour' end
         from generate_series(1, 6) n`,
    );
    await service.sql.query("analyze");
  });
  after(() => service.stop());

  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const value = (text: string, name: string, labels = "") =>
    Number(text.match(new RegExp(`^kantoor_${name}\\{[^}]*${labels}[^}]*\\} (\\S+)$`, "m"))?.[1]);
  const seen = async (wanted: (text: string) => boolean) => {
    let text = "";
    await until(async () => {
      await delay(500);
      return wanted((text = await metrics()));
    });
    return text;
  };

  it("show the mails, deliveries, endpoints and providers of all of them, by state", async () => {
    const text = await seen((now) => value(now, "mails", 'state="queued"') === 2 * ORGANISATIONS);
    for (const state of ["sent", "failed", "kept"]) expect(value(text, "mails", `state="${state}"`)).to.equal(ORGANISATIONS);
    expect(value(text, "mails_age_seconds", 'state="queued"')).to.be.within(600, 1200);
    expect(value(text, "webhooks_waiting")).to.equal(3 * ORGANISATIONS);
    for (const state of ["working", "disabled", "failing"])
      expect(value(text, "webhooks_endpoints", `state="${state}"`)).to.equal(ORGANISATIONS);
    const troubles = ["counting", "open", "paused"].map((state) => value(text, "provider_troubles", `state="${state}"`));
    expect(troubles).to.deep.equal([3, 2, 1]);
    expect(value(text, "database_table_bytes", 'table="webhook_deliveries"')).to.be.above(100_000);
  });

  it("are no more for any number of organisations", async () => {
    for (let call = 1; call <= CALLING; call++)
      expect((await send(service.port, "GET", "/meta/tenant", { host: `many-${call}.kantoor.test` })).status).to.equal(200);
    const text = await seen((now) => now.includes("kantoor_organisation_busy_seconds{"));
    const series = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    const named = (name: string) => series.filter((line) => line.startsWith(`${name}{`));
    expect(named("kantoor_organisation_busy_seconds")).to.have.length(10);
    expect(named("kantoor_organisation_requests")).to.have.length(10);
    const others = series.filter((line) => !line.startsWith("kantoor_organisation_") && line.includes("many-"));
    expect(others).to.deep.equal([]);
    const { rows } = await service.sql.query("select count(*)::int as jobs from jobs.definitions");
    expect(series.length).to.be.below(rows[0].jobs * PER_JOB);
    expect(named("kantoor_database_table_bytes")).to.have.length(10);
  });

  it("are read by one node at a time, and exported by that one alone", async () => {
    await seen((text) => text.includes("kantoor_outbox_waiting{"));
    const other = new Lease("figures", "another-node", 60);
    expect(await other.take()).to.equal(false);
    await service.sql.query("update jobs.leases set ends_at = now() - interval '1 second' where name = 'figures'");
    expect(await other.take()).to.equal(true);
    const without = await seen((text) => !text.includes("kantoor_outbox_waiting{"));
    const shared = catalogue().built.flatMap(({ manifest }) =>
      (manifest.figures ?? []).flatMap(({ gauges }) => Object.values(gauges).map(([name]) => name.replaceAll(".", "_"))),
    );
    expect(shared).to.have.length.above(10);
    for (const name of shared) expect(without).not.to.match(new RegExp(`^${name}\\{`, "m"));
    expect(without).to.contain("kantoor_database_connections{");
    await other.release();
    await seen((text) => text.includes("kantoor_outbox_waiting{"));
  });

  it("cost no scan of a large table", async () => {
    const figures = catalogue().built.flatMap(({ manifest }) => manifest.figures ?? []);
    // What an SQL function reads shows only in the counts of the tables. Endpoints of webhooks are few, and counted in one pass.
    const scanned = async () => {
      await service.sql.query("select pg_stat_force_next_flush(), pg_stat_clear_snapshot()");
      const { rows } = await service.sql.query(
        `select relname, seq_scan::int as scans from pg_stat_user_tables
          where relname in ('mails', 'webhook_deliveries', 'outbox') order by 1`,
      );
      return rows;
    };
    const client = new pg.Client({ connectionString: service.database.application, options: "-c enable_seqscan=off" });
    await client.connect();
    try {
      const before = await scanned();
      for (const { sql } of figures) await client.query(sql);
      await client.query("select pg_stat_force_next_flush()");
      await client.query("select 1");
      expect(await scanned()).to.deep.equal(before);
    } finally {
      await client.end();
    }
  });
});
