import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Tenant, TestService } from "../../support/service.ts";
import { providerOf } from "../assets/domains/domain-records.ts";
import { type Body, bodyOf } from "../work/tasks/task-records.ts";
import { bulkService, CHANGES, expectDone, expectRefused, type Kind, Records, update } from "./bulk-records.ts";

const OPTION = "impex.errors.invalid_option";
const REFERENCE = "impex.errors.unresolved_reference";

describe("POST /bulk/<entity>/update: values", () => {
  let service: TestService;
  let tenant: Tenant;
  let records: Records;
  let target: Body;
  const rows = new Map<Kind, string>();
  before(async () => {
    service = await bulkService();
    tenant = await service.tenant();
    records = new Records(service, tenant);
    target = await records.company({ name: "Ant & Bee", legal_name: "Ant Holding B.V." });
    await records.company({ name: "Destination" });
    for (const name of ["Twin", "twin"]) await records.company({ name });
    for (const kind of Object.keys(CHANGES) as Kind[]) rows.set(kind, (await records.make(kind)).id);
  });
  after(() => service.stop());

  const idOf = (kind: Kind) => rows.get(kind) as string;
  const set = (kind: Kind, values: object) => update(tenant.owner, kind, [idOf(kind)], values);

  const refused: [kind: Kind, values: Record<string, string | null>, fields: Record<string, string>][] = [
    ["company", { status: "customer" }, { status: OPTION }],
    ["company", { status: "Active" }, { status: OPTION }],
    ["company", { status: null }, { status: "errors.required" }],
    ["company", { status: "  " }, { status: "errors.required" }],
    ["company", { name: "Other" }, { name: "impex.errors.unknown_column" }],
    ["company", { constructor: "x" }, { constructor: "impex.errors.unknown_column" }],
    ["company", { name: null, status: null }, { name: "impex.errors.unknown_column", status: "errors.required" }],
    ["contact", { company: null }, { company: "errors.required" }],
    ["contact", { company: "Nobody at all" }, { company: REFERENCE }],
    ["contact", { company: "Twin" }, { company: "impex.errors.ambiguous_match" }],
    ["domain", { status: "gone" }, { status: OPTION }],
    ["domain", { status: null }, { status: "errors.required" }],
    ["domain", { company: "" }, { company: "errors.required" }],
    ["domain", { registrar_provider: "Nobody" }, { registrar_provider: REFERENCE }],
    ["domain", { dns_provider: "Registrar Ltd" }, { dns_provider: REFERENCE }],
    ["domain", { email_provider: randomUUID() }, { email_provider: REFERENCE }],
    ["domain", { invoiceable: "perhaps" }, { invoiceable: "impex.errors.invalid_bool" }],
    ["domain", { invoiceable: "waar" }, { invoiceable: "impex.errors.invalid_bool" }],
    ["domain", { next_invoice_date: "31-12-2026" }, { next_invoice_date: "impex.errors.invalid_date" }],
    ["domain", { next_invoice_date: "2026-02-30" }, { next_invoice_date: "impex.errors.invalid_date" }],
    ["domain", { next_invoice_date: "0000-01-01" }, { next_invoice_date: "impex.errors.invalid_date" }],
    ["project", { status: "done" }, { status: OPTION }],
    ["project", { company: null }, { company: "errors.required" }],
    ["project", { billable_default: "" }, { billable_default: "errors.required" }],
    ["project", { billable_default: "2" }, { billable_default: "impex.errors.invalid_bool" }],
    ["subscription", { status: "ended" }, { status: OPTION }],
    ["subscription", { type: "care" }, { type: REFERENCE }],
    ["subscription", { company: null }, { company: "errors.required" }],
    ["task", { priority: "urgent" }, { priority: OPTION }],
    ["task", { priority: null }, { priority: "errors.required" }],
    ["task", { status: "" }, { status: "errors.required" }],
    ["task", { assignee: "nobody@example.com" }, { assignee: REFERENCE }],
    ["task", { project: "No project" }, { project: REFERENCE }],
    ["task", { due_date: "tomorrow" }, { due_date: "impex.errors.invalid_date" }],
    ["task", { description: "Another" }, { description: "impex.errors.unknown_column" }],
    ["task", { title: "" }, { title: "errors.required" }],
    ["task", { title: "x".repeat(513) }, { title: "errors.validation" }],
    ["task", { add_label: "No such label" }, { add_label: REFERENCE }],
    ["task", { remove_label: null }, { remove_label: "errors.required" }],
    ["company", { city: "x".repeat(121) }, { city: "errors.validation" }],
    ["company", { responsible: "nobody@example.com" }, { responsible: REFERENCE }],
    ["website", { hosting: "Nowhere" }, { hosting: REFERENCE }],
    ["website", { uptime_enabled: null }, { uptime_enabled: "errors.required" }],
    ["website", { uptime_enabled: "aan" }, { uptime_enabled: "impex.errors.invalid_bool" }],
  ];
  for (const [kind, values, fields] of refused)
    it(`refuses ${kind} ${JSON.stringify(values)} as a whole and touches no row`, async () => {
      const before = [await records.read(kind, idOf(kind)), await records.trail(kind, idOf(kind))];
      expectRefused(await set(kind, values), fields);
      expect([await records.read(kind, idOf(kind)), await records.trail(kind, idOf(kind))]).to.deep.equal(before);
    });

  it("refuses a key that is called like what every object has", async () => {
    const body = `{"ids": ["${idOf("company")}"], "values": {"__proto__": "x"}}`;
    const { status, text } = await tenant.owner.post("/bulk/company/update", body);
    expect([status, JSON.parse(text).error.message]).to.deep.equal([422, "impex.errors.unknown_column"]);
  });

  const bodies: [what: string, body: object, field: string][] = [
    ["no ids", { ids: [], values: { status: "lead" } }, "ids"],
    ["201 ids", { ids: Array.from({ length: 201 }, () => randomUUID()), values: { status: "lead" } }, "ids"],
    ["an id that is none", { ids: ["1"], values: { status: "lead" } }, "0"],
    ["no values", { ids: [randomUUID()], values: {} }, "values"],
    ["values that are a list", { ids: [randomUUID()], values: ["lead"] }, "values"],
    ["a number for a value", { ids: [randomUUID()], values: { status: 1 } }, "status"],
    ["a truth value for a value", { ids: [randomUUID()], values: { status: true } }, "status"],
  ];
  for (const [what, body, field] of bodies)
    it(`refuses ${what} with 422 ${field}`, async () => {
      const answer = await tenant.owner.post("/bulk/company/update", body);
      expect([answer.status, Object.keys(answer.body.error.fields)]).to.deep.equal([422, [field]]);
    });

  it("takes 200 ids", async () => {
    const ids = [idOf("company"), ...Array.from({ length: 199 }, () => randomUUID())];
    const { status, body } = await update(tenant.owner, "company", ids, { status: "active" });
    expect([status, body.succeeded, body.failed.length]).to.deep.equal([200, 1, 199]);
  });

  /** Sets a value and gives the field it filled. */
  async function filled(kind: Kind, key: string, value: string | null, field: string): Promise<unknown> {
    expectDone(await set(kind, { [key]: value }), 1);
    return (await records.read(kind, idOf(kind)))[field];
  }

  it("names a client by id, name or legal name, case ignored, for every kind that has one", async () => {
    const other = await records.company();
    for (const kind of ["domain", "project", "subscription", "task"] as const)
      for (const word of [target.id, target.id.toUpperCase(), "ant & bee", " Ant & Bee ", "ANT HOLDING B.V."]) {
        expect(await filled(kind, "company", other.id, "company_id"), kind).to.equal(other.id);
        expect(await filled(kind, "company", word, "company_id"), `${kind} ${word}`).to.equal(target.id);
      }
  });

  it("changes what else a client has", async () => {
    const { owner } = tenant;
    const ann = await tenant.member("member");
    expect(await filled("company", "city", " Utrecht ", "city")).to.equal("Utrecht");
    expect(await filled("company", "phone", "030 123 45 67", "phone")).to.equal("+31301234567");
    expect(await filled("company", "city", null, "city")).to.equal(null);
    for (const word of [ann.accountId, ann.email.toUpperCase()]) {
      expect(await filled("company", "responsible", owner.accountId, "responsible_user_id")).to.equal(owner.accountId);
      expect(await filled("company", "responsible", word, "responsible_user_id")).to.equal(ann.accountId);
    }
    expect(await filled("company", "responsible", null, "responsible_user_id")).to.equal(null);
  });

  it("puts labels on tasks and takes them off, and leaves the others", async () => {
    const [web, urgent] = await Promise.all(
      ["Web", "Urgent"].map(async (name) => bodyOf(await tenant.owner.post("/tasks/labels", { name, color: "#112233" })).id),
    );
    const labels = async () => (await records.read("task", idOf("task")))["labels"].map(({ id }: Body) => id);
    expectDone(await set("task", { add_label: "web" }), 1);
    expectDone(await set("task", { add_label: urgent, title: "Another title" }), 1);
    expect((await labels()).toSorted()).to.deep.equal([web, urgent].toSorted());
    expect((await records.read("task", idOf("task")))["title"]).to.equal("Another title");
    const lines = (await records.trail("task", idOf("task"))).length;
    expectDone(await set("task", { add_label: urgent }), 1);
    expect(await records.trail("task", idOf("task"))).to.have.length(lines);
    expectDone(await set("task", { remove_label: "WEB" }), 1);
    expect(await labels()).to.deep.equal([urgent]);
    const outsider = await tenant.member("member");
    expectDone(await update(outsider, "task", [idOf("task")], { add_label: web }), 0, [[idOf("task"), "errors.forbidden"]]);
  });

  it("names a record whose stored name begins or ends with blanks", async () => {
    const blanks = await records.company({ name: " Blank Ends ", legal_name: "Blank Ends B.V. " });
    for (const word of [" Blank Ends ", "blank ends", "Blank Ends B.V. "])
      expect(await filled("task", "company", word, "company_id"), `'${word}'`).to.equal(blanks.id);
    const project = await records.make("project", { name: "Blank project " });
    expect(await filled("task", "project", "Blank project ", "project_id")).to.equal(project.id);
  });

  it("does not find a client by part of its name or by its number, and one name that several have is ambiguous", async () => {
    const { client_number } = await records.company({ name: "Numbered", client_number: "C-77" });
    expectRefused(await set("task", { company: client_number }), { company: REFERENCE });
    expectRefused(await set("task", { company: "Ant" }), { company: REFERENCE });
    await records.company({ name: "Whole", legal_name: "Half" });
    await records.company({ name: "half" });
    expectRefused(await set("task", { company: "HALF" }), { company: "impex.errors.ambiguous_match" });
    await records.company({ name: "Same", legal_name: "Same" });
    expectDone(await set("task", { company: "same" }), 1);
  });

  it("links a contact to another client too, and leaves an existing link unchanged", async () => {
    const [first, second] = await records.ids("contact", 2);
    const company = (await records.company({ name: "Linked" })).id;
    const linksOf = async (id: string) =>
      (await records.read("contact", id)).companies
        .filter(({ company_id }: Body) => company_id === company)
        .map(({ is_primary, contact_type_id }: Body) => [is_primary, contact_type_id]);
    expectDone(await update(tenant.owner, "contact", [first as string, second as string], { company: "linked" }), 2);
    expect(await linksOf(first as string), "primary where there was none").to.deep.equal([[true, null]]);
    expect(await linksOf(second as string)).to.deep.equal([[false, null]]);
    expect((await records.read("contact", first as string)).companies, "the earlier link stays").to.have.length(2);
    const type = bodyOf(await tenant.owner.post("/contacts/types", { key: "boss", label_i18n: { nl: "Baas" } })).id;
    await tenant.owner.patch(`/contacts/${second}/links/${company}`, { contact_type_id: type });
    expectDone(await update(tenant.owner, "contact", [second as string], { company: "linked" }), 1);
    expect(await linksOf(second as string)).to.deep.equal([[false, type]]);
  });

  it("names a provider by id or name within its kind, an inactive one too, and clears its slot", async () => {
    const domain = idOf("domain");
    await tenant.owner.patch(`/domains/${domain}`, { email_enabled: true });
    for (const kind of ["registrar", "dns", "email"] as const) {
      const field = `${kind}_provider_id`;
      const one = await providerOf(service, tenant, kind, "Same Name");
      expect(await filled("domain", `${kind}_provider`, "same name", field), kind).to.equal(one);
      expect(await filled("domain", `${kind}_provider`, null, field), kind).to.equal(null);
      expect(await filled("domain", `${kind}_provider`, one, field), kind).to.equal(one);
      await service.sql.query("update providers set active = false where id = $1", [one]);
      expect(await filled("domain", `${kind}_provider`, " ", field), kind).to.equal(null);
      expect(await filled("domain", `${kind}_provider`, "SAME NAME", field), kind).to.equal(one);
      expectRefused(await set("domain", { [`${kind === "dns" ? "email" : "dns"}_provider`]: one }), {
        [`${kind === "dns" ? "email" : "dns"}_provider`]: REFERENCE,
      });
    }
  });

  it("reads yes and no in any case, and clears what may follow the default", async () => {
    for (const [word, value] of [
      ...["true", "JA", "Yes", "1"].map((one) => [one, true] as const),
      ...["false", "Nee", "NO", "0"].map((one) => [one, false] as const),
    ]) {
      expect(await filled("domain", "invoiceable", word, "invoiceable"), word).to.equal(value);
      expect(await filled("project", "billable_default", word, "billable_default"), word).to.equal(value);
      expect(await filled("website", "uptime_enabled", word, "uptime_enabled"), word).to.equal(value);
    }
    expect(await filled("domain", "invoiceable", null, "invoiceable")).to.equal(null);
  });

  it("sets the renewal date of a domain; cleared, it is computed again", async () => {
    expect(await filled("domain", "next_invoice_date", "2031-05-06", "next_invoice_date")).to.equal("2031-05-06");
    const renewed = await filled("domain", "next_invoice_date", null, "next_invoice_date");
    expect(renewed)
      .to.match(/^\d{4}-\d\d-\d\d$/)
      .and.not.equal("2031-05-06");
  });

  const FIXED: [kind: Kind, words: string[]][] = [
    ["company", ["lead", "onboarding", "active", "offboarding", "archived"]],
    ["domain", ["active", "redirect", "parked", "expired", "inactive"]],
    ["project", ["active", "on_hold", "completed", "archived"]],
    ["subscription", ["draft", "active", "paused", "cancelled"]],
  ];
  for (const [kind, words] of FIXED)
    it(`moves a ${kind} to every status there is`, async () => {
      for (const word of words) expect(await filled(kind, "status", word, "status")).to.equal(word);
    });

  it("names a type of agreements by id, key or label, and clears it", async () => {
    const type = bodyOf(await tenant.owner.post("/subscriptions/types", { key: "hosting", label_i18n: { nl: "Onderdak" } })).id;
    for (const word of [type, "Hosting", "ONDERDAK"]) {
      expect(await filled("subscription", "type", null, "subscription_type_id")).to.equal(null);
      expect(await filled("subscription", "type", word, "subscription_type_id"), word).to.equal(type);
    }
  });

  it("assigns tasks to a member by e-mail or id, and to nobody", async () => {
    const member = await tenant.member("member");
    for (const word of [member.email.toUpperCase(), member.accountId]) {
      expect(await filled("task", "assignee", null, "assignee_user_id")).to.equal(null);
      expect(await filled("task", "assignee", word, "assignee_user_id"), word).to.equal(member.accountId);
    }
    const elsewhere = await service.tenant();
    expectRefused(await set("task", { assignee: elsewhere.owner.accountId }), { assignee: REFERENCE });
    expectRefused(await set("task", { assignee: elsewhere.owner.email }), { assignee: REFERENCE });
  });

  it("names a project by id or name, and clears project, client and due date", async () => {
    const project = await records.make("project", { name: "Rebuild" });
    for (const word of [project.id, "REBUILD"]) {
      expect(await filled("task", "project", null, "project_id")).to.equal(null);
      expect(await filled("task", "project", word, "project_id"), word).to.equal(project.id);
    }
    expect(await filled("task", "company", null, "company_id")).to.equal(null);
    expect(await filled("task", "due_date", "2026-03-19", "due_date")).to.equal("2026-03-19");
    expect(await filled("task", "due_date", null, "due_date")).to.equal(null);
  });

  it("names hosting by id or name, and clears it", async () => {
    const hosting = bodyOf(await tenant.owner.post("/hosting", { name: "Rack 7" })).id;
    for (const word of [hosting, "rack 7"]) {
      expect(await filled("website", "hosting", null, "hosting_id")).to.equal(null);
      expect(await filled("website", "hosting", word, "hosting_id"), word).to.equal(hosting);
    }
  });

  it("sets several keys at once", async () => {
    expectDone(await set("task", { priority: "high", due_date: "2026-04-01", company: "Ant & Bee" }), 1);
    expect(await records.read("task", idOf("task"))).to.include({
      priority: "high",
      due_date: "2026-04-01",
      company_id: target.id,
    });
  });

  it("answers 404 if no kind of record is declared, or none can be updated", async () => {
    for (const path of ["/bulk/beacon/update", "/bulk/invoice/update", "/bulk/interaction/update", "/bulk/quote/delete"])
      expect((await tenant.owner.post(path, { ids: [randomUUID()], values: { status: "x" } })).status, path).to.equal(404);
  });
});
