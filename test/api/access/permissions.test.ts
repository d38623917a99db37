import { expect } from "chai";
import { query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { input, label, Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { createKey } from "../../../operator/organisations.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const UNKNOWN = "01890000-0000-7000-8000-000000000000";
const FORBIDDEN = { error: { code: "forbidden", message: "errors.forbidden" } };
const Name = input("ProofName", { name: label(20) });
const ONE = statement("select 1 as one");

const declared = (method: string, path: string, permission: string) =>
  action({
    rest: `${method} ${path}`,
    summary: permission,
    permission,
    ...(method === "GET" ? {} : { body: Name }),
    async handler() {
      await (method === "GET" ? query(ONE) : trail("proof", UNKNOWN, "written"));
    },
  });

const proof = actor("proof.permissions", {
  actions: {
    any: declared("GET", "/proof/entries", "time.entry.read"),
    all: declared("GET", "/proof/entries/all", "time.entry.read:any"),
    own: declared("GET", "/proof/entries/own", "time.entry.read:own"),
    licensed: declared("POST", "/proof/sites/:site_id", "websites.website.write"),
    both: action({
      rest: "GET /proof/both",
      summary: "Needs two permissions",
      permission: "companies.company.read",
      also: ["impex.export"],
      returns: Type.Object({ done: Type.Boolean() }),
      handler: () => ({ done: true }),
    }),
  },
});

describe("permissions", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({}, [proof]);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  describe("of an endpoint are met by the scopes a caller holds", () => {
    const table: [string[], { any: number; own: number; all: number }][] = [
      [[], { any: 403, own: 403, all: 403 }],
      [["time.entry.read:own"], { any: 204, own: 204, all: 403 }],
      [["time.entry.read:any"], { any: 204, own: 204, all: 204 }],
      [["time.entry.read:own", "time.entry.read:any"], { any: 204, own: 204, all: 204 }],
      [["time.entry.write:any"], { any: 403, own: 403, all: 403 }],
    ];
    for (const [grants, wanted] of table)
      it(`${grants.join(" and ") || "nothing"}: ${JSON.stringify(wanted)}`, async () => {
        const { accountId } = await tenant.member("member", { grants });
        const key = await createKey(service.sql, tenant.organisation.id, "kt", { name: "all", scopes: grants, accountId });
        const status = async (path: string) => (await tenant.owner.get(path, { key: key.value })).status;
        const got = {
          any: await status("/proof/entries"),
          own: await status("/proof/entries/own"),
          all: await status("/proof/entries/all"),
        };
        expect(got).to.deep.equal(wanted);
      });
  });

  it("declared together are demanded together", async () => {
    const one = await tenant.member("member", { grants: ["companies.company.read"] });
    const both = await tenant.member("member", { grants: ["companies.company.read", "impex.export"] });
    expect((await one.get("/proof/both")).status).to.equal(403);
    expect((await both.get("/proof/both")).status).to.equal(200);
  });

  it("are the union over all roles of the membership", async () => {
    const person = await tenant.member("member", { grants: ["companies.company.read"] });
    expect((await person.post("/companies", { name: "No" })).status).to.equal(403);
    const role = await service.sql.query(
      "insert into roles (organisation_id, key, permissions) values ($1, 'writers', '{companies.company.write}') returning id",
      [tenant.organisation.id],
    );
    await service.sql.query("insert into membership_roles values ($1, $2, $3)", [
      tenant.organisation.id,
      person.membershipId,
      role.rows[0].id,
    ]);
    expect((await person.post("/companies", { name: "Yes" })).status).to.equal(201);
    expect((await person.get("/companies")).status).to.equal(200);
  });

  describe("of a personal key are its scopes, as far as the owner still holds them", () => {
    const keyOf = async (accountId: string, scopes: string[]) =>
      (await createKey(service.sql, tenant.organisation.id, "kt", { name: "k", scopes, accountId })).value;
    const statuses = async (key: string) => ({
      own: (await tenant.owner.get("/proof/entries/own", { key })).status,
      all: (await tenant.owner.get("/proof/entries/all", { key })).status,
      companies: (await tenant.owner.get("/companies", { key })).status,
    });
    const cases: [string, string[], string[], { own: number; all: number; companies: number }][] = [
      ["less than the owner", ["*"], ["companies.company.read"], { own: 403, all: 403, companies: 200 }],
      [
        "`:any` of an owner with `:own`",
        ["time.entry.read:own"],
        ["time.entry.read:any"],
        { own: 403, all: 403, companies: 403 },
      ],
      [
        "`:own` of an owner with `:any`",
        ["time.entry.read:any"],
        ["time.entry.read:own"],
        { own: 204, all: 403, companies: 403 },
      ],
      ["what the owner does not hold", [], ["companies.company.read"], { own: 403, all: 403, companies: 403 }],
      ["a stored wildcard, which no key holds", ["*"], ["*"], { own: 403, all: 403, companies: 403 }],
    ];
    for (const [name, grants, scopes, wanted] of cases)
      it(name, async () => {
        const { accountId } = await tenant.member("member", { grants });
        expect(await statuses(await keyOf(accountId, scopes))).to.deep.equal(wanted);
      });

    it("and come back when the role does", async () => {
      const person = await tenant.member("member");
      const key = await keyOf(person.accountId, ["companies.company.read"]);
      const role = await service.sql.query("delete from membership_roles where membership_id = $1 returning role_id", [
        person.membershipId,
      ]);
      expect((await statuses(key)).companies).to.equal(403);
      await service.sql.query("insert into membership_roles values ($1, $2, $3)", [
        tenant.organisation.id,
        person.membershipId,
        role.rows[0].role_id,
      ]);
      expect((await statuses(key)).companies).to.equal(200);
    });
  });

  it("of a service account are exactly its scopes, regardless of its maker and later role changes", async () => {
    const account = await tenant.serviceAccount(["time.entry.read:any"]);
    expect((await account.get("/proof/entries/all")).status).to.equal(204);
    expect((await account.get("/companies")).status).to.equal(403);
  });

  it("do not follow from being an instance administrator: is_superuser grants none", async () => {
    const person = await tenant.member("member", { grants: [] });
    await service.sql.query("update accounts set is_superuser = true where id = $1", [person.accountId]);
    expect((await person.get("/companies")).status).to.equal(403);
    expect((await person.get("/system/info")).status).to.equal(403);
  });

  it("that are missing are 403 with the one body, on every endpoint that declares one", async () => {
    const nobody = await tenant.serviceAccount([]);
    const { id } = await tenant.company();
    const calls: [string, string][] = [
      ["GET", "/companies"],
      ["POST", "/companies"],
      ["GET", `/companies/${id}`],
      ["PATCH", `/companies/${id}`],
      ["DELETE", `/companies/${id}`],
      ["GET", `/companies/${id}/panels`],
      ["GET", `/companies/${id}/summary`],
      ["GET", "/companies/groups"],
      ["POST", "/companies/groups"],
      ["GET", "/companies/settings"],
      ["PUT", "/companies/settings"],
      ["POST", "/companies/settings/backfill-client-numbers"],
      ["GET", "/members"],
      ["GET", "/roles"],
      ["GET", "/system/info"],
    ];
    for (const [method, path] of calls) {
      const { status, body } = await service.call(method, path, { host: tenant.host, key: nobody.key });
      expect(status, `${method} ${path}`).to.equal(403);
      expect(body).to.deep.equal(FORBIDDEN);
    }
  });
});

describe("the order of checks", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({}, [proof]);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("checks permission before path, query and body: 403 for any id or body", async () => {
    const reader = await tenant.member("member", { grants: ["companies.company.read"] });
    const { id } = await tenant.company();
    for (const [method, path, body, headers] of [
      ["PATCH", "/companies/not-an-id", { name: 7 }, {}],
      ["PATCH", `/companies/${UNKNOWN}`, "{", {}],
      ["PATCH", `/companies/${id}`, { name: 7 }, { "If-Match": '"old"' }],
      ["POST", "/companies", Buffer.from([0xff]), {}],
      ["POST", "/companies", "name=x", { "Content-Type": "text/plain" }],
      ["POST", "/companies", undefined, { "Idempotency-Key": "k".repeat(300) }],
      ["POST", "/companies", { name: "x", notes: "n".repeat(1_100_000) }, {}],
      ["DELETE", "/companies/not-an-id", undefined, {}],
    ] as const) {
      const { status, body: answer } = await service.call(method, path, { host: tenant.host, key: reader.key, body, headers });
      expect(status, `${method} ${path}`).to.equal(403);
      expect(answer).to.deep.equal(FORBIDDEN);
    }
    const nobody = await tenant.serviceAccount([]);
    expect((await nobody.get("/companies?limit=0&sort=nonsense")).status).to.equal(403);
  });

  it("checks the credential before everything of the endpoint: 401 for any input", async () => {
    const call = (path: string, body: unknown) => service.call("PATCH", path, { host: tenant.host, key: "nonsense", body });
    expect((await call("/companies/not-an-id", "{")).status).to.equal(401);
    expect((await service.call("POST", "/companies", { host: tenant.host, body: "{" })).status).to.equal(401);
  });

  it("is permission, licence, validation: 403, then 402, then 422", async () => {
    await service.sql.query("update installation set installed_at = now() - interval '20 days'");
    await service.sql.query("truncate product_licences");
    const reader = await tenant.member("member", { grants: ["websites.website.read"] });
    const writer = await tenant.member("member", { grants: ["websites.website.write"] });
    const post = (who: typeof reader) => who.post("/proof/sites/not-an-id", "{");
    expect((await post(reader)).status).to.equal(403);
    const unlicensed = await post(writer);
    expect(unlicensed.status).to.equal(402);
    expect(unlicensed.body).to.deep.equal({ error: { code: "license_expired", message: "errors.license_expired" } });
    await service.sql.query("insert into product_licences values ('websites', now() + interval '1 day')");
    expect((await post(writer)).status).to.equal(422);
  });

  it("is validation before existence, existence before If-Match and state", async () => {
    const ifMatch = { headers: { "If-Match": '"old"' } };
    expect((await tenant.owner.patch(`/companies/${UNKNOWN}`, { name: 7 }, ifMatch)).status).to.equal(422);
    expect((await tenant.owner.patch(`/companies/${UNKNOWN}`, { name: "x" }, ifMatch)).status).to.equal(404);
    expect((await tenant.owner.patch(`/companies/${UNKNOWN}`, { responsible_user_id: UNKNOWN })).status).to.equal(404);
  });

  it("hides a row outside the selection before it says anything about a transition", async () => {
    const [visible, hidden] = [await tenant.company(), await tenant.company()];
    const person = await tenant.member("admin");
    await tenant.group("Only one", [visible.id], [person.membershipId]);
    const clash = { client_number: visible["client_number"] };
    expect((await person.patch(`/companies/${hidden.id}`, clash)).status).to.equal(404);
  });
});
