import { expect } from "chai";
import { internal } from "../../../../core/declare/makers/internal.ts";
import type { RecurringSource } from "../../../../core/values/recurring-source.ts";
import { service as actor } from "../../../../mixins/resource.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";
import { type AgreementService, madeOn, makeAgreement, startAgreementService } from "./agreement-records.ts";

/** Domains by organisation, as the module that has them will contribute them. */
const domains: Record<string, RecurringSource[]> = {};
const registry = actor("domains.contributions", {
  actions: {
    recurring: internal({
      summary: "Renewals of domains",
      open: "what is to be billed is shown by the operations of invoicing",
      contributes: { recurring: { source: "domain" } },
      handler: (ctx) =>
        (domains[ctx.meta.organisation.id] ?? []).filter(
          ({ company_id }) => ctx.params.company_id === null || company_id === ctx.params.company_id,
        ),
    }),
  },
});

describe("the open amount still to be invoiced", () => {
  let service: AgreementService;
  let tenant: Tenant;
  before(async () => {
    service = await startAgreementService("2026-01-15", [registry]);
  });
  beforeEach(async () => {
    service.today("2026-01-15");
    tenant = await service.tenant();
  });
  after(() => service.stop());

  /** An agreement whose record was made on a day, as in worked example 10 unless said otherwise. */
  const agreement = async (values: Record<string, unknown> = {}, made = "2026-01-15"): Promise<Body> => {
    const found = await makeAgreement(tenant, { next_invoice_date: "2026-05-15", ...values });
    await madeOn(service, found.id, made);
    return found;
  };
  const outstanding = async (company: string, caller: Caller = tenant.owner): Promise<Body> =>
    bodyOf(await caller.get(`/invoicing/outstanding?company_id=${company}`));
  const backlog = async (query = "", caller: Caller = tenant.owner): Promise<Body> =>
    bodyOf(await caller.get(`/invoicing/recurring-backlog${query}`));
  const bill = async ({ id, company_id }: Body, period_end: string): Promise<Body> =>
    bodyOf(
      await tenant.owner.post("/invoicing/invoices", {
        company_id,
        lines: [{ description: "A", unit_price: 1, line_kind: "subscription", subscription_id: id, period_end }],
      }),
    );
  const domain = (values: Partial<RecurringSource> = {}): RecurringSource => {
    const period = { period_start: "2025-03-01", period_end: "2026-03-01", future: true, amount: "12.50" };
    return {
      source: "domain",
      source_id: "0190a000-0000-7000-8000-000000000001",
      company_id: null,
      company_name: "",
      name: "wind.example",
      currency: "EUR",
      interval: "yearly",
      amount: "12.50",
      level: null,
      no_cycle: false,
      no_price: false,
      invoiceable: true,
      truncated: false,
      periods: [{ ...period, lines: [{ description: "wind.example", quantity: "1.00", unit_price: "12.50" }] }],
      ...values,
    };
  };

  describe("GET /invoicing/outstanding", () => {
    it("offers the open periods of worked example 10, each at the price of its end", async () => {
      const made = await agreement();
      bodyOf(await tenant.owner.patch(`/subscriptions/${made.id}`, { amount: 99, amount_valid_from: "2026-03-01" }));
      service.today("2026-04-15");
      const period = (period_start: string, period_end: string, amount: string, future = false) => ({
        ...{ period_start, period_end, amount, future, already_billed: false },
        lines: [{ description: "Hosting", quantity: "1.00", unit_price: amount }],
      });
      expect(await outstanding(made.company_id)).to.deep.equal({
        hours: { entries: [], total_count: 0, total_minutes: 0, total_amount: "0.00", hourly_rate: null, truncated: false },
        domains: [],
        subscriptions: [
          {
            id: made.id,
            name: "Hosting",
            amount: "99.00",
            currency: "EUR",
            interval: "monthly",
            no_cycle: false,
            truncated: false,
            periods: [
              period("2026-01-15", "2026-02-15", "90.00"),
              period("2026-02-15", "2026-03-15", "99.00"),
              period("2026-03-15", "2026-04-15", "99.00"),
              period("2026-04-15", "2026-05-15", "99.00", true),
            ],
          },
        ],
      });
    });

    it("marks periods on a document, and offers own lines", async () => {
      const made = await agreement({
        next_invoice_date: "2026-03-15",
        lines: [
          { description: "Server", quantity: 2, unit_amount: "10.50" },
          { description: "Support", unit_amount: 5 },
        ],
      });
      const invoice = await bill(made, "2026-02-15");
      const periods = async () => (await outstanding(made.company_id)).subscriptions[0].periods;
      expect((await periods()).map((one: Body) => [one.period_end, one.amount, one.already_billed, one.lines])).to.deep.equal(
        ["2026-02-15", "2026-03-15"].map((end) => [
          end,
          "26.00",
          end === "2026-02-15",
          [
            { description: "Server", quantity: "2.00", unit_price: "10.50" },
            { description: "Support", quantity: "1.00", unit_price: "5.00" },
          ],
        ]),
      );
      expect((await tenant.owner.delete(`/invoicing/invoices/${invoice.id}`)).status).to.equal(204);
      expect((await periods()).map((one: Body) => one.already_billed)).to.deep.equal([false, false]);
    });

    it("shows paused agreements too, those without a boundary as such, and no drafts or cancelled ones", async () => {
      const company_id = (await tenant.company()).id;
      for (const status of ["draft", "cancelled"]) await agreement({ company_id, status });
      await agreement({ company_id, name: "Paused", status: "paused", next_invoice_date: "2026-02-15" });
      await agreement({ company_id, name: "Ended", end_date: "2026-01-20", next_invoice_date: null });
      const { subscriptions } = await outstanding(company_id);
      expect(subscriptions.map(({ name, no_cycle, periods }: Body) => [name, no_cycle, periods.length])).to.deep.equal([
        ["Ended", true, 0],
        ["Paused", false, 1],
      ]);
    });

    it("keeps the newest 24 periods, and says that there are more", async () => {
      const made = await agreement({ start_date: "2020-01-15", next_invoice_date: "2026-01-15" }, "2020-01-15");
      const [shown] = (await outstanding(made.company_id)).subscriptions;
      expect([shown.periods.length, shown.truncated, shown.periods[0].period_end]).to.deep.equal([24, true, "2024-02-15"]);
    });

    it("shows domains of a second module too, not invoiced ones included", async () => {
      const company_id = (await tenant.company()).id;
      domains[tenant.organisation.id] = [domain({ company_id, invoiceable: false }), domain({ name: "other.example" })];
      const found = (await outstanding(company_id)).domains;
      expect(found).to.have.length(1);
      expect(found[0]).to.deep.include({ name: "wind.example", invoiceable: false, no_price: false, no_cycle: false });
    });

    it("shows nothing of a client that the caller does not see", async () => {
      const [seen, hidden] = [await agreement(), await agreement()];
      const admin = await tenant.member("admin");
      await tenant.group("Narrow", [seen.company_id], [admin.membershipId]);
      expect((await outstanding(seen.company_id, admin)).subscriptions).to.have.length(1);
      expect((await outstanding(hidden.company_id, admin)).subscriptions).to.deep.equal([]);
    });
  });

  describe("GET /invoicing/recurring-backlog", () => {
    it("has an item for each period that no document bills, by end, client and name", async () => {
      const ant = await tenant.company({ name: "Ant" });
      const bee = await tenant.company({ name: "Bee" });
      const late = await agreement({ company_id: bee.id, name: "Hosting", next_invoice_date: "2026-03-15" });
      const early = await agreement({ company_id: ant.id, name: "Support", next_invoice_date: "2026-02-15" });
      const same = await agreement({
        company_id: ant.id,
        name: "Care",
        next_invoice_date: "2026-02-15",
        auto_invoice_mode: "send",
      });
      await bill(late, "2026-03-15");
      service.today("2026-02-14");
      const report = await backlog();
      const item = (of: Body, values: object = {}) => ({
        ...{ id: `subscription:${of.id}:2026-02-15`, source: "subscription", source_id: of.id, company_id: of.company_id },
        ...{ company_name: of.company_name, name: of.name, currency: "EUR", amount: "90.00", auto_mode: "draft" },
        ...{ period_start: "2026-01-15", period_end: "2026-02-15", future: true },
        ...values,
      });
      expect(report).to.deep.equal({
        group: "company",
        source: "all",
        org_auto_invoice_mode: "draft",
        groups: [
          { key: ant.id, label: "Ant", count: 2, amount: "180.00", unconverted_count: 0 },
          { key: bee.id, label: "Bee", count: 1, amount: "90.00", unconverted_count: 0 },
        ],
        items: [item(same, { auto_mode: "send" }), item(early), item(late)],
        total_count: 3,
        total_amount: "270.00",
        unconverted_count: 0,
        totals_by_source: {
          subscription: { count: 3, amount: "270.00", unconverted_count: 0 },
          domain: { count: 0, amount: "0.00", unconverted_count: 0 },
        },
        truncated: false,
      });
    });

    it("groups by month and by source, filters by source, and totals both sources always", async () => {
      await agreement({ next_invoice_date: "2026-03-15" });
      domains[tenant.organisation.id] = [
        domain(),
        domain({ invoiceable: false, source_id: "0190a000-0000-7000-8000-000000000002" }),
      ];
      const by = async (query: string) =>
        (await backlog(query)).groups.map(({ key, count, amount }: Body) => [key, count, amount]);
      expect(await by("?group=month")).to.deep.equal([
        ["2026-02", 1, "90.00"],
        ["2026-03", 2, "102.50"],
      ]);
      expect(await by("?group=source")).to.deep.equal([
        ["domain", 1, "12.50"],
        ["subscription", 2, "180.00"],
      ]);
      expect((await by("?group=company")).at(-1)).to.deep.equal(["", 1, "12.50"]);
      const filtered = await backlog("?source=domain");
      expect([filtered.total_count, filtered.total_amount, filtered.items.length]).to.deep.equal([1, "12.50", 1]);
      expect(filtered.totals_by_source).to.deep.equal({
        subscription: { count: 2, amount: "180.00", unconverted_count: 0 },
        domain: { count: 1, amount: "12.50", unconverted_count: 0 },
      });
    });

    it("cuts the items at the limit, and neither groups nor totals", async () => {
      await agreement();
      const { items, truncated, total_count, groups } = await backlog("?limit=1");
      expect([items.length, truncated, total_count, groups[0].count]).to.deep.equal([1, true, 4, 4]);
      for (const limit of [0, 1001])
        expect((await tenant.owner.get(`/invoicing/recurring-backlog?limit=${limit}`)).status).to.equal(422);
    });

    it("is of clients that the caller sees, and closed to client logins", async () => {
      const [seen] = [await agreement({ next_invoice_date: "2026-02-15" }), await agreement()];
      const admin = await tenant.member("admin");
      await tenant.group("Narrow", [seen.company_id], [admin.membershipId]);
      expect((await backlog("", admin)).total_count).to.equal(1);
      const client = await tenant.member("client");
      expect((await client.get("/invoicing/recurring-backlog")).status).to.equal(403);
    });

    it("costs as many statements for one agreement as for many", async () => {
      const cost = async () => (await tenant.owner.get("/invoicing/recurring-backlog")).statements;
      await agreement();
      await cost();
      const one = await cost();
      for (let index = 0; index < 5; index++) await agreement();
      expect(await cost()).to.equal(one);
    });
  });
});
