import { expect } from "chai";
import { addDays, addMonths } from "../../../../core/calendar/calendar.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import { type AgreementService, sharedAgreementService } from "../../money/agreements/agreement-records.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";
import { anyName, makeDomain } from "./domain-records.ts";

const today = "2026-06-10";

describe("domains on the page of a company", () => {
  let service: AgreementService;
  let tenant: Tenant;
  let company: { id: string };
  before(async () => {
    service = await sharedAgreementService(today);
  });
  beforeEach(async () => {
    service.today(today);
    tenant = await service.tenant();
    company = await tenant.company({ name: "Vela Works" });
  });
  after(() => service.stop());

  const make = (values: object = {}) => makeDomain(tenant, { company_id: company.id, ...values });
  const tile = async (caller: Caller = tenant.owner): Promise<Body> =>
    bodyOf(await caller.get(`/companies/${company.id}/summary`)).find(({ key }: Body) => key === "domains.renewal");

  it("are the first five in the panel, with how many there are", async () => {
    for (const label of ["f", "b", "d", "a", "e", "c"]) await make({ name: `${label}-${anyName()}` });
    await makeDomain(tenant);
    const panels = bodyOf(await tenant.owner.get(`/companies/${company.id}/panels`));
    const { data, position } = panels.find(({ key }: Body) => key === "domains.company");
    expect([position, data.total, data.items.map(({ name }: Body) => name[0])]).to.deep.equal([75, 6, ["a", "b", "c", "d", "e"]]);
    const { items } = bodyOf(await tenant.owner.get(`/domains?company_id=${company.id}&limit=5`));
    expect(data.items).to.deep.equal(items);
  });

  it("have a tile with the first renewal from today on, which warns from thirty days before", async () => {
    expect(await tile()).to.equal(undefined);
    await make({ next_invoice_date: addDays(today, -1) });
    await make({ next_invoice_date: addDays(today, 3), invoiceable: false });
    await make({ next_invoice_date: addDays(today, 31) });
    expect(await tile()).to.deep.include({ value: addDays(today, 31), format: "date", tone: "neutral", position: 50 });
    await make({ next_invoice_date: addDays(today, 30) });
    expect(await tile()).to.deep.include({ value: addDays(today, 30), tone: "warn", hint_params: { days: 30 } });
    await make({ next_invoice_date: today });
    expect(await tile()).to.deep.include({ value: today, tone: "warn", hint_params: { days: 0 } });
  });

  describe("to be invoiced", () => {
    const offered = async (): Promise<Body[]> =>
      bodyOf(await tenant.owner.get(`/invoicing/outstanding?company_id=${company.id}`)).domains;
    /** A domain whose record was made long ago, so that its years count. */
    const old = async (values: object): Promise<Body> => {
      const made = await make(values);
      await service.sql.query("update domains set created_at = '2020-01-01' where id = $1", [made.id]);
      return made;
    };

    it("are open by whole years back from the next, each at the price of its end; years without a price are not offered", async () => {
      for (const [amount, valid_from] of [
        [10, "2025-01-01"],
        [12, "2026-01-01"],
      ] as const)
        bodyOf(await tenant.owner.post("/domains/tld-prices", { tld: "nl", amount, valid_from }));
      const made = await old({ name: "a.nl", start_date: "2022-09-01", next_invoice_date: "2026-09-01" });
      const [domain] = await offered();
      expect(domain).to.deep.include({
        id: made.id,
        name: "a.nl",
        amount: "12.00",
        currency: "EUR",
        no_cycle: false,
        no_price: false,
      });
      expect(
        domain.periods.map(({ period_start, period_end, amount, future }: Body) => [period_start, period_end, amount, future]),
      ).to.deep.equal([
        ["2024-09-01", "2025-09-01", "10.00", false],
        ["2025-09-01", "2026-09-01", "12.00", true],
      ]);
      expect(domain.periods[0].lines).to.deep.equal([{ description: "a.nl", quantity: "1.00", unit_price: "10.00" }]);
    });

    it("report a missing cycle or price, and are omitted in an unbilled status", async () => {
      const priceless = await old({ start_date: "2024-01-01", next_invoice_date: "2026-01-01" });
      await make({ status: "expired" });
      expect(
        (await offered()).map(({ id, no_price, no_cycle, periods }: Body) => [id, no_price, no_cycle, periods]),
      ).to.deep.equal([[priceless.id, true, false, []]]);
    });

    it("stay in the picker marked once a document bills them, and leave the backlog", async () => {
      const made = await old({ price_override: 20, start_date: "2024-06-01", next_invoice_date: "2026-06-01" });
      const claim = { domain_id: made.id, period_start: "2025-06-01", period_end: "2026-06-01" };
      const line = { description: "Domein", quantity: "1", unit_price: "20", line_kind: "domain", ...claim };
      bodyOf(await tenant.owner.post("/invoicing/invoices", { company_id: company.id, lines: [line] }));
      const [domain] = await offered();
      expect(domain.periods.map(({ period_end, already_billed }: Body) => [period_end, already_billed])).to.deep.equal([
        ["2025-06-01", false],
        ["2026-06-01", true],
      ]);
      const backlog = bodyOf(await tenant.owner.get("/invoicing/recurring-backlog?source=domain"));
      expect(backlog.items.map(({ id, amount, source }: Body) => [id, amount, source])).to.deep.equal([
        [`domain:${made.id}:2025-06-01`, "20.00", "domain"],
      ]);
      expect(addMonths("2025-06-01", 12)).to.equal("2026-06-01");
    });
  });
});
