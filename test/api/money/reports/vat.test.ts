import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Invoicing, ok } from "../documents/invoicing.ts";

const QUARTER = { from: "2026-04-01", to: "2026-06-30" };

describe("GET /invoicing/reports/vat", () => {
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

  const path = (query: object) => `/invoicing/reports/vat?${new URLSearchParams(query as Record<string, string>)}`;
  const read = (query: object = {}, by: Caller = tenant.owner) => ok(by.get(path({ ...QUARTER, ...query })));
  const rates = async (query: object = {}) =>
    (await read(query)).rates.map(({ rate_pct, category, base, tax, credited_base, credited_tax }: Record<string, string>) => [
      ...[`${rate_pct} ${category}`, base, tax, credited_base, credited_tax],
    ]);
  const dated = (issue_date: string, lines?: object[], more?: object) =>
    invoicing.draft(lines, more).then(({ id }) => invoicing.issue(id, { issue_date }));
  const client = async (name: string, country: string, vat_number: string | null) =>
    (await tenant.company({ name, country, vat_number })).id;

  it("adds up the groups of issued documents by their date, and deducts what was credited", async () => {
    const { id } = await dated("2026-04-01");
    await dated("2026-06-30", [invoicing.line(1, "100.00")]);
    await dated("2026-07-01", [invoicing.line(1, "5000.00")]);
    await invoicing.draft([invoicing.line(1, "7000.00")]);
    expect(await rates()).to.deep.equal([
      ["21.00 standard", "904.95", "190.04", "0.00", "0.00"],
      ["9.00 reduced", "49.95", "4.50", "0.00", "0.00"],
    ]);
    const note = await invoicing.credit(id);
    await invoicing.issue(note.id, { issue_date: "2026-06-01" });
    expect(await rates()).to.deep.equal([
      ["21.00 standard", "100.00", "21.00", "804.95", "169.04"],
      ["9.00 reduced", "0.00", "0.00", "49.95", "4.50"],
    ]);
    const { totals, rubrics, currency, country, unconverted_count } = await read();
    expect(totals).to.deep.equal({ base: "100.00", tax: "21.00", credited_base: "854.90", credited_tax: "173.54" });
    expect([currency, country, unconverted_count]).to.deep.equal(["EUR", "NL", 0]);
    expect(rubrics.find(({ code }: { code: string }) => code === "5a")).to.deep.include({ tax: "21.00", tax_euros: 21 });
  });

  it("takes a cancelled document back on the day of the cancellation, so that the period before stays", async () => {
    const { id } = await dated("2026-04-10", [invoicing.line(1, "100.00")]);
    await ok(tenant.owner.post(`/invoicing/invoices/${id}/cancel`));
    await service.sql.query("update invoices set cancelled_at = '2026-07-02T10:00:00Z' where id = $1", [id]);
    expect(await rates()).to.deep.equal([["21.00 standard", "100.00", "21.00", "0.00", "0.00"]]);
    expect(await rates({ from: "2026-07-01", to: "2026-09-30" })).to.deep.equal([
      ["21.00 standard", "-100.00", "-21.00", "100.00", "21.00"],
    ]);
    expect(await rates({ to: "2026-07-02" })).to.deep.equal([["21.00 standard", "0.00", "0.00", "100.00", "21.00"]]);
  });

  it("takes a payment in proportion to the rates of its document, to the cent", async () => {
    const { id } = await dated("2026-03-01");
    await invoicing.pay(id, "400.00", { paid_on: "2026-04-15" });
    // 400.00 of 1028.44: of 973.99 at 21 % 378.82, the other 21.18 at 9 %.
    expect(await rates({ basis: "cash" })).to.deep.equal([
      ["21.00 standard", "313.07", "65.75", "0.00", "0.00"],
      ["9.00 reduced", "19.43", "1.75", "0.00", "0.00"],
    ]);
    await invoicing.pay(id, "700.00", { paid_on: "2026-07-15" });
    expect(await rates({ basis: "cash", from: "2026-07-01", to: "2026-07-31" })).to.deep.equal([
      ["21.00 standard", "491.88", "103.29", "0.00", "0.00"],
      ["9.00 reduced", "30.52", "2.75", "0.00", "0.00"],
    ]);
    // Together the document, and nothing of what was paid too much.
    expect(await rates({ basis: "cash", to: "2026-07-31" })).to.deep.equal([
      ["21.00 standard", "804.95", "169.04", "0.00", "0.00"],
      ["9.00 reduced", "49.95", "4.50", "0.00", "0.00"],
    ]);
    expect(await rates()).to.deep.equal([]);
  });

  it("counts what a credit note was set off against on both documents, and a refund on the note", async () => {
    const { id } = await dated("2026-04-01");
    await invoicing.pay(id, "600.00", { paid_on: "2026-04-15" });
    const note = await invoicing.credit(id);
    await invoicing.issue(note.id, { issue_date: "2026-05-01" });
    const [[, base, tax, credited]] = await rates({ basis: "cash", to: "2026-05-31" });
    // 428.44 was set off: the invoice counts whole, the note as far as it was set off.
    expect([base, tax, credited]).to.deep.equal(["469.61", "98.62", "335.34"]);
    await invoicing.pay(note.id, "-600.00", { paid_on: "2026-06-01" });
    expect(await rates({ basis: "cash" })).to.deep.equal([
      ["21.00 standard", "0.00", "0.00", "804.95", "169.04"],
      ["9.00 reduced", "0.00", "0.00", "49.95", "4.50"],
    ]);
  });

  it("lists untaxed supplies by VAT number within the EU, and by country outside of it", async () => {
    const belgian = await client("Bos", "BE", "BE 0123.456.749");
    for (const [company_id, price] of [
      [belgian, "300.60"],
      [belgian, "0.60"],
      [await client("Acme", "US", null), "55.00"],
      [await client("Zonder", "DE", null), "10.00"],
      [await client("Binnen", "NL", "NL001234567B01"), "20.00"],
    ] as const)
      await dated("2026-05-05", [invoicing.line(1, price, "reverse")], { company_id });
    await dated("2026-05-05", [invoicing.line(1, "9.00", "exempt")], { company_id: belgian });
    await dated("2026-05-05", [invoicing.line(1, "1.00")], { company_id: belgian });
    const { eu_supplies, outside_eu, rubrics } = await read();
    expect(eu_supplies.map(({ company_id, ...line }: Record<string, unknown>) => line)).to.deep.equal([
      { vat_number: null, country: "DE", client: "Zonder", base: "10.00", base_whole: 10 },
      { vat_number: "BE0123456749", country: "BE", client: "Bos", base: "301.20", base_whole: 301 },
    ]);
    expect(eu_supplies[1].company_id).to.equal(belgian);
    expect(outside_eu).to.deep.equal([{ country: "US", base: "55.00" }]);
    const turnover = new Map(rubrics.map(({ code, base }: Record<string, string>) => [code, base]));
    expect(["1a", "1e", "3a", "3b"].map((code) => turnover.get(code))).to.deep.equal(["1.00", "20.00", "55.00", "311.20"]);
  });

  it("converts by each document's rate, and counts those without one", async () => {
    await dated("2026-05-05", [invoicing.line(1, "100.00")], { currency: "USD", exchange_rate: "0.92" });
    await dated("2026-05-05", [invoicing.line(1, "100.00"), invoicing.line(1, "1.00", "9")], { currency: "USD" });
    const report = await read();
    expect(report.totals).to.deep.include({ base: "92.00", tax: "19.32" });
    expect(report.unconverted_count).to.equal(1);
  });

  it("has no Dutch rubrics for a seller elsewhere", async () => {
    await service.sql.query(
      "insert into invoicing_settings (organisation_id, tax_country) values ($1, 'BE') on conflict (organisation_id) do update set tax_country = 'BE'",
      [tenant.organisation.id],
    );
    expect((await read()).rubrics).to.equal(null);
  });

  it("covers the current quarter unless it is asked for another, and refuses a period that ends before it begins", async () => {
    const { from, to } = await ok(tenant.owner.get("/invoicing/reports/vat"));
    expect([from.slice(8), Number(to.slice(5, 7)) - Number(from.slice(5, 7))]).to.deep.equal(["01", 2]);
    expect(await read({ from: "2026-05-20", to: "2026-05-20" })).to.deep.include({ from: "2026-05-20", to: "2026-05-20" });
    const { status, body } = await tenant.owner.get(path({ from: "2026-05-02", to: "2026-05-01" }));
    expect([status, body.error.fields]).to.deep.equal([422, { to: "errors.validation" }]);
  });

  it("shows a member with a selection the documents of its clients alone, and others nothing", async () => {
    const other = await client("Other", "NL", null);
    await dated("2026-05-05", [invoicing.line(1, "100.00")]);
    await dated("2026-05-05", [invoicing.line(1, "40.00")], { company_id: other });
    const [admin, member] = [await tenant.member("admin"), await tenant.member("member")];
    await tenant.group("Some", [other], [admin.membershipId]);
    expect((await read({}, admin)).totals.base).to.equal("40.00");
    expect((await member.get(path(QUARTER))).status).to.equal(403);
    const stranger = await service.tenant();
    expect((await read({}, stranger.owner)).rates).to.deep.equal([]);
  });

  it("is a spreadsheet and a picture as well", async () => {
    await dated("2026-05-05");
    const file = (format: string) =>
      tenant.owner.get(`/invoicing/reports/vat/export?from=2026-04-01&to=2026-06-30&format=${format}`);
    const csv = await file("csv");
    expect(csv.status, csv.text).to.equal(200);
    expect(csv.headers["content-type"]).to.contain("text/csv");
    expect(csv.text.split("\r\n")[1]).to.equal("rate,,standard,21.00,,,,804.95,169.04,0.00,0.00,,,EUR,");
    expect(csv.text).to.contain("rubric,1a,,,,,,804.95,169.04,,,804,169,EUR,");
    expect((await file("xlsx")).headers["content-type"]).to.contain("spreadsheetml");
    const picture = await file("svg");
    expect(picture.headers["content-type"]).to.contain("image/svg+xml");
    expect(picture.text).to.match(/^<svg/).and.to.contain("€");
  });
});
