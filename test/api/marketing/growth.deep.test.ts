import { expect } from "chai";
import type { Tenant } from "../../support/service.ts";
import { type StoredWorld, storedWorld } from "./stored-world.ts";

/** Before a release 200 clients and 1095 days, whose times are printed: `MARKETING_GROWTH="200 1095"`. */
const [CLIENTS, DAYS] = (process.env["MARKETING_GROWTH"] ?? "50 400").split(" ").map(Number) as [number, number];
const IS_MEASURED = process.env["MARKETING_GROWTH"] !== undefined;
const PATHS = ["overview?sort=-sessions", "overview?period=365d", "summary?limit=20", "clients?limit=500"];

describe("stored figures of many clients", function () {
  this.timeout(300_000);
  let world: StoredWorld;
  before(async () => {
    world = await storedWorld("2026-08-10");
  });
  after(() => world.stop());

  /** An organisation with so many clients, each with all five sources. @returns a client of it */
  async function filled(clients: number, days: number): Promise<{ tenant: Tenant; company: string }> {
    const tenant = await world.tenant();
    const { id: organisation } = tenant.organisation;
    const { rows } = await world.sql.query(
      `insert into companies (organisation_id, id, name)
       select $1, gen_random_uuid(), 'Client ' || n from generate_series(1, $2) n returning id`,
      [organisation, clients],
    );
    await world.sql.query(
      `insert into marketing_links (id, organisation_id, company_id, source, external_id, display_name, last_synced_at, read_days)
       select gen_random_uuid(), c.organisation_id, c.id, s, s || c.id, s, now(), '{[2020-01-01,2027-01-01)}' from companies c, unnest(array['ga4','gsc','gads','seranking','rankmath']) s
        where c.organisation_id = $1`,
      [organisation],
    );
    await world.sql.query(
      `insert into marketing_days (organisation_id, link_id, company_id, source, day, metrics)
       select l.organisation_id, l.id, l.company_id, l.source, d::date,
         '{"sessions": 10, "clicks": 3, "impressions": 40, "position": 7.5, "cost": 1.25, "keyEvents": 2, "top3": 4}'
       from generate_series('2026-08-09'::date - $2::int, '2026-08-09'::date, '1 day') d, marketing_links l where l.organisation_id = $1
       order by d, l.id`,
      [organisation, days],
    );
    return { tenant, company: rows[0].id };
  }

  /** Prints the duration of a read, on request. */
  async function measure({ owner }: Tenant, path: string): Promise<void> {
    if (!IS_MEASURED) return;
    const took: number[] = [];
    for (let n = 0; n < 5; n++) {
      const began = performance.now();
      await owner.get(`/marketing/${path}`);
      took.push(Math.round(performance.now() - began));
    }
    process.stdout.write(`    ${path.replace(/[0-9a-f-]{36}/, "…")}: ${took.join(", ")} ms\n`);
  }

  it("need as many statements as those of one client", async () => {
    const [small, large] = [await filled(1, 30), await filled(CLIENTS, DAYS)];
    for (const path of PATHS) {
      const [few, many] = [
        await small.tenant.owner.get(`/marketing/${path}`),
        await large.tenant.owner.get(`/marketing/${path}`),
      ];
      expect([few.status, many.status]).to.deep.equal([200, 200]);
      expect(many.body.total ?? many.body.linked_total, path).to.equal(CLIENTS);
      expect(many.statements, path).to.equal(few.statements);
      expect(many.statements, path).to.be.at.most(5);
      await measure(large.tenant, path);
    }
    const overview = (await large.tenant.owner.get("/marketing/overview?period=365d")).body;
    for (const { metrics } of overview.rows) expect(metrics.sessions.current).to.equal(3650);
    const metrics = `/marketing/companies/${large.company}/metrics?period=365d`;
    const answer = await large.tenant.owner.get(metrics);
    expect(answer.body.sources).to.have.length(5);
    expect(answer.statements).to.be.at.most(4);
    for (const period of ["30d", "365d"]) await measure(large.tenant, `companies/${large.company}/metrics?period=${period}`);
  });
});
