import { expect } from "chai";
import { sharedWorld } from "../../support/fixture/fixture-world.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";

const READ = ["companies.company.read"];

/** A member with exactly these grants and a key with the same scopes: a key gives a scope only at the breadth its owner holds. */
async function person({ sql }: TestService, tenant: Tenant, grants: string[]): Promise<Caller> {
  const made = await tenant.member("member", { grants });
  await sql.query("update api_keys set scopes = $2 where id = $1", [made.keyId, grants]);
  return made;
}

const WORKED = { description: "Work", minutes: 90, worked_on: "2026-03-02" };

describe("permissions by scope, on the fixture's private entries", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  let [anna, bram, boss]: Caller[] = [];
  let entry: string;
  const who = (caller: Caller | undefined) => caller as Caller;

  before(async () => {
    ({ service } = await sharedWorld());
    tenant = await service.tenant();
    company = (await tenant.company()).id;
    const own = [...READ, "time.entry.read:own", "time.entry.write:own"];
    [anna, bram] = [await person(service, tenant, own), await person(service, tenant, own)];
    boss = await person(service, tenant, [...READ, "time.entry.read:any", "time.entry.write:any"]);
    entry = (await who(anna).post("/fixture/entries", { company_id: company, ...WORKED })).body.id;
    await who(bram).post("/fixture/entries", { company_id: company, ...WORKED, minutes: 30 });
  });

  const idsOf = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id);

  it("shows a holder of :own their own rows, a holder of :any everyone's on request", async () => {
    expect(idsOf(await who(anna).get("/fixture/entries"))).to.deep.equal([entry]);
    expect((await who(boss).get("/fixture/entries")).body.total).to.equal(0);
    expect((await who(boss).get("/fixture/entries?all_users=true")).body.total).to.equal(2);
    expect((await who(boss).get(`/fixture/entries?user_id=${who(anna).accountId}`)).body.total).to.equal(1);
  });

  it("answers 403 to a query that asks for more than the caller's scope", async () => {
    for (const query of ["all_users=true", `user_id=${who(bram).accountId}`, `user_id=${crypto.randomUUID()}`]) {
      const { status, body } = await who(anna).get(`/fixture/entries?${query}`);
      expect([status, body.error.code], query).to.deep.equal([403, "forbidden"]);
    }
    expect((await who(anna).get(`/fixture/entries?user_id=${who(anna).accountId}`)).status).to.equal(200);
  });

  it("answers 404 to someone else's private row without :any, for each method, and before If-Match is looked at", async () => {
    const path = `/fixture/entries/${entry}`;
    const stale = { headers: { "If-Match": '"99"' } };
    const answers = [
      await who(bram).get(path),
      await who(bram).patch(path, { minutes: 1 }),
      await who(bram).patch(path, { minutes: 1 }, stale),
      await who(bram).delete(path),
      await who(bram).delete(path, stale),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404, 404]);
    expect((await who(anna).get(path)).body.minutes).to.equal(90);
  });

  it("lets :any read and write it", async () => {
    expect((await who(boss).get(`/fixture/entries/${entry}`)).status).to.equal(200);
    expect((await who(boss).patch(`/fixture/entries/${entry}`, { minutes: 91 })).body.minutes).to.equal(91);
    expect((await who(anna).patch(`/fixture/entries/${entry}`, { minutes: 90 })).body.minutes).to.equal(90);
  });

  it("uses a key's breadth, not its owner's: a key of :own scopes has no :any, and :any of a holder of :own grants nothing", async () => {
    await service.sql.query("update api_keys set scopes = $2 where id = $1", [who(boss).keyId, ["time.entry.read:own"]]);
    const wide = await person(service, tenant, ["time.entry.read:own"]);
    await service.sql.query("update api_keys set scopes = $2 where id = $1", [wide.keyId, ["time.entry.read:any"]]);
    expect((await wide.get("/fixture/entries")).status).to.equal(403);
    expect((await who(boss).get("/fixture/entries")).status).to.equal(200);
    expect((await who(boss).get("/fixture/entries?all_users=true")).status).to.equal(403);
    await service.sql.query("update api_keys set scopes = $2 where id = $1", [who(boss).keyId, [...READ, "time.entry.read:any"]]);
    expect((await who(boss).get("/fixture/entries?all_users=true")).status).to.equal(200);
    expect((await who(boss).post("/fixture/entries", { company_id: company, ...WORKED })).status).to.equal(403);
  });

  it("gives a service account no rows of its own, and refuses what would have to belong to a person", async () => {
    const robot = await tenant.serviceAccount([...READ, "time.entry.read:any", "time.entry.write:any"]);
    expect((await robot.get("/fixture/entries")).body.total).to.equal(0);
    expect((await robot.get("/fixture/entries?all_users=true")).body.total).to.equal(2);
    expect((await robot.post("/fixture/entries", { company_id: company, ...WORKED })).status).to.equal(403);
    expect((await robot.patch(`/fixture/entries/${entry}`, { minutes: 92 })).status).to.equal(200);
    await who(anna).patch(`/fixture/entries/${entry}`, { minutes: 90 });
  });
});

describe("contributions of a module to a company's surfaces", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: string;

  before(async () => {
    ({ service } = await sharedWorld());
    tenant = await service.tenant();
    company = (await tenant.company()).id;
    await tenant.owner.post("/fixture/sites", { company_id: company, name: "www" });
  });

  const keysOf = ({ body }: { body: { key: string }[] }) => body.map(({ key }) => key);

  it("adds its panel and its tile for who may read them", async () => {
    const panels = await tenant.owner.get(`/companies/${company}/panels`);
    const panel = panels.body.find(({ key }: { key: string }) => key === "websites.fixture");
    expect(panel).to.include({ title_key: "panels.websites.fixture", position: 40, empty: false });
    expect(panel.data).to.deep.equal({ total: 1, names: ["www"] });
    const tiles = await tenant.owner.get(`/companies/${company}/summary`);
    expect(tiles.body.find(({ key }: { key: string }) => key === "websites.fixture")).to.include({ value: "1" });
  });

  it("omits parts the caller cannot read, and still succeeds", async () => {
    const reader = await tenant.member("member", { grants: READ });
    const panels = await reader.get(`/companies/${company}/panels`);
    expect([panels.status, keysOf(panels)]).to.deep.equal([200, ["companies.details"]]);
    expect(keysOf(await reader.get(`/companies/${company}/summary`))).to.deep.equal([]);
  });

  it("leaves out a module the organisation has switched off", async () => {
    const before = tenant.organisation.enabledModules;
    const switchTo = (modules: string[]) =>
      service.sql.query("update organisations set enabled_modules = $2 where id = $1", [tenant.organisation.id, modules]);
    await switchTo(before.filter((module) => module !== "websites"));
    expect(keysOf(await tenant.owner.get(`/companies/${company}/panels`))).to.not.include("websites.fixture");
    await switchTo(before);
    expect(keysOf(await tenant.owner.get(`/companies/${company}/panels`))).to.include("websites.fixture");
  });
});
