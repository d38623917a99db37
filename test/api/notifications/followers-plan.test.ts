import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { FOLLOWED } from "../../../services/notifications/audience/inbox-statement.ts";
import { nodesOf } from "../../support/lists/large.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

const FOLLOWERS = 3_000;
const RECORDS = 2_000;

describe("the query for followers of an import's records", () => {
  let service: TestService;
  let tenant: Tenant;
  let client: pg.Client;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    client = new pg.Client({ connectionString: service.database.application });
    await client.connect();
    await service.sql.query(
      `insert into notification_watches (organisation_id, entity_type, entity_id, account_id, watching)
       select $1, 'company', gen_random_uuid(), $2, true from generate_series(1, $3::int)`,
      [tenant.organisation.id, tenant.owner.accountId, FOLLOWERS],
    );
  });
  after(async () => {
    await client.end();
    await service.stop();
  });

  it("reads only the followers of these records, by index", async () => {
    await client.query("begin");
    await client.query("select set_config('app.organisation_id', $1, true)", [tenant.organisation.id]);
    await client.query("set local plan_cache_mode = force_generic_plan");
    await client.query("set local enable_seqscan = off");
    const ids = Array.from({ length: RECORDS }, () => randomUUID());
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${FOLLOWED.text}`, [
      tenant.organisation.id,
      ids,
      null,
    ]);
    await client.query("commit");
    const watches = nodesOf(rows[0]["QUERY PLAN"][0].Plan).filter((node) => node["Relation Name"] === "notification_watches");
    expect(watches).to.have.lengthOf(1);
    expect(String(watches[0]?.["Index Cond"])).to.include("entity_id = ");
    expect([watches[0]?.["Actual Loops"], watches[0]?.["Rows Removed by Filter"] ?? 0]).to.deep.equal([RECORDS, 0]);
  });
});
