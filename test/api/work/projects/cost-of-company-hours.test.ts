import { expect } from "chai";
import pg from "pg";
import { HOURS } from "../../../../services/work/time/company-hours.ts";
import { nodesOf } from "../../../support/lists/large.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";

const COMPANIES = 3;
const ENTRIES = 40;

describe("what the hours of a page of clients cost", () => {
  let service: TestService;
  let tenant: Tenant;
  let client: pg.Client;
  let ids: string[];
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    ids = await Promise.all(Array.from({ length: COMPANIES + 1 }, async () => (await tenant.company()).id));
    const { id } = tenant.organisation;
    await service.sql.query(
      `insert into projects (id, organisation_id, company_id, name, status, budget_hours, budget_period)
       select gen_random_uuid(), $1, c, 'Project', 'active', 100, 'total' from unnest($2::uuid[]) c`,
      [id, ids],
    );
    await service.sql.query(
      `insert into time_entries (id, organisation_id, user_id, work_date, started_at, ended_at, minutes, company_id, project_id)
       select gen_random_uuid(), $1, $2, e.at::date, e.at, e.at + interval '30 min', 30, p.company_id, p.id
       from projects p, generate_series(1, $3::int) n, lateral (select timestamptz '2026-03-01T09:00:00Z' - n * interval '7 hours' as at) e
       where p.organisation_id = $1`,
      [id, tenant.owner.accountId, ENTRIES],
    );
    client = new pg.Client({ connectionString: service.database.application });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await service.stop();
  });

  it("is each entry of these clients twice: once as the client's and once as its project's", async () => {
    await client.query("begin");
    await client.query("select set_config('app.organisation_id', $1, true)", [tenant.organisation.id]);
    await client.query("set local plan_cache_mode = force_generic_plan");
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${HOURS.text}`, [
      ...[tenant.organisation.id, ids.slice(0, COMPANIES)],
      ...["2026-03-01", "2026-02-23", "2026-03-01"],
    ]);
    await client.query("commit");
    const reads = nodesOf(rows[0]["QUERY PLAN"][0].Plan).filter((node) => node["Relation Name"] === "time_entries");
    const read = reads.map((node) => Number(node["Actual Loops"]) * Number(node["Actual Rows"]));
    expect(read).to.deep.equal([COMPANIES * ENTRIES, COMPANIES * ENTRIES]);
  });
});
