import { expect } from "chai";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

/** References that a deletion empties, on tables whose rows have an ETag and a place in `updated_since`. */
const EMPTIED = `select c.relname as "table", a.attname as column,
    exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgfoid = 'moved_by_deletion()'::regprocedure and a.attnum = any(g.tgattr)) as moves
  from pg_constraint f join pg_class c on c.oid = f.conrelid and c.relnamespace = 'public'::regnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum = any(coalesce(f.confdelsetcols, f.conkey))
 where f.contype = 'f' and f.confdeltype = 'n'
   and (select count(*) from pg_attribute v where v.attrelid = c.oid and not v.attisdropped and v.attname in ('version', 'updated_at')) = 2
 order by 1, 2`;

/** References that a deletion of the other row empties, or takes with their own row (`is_taken`). */
const ENDED = `select c.relname as "table", a.attname as column, p.relname as "to", f.confdeltype = 'c' as is_taken
  from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class p on p.oid = f.confrelid
  join pg_attribute a on a.attrelid = c.oid and a.attnum = any(coalesce(f.confdelsetcols, f.conkey)) and a.attname <> 'organisation_id'
 where f.contype = 'f' and f.confdeltype in ('n', 'c') order by 1, 2`;
/** The links that a record shows: their table, and the record's table and column. */
const LINKS = `select g.tgrelid::regclass::text as "table", encode(g.tgargs, 'escape') as of from pg_trigger g
  where g.tgfoid = 'link_lost_by_deletion()'::regprocedure`;

/** References whose end is reported in another way, or to nobody. */
const UNREPORTED: Readonly<Record<string, string>> = {
  "companies.logo_file_id": "removing the logo is in the trail",
  "contacts.account_id": "no answer shows it",
  "company_assignees.account_id": "an account is deleted in no organisation",
  "project_assignees.account_id": "an account is deleted in no organisation",
  "task_assignees.account_id": "an account is deleted in no organisation",
  "invoices.credit_for_id": "a credited invoice is not deleted",
  "quotes.invoice_id": "deleting a draft reopens its quote, which is reported",
};

describe("the cuts of a deletion", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const made = async (path: string, body: object) => {
    const answer = await tenant.owner.post(path, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.id as string;
  };

  it("moves the state of the row, for any reference", async () => {
    const { rows } = await service.sql.query(EMPTIED);
    expect(rows).to.have.length.greaterThan(20);
    expect(rows.filter(({ moves }) => !moves).map(({ table, column }) => `${table}.${column}`)).to.deep.equal([]);
  });

  it("are reported to webhooks by the records that show them", async () => {
    const reported = [...catalogue().records.values()].filter(({ changes }) => changes);
    const declared = reported.flatMap(({ loses = [] }) =>
      loses.map(({ field, to, table, column = field }) => ({ reference: `${table}.${column}`, to })),
    );
    const tables = reported.map(({ client }) => (client && client !== "several" ? client.table : "contacts"));
    const links = new Map<string, readonly string[]>(
      (await service.sql.query(LINKS)).rows.map(({ table, of }) => [table, of.split("\\000")]),
    );
    const all = (await service.sql.query(ENDED)).rows.filter(({ table, column, is_taken }) => {
      const [record = "", own] = links.get(table) ?? [];
      return is_taken ? tables.includes(record) && column !== own : tables.includes(table);
    });
    const rows = all.map(({ table, column, to }) => ({ reference: `${table}.${column}`, to }));
    const ended = rows.filter(({ reference }) => !Object.hasOwn(UNREPORTED, reference));
    expect(declared).to.have.deep.members(
      // A contact shows the type of each link, which is no column of its own.
      [...ended, { reference: "contact_links.contact_type_id", to: "contact_types" }],
    );
    expect(rows.map(({ reference }) => reference)).to.include.members(Object.keys(UNREPORTED));
  });

  const agreement = (company_id: string, links: object) =>
    made("/subscriptions", { company_id, name: "Care", amount: "10.00", status: "draft", start_date: "2026-01-01", ...links });

  const cases: Record<string, () => Promise<[cut: string, record: string]>> = {
    "a contact of a moment": async () => {
      const contact = await made("/contacts", { first_name: "Kees" });
      return [`/contacts/${contact}`, `/interactions/${await made("/interactions", { kind: "call", contact_ids: [contact] })}`];
    },
    "the task of a moment": async () => {
      const task = await made("/tasks", { title: "T" });
      return [`/tasks/${task}`, `/interactions/${await made("/interactions", { kind: "call", task_id: task })}`];
    },
    "the contact of a task": async () => {
      const company_id = (await tenant.company()).id;
      const contact = await made("/contacts", { first_name: "Kees", company_ids: [company_id] });
      return [`/contacts/${contact}`, `/tasks/${await made("/tasks", { title: "T", company_id, assignee_contact_id: contact })}`];
    },
    "a label of a task": async () => {
      const label = await made("/tasks/labels", { name: "L", color: "red" });
      return [`/tasks/labels/${label}`, `/tasks/${await made("/tasks", { title: "T", label_ids: [label] })}`];
    },
    "a task that another one waits for": async () => {
      const [texts, build] = [await made("/tasks", { title: "Texts" }), await made("/tasks", { title: "Build" })];
      expect((await tenant.owner.put(`/tasks/${build}/blockers`, { task_ids: [texts] })).status).to.equal(200);
      return [`/tasks/${texts}`, `/tasks/${build}`];
    },
    "the project of a task": async () => {
      const project = await made("/projects", { name: "P", company_id: (await tenant.company()).id });
      return [`/projects/${project}`, `/tasks/${await made("/tasks", { title: "T", project_id: project })}`];
    },
    "a project of an agreement": async () => {
      const company = (await tenant.company()).id;
      const project = await made("/projects", { name: "P", company_id: company });
      return [`/projects/${project}`, `/subscriptions/${await agreement(company, { project_ids: [project] })}`];
    },
    "a task of an agreement": async () => {
      const company = (await tenant.company()).id;
      const task = await made("/tasks", { title: "T", company_id: company });
      return [`/tasks/${task}`, `/subscriptions/${await agreement(company, { task_ids: [task] })}`];
    },
    "the company of a contact": async () => {
      const company = (await tenant.company()).id;
      return [`/companies/${company}`, `/contacts/${await made("/contacts", { first_name: "K", company_ids: [company] })}`];
    },
  };
  for (const [what, make] of Object.entries(cases))
    it(`moves ETag and updated_at when it takes ${what}`, async () => {
      const [cut, record] = await make();
      const before = await tenant.owner.get(record);
      expect((await tenant.owner.delete(cut)).status).to.equal(204);
      const after = await tenant.owner.get(record);
      expect(after.status).to.equal(200);
      expect(after.headers["etag"]).to.not.equal(before.headers["etag"]);
      expect(Date.parse(after.body.updated_at)).to.be.greaterThan(Date.parse(before.body.updated_at));
    });

  it("moves updated_at of a type of agreement when it takes a template", async () => {
    const template = await made("/tasks/templates", { name: "T", items: [{ title: "Start" }] });
    await made("/subscriptions/types", { key: "care", label_i18n: { en: "Care" }, task_template_ids: [template] });
    const type = async () =>
      (await tenant.owner.get("/subscriptions/types")).body.find(({ key }: { key: string }) => key === "care");
    const before = await type();
    expect((await tenant.owner.delete(`/tasks/templates/${template}`)).status).to.equal(204);
    const after = await type();
    expect(after.task_template_ids).to.deep.equal([]);
    expect(Date.parse(after.updated_at)).to.be.greaterThan(Date.parse(before.updated_at));
  });
});
