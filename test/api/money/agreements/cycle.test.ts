import { expect } from "chai";
import { billAgreement, billDomain } from "../../../../services/money/agreements/billing/bill-period.ts";
import { runCycle } from "../../../../services/money/agreements/cycle/cycle.ts";
import { eventsAbout } from "../../../support/answers.ts";
import type { Tenant } from "../../../support/service.ts";
import { type Body, bodyOf, runFor } from "../../work/tasks/task-records.ts";
import { type AgreementService, domainOf, linesOf, makeAgreement, sharedAgreementService } from "./agreement-records.ts";

type Due = Parameters<typeof billAgreement>[0];

describe("the cycle of agreements", () => {
  let service: AgreementService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedAgreementService("2026-01-15");
  });
  beforeEach(async () => {
    service.today("2026-01-15");
    tenant = await service.tenant();
  });
  after(() => service.stop());

  /** The reported due periods, oldest first. */
  const reported = async (): Promise<Due[]> => {
    const { rows } = await service.sql.query<{ payload: Due }>(
      "select payload from recorded where organisation_id = $1 and event = 'subscription.due' order by seq",
      [tenant.organisation.id],
    );
    return rows.map(({ payload }) => payload);
  };
  /** Brings due periods to their consumer, as the events do. */
  const bring = async (periods: readonly Due[]) => {
    for (const period of periods) await runFor(tenant, (of) => of.write(() => billAgreement(period)));
  };
  const run = async () => {
    await runFor(tenant, runCycle);
    await bring(await reported());
  };
  const get = async (id: string): Promise<Body> => bodyOf(await tenant.owner.get(`/subscriptions/${id}`));
  const boundary = async (id: string): Promise<string | null> => (await get(id)).next_invoice_date;
  const due = async (id: string) =>
    (await eventsAbout(service, id)).flatMap(({ event, payload }) => (event === "subscription.due" ? [payload] : []));
  const invoices = async (): Promise<Body[]> => {
    const { items } = bodyOf(await tenant.owner.get("/invoicing/invoices?sort=created_at"));
    return Promise.all(items.map(async ({ id }: Body) => bodyOf(await tenant.owner.get(`/invoicing/invoices/${id}`))));
  };
  const settings = (body: object) => tenant.owner.put("/invoicing/settings", body).then(bodyOf);

  describe("its run", () => {
    it("reports the ended period and advances by one, once", async () => {
      const { id, company_id } = await makeAgreement(tenant, { auto_invoice_mode: "off" });
      service.today("2026-02-14");
      await run();
      expect([await due(id), await boundary(id)]).to.deep.equal([[], "2026-02-15"]);
      service.today("2026-02-15");
      await run();
      await run();
      expect(await due(id)).to.deep.equal([
        {
          subscription_id: id,
          company_id,
          name: "Hosting",
          period_start: "2026-01-15",
          period_end: "2026-02-15",
          amount: "90.00",
          currency: "EUR",
          level: "off",
          lines: [],
        },
      ]);
      expect(await boundary(id)).to.equal("2026-03-15");
    });

    it("bills one period in a run where several have ended, each at the price of its end", async () => {
      const { id } = await makeAgreement(tenant, { auto_invoice_mode: "off" });
      bodyOf(await tenant.owner.patch(`/subscriptions/${id}`, { amount: 99, amount_valid_from: "2026-03-01" }));
      service.today("2026-03-20");
      const reported = async () => (await due(id)).map(({ period_end, amount }) => [period_end, amount]);
      await run();
      expect(await reported()).to.deep.equal([["2026-02-15", "90.00"]]);
      await run();
      await run();
      expect(await reported()).to.deep.equal([
        ["2026-02-15", "90.00"],
        ["2026-03-15", "99.00"],
      ]);
    });

    it("is the organisation's day", async () => {
      const { id } = await makeAgreement(tenant, { auto_invoice_mode: "off" });
      service.today("2026-02-14T23:30:00Z");
      await run();
      expect(await boundary(id)).to.equal("2026-03-15");
    });

    it("ends at the end of the agreement, and bills nothing past it", async () => {
      const last = await makeAgreement(tenant, { end_date: "2026-03-14", auto_invoice_mode: "off" });
      const cut = await makeAgreement(tenant, { auto_invoice_mode: "off" });
      bodyOf(await tenant.owner.patch(`/subscriptions/${cut.id}`, { end_date: "2026-02-10" }));
      service.today("2026-02-15");
      await run();
      expect([await boundary(last.id), (await due(last.id)).length]).to.deep.equal([null, 1]);
      expect([await boundary(cut.id), (await due(cut.id)).length]).to.deep.equal([null, 0]);
    });

    it("leaves drafts, paused and cancelled agreements alone", async () => {
      const ids: string[] = [];
      for (const status of ["draft", "paused", "cancelled"])
        ids.push((await makeAgreement(tenant, { status, next_invoice_date: "2026-02-15" })).id);
      service.today("2026-02-15");
      await run();
      for (const id of ids) expect([await boundary(id), await due(id)]).to.deep.equal(["2026-02-15", []]);
    });
  });

  describe("its documents", () => {
    const REQUIRED = { entity_type: "invoice", key: "order", label_i18n: { en: "Order" }, data_type: "text", required: true };

    it("are created with mandatory custom fields empty, which are required when they are issued", async () => {
      bodyOf(await tenant.owner.post("/custom-fields/definitions", REQUIRED));
      await settings({ company_details: { name: "Vela Works" } });
      await makeAgreement(tenant);
      service.today("2026-02-15");
      await run();
      const [{ id, status, custom }] = (await invoices()) as [Body];
      expect([status, custom]).to.deep.equal(["draft", {}]);
      const refused = await tenant.owner.post(`/invoicing/invoices/${id}/issue`, {});
      expect([refused.status, refused.body.error.fields]).to.deep.equal([422, { order: "errors.required" }]);
      bodyOf(await tenant.owner.patch(`/invoicing/invoices/${id}`, { custom: { order: "PO 7" } }));
      expect(bodyOf(await tenant.owner.post(`/invoicing/invoices/${id}/issue`, {})).status).to.equal("open");
    });

    it("stay drafts where a mandatory custom field keeps them from being issued alone", async () => {
      bodyOf(await tenant.owner.post("/custom-fields/definitions", REQUIRED));
      await settings({ company_details: { name: "Vela Works" } });
      await makeAgreement(tenant, { auto_invoice_mode: "issue" });
      service.today("2026-02-15");
      await run();
      const [{ id, status, number }] = (await invoices()) as [Body];
      expect([status, number]).to.deep.equal(["draft", null]);
      expect((await linesOf(service, "invoice", id)).at(-1)).to.deep.equal([
        "auto_issue_failed",
        { reason: "errors.validation", fields: { order: "errors.required" } },
      ]);
    });

    it("are drafts by default, with period, claim and default tax", async () => {
      const { id, company_id } = await makeAgreement(tenant);
      service.today("2026-02-15");
      await run();
      const [invoice, ...others] = await invoices();
      expect(others).to.deep.equal([]);
      expect(invoice).to.deep.include({
        ...{ status: "draft", kind: "invoice", number: null, company_id, reference: "Hosting", currency: "EUR" },
        ...{ subtotal: "90.00", tax_total: "18.90", total: "108.90" },
        ...{ subscription_id: id, period_start: "2026-01-15", period_end: "2026-02-15" },
      });
      expect(invoice.lines).to.have.length(1);
      expect(invoice.lines[0]).to.deep.include({
        description: "Hosting (15-01-2026-15-02-2026)",
        line_kind: "subscription",
        quantity: "1.00",
        unit_price: "90.00",
        subscription_id: id,
        period_start: "2026-01-15",
        period_end: "2026-02-15",
      });
      expect(await linesOf(service, "invoice", invoice.id)).to.deep.equal([["created", {}]]);
    });

    it("have the agreement's own lines where there are some, and its currency", async () => {
      const { id } = await makeAgreement(tenant, {
        currency: "USD",
        lines: [
          { description: "Server", quantity: 2, unit_amount: "10.50" },
          { description: "Support", unit_amount: 5 },
        ],
      });
      service.today("2026-02-15");
      await run();
      expect((await due(id))[0]).to.include({ amount: "26.00" });
      const [invoice] = await invoices();
      expect(invoice).to.include({ currency: "USD", subtotal: "26.00" });
      expect(
        invoice.lines.map((line: Body) => [line.description, line.quantity, line.unit_price, line.subscription_id]),
      ).to.deep.equal([
        ["Server", "2.00", "10.50", id],
        ["Support", "1.00", "5.00", id],
      ]);
    });

    it("are issued, or flagged to be mailed as well, as agreement or organisation says", async () => {
      await settings({ company_details: { name: "Vela Works" }, auto_invoice_mode: "issue" });
      const issued = await makeAgreement(tenant, { name: "A" });
      const sent = await makeAgreement(tenant, { name: "B", auto_invoice_mode: "send" });
      const off = await makeAgreement(tenant, { name: "C", auto_invoice_mode: "off" });
      const draft = await makeAgreement(tenant, { name: "D", auto_invoice_mode: "draft" });
      service.today("2026-02-15");
      await run();
      const { rows } = await service.sql.query(
        "select subscription_id, status, number is not null as numbered, auto_send from invoices where organisation_id = $1 order by reference",
        [tenant.organisation.id],
      );
      expect(rows).to.deep.equal([
        { subscription_id: issued.id, status: "open", numbered: true, auto_send: false },
        { subscription_id: sent.id, status: "open", numbered: true, auto_send: true },
        { subscription_id: draft.id, status: "draft", numbered: false, auto_send: false },
      ]);
      expect(await boundary(off.id)).to.equal("2026-03-15");
    });

    it("are due by the payment terms of the organisation", async () => {
      await settings({ company_details: { name: "Vela Works" }, auto_invoice_mode: "issue" });
      await settings({ default_due_days: 30, default_due_basis: "end_of_month" });
      await makeAgreement(tenant);
      service.today("2026-02-15");
      await run();
      expect(
        (await invoices()).map(({ issue_date, due_date, payment_terms }) => [issue_date, due_date, payment_terms]),
      ).to.deep.equal([["2026-02-15", "2026-03-30", { days: 30, basis: "end_of_month" }]]);
    });

    it("stay drafts with a line that says why where they cannot be issued, use no number, and hold up no other", async () => {
      await settings({ company_details: { name: null }, auto_invoice_mode: "send" });
      await makeAgreement(tenant, { name: "A" });
      await makeAgreement(tenant, { name: "B" });
      service.today("2026-02-15");
      await run();
      const made = await invoices();
      expect(made.map(({ status, number }) => [status, number])).to.deep.equal([
        ["draft", null],
        ["draft", null],
      ]);
      for (const { id } of made)
        expect(await linesOf(service, "invoice", id)).to.deep.equal([
          ["created", {}],
          ["auto_issue_failed", { reason: "errors.invoicing.seller_incomplete" }],
        ]);
      const { rows } = await service.sql.query(
        "select bool_or(auto_send) as flagged, (select invoice_next_seq from invoicing_settings s where s.organisation_id = $1) as next from invoices where organisation_id = $1",
        [tenant.organisation.id],
      );
      expect(rows).to.deep.equal([{ flagged: false, next: "1" }]);
    });

    it("are not made of a period that a document bills already; the boundary moves all the same", async () => {
      const { id, company_id } = await makeAgreement(tenant);
      const line = { description: "By hand", unit_price: 80, line_kind: "subscription", subscription_id: id };
      const byHand = await tenant.owner.post("/invoicing/invoices", {
        company_id,
        lines: [{ ...line, period_start: "2026-01-15", period_end: "2026-02-15" }],
      });
      bodyOf(byHand);
      service.today("2026-02-15");
      await run();
      expect((await invoices()).map((invoice) => invoice.id)).to.deep.equal([byHand.body.id]);
      expect(await boundary(id)).to.equal("2026-03-15");
    });

    it("are made once however often the event is brought, and for the client of now", async () => {
      const { id } = await makeAgreement(tenant, { auto_invoice_mode: "off" });
      service.today("2026-02-15");
      await run();
      const [payload] = (await due(id)) as unknown as [Due];
      const other = (await tenant.company()).id;
      bodyOf(await tenant.owner.patch(`/subscriptions/${id}`, { company_id: other }));
      const bill = () => runFor(tenant, (of) => of.write(() => billAgreement({ ...payload, level: "draft" })));
      await Promise.all([bill(), bill(), bill()]);
      expect((await invoices()).map(({ company_id, period_end }) => [company_id, period_end])).to.deep.equal([
        [other, "2026-02-15"],
      ]);
      bodyOf(await tenant.owner.delete(`/subscriptions/${id}`));
      await bill();
      expect(await invoices()).to.have.length(1);
    });

    it("wait for a person if the organisation bills nothing automatically", async () => {
      await settings({ auto_invoice_mode: "off" });
      const { company_id } = await makeAgreement(tenant);
      service.today("2026-02-15");
      await run();
      expect(await invoices()).to.deep.equal([]);
      const { subscriptions } = bodyOf(await tenant.owner.get(`/invoicing/outstanding?company_id=${company_id}`));
      expect(subscriptions).to.have.length(1);
    });
  });

  describe("at the same moment", () => {
    it("two runs make one document per period", async () => {
      const ids: string[] = [];
      for (let index = 0; index < 5; index++) ids.push((await makeAgreement(tenant, { name: `A${index}` })).id);
      for (const [day, made] of [
        ["2026-02-15", 5],
        ["2026-03-15", 10],
        ["2026-04-15", 15],
      ] as const) {
        service.today(day);
        await Promise.all([1, 2, 3].map(() => runFor(tenant, runCycle)));
        const periods = await reported();
        await Promise.all([1, 2, 3].map(() => bring(periods)));
        const { rows } = await service.sql.query(
          `select count(*)::int as made, count(distinct (subscription_id, period_end))::int as periods from invoices where organisation_id = $1`,
          [tenant.organisation.id],
        );
        expect(rows).to.deep.equal([{ made, periods: made }]);
      }
      for (const id of ids) expect(await due(id)).to.have.length(3);
    });

    it("a run and a change of the agreement leave it at one boundary after the other", async () => {
      const { id } = await makeAgreement(tenant, { auto_invoice_mode: "off" });
      service.today("2026-02-15");
      const [changed] = await Promise.all([
        tenant.owner.patch(`/subscriptions/${id}`, { name: "Renamed" }),
        runFor(tenant, runCycle),
      ]);
      expect(changed.status).to.equal(200);
      expect(await get(id)).to.include({ name: "Renamed", next_invoice_date: "2026-03-15" });
      expect(await due(id)).to.have.length(1);
    });
  });

  describe("of a domain", () => {
    const renewal = async (values: object = {}) => ({
      ...(await domainOf(tenant)),
      name: "wind.example",
      period_start: "2025-03-01",
      period_end: "2026-03-01",
      amount: "12.50",
      currency: "EUR",
      tld: "example",
      auto_invoice_mode: null,
      ...values,
    });
    const bill = (payload: Parameters<typeof billDomain>[0]) => runFor(tenant, (of) => of.write(() => billDomain(payload)));

    it("is skipped when deleted, and billed to its current client", async () => {
      const [gone, moved] = [await renewal(), await renewal({ name: "zee.example" })];
      await tenant.owner.delete(`/domains/${gone.domain_id}`);
      const company_id = (await tenant.company({ name: "Next" })).id;
      bodyOf(await tenant.owner.patch(`/domains/${moved.domain_id}`, { company_id }));
      await bill(gone);
      await bill(moved);
      expect((await invoices()).map((one) => [one.domain_id, one.company_id])).to.deep.equal([[moved.domain_id, company_id]]);
    });

    it("is billed with a line in the organisation's language, once", async () => {
      const payload = await renewal();
      await bill(payload);
      await bill(payload);
      const [invoice, ...others] = await invoices();
      expect(others).to.deep.equal([]);
      expect(invoice).to.deep.include({
        status: "draft",
        reference: "wind.example",
        domain_id: payload.domain_id,
        period_start: "2025-03-01",
        period_end: "2026-03-01",
        subtotal: "12.50",
      });
      expect(invoice.lines[0]).to.include({
        description: "Domeinverlenging wind.example (01-03-2025-01-03-2026)",
        line_kind: "domain",
        domain_id: payload.domain_id,
      });
    });
  });
});
