import { expect } from "chai";
import pg from "pg";
import { keepEvents } from "../../support/jobs.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { eventsOf, invalidOn, refusalOf, trailOf } from "../clients/companies/company-records.ts";
import { domainOf, valuesOf } from "./site-records.ts";

const UNKNOWN = "8f1f7e0e-6f3c-4c58-9a3e-0d6b4a0a2f11";

describe("/websites", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const domain = (values = {}) => domainOf(service.sql, tenant, values);
  const create = async (body: object) => (await tenant.owner.post("/websites", body)).body;
  const hosting = async (values: object = {}) => (await tenant.owner.post("/hosting", { name: "Web 1", ...values })).body.id;
  const names = async (query = "", caller = tenant.owner) =>
    valuesOf((await caller.get(`/websites${query}`)).body, "domain_name");

  it("stores the sent values, with defaults for the rest, and shows its domain's client", async () => {
    const company = await tenant.company({ name: "Bakkerij" });
    const site = await domain({ company_id: company.id });
    const plain = await tenant.owner.post("/websites", { domain_id: site.id });
    expect(plain.status).to.equal(201);
    expect(plain.body).to.deep.include({
      org_id: tenant.organisation.id,
      domain_id: site.id,
      domain_name: site.name,
      company_id: company.id,
      company_name: "Bakkerij",
      root: true,
      technical_owner: null,
      hosting_id: null,
      hosting_name: null,
      uptime_enabled: false,
      uptime_status: null,
      custom: {},
    });
    const hosting_id = await hosting();
    const { id } = await create({
      domain_id: (await domain({ company_id: company.id })).id,
      root: false,
      hosting_id,
      technical_owner: { type: "company" },
      uptime_enabled: true,
    });
    expect((await tenant.owner.get(`/websites/${id}`)).body).to.deep.include({
      root: false,
      hosting_name: "Web 1",
      technical_owner: { type: "company", id: null, label: "Bakkerij" },
      uptime_enabled: true,
      uptime_status: null,
    });
    expect((await tenant.owner.delete(`/websites/${id}`)).status).to.equal(204);
    expect((await tenant.owner.get(`/websites/${id}`)).status).to.equal(404);
  });

  it("is one per domain, even of two that come at once, and stays with it", async () => {
    const [first, second] = [await domain(), await domain()];
    const answers = await Promise.all([1, 2].map(() => tenant.owner.post("/websites", { domain_id: first.id })));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, 409]);
    expect(refusalOf(await tenant.owner.post("/websites", { domain_id: first.id }))).to.deep.equal([409, "conflict", null]);
    const id = answers.find(({ status }) => status === 201)?.body.id;
    expect((await tenant.owner.patch(`/websites/${id}`, { domain_id: second.id })).body.domain_id).to.equal(first.id);
  });

  it("goes with its domain, and is on nothing when its hosting goes", async () => {
    const [{ id: site }, hosting_id] = [await domain(), await hosting()];
    const { id, updated_at } = await create({ domain_id: site, hosting_id });
    const tag = (await tenant.owner.get(`/websites/${id}`)).headers["etag"];
    await tenant.owner.delete(`/hosting/${hosting_id}`);
    const after = await tenant.owner.get(`/websites/${id}`);
    expect(after.body).to.deep.include({ hosting_id: null, hosting_name: null });
    expect([after.headers["etag"] === tag, after.body.updated_at > updated_at]).to.deep.equal([false, true]);
    await service.sql.query("delete from domains where id = $1", [site]);
    expect((await tenant.owner.get(`/websites/${id}`)).status).to.equal(404);
  });

  it("goes with its domain to another client, in the list, its filter, its order and a selection", async () => {
    const [from, to] = [await tenant.company({ name: "Aarde" }), await tenant.company({ name: "Zee" })];
    const [moved, stays] = [await domain({ company_id: from.id }), await domain({ company_id: from.id })];
    const { id } = await create({ domain_id: moved.id });
    await create({ domain_id: stays.id });
    const restricted = await tenant.member("admin");
    await tenant.group("Some", [to.id], [restricted.membershipId]);
    expect(await names("", restricted)).to.deep.equal([]);
    const before = await tenant.owner.get(`/websites/${id}`);
    expect((await tenant.owner.patch(`/domains/${moved.id}`, { company_id: to.id })).status).to.equal(200);
    const after = await tenant.owner.get(`/websites/${id}`);
    expect(after.body).to.deep.include({ company_id: to.id, company_name: "Zee" });
    expect([after.headers["etag"] === before.headers["etag"], after.body.updated_at > before.body.updated_at]).to.deep.equal([
      false,
      true,
    ]);
    expect(await names(`?company_id=${to.id}`)).to.deep.equal([moved.name]);
    expect(await names(`?company_id=${from.id}`)).to.deep.equal([stays.name]);
    expect(await names("?sort=-company")).to.deep.equal([moved.name, stays.name]);
    expect(await names("", restricted)).to.deep.equal([moved.name]);
    expect((await restricted.get(`/websites/${id}`)).status).to.equal(200);
  });

  it("has the client its domain moves to while it is being made", async () => {
    const [site, to] = [await domain(), await tenant.company()];
    const mover = new pg.Client({ connectionString: service.database.owner });
    await mover.connect();
    try {
      const { rows } = await mover.query("select pg_backend_pid() as pid");
      await mover.query("begin");
      await mover.query("update domains set company_id = $2 where id = $1", [site.id, to.id]);
      const made = tenant.owner.post("/websites", { domain_id: site.id });
      const waiting = "select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))";
      while ((await service.sql.query(waiting, [rows[0].pid])).rows.length === 0);
      await mover.query("commit");
      expect((await made).body.company_id).to.equal(to.id);
    } finally {
      await mover.end();
    }
  });

  it("refuses references that are not there for the caller, and takes hosting of no client", async () => {
    const [seen, hidden] = [await tenant.company(), await tenant.company()];
    const [own, foreign] = [await domain({ company_id: seen.id }), await domain({ company_id: hidden.id })];
    const hostings = { shared: await hosting(), seen: await hosting({ company_id: seen.id }) };
    const hiddenHosting = await hosting({ company_id: hidden.id });
    const other = await service.tenant();
    const elsewhere = (await other.owner.post("/hosting", { name: "A" })).body.id;
    const restricted = await tenant.member("admin");
    await tenant.group("Some", [seen.id], [restricted.membershipId]);
    const otherDomain = await domainOf(service.sql, other);
    for (const domain_id of [UNKNOWN, foreign.id, otherDomain.id])
      expect(refusalOf(await restricted.post("/websites", { domain_id }))).to.deep.equal([404, "not_found", null]);
    const refused = [400, "invalid_hosting", null];
    for (const hosting_id of [UNKNOWN, hiddenHosting, elsewhere])
      expect(refusalOf(await restricted.post("/websites", { domain_id: own.id, hosting_id }))).to.deep.equal(refused);
    const made = await restricted.post("/websites", { domain_id: own.id, hosting_id: hostings.shared });
    expect(made.status).to.equal(201);
    const path = `/websites/${made.body.id}`;
    expect(refusalOf(await restricted.patch(path, { hosting_id: hiddenHosting }))).to.deep.equal(refused);
    expect((await restricted.patch(path, { hosting_id: hostings.seen })).body.hosting_id).to.equal(hostings.seen);
  });

  for (const field of ["root", "uptime_enabled"])
    it(`refuses a ${field} that is null on a change, and takes it as not sent when it is new`, async () => {
      const made = await tenant.owner.post("/websites", { domain_id: (await domain()).id, [field]: null });
      expect(made.status).to.equal(201);
      expect(refusalOf(await tenant.owner.patch(`/websites/${made.body.id}`, { [field]: null }))).to.deep.equal(
        invalidOn({ [field]: "errors.validation" }),
      );
    });

  it("asks for a domain", async () => {
    expect(refusalOf(await tenant.owner.post("/websites", {}))).to.deep.equal(invalidOn({ domain_id: "errors.required" }));
  });

  it("leaves a trail of apex, hosting and monitoring, and reports a switch of monitoring", async () => {
    const hosting_id = await hosting();
    const { id } = await create({ domain_id: (await domain()).id });
    const path = `/websites/${id}`;
    await tenant.owner.patch(path, { root: false, hosting_id, technical_owner: { type: "agency" } });
    await tenant.owner.patch(path, { uptime_enabled: true });
    const tag = (await tenant.owner.get(path)).headers["etag"];
    await tenant.owner.patch(path, { uptime_enabled: true, root: false, technical_owner: { type: "agency", id: null } });
    expect((await tenant.owner.get(path)).headers["etag"], "a change to what is there").to.equal(tag);
    await tenant.owner.patch(path, { technical_owner: null });
    const lines = await trailOf(service.sql, "website", id);
    expect(lines.map(({ action, payload }) => [action, payload.changes ?? null])).to.deep.equal([
      ["created", null],
      ["updated", { root: { from: true, to: false }, hosting_id: { from: null, to: hosting_id } }],
      ["updated", { uptime_enabled: { from: false, to: true } }],
    ]);
    const shown = (await tenant.owner.get(`/activity?entity_type=website&entity_id=${id}`)).body;
    expect(shown).to.have.length(3);
    expect(await eventsOf(service.sql, id)).to.deep.equal([
      { event: "website.uptime_toggled", payload: { website_id: id, uptime: true } },
    ]);
  });

  describe("the list", () => {
    /** Three sites: of `Boom` on `Zwaar`, of `aarde` on nothing, of `Citroen` on `Arm`. */
    async function three() {
      const clients = await Promise.all(["Boom", "aarde", "Citroen"].map((name) => tenant.company({ name })));
      const [zwaar, arm] = [await hosting({ name: "Zwaar" }), await hosting({ name: "arm" })];
      const label = tenant.organisation.slug;
      const rows: [string, number, string | null, boolean][] = [
        [`b.${label}.example`, 0, zwaar, true],
        [`c.${label}.example`, 1, null, false],
        [`a.${label}.example`, 2, arm, true],
      ];
      for (const [name, client, hosting_id, uptime_enabled] of rows) {
        const { id } = await domain({ name, company_id: clients[client]?.id });
        await create({ domain_id: id, hosting_id, uptime_enabled });
      }
      const letters = async (query: string, caller = tenant.owner) =>
        (await names(query, caller)).map((name) => String(name)[0]).join("");
      return { clients, zwaar, letters };
    }

    it("is newest first, and sorts by the shown values, empty last both ways", async () => {
      const { letters } = await three();
      expect(await letters("")).to.equal("acb");
      for (const [sort, order] of [
        ["name", "abc"],
        ["-name", "cba"],
        ["company", "cba"],
        ["-company", "abc"],
        ["hosting", "abc"],
        ["-hosting", "bac"],
        ["uptime", "cab"],
        ["-uptime", "abc"],
        ["created_at", "bca"],
        ["-created_at", "acb"],
        ["updated_at", "bca"],
        ["-updated_at", "acb"],
      ])
        expect(await letters(`?sort=${sort}`), sort).to.equal(order);
      expect(refusalOf(await tenant.owner.get("/websites?sort=domain_name"))).to.deep.equal([
        400,
        "invalid_sort",
        { sort: "errors.invalid_sort" },
      ]);
    });

    // With monitors: test/api/uptime/uptime-matching.deep.test.ts.
    it("reports no state for sites without monitors, whatever their flag, and sorts uptime by the flag", async () => {
      await three();
      for (const query of ["", "?uptime_enabled=true", "?uptime_enabled=false", "?meta=false"])
        for (const { id, uptime_status } of (await tenant.owner.get(`/websites${query}`)).body.items)
          expect([uptime_status, (await tenant.owner.get(`/websites/${id}`)).body.uptime_status]).to.deep.equal([null, null]);
      const flags = async (sort: string) => valuesOf((await tenant.owner.get(`/websites?sort=${sort}`)).body, "uptime_enabled");
      expect([await flags("uptime"), await flags("-uptime")]).to.deep.equal([
        [false, true, true],
        [true, true, false],
      ]);
    });

    it("is searched by the name of the domain, as it is now, and filtered", async () => {
      const { clients, zwaar, letters } = await three();
      const slug = tenant.organisation.slug;
      expect(await letters(`?q=A.${slug.toUpperCase()}`)).to.equal("a");
      await service.sql.query("update domains set name = $2, label = $2 where name = $1", [
        `a.${slug}.example`,
        `d.${slug}.example`,
      ]);
      expect(await letters(`?q=a.${slug}`)).to.equal("");
      expect(await letters(`?q=d.${slug}`)).to.equal("d");
      expect(await letters(`?company_id=${clients[0]?.id}`)).to.equal("b");
      expect(await letters(`?company_id=${UNKNOWN}`)).to.equal("");
      expect(await letters(`?hosting_id=${zwaar}`)).to.equal("b");
      expect(await letters("?uptime_enabled=false")).to.equal("c");
      expect(await letters("?uptime_enabled=true")).to.equal("db");
      const [{ domain_id }] = (await tenant.owner.get(`/websites?q=c.${slug}`)).body.items;
      expect(await letters(`?domain_id=${domain_id}`)).to.equal("c");
    });

    it("omits looked-up values with `meta=false`, and filters all the same", async () => {
      const { clients } = await three();
      const query = `?company_id=${clients[0]?.id}`;
      const [full] = (await tenant.owner.get(`/websites${query}`)).body.items;
      const bare = await tenant.owner.get(`/websites${query}&meta=false`);
      expect(bare.body.items).to.deep.equal([
        { ...full, domain_name: "", company_name: null, hosting_name: null, technical_owner: null },
      ]);
    });

    it("holds for a restricted caller the sites of its clients alone, and no names of others' hosting", async () => {
      const { clients, letters } = await three();
      const [boom, aarde] = clients.map(({ id }) => ({ id })) as [{ id: string }, { id: string }];
      const theirs = await hosting({ name: "Geheim", company_id: aarde.id });
      const [site] = (await tenant.owner.get(`/websites?company_id=${boom.id}`)).body.items;
      await tenant.owner.patch(`/websites/${site.id}`, { hosting_id: theirs });
      const [hidden] = (await tenant.owner.get(`/websites?company_id=${aarde.id}`)).body.items;
      const [admin, client] = [await tenant.member("admin"), await tenant.member("client")];
      await tenant.group("Some", [boom.id], [admin.membershipId, client.membershipId]);
      for (const person of [admin, client]) {
        for (const sort of ["", "name", "company", "hosting", "uptime"])
          expect(await letters(`?sort=${sort}`, person)).to.equal("b");
        const { body } = await person.get("/websites");
        expect([body.total, body.items[0].hosting_name, body.items[0].hosting_id]).to.deep.equal([1, null, theirs]);
        expect((await person.get(`/websites?company_id=${aarde.id}`)).body.total).to.equal(0);
        expect((await person.get(`/websites/${hidden.id}`)).status).to.equal(404);
        expect((await person.get(`/websites/${site.id}`)).body.hosting_name).to.equal(null);
      }
      expect((await admin.patch(`/websites/${hidden.id}`, { root: false })).status).to.equal(404);
      expect((await admin.delete(`/websites/${hidden.id}`)).status).to.equal(404);
      expect((await client.post("/websites", { domain_id: UNKNOWN })).status).to.equal(403);
    });

    it("costs the same number of statements for few and for many, by any order", async () => {
      const fill = async (many: number) => {
        for (let n = 0; n < many; n++)
          await create({ domain_id: (await domain()).id, hosting_id: await hosting(), technical_owner: { type: "company" } });
      };
      await fill(2);
      const restricted = await tenant.member("admin");
      const all = valuesOf((await tenant.owner.get("/companies")).body, "id") as string[];
      await tenant.group("All", all, [restricted.membershipId]);
      const costs = async () =>
        Promise.all(
          [tenant.owner, restricted].flatMap((caller) =>
            ["", "?sort=name", "?sort=company", "?sort=hosting", "?q=site"].map(
              async (query) => (await caller.get(`/websites${query}`)).statements,
            ),
          ),
        );
      // A node's first read of a caller is not a cost of the list.
      await costs();
      const few = await costs();
      await fill(15);
      expect(await costs()).to.deep.equal(few);
      expect(Math.max(...few.map(Number))).to.be.lessThan(3);
    });
  });

  describe("domains without one", () => {
    it("are named in order, within the selection, in one statement", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      const slug = tenant.organisation.slug;
      const made = [];
      for (const [letter, company_id] of [
        ["b", seen.id],
        ["A", seen.id],
        ["c", hidden.id],
        ["d", seen.id],
      ] as const)
        made.push(await domain({ name: `${letter}.${slug}.example`, company_id }));
      await create({ domain_id: made[3]?.id });
      const all = await tenant.owner.get("/websites/available-domains");
      expect(all.body).to.deep.equal([made[1], made[0], made[2]]);
      expect(all.statements).to.equal(1);
      expect((await tenant.owner.get("/websites/available-domains?limit=1")).body).to.deep.equal([made[1]]);
      const restricted = await tenant.member("admin");
      await tenant.group("Some", [seen.id], [restricted.membershipId]);
      expect((await restricted.get("/websites/available-domains")).body).to.deep.equal([made[1], made[0]]);
      for (const limit of [0, 501])
        expect((await tenant.owner.get(`/websites/available-domains?limit=${limit}`)).status).to.equal(422);
    });

    it("are for those who may add a website", async () => {
      const member = await tenant.member("member");
      expect((await member.get("/websites")).status).to.equal(200);
      expect((await member.get("/websites/available-domains")).status).to.equal(403);
    });
  });

  it("are in the panel of their client: the first five, and the number of all", async () => {
    const company = await tenant.company();
    for (let n = 0; n < 6; n++) await create({ domain_id: (await domain({ company_id: company.id })).id });
    await create({ domain_id: (await domain()).id });
    const panels = (await tenant.owner.get(`/companies/${company.id}/panels`)).body;
    const panel = panels.find(({ key }: { key: string }) => key === "websites.company");
    expect(panel.position).to.equal(70);
    expect(panel.data.total).to.equal(6);
    const listed = (await tenant.owner.get(`/websites?company_id=${company.id}&limit=5`)).body.items;
    expect(panel.data.items).to.deep.equal(listed);
  });
});
