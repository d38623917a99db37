import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { systemRequest } from "../../../core/request/system.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { startDay } from "../../../services/money/mails/daily.ts";
import { settled } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { Invoicing, ok } from "../money/documents/invoicing.ts";
import { recordsOf } from "../work/interactions/interaction-records.ts";
import { DELIVERIES, inWebhookWorld, type WebhookWorld } from "./webhook-world.ts";

/** The delivery recorded for an endpoint: the event, the record's id and, of an update, the changed fields. */
type Reported = [event: string, id: string, changed?: string[]];

/** A kind of record: where it is, what makes one, a change and the fields of the record that it changes. */
interface Kind {
  path: string;
  body: (tenant: Tenant, companyId: string) => Promise<object> | object;
  change: object;
  changed: string[];
  /** Another change, of fields that the trail does not follow. */
  untracked?: [object, string[]];
}

const days = { start_date: "2026-01-01" };
const KINDS: Record<string, Kind> = {
  company: {
    path: "/companies",
    body: () => ({ name: "Zeilmakerij" }),
    change: { city: "Utrecht", phone: "0302345678" },
    changed: ["city", "phone"],
    untracked: [{ notes: "Call first" }, ["notes"]],
  },
  contact: {
    path: "/contacts",
    body: () => ({ first_name: "Noor" }),
    change: { last_name: "Jansen" },
    changed: ["last_name"],
    untracked: [{ notes: "Prefers mail" }, ["notes"]],
  },
  project: {
    path: "/projects",
    body: (_, company_id) => ({ name: "Site", company_id }),
    change: { name: "Shop", budget_hours: 12 },
    changed: ["name", "budget_hours"],
    untracked: [{ description: "Behind a login" }, ["description"]],
  },
  task: {
    path: "/tasks",
    body: () => ({ title: "Call" }),
    change: { title: "Call back", priority: "high", position: 3 },
    changed: ["title", "priority"],
  },
  time_entry: {
    path: "/time/entries",
    body: (_, company_id) => ({ company_id, started_at: "2026-03-02T09:00:00Z", minutes: 30 }),
    change: { break_minutes: 5 },
    changed: ["break_minutes", "minutes"],
    untracked: [{ description: "Drawing" }, ["description"]],
  },
  invoice: {
    path: "/invoicing/invoices",
    body: (_, company_id) => ({ company_id }),
    change: { reference: "Plan", reminders_paused: true },
    changed: ["reference", "reminders_paused"],
    untracked: [{ notes: "Thank you" }, ["notes"]],
  },
  quote: {
    path: "/invoicing/quotes",
    body: (_, company_id) => ({ company_id }),
    change: { reference: "Plan", valid_until: "2026-12-31" },
    changed: ["reference", "valid_until"],
    untracked: [{ intro: "As agreed" }, ["intro"]],
  },
  subscription: {
    path: "/subscriptions",
    body: (_, company_id) => ({ company_id, name: "Hosting", amount: "10.00", status: "draft", ...days }),
    change: { name: "Hosting plus", amount: "12.00" },
    changed: ["name", "amount"],
  },
  domain: {
    path: "/domains",
    body: (_, company_id) => ({ company_id, name: `${randomUUID()}.example` }),
    change: { price_override: "12.50", registry_contact: { type: "company" } },
    changed: ["price_override", "registry_contact"],
    untracked: [{ registry_contact: { type: "agency" } }, ["registry_contact"]],
  },
  website: {
    path: "/websites",
    async body({ owner }, company_id) {
      return { domain_id: (await ok(owner.post("/domains", { company_id, name: `${randomUUID()}.example` }))).id };
    },
    change: { root: false },
    changed: ["root"],
    untracked: [{ technical_owner: { type: "agency" } }, ["technical_owner"]],
  },
  hosting: {
    path: "/hosting",
    body: (_, company_id) => ({ company_id, name: "Box 1" }),
    change: { name: "Box 2", contact: { type: "company" } },
    changed: ["name", "contact"],
  },
  interaction: {
    path: "/interactions",
    body: (_, company_id) => ({ company_id, kind: "call", subject: "Offer" }),
    change: { subject: "The offer" },
    changed: ["subject"],
  },
};

