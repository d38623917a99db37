import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { eventsAbout, refused, unfit } from "../../../support/answers.ts";
import { errorsOf, importSheet } from "../../../support/impex.ts";
import type { Tenant } from "../../../support/service.ts";
import { type Body, bodyOf, idsOf } from "../../work/tasks/task-records.ts";
import { type AgreementService, agreementBody, linesOf, makeAgreement, sharedAgreementService } from "./agreement-records.ts";

const notFound = [404, "not_found", "errors.not_found"];
const unknown = (field: string, key = "errors.validation") => [400, "validation", "errors.validation", { [field]: key }];

describe("recurring agreements", () => {
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

  const post = async (values: Record<string, unknown> = {}) =>
    tenant.owner.post("/subscriptions", await agreementBody(tenant, values));
  const patch = (id: string, body: object) => tenant.owner.patch(`/subscriptions/${id}`, body);
  const get = async (id: string): Promise<Body> => bodyOf(await tenant.owner.get(`/subscriptions/${id}`));
  const prices = async (id: string): Promise<[string, string][]> =>
    bodyOf(await tenant.owner.get(`/subscriptions/${id}/prices`)).map(({ valid_from, amount }: Body) => [valid_from, amount]);
  const trail = (id: string) => linesOf(service, "subscription", id);

  describe("POST /subscriptions", () => {
    it("answers every field, with defaults", async () => {
      const company = await tenant.company();
      const { id, org_id, created_at, updated_at, activated_at, ...shown } = await makeAgreement(tenant, {
        company_id: company.id,
      });
      expect([typeof id, org_id, typeof created_at, typeof updated_at, typeof activated_at]).to.deep.equal([
        "string",
        tenant.organisation.id,
        "string",
        "string",
        "string",
      ]);
      expect(shown).to.deep.equal({
        company_id: company.id,
        company_name: company.name,
        name: "Hosting",
        status: "active",
        start_date: "2026-01-15",
        end_date: null,
        next_invoice_date: "2026-02-15",
        anchor: null,
        amount: "90.00",
        monthly_equivalent: "90.00",
        auto_invoice_mode: null,
        currency: "EUR",
        interval: "monthly",
        interval_count: 1,
        included_hours: null,
        rollover: { mode: "none", expires_after_periods: null },
        notice_period_days: null,
        subscription_type_id: null,
        subscription_type_label: null,
        subscription_template_id: null,
        subscription_template_name: null,
        lines: [],
        project_ids: [],
        task_ids: [],
        notes: null,
        custom: {},
      });
      expect(await get(id)).to.deep.equal({ id, org_id, created_at, updated_at, activated_at, ...shown });
      expect(await trail(id)).to.deep.equal([["created", {}]]);
    });

    it("keeps amounts as they were sent, and lines as exact texts", async () => {
      const made = await makeAgreement(tenant, {
        amount: 0.11,
        included_hours: "2.01",
        currency: "usd",
        interval: "quarterly",
        interval_count: 2,
        rollover: { mode: "carry", expires_after_periods: 3 },
        lines: [
          { description: " Server ", quantity: 2, unit_amount: "10.005" },
          { description: "Domain", unit_amount: 5 },
        ],
        notes: "<b>Call</b> first",
      });
      expect(made).to.deep.include({
        amount: "0.11",
        // 0.11 ÷ 6
        monthly_equivalent: "0.02",
        included_hours: "2.01",
        currency: "USD",
        next_invoice_date: "2026-07-15",
        rollover: { mode: "carry", expires_after_periods: 3 },
        lines: [
          { description: "Server", quantity: "2.00", unit_amount: "10.005" },
          { description: "Domain", quantity: "1.00", unit_amount: "5.00" },
        ],
        notes: "Call first",
      });
    });

    it("refuses what breaks a rule, naming every field", async () => {
      const { status, body } = await tenant.owner.post("/subscriptions", {});
      expect([status, body.error.fields]).to.deep.equal([
        422,
        { company_id: "errors.required", name: "errors.required", amount: "errors.required", start_date: "errors.required" },
      ]);
      expect(
        refused(await post({ amount: -1, interval_count: 13, notice_period_days: 366, auto_invoice_mode: "later" })),
      ).to.deep.equal(
        unfit({
          amount: "errors.validation",
          interval_count: "errors.validation",
          notice_period_days: "errors.validation",
          auto_invoice_mode: "errors.validation",
        }),
      );
      expect(refused(await post({ currency: "XYZ", name: "  " }))).to.deep.equal(
        unfit({ currency: "errors.invoicing.invalid_currency", name: "errors.validation" }),
      );
      expect(refused(await post({ amount: "10000000000" }))).to.deep.equal(unfit({ amount: "errors.validation" }));
    });

    it("takes no client, type, preset, project or task that is not there", async () => {
      const other = await service.tenant();
      const [company, project] = [await other.company(), randomUUID()];
      expect(refused(await post({ company_id: company.id }))).to.deep.equal(notFound);
      const foreign = await makeAgreement(other);
      const type = bodyOf(await other.owner.post("/subscriptions/types", { key: "care" })).id;
      const template = bodyOf(await other.owner.post("/subscriptions/templates", { name: "Care" })).id;
      expect(refused(await post({ subscription_type_id: type }))).to.deep.equal(unknown("subscription_type_id"));
      expect(refused(await post({ subscription_template_id: template }))).to.deep.equal(unknown("subscription_template_id"));
      expect(refused(await post({ project_ids: [project] }))).to.deep.equal(unknown("links", "errors.not_found"));
      expect(refused(await post({ task_ids: [foreign.id] }))).to.deep.equal(unknown("links", "errors.not_found"));
      expect(bodyOf(await tenant.owner.get("/subscriptions")).total).to.equal(0);
    });

    it("takes the terms that are not sent from its preset", async () => {
      const type = bodyOf(await tenant.owner.post("/subscriptions/types", { key: "care", label_i18n: { en: "Care" } })).id;
      const template = bodyOf(
        await tenant.owner.post("/subscriptions/templates", {
          name: "Care plan",
          amount: 240,
          interval: "quarterly",
          included_hours: 6,
          subscription_type_id: type,
          lines: [{ description: "Care", unit_amount: 80 }],
        }),
      );
      const made = await makeAgreement(tenant, { subscription_template_id: template.id, included_hours: 3 });
      expect(made).to.deep.include({
        interval: "quarterly",
        included_hours: "3.00",
        subscription_type_id: type,
        subscription_type_label: { en: "Care" },
        subscription_template_name: "Care plan",
        lines: template.lines,
        next_invoice_date: "2026-04-15",
        amount: "90.00",
      });
    });

    it("keeps custom fields of agreements", async () => {
      const definition = {
        entity_type: "subscription",
        key: "contract",
        label_i18n: { en: "Contract" },
        data_type: "text",
        required: true,
      };
      bodyOf(await tenant.owner.post("/custom-fields/definitions", definition));
      expect(refused(await post())).to.deep.equal(unfit({ contract: "errors.required" }));
      expect((await makeAgreement(tenant, { custom: { contract: "C-1" } })).custom).to.deep.equal({ contract: "C-1" });
    });
  });

  describe("the first activation", () => {
    const reported = async (id: string) => (await eventsAbout(service, id)).map(({ event, payload }) => [event, payload]);

    it("sets the first boundary, is reported once and never again on resuming", async () => {
      const draft = await makeAgreement(tenant, { status: "draft" });
      expect([draft.next_invoice_date, draft.activated_at, await reported(draft.id)]).to.deep.equal([null, null, []]);
      const active = bodyOf(await patch(draft.id, { status: "active" }));
      expect(active.next_invoice_date).to.equal("2026-02-15");
      const payload = { subscription_id: draft.id, company_id: draft.company_id, name: "Hosting" };
      expect(await reported(draft.id)).to.deep.equal([["subscription.activated", payload]]);
      bodyOf(await patch(draft.id, { status: "paused", next_invoice_date: null }));
      const resumed = bodyOf(await patch(draft.id, { status: "active" }));
      expect([resumed.next_invoice_date, resumed.activated_at]).to.deep.equal([null, active.activated_at]);
      expect(await reported(draft.id)).to.have.length(1);
    });

    it("gives boundaries at the end of the month to an agreement with that anchor", async () => {
      const body = { start_date: "2026-01-31", anchor: "month_end", amount: "90.00" };
      const { id, anchor, next_invoice_date } = await makeAgreement(tenant, body);
      expect([anchor, next_invoice_date]).to.deep.equal(["month_end", "2026-02-28"]);
      const patched = await tenant.owner.patch(`/subscriptions/${id}`, { anchor: null });
      expect(patched.body.anchor).to.equal(null);
      expect((await tenant.owner.patch(`/subscriptions/${id}`, { anchor: "month_start" })).status).to.equal(422);
    });

    it("overwrites no given date, and sets none past the end", async () => {
      expect((await makeAgreement(tenant, { next_invoice_date: "2026-03-01" })).next_invoice_date).to.equal("2026-03-01");
      expect((await makeAgreement(tenant, { end_date: "2026-02-14" })).next_invoice_date).to.equal(null);
      expect((await makeAgreement(tenant, { end_date: "2026-02-15" })).next_invoice_date).to.equal("2026-02-15");
    });

    it("refuses an end before the start, on create and update", async () => {
      const dates = { start_date: "2026-02-02", end_date: "2026-02-01" };
      const { id, company_id } = await makeAgreement(tenant, { start_date: "2026-02-01", end_date: "2026-02-01" });
      const refusedEnd = [422, "validation", "errors.validation", { end_date: "errors.validation" }];
      expect(
        refused(await tenant.owner.post("/subscriptions", await agreementBody(tenant, { company_id, ...dates }))),
      ).to.deep.equal(refusedEnd);
      for (const body of [dates, { start_date: "2026-02-02" }, { end_date: "2026-01-31" }])
        expect(refused(await tenant.owner.patch(`/subscriptions/${id}`, body))).to.deep.equal(refusedEnd);
    });

    it("clamps the boundary to the end of the month", async () => {
      expect((await makeAgreement(tenant, { start_date: "2026-01-31" })).next_invoice_date).to.equal("2026-02-28");
    });

    it("applies the active task templates of its type, in the same transaction and in their order", async () => {
      const templates: string[] = [];
      for (const [name, active] of [
        ["Set up", true],
        ["Off", false],
        ["Call", true],
      ] as const)
        templates.push(bodyOf(await tenant.owner.post("/tasks/templates", { name, active, items: [{ title: name }] })).id);
      const type = bodyOf(
        await tenant.owner.post("/subscriptions/types", { key: "care", task_template_ids: templates.toReversed() }),
      ).id;
      const titles = async (company: string) =>
        bodyOf(await tenant.owner.get(`/tasks?company_id=${company}`)).items.map(({ title }: Body) => title);
      const { id, company_id } = await makeAgreement(tenant, { status: "draft", subscription_type_id: type });
      expect(await titles(company_id)).to.deep.equal([]);
      bodyOf(await patch(id, { status: "active" }));
      expect(await titles(company_id)).to.deep.equal(["Call", "Set up"]);
      bodyOf(await patch(id, { status: "paused" }));
      bodyOf(await patch(id, { status: "active" }));
      expect(await titles(company_id)).to.have.length(2);
    });
  });

  describe("prices", () => {
    it("are appended by a change, from today or the sent day, and never change the past", async () => {
      const { id } = await makeAgreement(tenant);
      service.today("2026-02-01");
      const changed = bodyOf(await patch(id, { amount: 99, amount_valid_from: "2026-03-01" }));
      expect([changed.amount, await prices(id)]).to.deep.equal([
        "90.00",
        [
          ["2026-03-01", "99.00"],
          ["2026-01-15", "90.00"],
        ],
      ]);
      service.today("2026-03-01");
      expect(await get(id)).to.include({ amount: "99.00", monthly_equivalent: "99.00" });
      service.today("2026-03-02");
      expect(bodyOf(await patch(id, { amount: 100 })).amount).to.equal("100.00");
      expect((await prices(id))[0]).to.deep.equal(["2026-03-02", "100.00"]);
    });

    it("are corrected by another change on the same day", async () => {
      const { id } = await makeAgreement(tenant);
      service.today("2026-02-01");
      for (const amount of [95, 96]) bodyOf(await patch(id, { amount }));
      expect(await prices(id)).to.deep.equal([
        ["2026-02-01", "96.00"],
        ["2026-01-15", "90.00"],
      ]);
      const [, first, second] = await trail(id);
      expect([first, second]).to.deep.equal([
        ["updated", { changes: { amount: { from: "90.00", to: "95.00" } }, amount_valid_from: "2026-02-01" }],
        ["updated", { changes: { amount: { from: "95.00", to: "96.00" } }, amount_valid_from: "2026-02-01" }],
      ]);
    });

    it("are corrected where the agreement is still to begin", async () => {
      const { id } = await makeAgreement(tenant, { start_date: "2026-04-01" });
      expect(bodyOf(await patch(id, { amount: 80 })).amount).to.equal("80.00");
      expect(await prices(id)).to.deep.equal([["2026-04-01", "80.00"]]);
    });

    it("stay as they are when the amount counts already", async () => {
      const { id } = await makeAgreement(tenant);
      service.today("2026-02-01");
      const same = await patch(id, { amount: "90" });
      expect([same.headers.etag, await prices(id), await trail(id)]).to.deep.equal([
        '"1"',
        [["2026-01-15", "90.00"]],
        [["created", {}]],
      ]);
    });
  });

  describe("PATCH /subscriptions/{subscription_id}", () => {
    it("records changes on the trail, and nothing without a change", async () => {
      const { id, company_id } = await makeAgreement(tenant);
      const other = await tenant.company();
      bodyOf(await patch(id, { company_id: other.id, name: "Support", interval: "yearly", auto_invoice_mode: "issue" }));
      expect((await trail(id)).slice(1)).to.deep.equal([
        [
          "updated",
          {
            changes: {
              interval: { from: "monthly", to: "yearly" },
              company_id: { from: company_id, to: other.id },
              name: { from: "Hosting", to: "Support" },
              auto_invoice_mode: { from: null, to: "issue" },
            },
          },
        ],
      ]);
      const same = await patch(id, { name: "Support", interval: "yearly", lines: [], project_ids: [] });
      expect([same.headers.etag, (await trail(id)).length]).to.deep.equal(['"2"', 2]);
    });

    it("refuses null where a field cannot be empty, and empties the others", async () => {
      const { id } = await makeAgreement(tenant, {
        ...{ end_date: "2027-01-01", notes: "x", included_hours: 4, lines: [{ description: "A", unit_amount: 1 }] },
        rollover: { mode: "carry" },
      });
      const required = ["company_id", "name", "amount", "start_date", "status", "currency", "interval", "interval_count"];
      expect(refused(await patch(id, Object.fromEntries(required.map((field) => [field, null]))))).to.deep.equal(
        unfit(Object.fromEntries(required.map((field) => [field, "errors.validation"]))),
      );
      const emptied = { end_date: null, notes: null, included_hours: null, lines: null, rollover: null, next_invoice_date: null };
      expect(bodyOf(await patch(id, emptied))).to.deep.include({
        ...emptied,
        lines: [],
        rollover: { mode: "none", expires_after_periods: null },
      });
    });
  });

  describe("links", () => {
    const project = async (values: object = {}) =>
      bodyOf(await tenant.owner.post("/projects", { name: "Site", company_id: (await tenant.company()).id, ...values }));
    const billable = async (id: string) => bodyOf(await tenant.owner.get(`/projects/${id}`)).billable_default;

    it("make new hours of a project not billable once, with a line; it may be switched back", async () => {
      const { id } = await project();
      const made = await makeAgreement(tenant, { project_ids: [id] });
      expect([made.project_ids, await billable(id)]).to.deep.equal([[id], false]);
      expect((await linesOf(service, "project", id)).slice(1)).to.deep.equal([
        ["updated", { changes: { billable_default: { from: true, to: false } } }],
      ]);
      bodyOf(await tenant.owner.patch(`/projects/${id}`, { billable_default: true }));
      bodyOf(await patch(made.id, { project_ids: [id], name: "Other" }));
      expect(await billable(id)).to.equal(true);
      const linked = (await eventsAbout(service, made.id)).filter(({ event }) => event === "subscription.project_linked");
      expect(linked.map(({ payload }) => payload)).to.deep.equal([
        { subscription_id: made.id, company_id: made.company_id, name: "Hosting", project_id: id },
      ]);
    });

    it("leave no line on a project whose hours were not billable already", async () => {
      const { id } = await project({ billable_default: false });
      await makeAgreement(tenant, { project_ids: [id] });
      expect((await linesOf(service, "project", id)).map(([action]) => action)).to.deep.equal(["created"]);
    });

    it("back the budget of a project while the agreement is active", async () => {
      const { id } = await project({ budget_hours: 20 });
      const made = await makeAgreement(tenant, { project_ids: [id], interval: "quarterly", included_hours: 27 });
      const read = async () => bodyOf(await tenant.owner.get(`/projects/${id}?hours=true`));
      expect((await read()).budget_sources).to.deep.equal([
        { subscription_id: made.id, name: "Hosting", included_hours: 27, monthly_hours: 9 },
      ]);
      expect((await read()).hours).to.include({ budget_hours: 9, period: "monthly" });
      const locked = await tenant.owner.patch(`/projects/${id}`, { budget_hours: 30 });
      expect([locked.status, locked.body.error.message]).to.deep.equal([409, "errors.projects_budget_hours_locked"]);
      bodyOf(await patch(made.id, { status: "paused" }));
      expect((await read()).hours).to.include({ budget_hours: 20, period: "total" });
      bodyOf(await patch(made.id, { status: "active" }));
      bodyOf(await tenant.owner.delete(`/subscriptions/${made.id}`));
      expect(await read()).to.deep.include({ budget_sources: [] });
    });

    it("lock the hours for members who do not see the agreement, too: in a change and in an import", async () => {
      const { id, name, company_id } = await project({ name: "Site", budget_hours: 20 });
      const admin = await tenant.member("admin");
      await tenant.group("Narrow", [company_id], [admin.membershipId]);
      const made = await makeAgreement(tenant, { project_ids: [id], included_hours: 9 });
      expect(made.company_id).to.not.equal(company_id);
      const locked = await admin.patch(`/projects/${id}`, { budget_hours: 30 });
      expect([locked.status, locked.body.error.message]).to.deep.equal([409, "errors.projects_budget_hours_locked"]);
      const file = `id,name,budget_hours\n${id},${name},30\n`;
      expect(errorsOf(await importSheet(admin, "project", file))).to.deep.equal([
        "2 budget_hours errors.projects_budget_hours_locked",
      ]);
      for (const body of [{ budget_hours: 20 }, { name: "Site 2" }])
        expect(bodyOf(await admin.patch(`/projects/${id}`, body)).budget_sources).to.deep.equal([]);
      expect(bodyOf(await admin.get(`/projects/${id}?hours=true`)).hours).to.include({ budget_hours: 20, period: "total" });
      bodyOf(await patch(made.id, { status: "paused" }));
      expect(await importSheet(admin, "project", file)).to.include({ updated: 1 });
    });

    it("are replaced by those that are sent, and show what changed", async () => {
      const [one, other] = [await project(), await project()];
      const task = bodyOf(await tenant.owner.post("/tasks", { title: "Do" })).id;
      const { id } = await makeAgreement(tenant, { project_ids: [one.id], task_ids: [task] });
      const changed = bodyOf(await patch(id, { project_ids: [other.id, other.id] }));
      expect([changed.project_ids, changed.task_ids]).to.deep.equal([[other.id], [task]]);
      expect((await trail(id)).at(-1)).to.deep.equal([
        "updated",
        { changes: { project_ids: { from: [one.id], to: [other.id] } } },
      ]);
      expect(bodyOf(await patch(id, { project_ids: null, task_ids: [] }))).to.deep.include({ project_ids: [], task_ids: [] });
    });

    it("to records that a restricted member does not see are neither shown nor removed", async () => {
      const [seen, hidden] = [await project(), await project()];
      const { id } = await makeAgreement(tenant, { company_id: seen.company_id, project_ids: [seen.id, hidden.id] });
      const admin = await tenant.member("admin");
      await tenant.group("Narrow", [seen.company_id], [admin.membershipId]);
      expect(bodyOf(await admin.get(`/subscriptions/${id}`)).project_ids).to.deep.equal([seen.id]);
      expect(refused(await admin.patch(`/subscriptions/${id}`, { project_ids: [(await project()).id] }))).to.deep.equal(
        unknown("links", "errors.not_found"),
      );
      bodyOf(await admin.patch(`/subscriptions/${id}`, { project_ids: [] }));
      expect((await get(id)).project_ids).to.deep.equal([hidden.id]);
      expect(bodyOf(await tenant.owner.get(`/projects/${hidden.id}`)).budget_sources).to.deep.equal([]);
    });
  });

  describe("DELETE /subscriptions/{subscription_id}", () => {
    it("takes prices and links along and leaves the trail; so does deleting the client", async () => {
      const project = bodyOf(await tenant.owner.post("/projects", { name: "Site", company_id: (await tenant.company()).id })).id;
      const [one, other] = [await makeAgreement(tenant, { project_ids: [project] }), await makeAgreement(tenant)];
      expect((await tenant.owner.delete(`/subscriptions/${one.id}`)).status).to.equal(204);
      expect((await tenant.owner.delete(`/companies/${other.company_id}`)).status).to.equal(204);
      for (const { id } of [one, other]) {
        expect(refused(await tenant.owner.get(`/subscriptions/${id}`))).to.deep.equal(notFound);
        expect((await trail(id)).length).to.equal(1);
      }
      const { rows } = await service.sql.query(
        "select (select count(*) from subscription_prices where organisation_id = $1)::int + (select count(*) from subscription_projects where organisation_id = $1)::int as left",
        [tenant.organisation.id],
      );
      expect(rows).to.deep.equal([{ left: 0 }]);
    });
  });

  describe("GET /subscriptions", () => {
    it("filters by client, statuses and type, and searches names", async () => {
      const type = bodyOf(await tenant.owner.post("/subscriptions/types", { key: "care" })).id;
      const alpha = await makeAgreement(tenant, { name: "Alpha", subscription_type_id: type });
      const beta = await makeAgreement(tenant, { name: "Beta", status: "draft" });
      const gamma = await makeAgreement(tenant, { name: "Gamma", status: "paused" });
      const listed = async (query: string) => idsOf(await tenant.owner.get(`/subscriptions?${query}`));
      expect(await listed("")).to.deep.equal([alpha.id, beta.id, gamma.id]);
      expect(await listed(`company_id=${beta.company_id}`)).to.deep.equal([beta.id]);
      expect(await listed("status=draft,paused")).to.deep.equal([beta.id, gamma.id]);
      expect(await listed("status=unheard")).to.deep.equal([]);
      expect(await listed(`subscription_type_id=${type}`)).to.deep.equal([alpha.id]);
      expect(await listed("q=AMM")).to.deep.equal([gamma.id]);
      expect(await listed("sort=-next_invoice_date")).to.deep.equal([alpha.id, beta.id, gamma.id]);
    });
  });

  describe("GET /subscriptions/summary", () => {
    it("adds up what active agreements come to a month, each rounded", async () => {
      await makeAgreement(tenant, { amount: 100, interval: "quarterly" });
      await makeAgreement(tenant, { amount: 100, interval: "quarterly" });
      await makeAgreement(tenant, { amount: 1200, interval: "yearly", currency: "USD" });
      await makeAgreement(tenant, { amount: 50, status: "paused" });
      await makeAgreement(tenant, { amount: 50, status: "draft" });
      expect(bodyOf(await tenant.owner.get("/subscriptions/summary"))).to.deep.equal({
        mrr: "66.66",
        arr: "799.92",
        unconverted_count: 1,
        active_count: 3,
        draft_count: 1,
        paused_count: 1,
        cancelled_count: 0,
        currencies: [
          { currency: "EUR", count: 2, mrr: "66.66", arr: "799.92" },
          { currency: "USD", count: 1, mrr: "100.00", arr: "1200.00" },
        ],
      });
    });

    it("counts an agreement from its start date to its end date, both included", async () => {
      await makeAgreement(tenant, { amount: 10, start_date: "2026-02-10", end_date: "2026-02-20" });
      const figures: unknown[] = [];
      for (const day of ["2026-02-09", "2026-02-10", "2026-02-20", "2026-02-21"]) {
        service.today(day);
        const { mrr, arr, active_count, currencies } = bodyOf(await tenant.owner.get("/subscriptions/summary"));
        figures.push([mrr, arr, active_count, currencies.length]);
      }
      const [none, one] = [
        ["0.00", "0.00", 0, 0],
        ["10.00", "120.00", 1, 1],
      ];
      expect(figures).to.deep.equal([none, one, one, none]);
    });

    it("counts the price of today, and of clients that the caller sees", async () => {
      const seen = await makeAgreement(tenant);
      await makeAgreement(tenant, { amount: 10 });
      bodyOf(await patch(seen.id, { amount: 99, amount_valid_from: "2026-03-01" }));
      const admin = await tenant.member("admin");
      await tenant.group("Narrow", [seen.company_id], [admin.membershipId]);
      const mrr = async (who = tenant.owner) => bodyOf(await who.get("/subscriptions/summary")).mrr;
      expect([await mrr(), await mrr(admin)]).to.deep.equal(["100.00", "90.00"]);
      service.today("2026-03-01");
      expect([await mrr(), await mrr(admin)]).to.deep.equal(["109.00", "99.00"]);
    });
  });

  it("are in the panel of their client", async () => {
    const { id, company_id } = await makeAgreement(tenant);
    const panels: Body[] = bodyOf(await tenant.owner.get(`/companies/${company_id}/panels`));
    const panel = panels.find(({ key }) => key === "subscriptions.company");
    expect([panel.position, panel.data.total, panel.data.items.map((one: Body) => one.id)]).to.deep.equal([60, 1, [id]]);
  });
});
