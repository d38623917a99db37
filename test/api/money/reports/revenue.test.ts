import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Invoicing, ok } from "../documents/invoicing.ts";

describe("GET /invoicing/reports/revenue", () => {
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

  const path = (query: object, rest = "") =>
    `/invoicing/reports/revenue${rest}?${new URLSearchParams({ from: "2026-01-01", to: "2026-03-31", ...query })}`;
  const read = (query: object = {}, by: Caller = tenant.owner) => ok(by.get(path(query)));
  const groups = async (query: object = {}) =>
    (await read(query)).groups.map(({ key, label, amount, previous_amount, change_pct }: Record<string, string>) => [
      ...[label ?? key, amount, previous_amount, change_pct],
    ]);
  const dated = (issue_date: string, lines?: object[], more?: object) =>
    invoicing.draft(lines, more).then(({ id }) => invoicing.issue(id, { issue_date }));

  it("has each month with the year before, and deducts credit notes and cancellations on their own days", async () => {
    await dated("2025-01-31", [invoicing.line(1, "400.00")]);
    await dated("2025-04-01", [invoicing.line(1, "9999.00")]);
    const { id } = await dated("2026-01-05");
    const note = await invoicing.credit(id);
    await invoicing.issue(note.id, { issue_date: "2026-03-01" });
    const cancelled = await dated("2026-01-05", [invoicing.line(1, "100.00")]);
    await ok(tenant.owner.post(`/invoicing/invoices/${cancelled.id}/cancel`));
    await service.sql.query("update invoices set cancelled_at = '2026-02-02T10:00:00Z' where id = $1", [cancelled.id]);
    expect(await groups()).to.deep.equal([
      ["2026-01", "954.90", "400.00", "138.7"],
      ["2026-02", "-100.00", "0.00", null],
      ["2026-03", "-854.90", "0.00", null],
    ]);
    const { total, previous_from, previous_to } = await read();
    expect(total).to.deep.equal({ amount: "0.00", previous_amount: "400.00", change_pct: "-100.0" });
    expect([previous_from, previous_to]).to.deep.equal(["2025-01-01", "2025-03-31"]);
  });

  it("is by client, by kind of line and by product, always with the same total", async () => {
    const other = (await tenant.company({ name: "Bos" })).id;
    await ok(tenant.owner.post("/invoicing/products", { name: "Hosting", unit_price: "10.00" }));
    // Prices with tax: 119.99 at 21 % is 99.17, 2 × 8.47 at 9 % is 15.54.
    await dated(
      "2026-01-05",
      [invoicing.line(1, "119.99", "21", { description: "hosting\nper jaar" }), invoicing.line(2, "8.47", "9")],
      {
        prices_include_tax: true,
      },
    );
    await dated("2026-01-05", [invoicing.line(1, "300.00", "21", { line_kind: "hours" })], { company_id: other });
    await dated("2026-01-05", [invoicing.line(1, "100.00", "21", { description: "Hosting" })], {
      ...{ company_id: other, currency: "USD", exchange_rate: "0.92" },
    });
    await dated("2026-01-05", [invoicing.line(1, "1.00")], { currency: "USD" });
    expect(await groups({ group: "company" })).to.deep.equal([
      ["Bos", "392.00", "0.00", null],
      ["Aster", "114.71", "0.00", null],
    ]);
    expect(await groups({ group: "product" })).to.deep.equal([
      ["", "315.54", "0.00", null],
      ["Hosting", "191.17", "0.00", null],
    ]);
    const kinds = await groups({ group: "kind" });
    expect(kinds.reduce((sum: number, [, amount]: string[]) => sum + Number(amount), 0)).to.be.closeTo(506.71, 0.001);
    for (const group of ["month", "company", "kind", "product"]) {
      const { total, unconverted_count } = await read({ group });
      expect([total.amount, unconverted_count], group).to.deep.equal(["506.71", 1]);
    }
  });

  it("shows a member with a selection its clients alone, refuses more than 120 months, and is a file as well", async () => {
    const other = (await tenant.company({ name: "Other" })).id;
    await dated("2026-01-05", [invoicing.line(1, "100.00")]);
    await dated("2026-01-05", [invoicing.line(1, "40.00")], { company_id: other });
    const [admin, member] = [await tenant.member("admin"), await tenant.member("member")];
    await tenant.group("Some", [other], [admin.membershipId]);
    for (const group of ["month", "company", "kind", "product"])
      expect((await read({ group }, admin)).total.amount, group).to.equal("40.00");
    expect((await member.get(path({}))).status).to.equal(403);
    const long = await tenant.owner.get(path({ from: "2010-01-01" }));
    expect([long.status, long.body.error.fields]).to.deep.equal([422, { from: "errors.validation" }]);
    expect((await read({ from: "2016-04-01" })).groups).to.have.length(120);
    const csv = (await tenant.owner.get(path({ group: "company" }, "/export"))).text.split("\r\n");
    expect(csv.slice(1, 4)).to.deep.equal([
      `${invoicing.company},Aster,100.00,0.00,,1,EUR`,
      `${other},Other,40.00,0.00,,1,EUR`,
      "TOTAL,,140.00,0.00,,,EUR",
    ]);
    for (const group of ["month", "kind"])
      expect((await tenant.owner.get(path({ group, format: "svg" }, "/export"))).text).to.match(/^<svg/);
  });
});
