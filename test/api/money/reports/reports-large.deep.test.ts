import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { ok } from "../documents/invoicing.ts";

const group = (category: string, rate_pct: string, base: string, tax: string) => ({ name: "", category, rate_pct, base, tax });
const GROUPS = [group("standard", "21.00", "804.95", "169.04"), group("reduced", "9.00", "49.95", "4.50")];
const CREDITED = GROUPS.map(({ base, tax, ...rest }) => ({ ...rest, base: `-${base}`, tax: `-${tax}` }));
const ALL = "from=2024-01-01&to=2026-12-31";
const COUNT = 100_000;

/** A plan that walks all documents for each payment does not answer within the limit of a request. */
describe("reports of 100,000 invoices of 1028.44, nine tenths paid, the others credited", function () {
  this.timeout(600_000);
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    const companies: string[] = [];
    for (let n = 0; n < 20; n++) companies.push((await tenant.company()).id);
    company = companies[1] as string;
    const { id } = tenant.organisation;
    const columns = `id, organisation_id, company_id, number, currency, locale, status, kind, issue_date, due_date, total, subtotal, tax_total,
      tax_groups, paid_total, credited_total, applied_total, credit_for_id, customer`;
    await service.sql.query(
      `insert into invoices (${columns}) select gen_random_uuid(), $1, ($2::uuid[])[1 + n % 20], 'L' || n, 'EUR', 'nl',
          case when n % 10 = 0 then 'open' else 'paid' end, 'invoice', date '2024-01-01' + n % 900, date '2024-01-15' + n % 900, 1028.44, 854.90,
          173.54, $3::jsonb, case when n % 10 = 0 then 0 else 1028.44 end, case when n % 10 = 0 then 1028.44 else 0 end, 0, null, '{}'
        from generate_series(1, ${COUNT}) n`,
      [id, companies, JSON.stringify(GROUPS)],
    );
    await service.sql.query(
      `insert into invoices (${columns}) select gen_random_uuid(), $1, company_id, number || 'C', 'EUR', 'nl', 'paid', 'credit_note',
          issue_date + 5, issue_date + 5, -1028.44, -854.90, -173.54, $2::jsonb, 0, 0, 1028.44, id, '{}'
        from invoices where organisation_id = $1 and status = 'open'`,
      [id, JSON.stringify(CREDITED)],
    );
    await service.sql.query(
      `insert into invoice_payments (id, organisation_id, invoice_id, paid_on, amount)
        select gen_random_uuid(), $1, i.id, issue_date + 10, 1028.44 from invoices i where organisation_id = $1 and status = 'paid' and kind = 'invoice'`,
      [id],
    );
    await service.sql.query(
      `insert into document_lines (id, organisation_id, invoice_id, position, description, amount, tax_rate_pct, tax_category)
        select gen_random_uuid(), $1, i.id, p, 'Line', i.subtotal / 2, 21, 'standard'
          from invoices i, generate_series(1, 2) p where i.organisation_id = $1`,
      [id],
    );
  });
  after(() => service.stop());

  const read = (path: string) => ok(tenant.owner.get(`/invoicing/reports/${path}`));

  for (const basis of ["invoice", "cash"])
    it(`answer VAT by ${basis}`, async () => {
      const { rates } = await read(`vat?${ALL}&basis=${basis}`);
      expect(rates.map(({ base, tax, credited_base }: Record<string, string>) => [base, tax, credited_base])).to.deep.equal([
        ["72445500.00", "15213600.00", "8049500.00"],
        ["4495500.00", "405000.00", "499500.00"],
      ]);
    });

  it("answer who owes what, a statement, and revenue by every group", async () => {
    expect((await read("aged?on=2026-12-31")).clients).to.deep.equal([]);
    expect((await read("aged?on=2024-01-01")).totals.map(({ total }: { total: string }) => total)).to.deep.equal(["114156.84"]);
    const [account] = (await read(`statement/${company}?from=2026-01-01&to=2026-01-31`)).accounts;
    expect(account.entries.length).to.be.greaterThan(100);
    for (const by of ["month", "company", "kind", "product"])
      expect((await read(`revenue?${ALL}&group=${by}`)).total.amount, by).to.equal("76941000.00");
  });
});
