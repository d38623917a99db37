import { expect } from "chai";
import { addDays } from "../../../../core/calendar/calendar.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Records } from "./billing-records.ts";

describe("what invoicing adds to a company", () => {
  let service: TestService;
  let tenant: Tenant;
  let records: Records;
  let company: string;
  let today: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await service.sql.query("update organisations set timezone = 'UTC' where id = $1", [tenant.organisation.id]);
    records = new Records(service.sql, tenant);
    company = (await tenant.company()).id;
    today = new Date().toISOString().slice(0, 10);
  });
  after(() => service.stop());

  const found = async (part: "panels" | "summary", key: string, by: Caller = tenant.owner) =>
    (await by.get(`/companies/${company}/${part}`)).body.find((one: { key: string }) => one.key === key) ?? null;
  const panel = (by?: Caller) => found("panels", "invoicing.company", by);
  const tile = (by?: Caller) => found("summary", "invoicing.outstanding", by);
  const READ = "companies.company.read";

  it("is a panel of the newest eight invoices and five quotes, for who may read them", async () => {
    expect(await panel()).to.deep.equal({
      key: "invoicing.company",
      title_key: "panels.invoicing.company",
      position: 65,
      data: { invoices: [], quotes: [] },
      prominence: "register",
      size: "full",
      empty: true,
    });
    const at = (day: number) => ({ created_at: `2026-03-${10 + day}T00:00:00Z` });
    const [invoices, quotes]: string[][] = [[], []];
    for (let day = 0; day < 9; day++) invoices?.unshift(await records.invoice(company, { status: "draft", ...at(day) }));
    for (let day = 0; day < 6; day++) quotes?.unshift(await records.quote(company, at(day)));
    await records.invoice((await tenant.company()).id);
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
    const { data, empty } = await panel();
    expect([ids(data.invoices), ids(data.quotes), empty]).to.deep.equal([invoices?.slice(0, 8), quotes?.slice(0, 5), false]);
    const reader = await tenant.member("member", { grants: [READ, "invoicing.invoice.read:any"] });
    expect((await panel(reader)).data.quotes).to.deep.equal([]);
    expect(await panel(await tenant.member("member", { grants: [READ, "invoicing.quote.read"] }))).to.equal(null);
  });

  it("shows a client login no drafts and no quotes", async () => {
    const login = await tenant.member("client", { name: "Client" });
    await service.sql.query(
      `with c as (insert into contacts (id, organisation_id, first_name, account_id) values (gen_random_uuid(), $1, 'Client', $2) returning id)
       insert into contact_links (organisation_id, contact_id, company_id) select $1, c.id, $3 from c`,
      [tenant.organisation.id, login.accountId, company],
    );
    await records.invoice(company, { status: "draft" });
    const open = await records.invoice(company);
    await records.quote(company);
    const { data } = await panel(login);
    expect([data.invoices.map(({ id }: { id: string }) => id), data.quotes]).to.deep.equal([[open], []]);
    expect((await tile(login)).value).to.equal("121.00");
  });

  it("is a tile of the amount due, absent without one", async () => {
    expect(await tile()).to.equal(null);
    await records.invoice(company, { total: 1028.44, paid_total: 400, due_date: today });
    await records.invoice(company, { total: 500, currency: "USD", exchange_rate: 0.92 });
    await records.invoice(company, { status: "draft" });
    await records.invoice(company, { status: "paid", paid_total: 0 });
    await records.invoice((await tenant.company()).id);
    const owed = {
      key: "invoicing.outstanding",
      label_key: "summary.invoicing.outstanding",
      value: "1088.44",
      format: "money",
      currency: "EUR",
      tone: "warn",
      hint_key: null,
      hint_params: {},
      href: null,
      position: 10,
    };
    expect(await tile()).to.deep.equal(owed);
    // Amounts without a rate to the organisation's currency are not part of the sum.
    await records.invoice(company, { total: 700, currency: "USD" });
    expect(await tile()).to.deep.equal(owed);
    await records.invoice(company, { total: 10, due_date: addDays(today, -1) });
    await records.invoice(company, { total: 10, credited_total: 10, due_date: addDays(today, -1) });
    expect(await tile()).to.deep.equal({
      ...owed,
      value: "1098.44",
      tone: "bad",
      hint_key: "summary.invoicing.overdue",
      hint_params: { count: 1 },
    });
    // Credit that was not refunded yet counts, and so do overdue amounts.
    await records.invoice(company, { kind: "credit_note", total: -20, due_date: addDays(today, -1) });
    expect(await tile()).to.deep.include({ value: "1078.44", tone: "warn" });
    await records.invoice(company, { kind: "credit_note", total: -1078.44 });
    expect(await tile()).to.equal(null);
    expect(await tile(await tenant.member("member", { grants: [READ] }))).to.equal(null);
  });
});
