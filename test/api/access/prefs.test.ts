import { expect } from "chai";
import { createKey, createMember } from "../../../operator/organisations.ts";
import { send } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("user preferences", () => {
  let service: TestService;
  let tenant: Tenant;
  let member: Caller;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    member = await tenant.member("member");
  });

  it("start empty, take a merge one level deep, and answer with the whole", async () => {
    expect((await member.get("/prefs")).body).to.deep.equal({ prefs: {} });
    await member.put("/prefs", { prefs: { list: { sort: "name", columns: { a: 1 } }, theme: "dark" } });
    const { status, body } = await member.put("/prefs", { prefs: { list: { columns: { b: 2 } }, theme: null } });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ prefs: { list: { sort: "name", columns: { b: 2 } }, theme: null } });
    expect((await member.get("/prefs")).body).to.deep.equal(body);
    expect((await member.put("/prefs", {})).body).to.deep.equal(body);
  });

  it("belong to one person in one organisation", async () => {
    const other = await service.tenant();
    const { accountId } = await createMember(service.sql, other.organisation.id, { email: member.email, role: "member" });
    const key = await createKey(service.sql, other.organisation.id, "kt", {
      name: "k",
      scopes: ["companies.company.read"],
      accountId,
    });
    await member.put("/prefs", { prefs: { theme: "dark" } });
    expect((await send(service.port, "GET", "/prefs", { host: other.host, key: key.value })).body).to.deep.equal({ prefs: {} });
    expect((await tenant.owner.get("/prefs")).body).to.deep.equal({ prefs: {} });
  });

  it("a client login keeps them too", async () => {
    const client = await tenant.member("client");
    expect((await client.put("/prefs", { prefs: { a: 1 } })).body).to.deep.equal({ prefs: { a: 1 } });
  });

  it("a service account has none: it reads an empty object and cannot write", async () => {
    const script = await tenant.serviceAccount(["companies.company.read"]);
    expect((await script.get("/prefs")).body).to.deep.equal({ prefs: {} });
    expect((await script.put("/prefs", { prefs: { a: 1 } })).status).to.equal(403);
  });

  it("two first writes at once both count", async () => {
    await Promise.all(["a", "b", "c", "d"].map((name) => member.put("/prefs", { prefs: { [name]: { kept: true } } })));
    expect(Object.keys((await member.get("/prefs")).body.prefs).sort()).to.deep.equal(["a", "b", "c", "d"]);
  });

  it("take a text that looks like the escape of a NUL", async () => {
    const prefs = { pattern: "\\u0000-\\u001f" };
    const { status, body } = await member.put("/prefs", { prefs });
    expect([status, body]).to.deep.equal([200, { prefs }]);
  });

  it("refuses values other than objects, and more than the limit", async () => {
    for (const prefs of [[], "dark", 3])
      expect((await member.put("/prefs", { prefs })).body.error.fields).to.have.property("prefs");
    expect((await member.put("/prefs", { prefs: { text: "x".repeat(70_000) } })).status).to.equal(422);
    expect((await member.put("/prefs", { prefs: { nul: "\u0000" } })).status).to.equal(422);
    expect((await member.put("/prefs", { prefs: { half: "\ud800" } })).status).to.equal(422);
  });

  it("keep a text that only looks like an escaped character", async () => {
    const prefs = { pattern: "\\u0000", "\\u0000": true };
    expect((await member.put("/prefs", { prefs })).body).to.deep.equal({ prefs });
    expect((await member.get("/prefs")).body).to.deep.equal({ prefs });
  });
});
