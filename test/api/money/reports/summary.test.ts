import { expect } from "chai";
import { addDays } from "../../../../core/calendar/calendar.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Records } from "./billing-records.ts";

const NOTHING = {
  draft_count: 0,
  open_count: 0,
  open_total: 0,
  overdue_count: 0,
  overdue_total: 0,
  paid_this_year: 0,
  quotes_open_count: 0,
  quotes_open_total: 0,
  unconverted_count: 0,
};

describe("the summary of invoicing", () => {
  let service: TestService;
  let tenant: Tenant;
  let records: Records;
  let client: string;
  let today: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await service.sql.query("update organisations set timezone = 'UTC' where id = $1", [tenant.organisation.id]);
    records = new Records(service.sql, tenant);
    client = (await tenant.company()).id;
    today = new Date().toISOString().slice(0, 10);
  });
  after(() => service.stop());

  const summary = async (by: Caller = tenant.owner) => (await by.get("/invoicing/summary")).body;

  it("is of the amount due, converted (worked example 15)", async () => {
    expect(await summary()).to.deep.equal(NOTHING);
    await records.invoice(client, { total: 1028.44, paid_total: 400, due_date: today });
    await records.invoice(client, {
      total: 500,
      currency: "USD",
      exchange_rate: 0.92,
      due_date: addDays(today, -1),
    });
    await records.invoice(client, { kind: "credit_note", total: -242, due_date: addDays(today, -9) });
    await records.invoice(client, { total: 100, credited_total: 100 });
    await records.invoice(client, { status: "cancelled", total: 100 });
    expect(await summary()).to.deep.equal({
      ...NOTHING,
      open_count: 2,
      open_total: 1088.44,
      overdue_count: 1,
      overdue_total: 460,
    });
  });

  it("leaves out and counts documents in another currency without a rate, everywhere", async () => {
    const usd = { currency: "USD", due_date: addDays(today, -1) };
    await records.invoice(client, { ...usd, total: 500 });
    await records.invoice(client, { ...usd, total: 1000, status: "paid", paid_total: 1000, paid_at: `${today}T00:00:00Z` });
    await records.quote(client, { number: "Q1", currency: "USD" });
    await records.invoice(client, { ...usd, total: 100, exchange_rate: 0.92 });
    expect(await summary()).to.deep.equal({
      ...NOTHING,
      open_count: 2,
      open_total: 92,
      overdue_count: 2,
      overdue_total: 92,
      quotes_open_count: 1,
      unconverted_count: 3,
    });
  });

  it("rounds once, after summing", async () => {
    for (let n = 0; n < 3; n++) await records.invoice(client, { total: 0.01, exchange_rate: 0.5 });
    expect((await summary()).open_total).to.equal(0.02);
  });

  it("counts drafts, and payments of the organisation's year", async () => {
    const year = Number(today.slice(0, 4));
    await records.invoice(client, { status: "draft" });
    await records.invoice(client, { status: "draft", kind: "credit_note", total: -121 });
    const paid = { status: "paid", paid_total: 121 };
    await service.sql.query("update organisations set timezone = 'Europe/Amsterdam' where id = $1", [tenant.organisation.id]);
    await records.invoice(client, { ...paid, paid_at: `${year - 1}-12-31T22:59:59Z` });
    await records.invoice(client, { ...paid, paid_at: `${year - 1}-12-31T23:00:00Z`, exchange_rate: 2 });
    await records.invoice(client, { ...paid, paid_at: `${year}-12-31T22:59:59Z` });
    await records.invoice(client, { ...paid, paid_at: `${year}-12-31T23:00:00Z` });
    // A refund is negative; a credit that was absorbed brought nothing.
    await records.invoice(client, {
      ...paid,
      kind: "credit_note",
      total: -21,
      paid_total: -21,
      paid_at: `${year}-06-01T00:00:00Z`,
    });
    await records.invoice(client, {
      ...paid,
      kind: "credit_note",
      total: -21,
      paid_total: 0,
      paid_at: `${year}-06-01T00:00:00Z`,
    });
    expect(await summary()).to.deep.equal({ ...NOTHING, draft_count: 2, paid_this_year: 342 });
  });

  it("has the open quotes for readers of quotes", async () => {
    await records.quote(client, { number: "Q1", exchange_rate: 0.5 });
    await records.quote(client, { number: "Q2" });
    for (const status of ["draft", "accepted", "expired"]) await records.quote(client, { status });
    expect(await summary()).to.deep.equal({ ...NOTHING, quotes_open_count: 2, quotes_open_total: 363 });
    const reader = await tenant.member("member", { grants: ["invoicing.invoice.read:any"] });
    expect(await summary(reader)).to.deep.equal(NOTHING);
  });

  it("keeps to the clients a restricted member sees", async () => {
    const seen = (await tenant.company()).id;
    const grants = ["invoicing.invoice.read:any", "invoicing.quote.read"];
    const member = await tenant.member("member", { grants });
    await tenant.group("seen", [seen], [member.membershipId]);
    for (const company of [seen, client]) {
      await records.invoice(company, { due_date: addDays(today, -1) });
      await records.invoice(company, { status: "draft" });
      await records.invoice(company, { status: "paid", paid_total: 121, paid_at: `${today}T00:00:00Z` });
      await records.quote(company);
    }
    const half = {
      draft_count: 1,
      open_count: 1,
      open_total: 121,
      overdue_count: 1,
      overdue_total: 121,
      paid_this_year: 121,
      quotes_open_count: 1,
      quotes_open_total: 242,
      unconverted_count: 0,
    };
    expect(await summary(member)).to.deep.equal(half);
    expect(await summary()).to.deep.equal(Object.fromEntries(Object.entries(half).map(([name, value]) => [name, value * 2])));
  });

  it("shows a client login its own invoices, and no drafts or quotes with any permission", async () => {
    const login = await tenant.member("client", { name: "Client" });
    await service.sql.query(
      `with c as (insert into contacts (id, organisation_id, first_name, account_id) values (gen_random_uuid(), $1, 'Client', $2) returning id)
       insert into contact_links (organisation_id, contact_id, company_id) select $1, c.id, $3 from c`,
      [tenant.organisation.id, login.accountId, client],
    );
    await records.invoice(client);
    await records.invoice((await tenant.company()).id);
    await records.invoice(client, { status: "draft" });
    await records.quote(client);
    expect(await summary(login)).to.deep.equal({ ...NOTHING, open_count: 1, open_total: 121 });
  });

  it("needs as many statements for many as for none", async () => {
    await summary();
    const few = (await tenant.owner.get("/invoicing/summary")).statements;
    for (let n = 0; n < 20; n++) await records.invoice(client);
    expect((await tenant.owner.get("/invoicing/summary")).statements).to.equal(few);
  });
});
