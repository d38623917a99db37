import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type DocumentBody, Invoicing, ok, refused, rule } from "./invoicing.ts";

describe("what documents bill", () => {
  let service: TestService;
  let tenant: Tenant;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    books = await Invoicing.open(service, tenant);
  });
  after(() => service.stop());

  const hours = (...ids: string[]) => books.line(ids.length, 80, "21", { line_kind: "hours", time_entry_ids: ids });
  const period = (source: object, period_end = "2026-02-15") =>
    books.line(1, 90, "21", { line_kind: "subscription", period_start: "2026-01-15", period_end, ...source });
  const patch = (id: string, lines: object[]) => books.owner.patch(`/invoicing/invoices/${id}`, { lines });
  const fromTime = (body: object = {}) =>
    books.owner.post("/invoicing/invoices/from-time", { company_id: books.company, ...body });
  const row = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const full: Record<string, unknown> = { id: randomUUID(), organisation_id: tenant.organisation.id, ...values };
    const names = Object.keys(full);
    await service.sql.query(
      `insert into ${table} (${names.join()}) values (${names.map((_, index) => `$${index + 1}`).join()})`,
      Object.values(full),
    );
    return full["id"] as string;
  };
  const agreement = (company_id = books.company) =>
    row("subscriptions", { company_id, name: "Care", start_date: "2026-01-15", next_invoice_date: "2026-02-15" });
  const periods = async (invoice: string): Promise<string[]> => {
    const { rows } = await service.sql.query(
      "select source || ' ' || source_id || ' ' || period_end::text as claim from period_claims where invoice_id = $1 order by 1",
      [invoice],
    );
    return rows.map(({ claim }) => claim);
  };

  describe("as hours", () => {
    it("are stamped by the document that claims them, and again free when it lets them go", async () => {
      const [one, two] = [await books.hour(), await books.hour()];
      const draft = await books.draft([hours(one), { ...hours(), time_entry_id: two }]);
      expect(draft.lines.map((line: DocumentBody) => line.time_entry_ids)).to.deep.equal([[one], [two]]);
      expect(await books.stamped([one, two])).to.deep.equal([true, true]);
      expect(await books.trail(draft.id)).to.deep.equal([
        ["created", {}],
        ["time_attached", { entries: 2 }],
      ]);
      expect((await books.trail(one, "time_entry")).map(([action]) => action)).to.deep.equal(["invoiced"]);
      await ok(patch(draft.id, draft.lines));
      expect(await books.stamped([one, two])).to.deep.equal([true, true]);
      await ok(patch(draft.id, [hours(two)]));
      expect(await books.stamped([one, two])).to.deep.equal([false, true]);
      await ok(books.owner.delete(`/invoicing/invoices/${draft.id}`));
      expect(await books.stamped([one, two])).to.deep.equal([false, false]);
      expect((await books.trail(two, "time_entry")).map(([action]) => action)).to.deep.equal(["invoiced", "uninvoiced"]);
    });

    it("stay if new lines name none but still bill hours", async () => {
      const one = await books.hour();
      const draft = await books.draft([hours(one)]);
      await ok(patch(draft.id, [hours()]));
      expect(await books.stamped([one])).to.deep.equal([true]);
      await ok(patch(draft.id, [books.line(1, 1)]));
      expect(await books.stamped([one])).to.deep.equal([false]);
    });

    it("are free again when the document is cancelled", async () => {
      const one = await books.hour();
      const issued = await books.issued([hours(one)]);
      await ok(books.owner.post(`/invoicing/invoices/${issued.id}/cancel`));
      expect(await books.stamped([one])).to.deep.equal([false]);
      expect((await books.read(issued.id)).lines[0].time_entry_ids).to.deep.equal([one]);
    });

    it("are passed over, never an error, where they are not to be invoiced", async () => {
      const other = await tenant.company({ name: "Other" });
      const unfit = [
        await books.hour({ billable: false }),
        await books.hour({ approved_at: null }),
        await books.hour({ minutes: 0 }),
        await books.hour({ invoiced_at: "2026-05-06T09:00:00Z" }),
        await books.hour({ company_id: other.id }),
        await books.hour({ company_id: null }),
        randomUUID(),
      ];
      const fit = await books.hour();
      const taken = await books.hour();
      await books.draft([hours(taken)]);
      const draft = await books.draft([hours(...unfit, taken, fit)]);
      expect(draft.lines[0].time_entry_ids).to.deep.equal([...unfit, taken, fit]);
      expect((await books.trail(draft.id)).at(-1)).to.deep.equal(["time_attached", { entries: 1 }]);
      expect(await books.stamped([...unfit.slice(0, 6), fit])).to.deep.equal([false, false, false, true, false, false, true]);
      await ok(books.owner.delete(`/invoicing/invoices/${draft.id}`));
      expect(await books.stamped([taken, fit, unfit[3] as string])).to.deep.equal([true, false, true]);
    });

    it("of another organisation are echoed, and nothing of it is touched", async () => {
      const theirs = await Invoicing.open(service, await service.tenant());
      const hour = await theirs.hour();
      const source = await row("subscriptions", {
        organisation_id: theirs.tenant.organisation.id,
        company_id: theirs.company,
        name: "Care",
        start_date: "2026-01-15",
      });
      const draft = await books.draft([hours(hour), period({ subscription_id: source })]);
      await ok(patch(draft.id, draft.lines));
      expect(draft.lines.map((line: DocumentBody) => [line.time_entry_ids, line.subscription_id])).to.deep.equal([
        [[hour], null],
        [[], source],
      ]);
      expect([await theirs.stamped([hour]), await periods(draft.id)]).to.deep.equal([[false], []]);
      expect(await theirs.trail(hour, "time_entry")).to.deep.equal([]);
      await theirs.draft([theirs.line(1, 80, "21", { line_kind: "hours", time_entry_ids: [hour] })]);
      expect(await theirs.stamped([hour])).to.deep.equal([true]);
    });

    it("are those of a client by their project or task too", async () => {
      const project = await row("projects", { name: "P", company_id: books.company });
      const one = await books.hour({ company_id: null, project_id: project });
      const draft = await books.draft([hours(one)]);
      expect((await books.trail(draft.id)).at(-1)).to.deep.equal(["time_attached", { entries: 1 }]);
    });

    it("are stamped for a member whose selection does not show them as its own", async () => {
      const admin = await tenant.member("admin");
      await tenant.group("Some", [books.company], [admin.membershipId]);
      const one = await books.hour();
      const { id } = await ok(admin.post("/invoicing/invoices", { company_id: books.company, lines: [hours(one)] }));
      expect(await books.stamped([one])).to.deep.equal([true]);
      await ok(admin.delete(`/invoicing/invoices/${id}`));
      expect(await books.stamped([one])).to.deep.equal([false]);
    });

    it("are billed by no quote and no credit note", async () => {
      const one = await books.hour();
      const quote = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: [hours(one)] }));
      const note = await books.draft([hours(one)], { kind: "credit_note" });
      expect([quote.lines[0].time_entry_ids, note.lines[0].time_entry_ids]).to.deep.equal([[], []]);
      expect(await books.stamped([one])).to.deep.equal([false]);
    });
  });

  describe("as periods", () => {
    it("are billed by one document, until it lets them go", async () => {
      const source = { subscription_id: await agreement() };
      const draft = await books.draft([period(source)]);
      expect(await periods(draft.id)).to.deep.equal([`subscription ${source.subscription_id} 2026-02-15`]);
      const create = (lines: object[]) => books.owner.post("/invoicing/invoices", { company_id: books.company, lines });
      const billed = [...rule("period_already_billed"), { lines: "errors.invoicing.period_already_billed" }];
      expect(refused(await create([period(source)]))).to.deep.equal(billed);
      expect((await ok(books.owner.get("/invoicing/invoices"))).total).to.equal(1);
      const next = await books.draft([period(source, "2026-03-15")]);
      expect(refused(await patch(next.id, [period(source)]))).to.deep.equal(billed);
      expect(await periods(next.id)).to.deep.equal([`subscription ${source.subscription_id} 2026-03-15`]);
      await ok(patch(draft.id, [period({}, null as never)]));
      expect(await periods(draft.id)).to.have.length(1);
      await ok(patch(draft.id, [books.line(1, 1)]));
      expect(await periods(draft.id)).to.deep.equal([]);
      expect((await create([period(source)])).status).to.equal(201);
    });

    it("of another client's agreement claim nothing; those of domains stay where a line bills an agreement", async () => {
      const other = await tenant.company({ name: "Other" });
      const foreign = await books.draft([period({ subscription_id: await agreement(other.id) })]);
      expect(await periods(foreign.id)).to.deep.equal([]);
      const domain = async (company_id: string) =>
        (await ok(books.owner.post("/domains", { name: `${randomUUID()}.example`, company_id }))).id;
      const elsewhere = await books.draft([period({ domain_id: await domain(other.id), line_kind: "domain" })]);
      expect(await periods(elsewhere.id)).to.deep.equal([]);
      const domain_id = await domain(books.company);
      const draft = await books.draft([period({ domain_id, line_kind: "domain" })]);
      expect(await periods(draft.id)).to.deep.equal([`domain ${domain_id} 2026-02-15`]);
      await ok(patch(draft.id, [books.line(1, 1, "21", { line_kind: "subscription" })]));
      expect(await periods(draft.id)).to.have.length(1);
      await ok(books.owner.delete(`/invoicing/invoices/${draft.id}`));
      expect(await periods(draft.id)).to.deep.equal([]);
    });

    it("have one source, and a source with an end, else 422 under the line's index", async () => {
      const [subscription_id, domain_id, entry] = [await agreement(), randomUUID(), await books.hour()];
      const line = books.line(1, 1);
      for (const [claim, message] of [
        [{ subscription_id, domain_id, period_end: "2026-02-15" }, "one_claim_per_line"],
        [{ subscription_id, time_entry_ids: [entry], period_end: "2026-02-15" }, "one_claim_per_line"],
        [{ subscription_id }, "subscription_period_required"],
        [{ domain_id, period_start: "2026-02-15" }, "subscription_period_required"],
        [{ period_end: "2026-02-15" }, "subscription_required"],
      ] as const)
        expect(
          refused(
            await books.owner.post("/invoicing/invoices", { company_id: books.company, lines: [line, { ...line, ...claim }] }),
          ),
        ).to.deep.equal([422, "errors.validation", { "1": `errors.invoicing.${message}` }]);
    });
  });

  describe("made of all hours of a client", () => {
    /** Ana at 92.50 has 50 and 35 minutes on a project, Bo without a rate 25; the default is 70.00 (worked example 8). */
    const example = async () => {
      const [ana, bo] = [await tenant.member("member"), await tenant.member("member")];
      await ok(books.owner.put("/invoicing/settings", { default_hourly_rate: "70" }));
      await ok(books.owner.put(`/leave/rates/${ana.accountId}`, { hourly_rate: 92.5 })).catch(() =>
        row("leave_profiles", { user_id: ana.accountId, hourly_rate: 92.5 }),
      );
      const project_id = await row("projects", { name: "Site", company_id: books.company });
      const work = (caller: { accountId: string }, started_at: string, minutes: number) =>
        books.hour({ user_id: caller.accountId, started_at, minutes, project_id, description: `Worked\n${minutes}` });
      const ids = [
        await work(ana, "2026-05-04T09:00:00Z", 50),
        await work(bo, "2026-05-04T10:00:00Z", 25),
        await work(ana, "2026-05-05T23:00:00Z", 35),
      ];
      return { ids, project_id };
    };
    const shown = ({ lines }: DocumentBody) =>
      lines.map((line: DocumentBody) => [line.description, line.quantity, line.unit_price, line.amount]);

    it("are drafted although a custom field is mandatory", async () => {
      const order = { entity_type: "invoice", key: "order", label_i18n: { en: "Order" }, data_type: "text", required: true };
      await ok(books.owner.post("/custom-fields/definitions", order));
      await books.hour();
      const draft = await ok(fromTime());
      expect([draft.status, draft.custom]).to.deep.equal(["draft", {}]);
    });

    it("have a line for each project and rate (worked example 8)", async () => {
      const { ids } = await example();
      const draft = await ok(fromTime());
      expect(shown(draft)).to.deep.equal([
        ["Site", "1.4167", "92.50", "131.04"],
        ["Site", "0.4167", "70.00", "29.17"],
      ]);
      expect([draft.subtotal, draft.lines[0].unit, draft.lines[0].line_kind]).to.deep.equal(["160.21", "uur", "hours"]);
      expect(draft.lines[0].time_entry_ids).to.deep.equal([ids[0], ids[2]]);
      expect(await books.stamped(ids)).to.deep.equal([true, true, true]);
      expect(refused(await fromTime())).to.deep.equal(rule("no_unbilled", 400));
    });

    it("have one for each day of the organisation, project and rate, until a day", async () => {
      await example();
      // 23:00 UTC is the next day in Amsterdam.
      expect(shown(await ok(fromTime({ group_by: "day", until: "2026-05-05" })))).to.deep.equal([
        ["Site · 04-05-2026", "0.8333", "92.50", "77.08"],
        ["Site · 04-05-2026", "0.4167", "70.00", "29.17"],
      ]);
      expect(shown(await ok(fromTime({ group_by: "day" })))).to.deep.equal([["Site · 06-05-2026", "0.5833", "92.50", "53.96"]]);
    });

    it("have one for each entry, at a rate that overrides all", async () => {
      await example();
      await books.hour({ started_at: "2026-05-07T09:00:00Z", description: "x".repeat(600) });
      await books.hour({ started_at: "2026-05-08T09:00:00Z" });
      const lines = shown(await ok(fromTime({ group_by: "entry", hourly_rate: "100.01" })));
      expect(lines.slice(0, 3)).to.deep.equal([
        ["04-05-2026 · Worked 50", "0.8333", "100.01", "83.34"],
        ["04-05-2026 · Worked 25", "0.4167", "100.01", "41.67"],
        ["06-05-2026 · Worked 35", "0.5833", "100.01", "58.34"],
      ]);
      expect([lines[3][0].length, lines[4][0]]).to.deep.equal([512, "08-05-2026 · Uren"]);
    });

    it("are those of one project if named; an unknown one is 404", async () => {
      const { project_id } = await example();
      const plain = await books.hour();
      expect((await ok(fromTime({ project_id }))).lines).to.have.length(2);
      expect(await books.stamped([plain])).to.deep.equal([false]);
      expect(refused(await fromTime({ project_id: randomUUID() }))).to.deep.equal([404, "errors.not_found"]);
      expect(refused(await fromTime({ company_id: randomUUID() }))).to.deep.equal([404, "errors.not_found"]);
    });

    it("are refused in more lines than a document has; nothing is claimed", async () => {
      await service.sql.query(
        `insert into time_entries (id, organisation_id, user_id, company_id, started_at, ended_at, minutes, approved_at)
         select gen_random_uuid(), $1, $2, $3, timestamptz '2026-05-04' + n * interval '1 min', timestamptz '2026-06-04', 1, now()
           from generate_series(1, 201) n`,
        [tenant.organisation.id, books.owner.accountId, books.company],
      );
      expect(refused(await fromTime({ group_by: "entry" }))).to.deep.equal([
        422,
        "errors.validation",
        { lines: "errors.validation" },
      ]);
      const { rows } = await service.sql.query("select count(*)::int as n from time_entry_claims where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows[0].n).to.equal(0);
      expect((await ok(fromTime())).lines[0].quantity).to.equal("3.35");
    });
  });
});
