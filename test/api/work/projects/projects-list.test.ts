import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, namesOf, refusalOf } from "../../clients/companies/company-records.ts";
import { entryOf, person, projectOf } from "./project-records.ts";

describe("GET /projects", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const list = (query = "", caller = tenant.owner) => caller.get(`/projects?${query}`);
  const named = async (...values: Record<string, unknown>[]) => {
    const { id } = await tenant.company({ name: "Client" });
    const made = [];
    for (const one of values) made.push(await projectOf(tenant, { company_id: id, ...one }));
    return made;
  };

  it("gives a page by name, each row as it is read by id", async () => {
    await named({ name: "beta" }, { name: "Alpha" }, { name: "gamma" });
    const { body } = await list();
    expect([body.total, body.limit, body.offset]).to.deep.equal([3, 50, 0]);
    expect(namesOf(await list())).to.deep.equal(["Alpha", "beta", "gamma"]);
    expect((await tenant.owner.get(`/projects/${body.items[1].id}`)).body).to.deep.equal(body.items[1]);
    expect((await list("limit=1&offset=1&count=false")).body).to.deep.include({ total: 1, limit: 1, offset: 1 });
    for (const [query, field] of [
      ["limit=0", "limit"],
      ["limit=201", "limit"],
      ["company_id=x", "company_id"],
      ["unnamed=perhaps", "unnamed"],
    ] as const)
      expect(refusalOf(await list(query))).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
  });

  describe("?status", () => {
    const every = ["active", "archived", "completed", "on_hold"];
    for (const [filter, names] of [
      ["active", ["active"]],
      ["on_hold,archived", ["archived", "on_hold"]],
      [" on_hold , ,archived,", ["archived", "on_hold"]],
      ["on_hold,gone", ["on_hold"]],
      ["gone", []],
      ["", every],
      [" , ,", every],
    ] as const)
      it(`'${filter}' gives ${names.join(", ") || "nothing"}`, async () => {
        await named(...every.map((status) => ({ name: status, status })));
        expect(namesOf(await list(`status=${encodeURIComponent(filter)}`))).to.deep.equal(names);
        expect(namesOf(await list(`q=_&status=${encodeURIComponent(filter)}`))).to.deep.equal(
          names.filter((name) => name.includes("_")),
        );
      });
  });

  it("narrows to a client, to the unnamed or the named, and to a word of the name", async () => {
    await named({ name: "Site" }, { name: "New project", unnamed: true });
    const { company_id } = await projectOf(tenant, { name: "Site of another" });
    expect(namesOf(await list(`company_id=${company_id}`))).to.deep.equal(["Site of another"]);
    expect(namesOf(await list(`company_id=${randomUUID()}`))).to.deep.equal([]);
    expect(namesOf(await list("unnamed=true"))).to.deep.equal(["New project"]);
    expect(namesOf(await list("unnamed=false"))).to.deep.equal(["Site", "Site of another"]);
    expect((await list()).body.total).to.equal(3);
    expect(namesOf(await list("q=%20SITE%20"))).to.deep.equal(["Site", "Site of another"]);
    expect(namesOf(await list("q=site&unnamed=true"))).to.deep.equal([]);
  });

  it("gives the caller's with mine, starred or not, each once", async () => {
    const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
    await named(
      { name: "Starred", assignees: [person(anna), person(bob)] },
      { name: "Also on it", assignees: [person(bob), person(anna)] },
      { name: "Another's", assignees: [person(bob)] },
    );
    expect(namesOf(await list("mine=true", anna))).to.deep.equal(["Also on it", "Starred"]);
    expect(namesOf(await list("mine=false", anna))).to.have.length(3);
    const key = await tenant.serviceAccount(["projects.project.read"]);
    expect(namesOf(await list("mine=true", key))).to.deep.equal([]);
  });

  it("sorts by every key, the empty last both ways, ties by name", async () => {
    const [zoe, adam] = [await tenant.member("member", { name: "zoe" }), await tenant.member("member", { name: "Adam" })];
    await named(
      { name: "a", status: "on_hold", budget_hours: 5, start_date: "2026-02-01", assignees: [person(zoe), person(adam)] },
      { name: "B", budget_hours: 40, end_date: "2026-05-01", assignees: [person(adam)] },
      { name: "c", start_date: "2026-01-01", end_date: "2026-04-01" },
    );
    for (const [sort, names] of [
      ["name", "a B c"],
      ["-name", "c B a"],
      ["status", "B c a"],
      ["-status", "a B c"],
      ["assignee", "B a c"],
      ["-assignee", "a B c"],
      ["start_date", "c a B"],
      ["-start_date", "a c B"],
      ["end_date", "c B a"],
      ["-end_date", "B c a"],
      ["budget_hours", "a B c"],
      ["-budget_hours", "B a c"],
      ["created_at", "a B c"],
      ["-created_at", "c B a"],
      ["updated_at", "a B c"],
      ["-updated_at", "c B a"],
    ] as const)
      expect(namesOf(await list(`sort=${sort}`)).join(" "), sort).to.equal(names);
    expect(refusalOf(await list("sort=color"))).to.deep.equal([400, "invalid_sort", { sort: "errors.invalid_sort" }]);
  });

  it("shows only records of the selection, and of no client only to staff", async () => {
    const [seen, hidden] = [await tenant.company(), await tenant.company({ name: "Hidden" })];
    await projectOf(tenant, { name: "Seen", company_id: seen.id });
    const { id } = await projectOf(tenant, { name: "Not seen", company_id: hidden.id });
    const loose = await projectOf(tenant, { name: "Without client" });
    await service.sql.query("update projects set company_id = null where id = $1", [loose.id]);
    const [staff, client] = [await tenant.member("admin"), await tenant.member("client")];
    await tenant.group("Narrow", [seen.id], [staff.membershipId, client.membershipId]);
    expect(namesOf(await list("", staff))).to.deep.equal(["Seen", "Without client"]);
    expect(namesOf(await list("", client))).to.deep.equal(["Seen"]);
    expect((await list("", client)).body.total).to.equal(1);
    expect(namesOf(await list("q=client", client))).to.deep.equal([]);
    expect((await staff.get(`/projects/${loose.id}`)).body.company_name).to.equal(null);
    for (const [who, project] of [
      [staff, id],
      [client, id],
      [client, loose.id],
    ] as const)
      expect((await who.get(`/projects/${project}`)).status).to.equal(404);
    expect((await staff.patch(`/projects/${id}`, { name: "x" })).status).to.equal(404);
    expect((await staff.delete(`/projects/${id}`)).status).to.equal(404);
  });

  it("costs the same statements for 2 rows as for 60, with hours as well", async () => {
    await named(...Array.from({ length: 2 }, () => ({ budget_hours: 1, assignees: [person(tenant.owner)] })));
    const cost = async (path: string) => (await tenant.owner.get(path)).statements;
    const paths = ["/projects?limit=200", "/projects?limit=200&hours=true", "/projects/dashboard-budgets?limit=20"];
    await list();
    const few = [];
    for (const path of paths) few.push(await cost(path));
    await service.sql.query(
      `insert into projects (id, organisation_id, company_id, name, budget_hours)
       select gen_random_uuid(), p.organisation_id, p.company_id, p.name || n, 1 from projects p, generate_series(1, 29) n
        where p.organisation_id = $1`,
      [tenant.organisation.id],
    );
    const [{ id }] = (await list()).body.items;
    await entryOf(service, tenant, { project_id: id, started_at: "2026-01-05T09:00:00Z" });
    const many = [];
    for (const path of paths) many.push(await cost(path));
    expect((await list()).body.total).to.equal(60);
    expect(many).to.deep.equal(few);
    expect(few.map((statements) => statements <= 3)).to.deep.equal([true, true, true]);
  });
});
