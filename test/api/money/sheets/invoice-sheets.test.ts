import { expect } from "chai";
import { cellsOf, fetchSheet } from "../../../support/impex.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Records } from "../reports/billing-records.ts";

describe("invoices as a spreadsheet", () => {
  let service: TestService;
  let tenant: Tenant;
  let records: Records;
  let client: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    records = new Records(service.sql, tenant);
    client = (await tenant.company({ name: "Vela Works" })).id;
  });
  after(() => service.stop());

  const fetched = (query = "", by: Caller = tenant.owner) =>
    fetchSheet(service.port, tenant.host, by.key, `/impex/invoice${query}`);
  const rows = async (query = "", by?: Caller) =>
    (await fetched(query, by))
      .toString()
      .replace(/^\ufeff/, "")
      .trim()
      .split("\r\n");
  const numbers = async (query = "", by?: Caller) => (await rows(query, by)).slice(1).map((row) => row.split(",")[1]);

  it("export by number, drafts last, with the amount due on each", async () => {
    await records.invoice(client, { status: "draft", created_at: "2026-01-01T00:00:00Z" });
    await records.invoice(client, {
      number: "=2026-9",
      customer: { name: "Vela Works B.V.", client_number: "K1" },
      issue_date: "2026-03-01",
      due_date: "2026-03-15",
      paid_total: 21,
      reference: "PO, 7",
    });
    await records.invoice(client, { number: "2026-10", kind: "credit_note", total: -121, subtotal: -100, exchange_rate: 0.92 });
    const [header, first, second, third] = await rows();
    expect(header).to.equal(
      "id,number,kind,status,client_number,company,issue_date,due_date,delivery_date,reference,currency,exchange_rate,subtotal,tax_total,total,paid_total,credited_total,applied_total,outstanding,paid_at,sent_at",
    );
    expect(first?.slice(37)).to.equal(
      "2026-10,credit_note,open,,Vela Works,,,,,EUR,0.920000,-100.00,0.00,-121.00,0.00,0.00,0.00,-121.00,,",
    );
    expect(second?.slice(37)).to.equal(
      `'=2026-9,invoice,open,K1,Vela Works B.V.,2026-03-01,2026-03-15,,"PO, 7",EUR,,100.00,0.00,121.00,21.00,0.00,0.00,100.00,,`,
    );
    expect(third?.slice(37)).to.match(/^,invoice,draft,,Vela Works,/);
    const cells = await cellsOf(await fetched("?format=xlsx&kind=credit_note"));
    expect(cells.length).to.equal(2);
    expect(cells[1]?.[14]).to.equal(-121);
  });

  it("have base and tax of each rate of their documents in columns of its own, after all others", async () => {
    const group = (category: string, rate_pct: string, base: string, tax: string) => ({
      name: "",
      category,
      rate_pct,
      base,
      tax,
    });
    const groups = (...all: object[]) => ({ tax_groups: JSON.stringify(all) });
    await records.invoice(client, {
      ...{ number: "A1", total: 1028.44 },
      ...groups(group("standard", "21.00", "804.95", "169.04"), group("reduced", "5.50", "49.95", "4.50")),
    });
    await records.invoice(client, { number: "A2", ...groups(group("reverse_charge", "21.00", "100.00", "0.00")) });
    const [header, first, second] = await rows();
    expect(header?.split(",").slice(21)).to.deep.equal([
      ...["base_reverse_charge_21", "base_standard_21", "tax_standard_21", "base_reduced_5.5", "tax_reduced_5.5"],
    ]);
    expect(first?.split(",").slice(21)).to.deep.equal(["", "804.95", "169.04", "49.95", "4.50"]);
    expect(second?.split(",").slice(21)).to.deep.equal(["100.00", "", "", "", ""]);
    expect((await rows("?q=A2"))[0]?.split(",").slice(21)).to.deep.equal(["base_reverse_charge_21"]);
  });

  it("are those of the list with the same filters, as far as the caller sees them", async () => {
    const [seen, hidden] = [client, (await tenant.company()).id];
    const today = new Date().toISOString().slice(0, 10);
    await records.invoice(seen, { number: "A1" });
    await records.invoice(hidden, { number: "B1", due_date: "2020-01-01" });
    await records.invoice(seen, { number: "A2", status: "paid", due_date: today });
    await records.invoice(seen, { status: "draft" });
    expect(await numbers()).to.deep.equal(["A1", "A2", "B1", ""]);
    expect(await numbers("?status=open")).to.deep.equal(["A1", "B1"]);
    expect(await numbers(`?company_id=${seen}`)).to.deep.equal(["A1", "A2", ""]);
    expect(await numbers("?overdue=true")).to.deep.equal(["B1"]);
    expect(await numbers("?q=a2")).to.deep.equal(["A2"]);
    expect(await numbers("?kind=credit_note")).to.deep.equal([]);
    const member = await tenant.member("member", { grants: ["invoicing.invoice.read:any", "impex.export"] });
    await tenant.group("seen", [seen], [member.membershipId]);
    expect(await numbers("", member)).to.deep.equal(["A1", "A2", ""]);
    const reader = await tenant.member("member", { grants: ["invoicing.invoice.read:any"] });
    expect((await reader.get("/impex/invoice")).status).to.equal(403);
    expect((await tenant.owner.post("/impex/invoice")).status).to.be.oneOf([404, 405]);
  });
});