/** Every name of a field, however deep. */
function namesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(namesIn)];
}

describe("events of records for webhooks", () => {
  let world: WebhookWorld;
  let tenant: Tenant;
  let company: string;
  inWebhookWorld((opened, fresh) => {
    [world, tenant] = [opened, fresh];
  });
  beforeEach(async () => {
    company = (await tenant.company()).id;
    await ok(tenant.owner.get("/interactions/kinds"));
  });

  const known = async (): Promise<string[]> =>
    (await ok(tenant.owner.get("/webhooks/events"))).map(({ name }: { name: string }) => name);
  const allBut = async (...events: string[]) =>
    world.endpoint(tenant, { events: (await known()).filter((name) => !events.includes(name)) });
  /** The deliveries one by one, in the order in which they are sent. */
  const details = async () => {
    const { rows } = await world.service.sql.query("select id from webhook_deliveries where organisation_id = $1 order by seq", [
      tenant.organisation.id,
    ]);
    return Promise.all(rows.map(({ id }) => ok(tenant.owner.get(`${DELIVERIES}/${id}`))));
  };
  /** The deliveries recorded so far, oldest first: of these records, or of all. */
  const reported = async (...ids: string[]): Promise<Reported[]> =>
    (await details())
      .map(({ event, entity_id, request_body }): Reported => {
        const { changed } = JSON.parse(request_body).data.payload;
        return changed === undefined ? [event, entity_id] : [event, entity_id, changed];
      })
      .filter(([, id]) => ids.length === 0 || ids.includes(id));

  it("are known for the kinds that others mirror, and for no others", async () => {
    const names = await known();
    const expected = Object.keys(KINDS).flatMap((kind) => ["created", "updated", "deleted"].map((change) => `${kind}.${change}`));
    expect(names).to.include.members(expected);
    const others = names.filter((name) => /\.(created|updated|deleted)$/.test(name) && !expected.includes(name));
    expect(others).to.deep.equal(["leave.updated"]);
    expect(new Set(names).size, "a domain event of the same name is the one").to.equal(names.length);
    const { body } = await world.service.call("GET", "//api/events.json", { host: tenant.host });
    expect(Object.keys(body.events).toSorted()).to.deep.equal(names);
  });

  for (const [kind, { path, body, change, changed, untracked }] of Object.entries(KINDS))
    it(`report that a ${kind.replace("_", " ")} was added, which fields changed, and that it is gone`, async () => {
      await allBut("domain.status_changed", "task.assigned", "project.assigned", "subscription.activated", "interaction.logged");
      const sent = await body(tenant, company);
      const { id } = await ok(tenant.owner.post(path, sent));
      const one = `${path}/${id}`;
      await ok(tenant.owner.patch(one, change));
      await ok(tenant.owner.patch(one, change));
      if (untracked) await ok(tenant.owner.patch(one, untracked[0]));
      expect((await tenant.owner.patch(one, { [changed[0] as string]: { none: 1 } })).status, "a refused one").to.equal(422);
      const shown = await ok(tenant.owner.get(one));
      await ok(tenant.owner.delete(one));
      const events = await reported(id);
      expect(events.map(([event, , fields]) => [event, fields?.toSorted()])).to.deep.equal([
        [`${kind}.created`, undefined],
        [`${kind}.updated`, changed.toSorted()],
        ...(untracked ? [[`${kind}.updated`, untracked[1].toSorted()]] : []),
        [`${kind}.deleted`, undefined],
      ]);
      for (const [, , fields = []] of events) expect(shown).to.include.all.keys(...fields, "id");
    });

  it("come as they are described, in snake_case and without recipients, and so do all others", async () => {
    const { path } = await allBut();
    const { accountId } = await tenant.member("member");
    const { id } = await ok(tenant.owner.post("/tasks", { title: "Site", company_id: company, assignee_user_id: accountId }));
    await ok(tenant.owner.patch(`/tasks/${id}`, { status: "done", title: "Site 2" }));
    await settled(world.service);
    const messages = world.receiver.at(path);
    const types = messages.map(({ type }) => type);
    expect(types).to.include.members(["task.created", "task.assigned", "task.status_changed", "task.updated"]);
    const { body: document } = await world.service.call("GET", "//api/events.json", { host: tenant.host });
    for (const { type, data } of messages) {
      const names = namesIn(data);
      expect(names, type).not.to.include("recipients");
      expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).to.deep.equal([]);
      const { properties, required } = document.events[type];
      expect(Object.keys(data).toSorted(), type).to.deep.equal(required.toSorted());
      expect(Object.keys(data.payload ?? {}), type).to.have.members(properties.payload.required);
      expect(data["actor_account_id"], type).to.equal(tenant.owner.accountId);
    }
    expect(messages.find(({ type }) => type === "task.updated")?.data).to.deep.include({
      name: "task.updated",
      entity_type: "task",
      entity_id: id,
      payload: { task_id: id, changed: ["status", "title", "completed_at"] },
    });
  });

  it("are one for each record and request, for any writes to it", async () => {
    const { id } = await ok(tenant.owner.post("/tasks", { title: "Site", due_date: "2026-03-01", company_id: company }));
    await world.endpoint(tenant, { events: ["task.updated", "time_entry.updated"] });
    await ok(tenant.owner.patch(`/tasks/${id}`, { status: "done", priority: "low" }));
    const entry = async () =>
      (await ok(tenant.owner.post("/time/entries", { company_id: company, started_at: "2026-03-02T09:00:00Z", minutes: 30 }))).id;
    const entries = [await entry(), await entry()];
    await ok(tenant.owner.post("/time/entries/approve", { entry_ids: entries }));
    const events = await reported();
    expect(events.map(([event, one]) => [event, one])).to.deep.equal([
      ["task.updated", id],
      ...entries.toSorted().map((one) => ["time_entry.updated", one]),
    ]);
    expect(events[0]?.[2]).to.have.members(["status", "completed_at", "priority"]);
    expect(events[1]?.[2]).to.have.members(["approved_at", "approved_by_user_id"]);
  });

  it("report deletions that follow a client", async () => {
    const made = async (kind: string, body: object): Promise<[string, string]> => [
      kind,
      (await ok(tenant.owner.post(KINDS[kind]?.path as string, body))).id,
    ];
    const domain = await made("domain", { company_id: company, name: `${randomUUID()}.example` });
    const gone = [
      domain,
      await made("website", { domain_id: domain[1] }),
      await made("subscription", { company_id: company, name: "Hosting", amount: "10.00", status: "draft", ...days }),
      await made("invoice", { company_id: company }),
      await made("quote", { company_id: company }),
      ["company", company] as [string, string],
    ];
    await world.endpoint(tenant, { events: Object.keys(KINDS).map((kind) => `${kind}.deleted`) });
    await ok(tenant.owner.delete(`/companies/${company}`));
    expect(await reported()).to.have.deep.members(gone.map(([kind, id]) => [`${kind}.deleted`, id]));
    const [other, site] = [await tenant.company(), randomUUID()];
    const { id } = await ok(tenant.owner.post("/domains", { company_id: other.id, name: `${site}.example` }));
    const website = await ok(tenant.owner.post("/websites", { domain_id: id }));
    await ok(tenant.owner.delete(`/domains/${id}`));
    expect(await reported(id, website.id)).to.have.deep.members([
      ["website.deleted", website.id],
      ["domain.deleted", id],
    ]);
  });

  describe("when a deletion ends a reference", () => {
    /** Makes a record; returns its path, which also names it. */
    const made = async (path: string, body: object): Promise<string> => `${path}/${(await ok(tenant.owner.post(path, body))).id}`;
    const idOf = (path: string): string => path.split("/").at(-1) as string;
    const contact = () => made("/contacts", { first_name: "Noor", company_ids: [company] });
    const task = (body: object = {}) => made("/tasks", { title: "Call", ...body });
    const project = () => made("/projects", { name: "Site", company_id: company });
    const entry = (body: object) => made("/time/entries", { started_at: "2026-03-02T09:00:00Z", minutes: 30, ...body });
    const moment = (body: object) => made("/interactions", { kind: "call", subject: "Offer", ...body });
    const domain = (body: object = {}) => made("/domains", { company_id: company, name: `${randomUUID()}.example`, ...body });
    const hosting = (body: object) => made("/hosting", { name: "Box 1", ...body });
    const agreement = (body: object) =>
      made("/subscriptions", { company_id: company, name: "Hosting", amount: "10.00", status: "draft", ...days, ...body });
    const provider = (kind: string) => made("/providers", { kind, name: "Provider" });
    const document = (path: string, body: object) => made(`/invoicing/${path}`, { company_id: company, ...body });
    const template = (): Promise<string> => made("/invoicing/templates", { name: "Letter" });
    /** Lets a row refer to a record as the service's own jobs and other writes do. */
    const referring = async (record: string, table: string, column: string, to: string): Promise<string> => {
      await world.service.sql.query(`update ${table} set ${column} = $2 where id = $1`, [idOf(record), idOf(to)]);
      return record;
    };
    const preset = { name: "Care", amount: "10.00", cycle: "monthly" };

    /** By what is deleted: the deleted record, and each record that referred to it with the field that changed. */
    const cases: Record<string, () => Promise<[deleted: string, ...changed: [record: string, field: string][]]>> = {
      "a client": async () => [
        `/companies/${company}`,
        [await contact(), "companies"],
        [await project(), "company_id"],
        [await task({ company_id: company }), "company_id"],
        [await entry({ company_id: company }), "company_id"],
        [await moment({ company_id: company }), "company_id"],
        [await hosting({ company_id: company }), "company_id"],
      ],
      "a contact": async () => {
        const one = await contact();
        const contact_id = idOf(one);
        return [
          one,
          [await task({ company_id: company, assignee_contact_id: contact_id }), "assignee_contact_id"],
          [await moment({ contact_ids: [contact_id] }), "contacts"],
          [await document("invoices", { contact_id }), "contact_id"],
          [await document("quotes", { contact_id }), "contact_id"],
        ];
      },
      "a type of contacts": async () => {
        const [type, one] = [await made("/contacts/types", { key: "boss", label_i18n: { en: "Boss" } }), await contact()];
        await ok(tenant.owner.patch(`${one}/links/${company}`, { is_primary: true, contact_type_id: idOf(type) }));
        return [type, [one, "companies"]];
      },
      "a project": async () => {
        const one = await project();
        const project_id = idOf(one);
        return [
          one,
          [await task({ project_id }), "project_id"],
          [await entry({ project_id }), "project_id"],
          [await moment({ project_id }), "project_id"],
          [await agreement({ project_ids: [project_id] }), "project_ids"],
        ];
      },
      "a task": async () => {
        const one = await task({ company_id: company });
        const task_id = idOf(one);
        return [
          one,
          [await entry({ task_id }), "task_id"],
          [await moment({ task_id }), "task_id"],
          [await agreement({ task_ids: [task_id] }), "task_ids"],
        ];
      },
      "a label": async () => {
        const label = await made("/tasks/labels", { name: "Urgent", color: "red" });
        return [label, [await task({ label_ids: [idOf(label)] }), "labels"]];
      },
      "a contact moment": async () => {
        const one = await task({ company_id: company });
        const logged = await moment({ task_id: idOf(one) });
        await ok(tenant.owner.patch(one, { status: "done", closing_interaction_id: idOf(logged) }));
        const hours = await referring(await entry({ task_id: idOf(one) }), "time_entries", "interaction_id", logged);
        return [logged, [one, "closing_interaction_id"], [hours, "interaction_id"]];
      },
      "a domain": async () => {
        const one = await domain();
        return [one, [await referring(await document("invoices", {}), "invoices", "domain_id", one), "domain_id"]];
      },
      "an agreement": async () => {
        const one = await agreement({});
        return [one, [await referring(await document("invoices", {}), "invoices", "subscription_id", one), "subscription_id"]];
      },
      "a quote": async () => {
        const one = await document("quotes", {});
        return [one, [await referring(await document("invoices", {}), "invoices", "quote_id", one), "quote_id"]];
      },
      "a provider of domains": async () => {
        const one = await provider("dns");
        return [one, [await domain({ dns_provider_id: idOf(one) }), "dns_provider_id"]];
      },
      "a registrar": async () => {
        const one = await provider("registrar");
        return [one, [await domain({ registrar_provider_id: idOf(one) }), "registrar_provider_id"]];
      },
      "a provider of mail": async () => {
        const one = await provider("email");
        return [one, [await domain({ email_enabled: true, email_provider_id: idOf(one) }), "email_provider_id"]];
      },
      "a provider of hosting": async () => {
        const one = await provider("hosting");
        return [one, [await hosting({ provider_id: idOf(one) }), "provider_id"]];
      },
      hosting: async () => {
        const one = await hosting({});
        return [one, [await made("/websites", { domain_id: idOf(await domain()), hosting_id: idOf(one) }), "hosting_id"]];
      },
      "a template of documents": async () => {
        const template_id = idOf(await template());
        return [
          `/invoicing/templates/${template_id}`,
          [await document("invoices", { template_id }), "template_id"],
          [await document("quotes", { template_id }), "template_id"],
        ];
      },
      "a type of agreements": async () => {
        const type = await made("/subscriptions/types", { key: "care", label_i18n: { en: "Care" } });
        return [type, [await agreement({ subscription_type_id: idOf(type) }), "subscription_type_id"]];
      },
      "a preset of agreements": async () => {
        const one = await made("/subscriptions/templates", preset);
        return [one, [await agreement({ subscription_template_id: idOf(one) }), "subscription_template_id"]];
      },
    };
    for (const [what, make] of Object.entries(cases))
      it(`report the records that lose ${what}`, async () => {
        const [deleted, ...changed] = await make();
        const kindAt = (record: string) =>
          Object.keys(KINDS).find((kind) => record.startsWith(`${KINDS[kind]?.path}/`)) as string;
        for (const [record, field] of changed) expect(await ok(tenant.owner.get(record)), record).to.include.all.keys(field);
        await world.endpoint(tenant, { events: Object.keys(KINDS).map((kind) => `${kind}.updated`) });
        await ok(tenant.owner.delete(deleted));
        expect(await reported()).to.have.deep.members(
          changed.map(([record, field]) => [`${kindAt(record)}.updated`, idOf(record), [field]]),
        );
      });
  });

  it("leave out messages that wait for their owner, until they are approved", async () => {
    const records = recordsOf(world.service, tenant);
    const [kept, dropped] = [await records.message(tenant.owner), await records.message(tenant.owner)];
    await allBut("interaction.approved", "interaction.logged");
    await ok(tenant.owner.post(`/interactions/${kept}/remap`, { company_id: company }));
    await ok(tenant.owner.delete(`/interactions/${dropped}`));
    expect(await reported()).to.deep.equal([]);
    await ok(tenant.owner.post(`/interactions/${kept}/approve`, {}));
    const { id: other } = await tenant.company();
    await ok(tenant.owner.post(`/interactions/${kept}/remap`, { company_id: other }));
    await ok(tenant.owner.delete(`/interactions/${kept}`));
    expect(await reported(kept)).to.deep.equal([
      ["interaction.created", kept],
      ["interaction.updated", kept, ["company_id"]],
      ["interaction.deleted", kept],
    ]);
  });

  it("report the outcome of invoices and quotes", async () => {
    const books = await Invoicing.open(world.service, tenant);
    await allBut();
    const invoice = await books.issued([books.line(1, "100.00")]);
    const payment = (await books.pay(invoice.id, "40.00")).payments[0];
    await ok(books.owner.delete(`/invoicing/invoices/${invoice.id}/payments/${payment.id}`));
    const note = await books.credit(invoice.id);
    await books.issue(note.id);
    const other = await books.issued([books.line(1, "50.00")]);
    await ok(books.owner.post(`/invoicing/invoices/${other.id}/cancel`));
    const names = async (id: string) => (await reported(id)).map(([event]) => event);
    const last = async (event: string) => {
      const found = (await details()).filter((one) => one.event === event).at(-1);
      return JSON.parse(found?.request_body).data.payload;
    };
    const happened = [
      "invoice.created",
      "invoice.issued",
      "invoice.updated",
      "invoice.payment_received",
      "invoice.updated",
      "invoice.payment_removed",
      "invoice.updated",
      "invoice.updated",
      "invoice.credited",
      "invoice.updated",
    ];
    expect(await names(invoice.id)).to.deep.equal(happened);
    expect(await names(other.id)).to.deep.equal([
      "invoice.created",
      "invoice.issued",
      "invoice.updated",
      "invoice.cancelled",
      "invoice.updated",
    ]);
    const about = { invoice_id: invoice.id, company_id: books.company, number: invoice.number, total: "121.00", currency: "EUR" };
    expect(await last("invoice.payment_received")).to.deep.equal({
      ...about,
      payment_id: payment.id,
      amount: "40.00",
      method: "bank",
      paid_on: "2026-06-01",
    });
    expect(await last("invoice.payment_removed")).to.deep.equal({ ...about, payment_id: payment.id, amount: "40.00" });
    expect(await last("invoice.credited")).to.deep.equal({
      ...about,
      credit_note_id: note.id,
      credit_note_number: (await books.read(note.id)).number,
      credited: "121.00",
      applied: "121.00",
    });
    expect(await last("invoice.created")).to.deep.include({ kind: "invoice", total: "60.50" });
    const fields = (await reported(invoice.id)).flatMap(([event, , changed]) => (event === "invoice.updated" ? [changed] : []));
    expect(fields[0]).to.include.members(["status", "number", "issue_date", "due_date", "customer", "public_url"]);
    expect(fields[1]).to.have.members(["payments", "paid_total", "outstanding"]);
    expect(fields[2]).to.have.members(["payments", "paid_total", "outstanding"]);
    expect(fields[3]).to.have.members(["credit_notes"]);
    expect(fields[4]).to.have.members(["credit_notes", "credited_total", "outstanding"]);

    const quote = async (): Promise<string> => {
      const { id } = await ok(
        books.owner.post("/invoicing/quotes", { company_id: books.company, lines: [books.line(1, "10.00")] }),
      );
      await ok(books.owner.post(`/invoicing/quotes/${id}/issue`, {}));
      return id;
    };
    for (const [act, name] of [
      ["accept", "accepted"],
      ["reject", "rejected"],
    ] as const) {
      const id = await quote();
      await ok(books.owner.post(`/invoicing/quotes/${id}/${act}`, { note: "Fine" }));
      expect(await names(id)).to.deep.equal(["quote.created", "quote.updated", `quote.${name}`, "quote.updated"]);
      const { number } = await ok(books.owner.get(`/invoicing/quotes/${id}`));
      const payload = { quote_id: id, company_id: books.company, number, total: "12.10", currency: "EUR" };
      expect(await last(`quote.${name}`)).to.deep.equal(payload);
    }
  });

  it("say once for each due date that an invoice is overdue", async () => {
    const books = await Invoicing.open(world.service, tenant);
    await world.endpoint(tenant, { events: ["invoice.overdue"] });
    const dated = { issue_date: "2026-01-01", due_date: "2026-01-15" };
    const { id, number } = await books.issue((await books.draft([books.line(1, "100.00")])).id, dated);
    const paid = await books.issue((await books.draft([books.line(1, "100.00")])).id, dated);
    await books.pay(paid.id, "121.00", { paid_on: "2026-01-10" });
    const on = async (day: string, times = 1) => {
      const run = () =>
        inTenancy(
          () => systemRequest("invoicing.daily", tenant.organisation, "write"),
          () => startDay(day),
        );
      await Promise.all(Array.from({ length: times }, run));
    };
    const days_ = async () => (await details()).map(({ request_body }) => JSON.parse(request_body).data.payload);
    await on("2026-01-15");
    expect(await days_()).to.deep.equal([]);
    const version = (await tenant.owner.get(`/invoicing/invoices/${id}`)).headers["etag"];
    await on("2026-01-16", 3);
    await on("2026-01-17");
    const about = { invoice_id: id, company_id: books.company, number, total: "121.00", currency: "EUR", outstanding: "121.00" };
    expect(await days_()).to.deep.equal([{ ...about, due_date: "2026-01-15" }]);
    expect((await tenant.owner.get(`/invoicing/invoices/${id}`)).headers["etag"], "no change of it").to.equal(version);
    await ok(tenant.owner.patch(`/invoicing/invoices/${id}`, { due_date: "2026-02-01" }));
    await on("2026-02-02");
    expect((await days_()).map(({ due_date }) => due_date)).to.deep.equal(["2026-01-15", "2026-02-01"]);
  });

  it("cost a write one statement that travels with its commit, and none if no endpoint chose them", async () => {
    const contact = await ok(tenant.owner.post("/contacts", { first_name: "Noor" }));
    let turn = 0;
    const write = async () =>
      (await tenant.owner.patch(`/contacts/${contact.id}`, { last_name: `Jansen ${(turn += 1)}` })).statements;
    await write();
    const without = await write();
    await world.endpoint(tenant, { events: ["contact.deleted", "company.updated"] });
    await write();
    expect(await write()).to.equal(without);
    for (let n = 0; n < 5; n++) await world.endpoint(tenant, { events: ["contact.updated"] });
    await write();
    expect(await write()).to.equal((without as number) + 1);
    expect(await reported(contact.id)).to.have.length(10);
  });

  it("are emitted for many rows at once as for one, and not for refused rows", async () => {
    const ids = await Promise.all([1, 2, 3].map(async (n) => (await ok(tenant.owner.post("/tasks", { title: `${n}` }))).id));
    const change = async (values: object, over: string[]) => {
      const { body, statements } = await tenant.owner.post("/bulk/task/update", { ids: over, values });
      return [body.succeeded, statements] as const;
    };
    await world.endpoint(tenant, { events: ["task.updated"] });
    await change({ priority: "low" }, ids.slice(0, 1));
    const [one] = [await change({ priority: "high" }, ids.slice(0, 1))];
    await settled(world.service);
    await world.service.sql.query("delete from webhook_deliveries");
    expect((await change({ due_date: "2026-04-01" }, [...ids, randomUUID()]))[0]).to.equal(3);
    expect((await change({ status: "nowhere" }, ids))[0]).to.equal(0);
    expect(one[0]).to.equal(1);
    expect(await reported()).to.have.deep.members(ids.map((id) => ["task.updated", id, ["due_date"]]));
  });
});
