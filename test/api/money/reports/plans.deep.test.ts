import { expect } from "chai";
import pg from "pg";
import { SUMMARY, SUMMARY_SEEN } from "../../../../services/money/reports/summary.ts";
import { filledAtOnce } from "../../../support/fixture/fixture-filled.ts";
import { nodesOf, type Plan } from "../../../support/lists/large.ts";
import { startService, type Tenant, type TestService } from "../../../support/service.ts";

const LARGE = 100_000;

describe("the plan of the summary of invoicing, as the application role, on 100,000 invoices", function () {
  this.timeout(300_000);
  let service: TestService;
  let tenant: Tenant;
  let client: pg.Client;

  before(async () => {
    service = await startService();
    tenant = await service.tenant();
    const company = (await tenant.company()).id;
    const of = [tenant.organisation.id, company, LARGE];
    client = new pg.Client({ connectionString: service.database.superuser });
    await client.connect();
    await filledAtOnce(client, async () => {
      // One of fifty is open, one of fifty a draft; of the others one of ten was paid this year.
      await client.query(
        `insert into invoices (id, organisation_id, company_id, currency, locale, number, status, total, due_date, paid_at, paid_total)
       select gen_random_uuid(), $1, $2, 'EUR', 'nl', 'N' || n, case n % 50 when 0 then 'open' when 1 then 'draft' else 'paid' end, 121,
         date '2020-01-01' + n % 2000, case when n % 50 > 1 then now() - n % 3650 * interval '1 day' end, case when n % 50 > 1 then 121 else 0 end
         from generate_series(1, $3::int) n`,
        of,
      );
      await client.query(
        `insert into quotes (id, organisation_id, company_id, currency, locale, status, total)
       select gen_random_uuid(), $1, $2, 'EUR', 'nl', case when n % 50 = 0 then 'open' else 'accepted' end, 121
         from generate_series(1, $3::int) n`,
        of,
      );
    });
    // What autovacuum does on a live table.
    await client.query("vacuum analyze invoices, quotes");
    await client.query("set session authorization kantoor_app");
  });
  after(async () => {
    await client?.end();
    await service?.stop();
  });

  const plansOf = async ({ text }: { text: string }, more: unknown[]): Promise<Plan[]> => {
    await client.query("begin");
    await client.query("select set_config('app.organisation_id', $1, true)", [tenant.organisation.id]);
    const year = new Date().getUTCFullYear();
    const values = [tenant.organisation.id, `${year}-06-01`, `${year}-01-01`, `${year + 1}-01-01`, true, false, "EUR", ...more];
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${text}`, values);
    await client.query("commit");
    return nodesOf(rows[0]["QUERY PLAN"][0].Plan);
  };
  const indexesOf = (plans: Plan[]) =>
    [...new Set(plans.flatMap((node) => (node["Index Name"] as string | undefined) ?? []))].toSorted();

  const INDEXES = ["invoices_drafts", "invoices_open", "invoices_paid", "quotes_open"];
  for (const [who, statement, more] of [
    ["a caller who sees every client", SUMMARY, []],
    ["a caller with a selection", SUMMARY_SEEN, [[]]],
  ] as const)
    it(`reads of ${who} nothing but the indexes made for it`, async () => {
      const plans = await plansOf(statement, [...more]);
      const ofDocuments = plans.filter((node) => ["invoices", "quotes"].includes(node["Relation Name"] ?? ""));
      expect(ofDocuments.map((node) => node["Node Type"])).to.not.include("Seq Scan");
      expect(indexesOf(plans)).to.include.members(INDEXES);
    });
});
