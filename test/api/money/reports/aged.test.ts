import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Invoicing, ok } from "../documents/invoicing.ts";

describe("GET /invoicing/reports/aged", () => {
  let service: TestService;
  let tenant: Tenant;
  let invoicing: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    invoicing = await Invoicing.open(service, tenant);
  });
  after(() => service.stop());

  const read = (on: string, by: Caller = tenant.owner) => ok(by.get(`/invoicing/reports/aged?on=${on}`));
  const open = async (on: string) =>
    (await read(on)).clients.map(({ company_id, name, document_count, currency, ...amounts }: Record<string, string>) => [
      ...[name, currency],
      ...Object.values(amounts),
    ]);
  const dated = (issue_date: string, due_date: string, lines?: object[], more?: object) =>
    invoicing.draft(lines, more).then(({ id }) => invoicing.issue(id, { issue_date, due_date }));

  it("is what was open on the day: later payments, credit notes and cancellations do not count", async () => {
    const { id } = await dated("2026-03-01", "2026-03-15");
    await invoicing.pay(id, "400.00", { paid_on: "2026-04-10" });
    const note = await invoicing.credit(id);
    await invoicing.issue(note.id, { issue_date: "2026-05-20", due_date: "2026-05-20" });
    await invoicing.pay(note.id, "-400.00", { paid_on: "2026-06-02" });
    expect(await open("2026-02-28")).to.deep.equal([]);
    expect(await open("2026-03-15")).to.deep.equal([["Aster", "EUR", "1028.44", "0.00", "0.00", "0.00", "0.00", "1028.44"]]);
    expect(await open("2026-04-09")).to.deep.equal([["Aster", "EUR", "0.00", "1028.44", "0.00", "0.00", "0.00", "1028.44"]]);
    expect(await open("2026-05-19")).to.deep.equal([["Aster", "EUR", "0.00", "0.00", "0.00", "628.44", "0.00", "628.44"]]);
    // 628.44 was set off; 400.00 of the note is to be paid back.
    expect(await open("2026-05-21")).to.deep.equal([["Aster", "EUR", "0.00", "-400.00", "0.00", "0.00", "0.00", "-400.00"]]);
    expect(await open("2026-06-02")).to.deep.equal([]);
  });

  it("knows what a credit note had taken off before it was cancelled", async () => {
    const { id } = await dated("2026-03-01", "2026-03-15", [invoicing.line(1, "100.00")]);
    const note = await invoicing.credit(id);
    await ok(tenant.owner.patch(`/invoicing/invoices/${note.id}`, { lines: [invoicing.line(1, "-40.00")] }));
    await invoicing.issue(note.id, { issue_date: "2026-04-01", due_date: "2026-04-01" });
    await ok(tenant.owner.post(`/invoicing/invoices/${note.id}/cancel`));
    await service.sql.query("update invoices set cancelled_at = '2026-05-01T10:00:00Z' where id = $1", [note.id]);
    const totals = async (on: string) => (await open(on)).map((row: string[]) => row.at(-1));
    expect(await totals("2026-03-31")).to.deep.equal(["121.00"]);
    expect(await totals("2026-04-30")).to.deep.equal(["72.60"]);
    expect((await read("2026-04-30")).clients[0].document_count).to.equal(1);
    expect(await totals("2026-05-01")).to.deep.equal(["121.00"]);
  });

  it("agrees with the summary today, by currency and converted", async () => {
    await dated("2026-03-01", "2026-03-15", undefined, { currency: "USD", exchange_rate: "0.92" });
    await dated("2026-03-01", "2026-03-15", [invoicing.line(1, "100.00")], { currency: "GBP" });
    await dated("2026-03-01", "2026-03-15", [invoicing.line(1, "100.00")]);
    const { converted, totals, unconverted_count } = await ok(tenant.owner.get("/invoicing/reports/aged"));
    expect(totals.map(({ currency, total }: Record<string, string>) => [currency, total])).to.deep.equal([
      ["EUR", "121.00"],
      ["GBP", "121.00"],
      ["USD", "1028.44"],
    ]);
    expect([converted.total, unconverted_count]).to.deep.equal(["1067.16", 1]);
    expect((await ok(tenant.owner.get("/invoicing/summary"))).open_total).to.equal(1067.16);
  });

  it("shows a member with a selection its clients alone, and is a file as well", async () => {
    const other = (await tenant.company({ name: "Other" })).id;
    await dated("2026-03-01", "2026-03-15", [invoicing.line(1, "100.00")]);
    await dated("2026-03-01", "2026-03-15", [invoicing.line(1, "40.00")], { company_id: other });
    const [admin, member] = [await tenant.member("admin"), await tenant.member("member")];
    await tenant.group("Some", [other], [admin.membershipId]);
    expect((await read("2026-03-20", admin)).clients.map(({ name }: { name: string }) => name)).to.deep.equal(["Other"]);
    expect((await member.get("/invoicing/reports/aged")).status).to.equal(403);
    const csv = await tenant.owner.get("/invoicing/reports/aged/export?on=2026-03-20");
    expect(csv.text)
      .to.contain(`Aster,${invoicing.company},EUR,0.00,121.00,0.00,0.00,0.00,121.00,1`)
      .and.to.contain("TOTAL,,EUR,0.00,169.40,0.00,0.00,0.00,169.40,2");
    const picture = await tenant.owner.get("/invoicing/reports/aged/export?on=2026-03-20&format=svg");
    expect(picture.text).to.contain("169");
  });
});
