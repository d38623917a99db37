import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Caller, Tenant, TestService } from "../../support/service.ts";
import { providerOf } from "../assets/domains/domain-records.ts";
import { bodyOf } from "../work/tasks/task-records.ts";
import { bulkService, CHANGES, expectDone, expectRefused, KINDS, type Kind, Records, remove, update } from "./bulk-records.ts";

const UPDATED = Object.keys(CHANGES) as Kind[];
const REFERENCE = "impex.errors.unresolved_reference";

describe("POST /bulk/<entity>/…: who may do what to which rows", () => {
  let service: TestService;
  let tenant: Tenant;
  let records: Records;
  before(async () => {
    service = await bulkService();
    tenant = await service.tenant();
    records = new Records(service, tenant);
    await records.company({ name: "Destination" });
  });
  after(() => service.stop());

  const failing = (id: string): [string, string][] => [[id, "errors.not_found"]];
  /** Everything stored of a record, and its trail. */
  const stateOf = async (of: Records, kind: Kind, id: string) => [await of.read(kind, id), await of.trail(kind, id)];

  for (const kind of KINDS)
    it(`reports another organisation's ${kind} like an unknown one, and leaves it alone`, async () => {
      const theirs = new Records(service, await service.tenant());
      const { id } = await theirs.make(kind);
      const before = await stateOf(theirs, kind, id);
      const nobodys = randomUUID();
      for (const one of [id, nobodys]) {
        if (CHANGES[kind]) expectDone(await update(tenant.owner, kind, [one], CHANGES[kind]), 0, failing(one));
        expectDone(await remove(tenant.owner, kind, [one]), 0, failing(one));
      }
      expect(await stateOf(theirs, kind, id)).to.deep.equal(before);
    });

  describe("of a caller who is bound to a selection", () => {
    let restricted: Caller;
    let inside: string;
    let outside: string;
    before(async () => {
      [inside, outside] = [(await records.company({ name: "Inside" })).id, (await records.company({ name: "Outside" })).id];
      restricted = await tenant.member("admin");
      const destination = bodyOf(await tenant.owner.get("/companies?q=Destination")).items[0].id;
      await tenant.group("Seen", [inside, destination], [restricted.membershipId]);
    });

    for (const kind of KINDS)
      it(`a ${kind} of another client is like an unknown one, one of its own is not`, async () => {
        const own = (values: { company_id: string }) =>
          kind === "company" ? Promise.resolve({ id: values.company_id }) : records.make(kind, values);
        const [mine, hidden] = [await own({ company_id: inside }), await own({ company_id: outside })];
        const before = await stateOf(records, kind, hidden.id);
        if (CHANGES[kind]) expectDone(await update(restricted, kind, [hidden.id, mine.id], CHANGES[kind]), 1, failing(hidden.id));
        // The client itself is still needed.
        const removable = kind === "company" ? [hidden.id] : [hidden.id, mine.id];
        expectDone(await remove(restricted, kind, removable), removable.length - 1, failing(hidden.id));
        expect(await stateOf(records, kind, hidden.id)).to.deep.equal(before);
      });

    it("reports invisible rows before refused ones, like missing ones", async () => {
      const [late, hiddenTask] = [
        (await records.make("task", { company_id: inside, due_date: "2026-01-10" })).id,
        (await records.make("task", { company_id: outside })).id,
      ];
      expectDone(await update(restricted, "task", [late, hiddenTask], { due_date: "2026-02-10" }), 0, [
        ...failing(hiddenTask),
        [late, "errors.due_reason_required"],
      ]);
      const money = await records.money();
      const [issued, hidden] = [await money.issued(undefined, { company_id: inside }), await money.draft()];
      const notDraft: [string, string] = [issued.id, "errors.invoicing.not_draft"];
      expectDone(await remove(restricted, "invoice", [issued.id, hidden.id]), 0, [...failing(hidden.id), notDraft]);
      const kept: [string, string] = [inside, "errors.companies.has_issued_invoices"];
      expectDone(await remove(restricted, "company", [inside, outside]), 0, [...failing(outside), kept]);
    });

    it("looks for records named in a value in the selection only", async () => {
      const task = await records.make("task", { company_id: inside });
      const project = await records.make("project", { company_id: outside, name: "Hidden work" });
      const site = await records.make("website", { company_id: inside });
      await tenant.owner.post("/hosting", { name: "Hidden rack", company_id: outside });
      for (const word of [outside, "Outside"]) {
        for (const kind of ["task", "project", "domain", "subscription", "contact"] as const)
          expectRefused(await update(restricted, kind, [randomUUID()], { company: word }), { company: REFERENCE });
      }
      for (const word of [project.id, "Hidden work"])
        expectRefused(await update(restricted, "task", [task.id], { project: word }), { project: REFERENCE });
      expectRefused(await update(restricted, "website", [site.id], { hosting: "hidden rack" }), { hosting: REFERENCE });
      // A name that another has outside of the selection is not ambiguous within it.
      await records.company({ name: "Inside" });
      expectDone(await update(restricted, "task", [task.id], { company: "inside" }), 1);
    });
  });

  it("another organisation's records are named by nothing", async () => {
    const theirs = new Records(service, await service.tenant());
    const company = await theirs.company({ name: "Elsewhere", legal_name: "Elsewhere B.V." });
    const project = await theirs.make("project", { company_id: company.id, name: "Their project" });
    const provider = await providerOf(service, theirs.tenant, "dns", "Their DNS");
    const type = bodyOf(await theirs.tenant.owner.post("/subscriptions/types", { key: "theirs", label_i18n: {} })).id;
    const hosting = bodyOf(await theirs.tenant.owner.post("/hosting", { name: "Their rack" })).id;
    const named: [kind: Kind, key: string, words: string[]][] = [
      ["contact", "company", [company.id, "Elsewhere", "Elsewhere B.V."]],
      ["domain", "company", [company.id, "Elsewhere"]],
      ["domain", "dns_provider", [provider, "Their DNS"]],
      ["project", "company", [company.id, "Elsewhere"]],
      ["subscription", "company", [company.id, "Elsewhere"]],
      ["subscription", "type", [type, "theirs"]],
      ["task", "company", [company.id, "Elsewhere"]],
      ["task", "project", [project.id, "Their project"]],
      ["website", "hosting", [hosting, "Their rack"]],
    ];
    for (const [kind, key, words] of named)
      for (const word of words)
        expectRefused(await update(tenant.owner, kind, [randomUUID()], { [key]: word }), { [key]: REFERENCE });
  });

  it("a client login changes tasks of its own clients that it is shown, and no others", async () => {
    const company = await records.company();
    const contact = bodyOf(
      await tenant.owner.post("/contacts", {
        first_name: "Anna",
        email: `${randomUUID()}@example.com`,
        company_ids: [company.id],
      }),
    ).id;
    const login = await tenant.member("client", { grants: ["tasks.task.read", "tasks.task.write:any", "tasks.task.delete"] });
    await service.sql.query("update contacts set account_id = $1 where id = $2", [login.accountId, contact]);
    const shown = (await records.make("task", { company_id: company.id, visible_to_client: true })).id;
    const hidden = (await records.make("task", { company_id: company.id })).id;
    const others = (await records.make("task", { visible_to_client: true })).id;
    expectDone(await update(login, "task", [hidden, shown, others], { priority: "high" }), 1, [
      ...failing(hidden),
      ...failing(others),
    ]);
    // It may not put a task out of its own view.
    expectDone(await update(login, "task", [shown], { company: null }), 0, [[shown, "errors.forbidden"]]);
    expectDone(await remove(login, "task", [hidden, shown]), 1, failing(hidden));
  });

  describe("needs the permission of the ordinary write", () => {
    const PERMISSIONS: Record<Kind, string> = {
      company: "companies.company",
      contact: "contacts.contact",
      domain: "domains.domain",
      interaction: "interactions.interaction",
      invoice: "invoicing.invoice",
      project: "projects.project",
      subscription: "subscriptions.subscription",
      task: "tasks.task",
      uptime_monitor: "uptime.monitor",
      website: "websites.website",
    };
    for (const kind of KINDS)
      it(`of a ${kind}, regardless of the caller's other permissions`, async () => {
        const all = Object.values(PERMISSIONS).flatMap((one) => [`${one}.read`, `${one}.write`, `${one}.delete`]);
        const scoped = (one: string) =>
          /^(tasks.task.write|interactions.interaction.(write|delete))$/.test(one) ? `${one}:any` : one;
        const stored = (list: string[]) =>
          list.filter((one) => !/^(invoicing.invoice.read|uptime.monitor.(read|delete))$/.test(one)).map(scoped);
        // Who changes monitors deletes them.
        const permitted = (verb: string) => `${PERMISSIONS[kind]}.${kind === "uptime_monitor" ? "write" : verb}`;
        for (const verb of ["write", "delete"] as const) {
          if (verb === "write" && !CHANGES[kind]) continue;
          const call = (by: Caller) =>
            verb === "write" ? update(by, kind, [randomUUID()], CHANGES[kind] ?? {}) : remove(by, kind, [randomUUID()]);
          const [without, only] = [all.filter((one) => one !== permitted(verb)), [permitted(verb)]];
          const refused = await call(await tenant.member("member", { grants: stored(without) }));
          expect([refused.status, refused.body.error.code], `without ${only}`).to.deep.equal([403, "forbidden"]);
          expect((await call(await tenant.member("member", { grants: stored(only) }))).status, `with ${only}`).to.equal(200);
        }
      });

    it("and for links of contacts theirs, as every other way to them", async () => {
      const contact = (await records.make("contact")).id;
      const member = await tenant.member("member", { grants: ["contacts.contact.read", "contacts.contact.write"] });
      expectDone(await update(member, "contact", [contact], { company: "Destination" }), 0, [[contact, "errors.forbidden"]]);
    });
  });

  it("is served and described for every kind of record that declares it, with its keys", async () => {
    const { body } = await service.call("GET", "//api/openapi.json");
    const paths = Object.keys(body.paths).filter((path) => path.startsWith("/bulk/"));
    const expected = [...KINDS.map((kind) => `/bulk/${kind}/delete`), ...UPDATED.map((kind) => `/bulk/${kind}/update`)];
    expect(paths.sort()).to.deep.equal(expected.sort());
    expect(body.paths["/bulk/task/update"].post.description).to.include("`priority`: low, normal, high.");
  });
});
