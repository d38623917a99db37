import { createHash } from "node:crypto";
import { expect } from "chai";
import { createKey } from "../../../operator/organisations.ts";
import { send } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";
const READ = "companies.company.read";
const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();

describe("POST /api-keys", () => {
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;
  let session: ReturnType<typeof inSession>;
  const use = (key: string, path = "/companies") => send(service.port, "GET", path, { host: tenant.host, key });
  const count = async () => (await service.sql.query("select count(*)::int as n from api_keys")).rows[0].n as number;
  /** A key of the person with these scopes and this end, made by the operator. */
  const parent = async (scopes: string[], expiresAt: string | null = null, accountId = person.accountId) => {
    const made = await createKey(service.sql, tenant.organisation.id, "kt", { name: "parent", scopes, accountId, expiresAt });
    const post = (body: unknown) => send(service.port, "POST", "/api-keys", { host: tenant.host, key: made.value, body });
    return { ...made, post };
  };

  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    person = await tenant.member("admin", { password: PASSWORD });
    session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
  });
  after(() => service.stop());

  it("answers the value once, in the form of §6.1, and the key works at once", async () => {
    const { status, body } = await session.post("/api-keys", { name: "Script", scopes: [READ] });
    expect(status).to.equal(201);
    expect(body.secret).to.match(/^kt_[0-9a-f]{12}_[0-9a-f]{64}$/);
    expect(body).to.deep.include({
      name: "Script",
      scopes: [READ],
      principal_type: "user",
      user_id: person.accountId,
      service_account_id: null,
      org_id: tenant.organisation.id,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      redacted: `${body.secret.slice(0, 15)}_********`,
    });
    expect((await use(body.secret)).status).to.equal(200);
    expect((await use(body.secret, "/companies/groups")).status).to.equal(403);
  });

  it("keeps the value nowhere: not in the table, the audit, a list or a replay", async () => {
    const headers = { "Idempotency-Key": "once" };
    const asked = { name: "Secret", scopes: [READ] };
    const first = await session.post("/api-keys", asked, { headers });
    const [, , secret] = first.body.secret.split("_") as [string, string, string];
    const again = await session.post("/api-keys", asked, { headers });
    expect(again.status).to.equal(409);
    expect(again.body.error).to.deep.include({ code: "idempotency_conflict", details: { id: first.body.id } });
    const listed = await session.get("/api-keys");
    const { rows } = await service.sql.query(
      "select k::text as row from api_keys k union all select a::text from access_audit a union all select i::text from idempotency_keys i",
    );
    expect(JSON.stringify(rows) + listed.text + again.text).not.to.contain(secret);
    expect(JSON.stringify(rows)).to.contain(createHash("sha256").update(secret).digest("hex"));
    expect(listed.body[0]).not.to.have.property("secret");
  });

  it("writes api_key.create to the access audit", async () => {
    const { body } = await session.post("/api-keys", { name: "Audited", scopes: [READ] });
    const { rows } = await service.sql.query("select * from access_audit where detail->>'id' = $1", [body.id]);
    expect(rows).to.have.length(1);
    expect(rows[0]).to.deep.include({
      action: "api_key.create",
      actor_id: person.accountId,
      actor_email: person.email,
      target_account_id: person.accountId,
    });
    expect(rows[0].detail).to.deep.include({ name: "Audited", scopes: [READ] });
  });

  const refused: [name: string, body: () => object, fields: Record<string, string>][] = [
    ["an empty name", () => ({ name: "", scopes: [READ] }), { name: "errors.validation" }],
    ["a name of 121 characters", () => ({ name: "x".repeat(121), scopes: [READ] }), { name: "errors.validation" }],
    ["no scope", () => ({ name: "x", scopes: [] }), { scopes: "errors.validation" }],
    ["neither name nor scopes", () => ({}), { name: "errors.required", scopes: "errors.required" }],
    [
      "an end in the past",
      () => ({ name: "x", scopes: [READ], expires_at: inDays(-1) }),
      { expires_at: "errors.apikey_expiry_past" },
    ],
    [
      "an end 367 days ahead",
      () => ({ name: "x", scopes: [READ], expires_at: inDays(367) }),
      { expires_at: "errors.apikey_expiry_too_far" },
    ],
    ["the wildcard", () => ({ name: "x", scopes: ["*"] }), { scopes: "errors.apikey_unknown_scope" }],
    ["a bare scoped permission", () => ({ name: "x", scopes: ["time.entry.read"] }), { scopes: "errors.apikey_unknown_scope" }],
    ["a suffixed unscoped one", () => ({ name: "x", scopes: [`${READ}:any`] }), { scopes: "errors.apikey_unknown_scope" }],
    [
      "one unknown scope among good ones",
      () => ({ name: "x", scopes: [READ, "no.such"] }),
      { scopes: "errors.apikey_unknown_scope" },
    ],
  ];
  for (const [name, body, fields] of refused)
    it(`refuses ${name} and makes nothing`, async () => {
      const before = await count();
      const answer = await session.post("/api-keys", body());
      expect(answer.status).to.equal(422);
      expect(answer.body.error).to.deep.equal({ code: "validation", message: "errors.validation", fields });
      expect(await count()).to.equal(before);
    });

  it("takes an end 366 days ahead, and reads one without offset as UTC", async () => {
    const far = inDays(366);
    expect((await session.post("/api-keys", { name: "x", scopes: [READ], expires_at: far })).status).to.equal(201);
    const naive = inDays(10).replace("Z", "");
    const { body } = await session.post("/api-keys", { name: "x", scopes: [READ], expires_at: naive });
    expect(Date.parse(body.expires_at)).to.equal(Date.parse(`${naive}Z`));
  });

  it("checks the catalogue before the grants, and accepts all scopes or none", async () => {
    const limited = await tenant.member("member", { grants: ["apikeys.personal.manage", READ, "time.entry.read:own"] });
    const before = await count();
    const unknown = await limited.post("/api-keys", { name: "x", scopes: ["settings.roles.manage", "no.such"] });
    expect(unknown.status).to.equal(422);
    const beyond = await limited.post("/api-keys", { name: "x", scopes: [READ, "settings.roles.manage"] });
    expect(beyond.status).to.equal(403);
    expect(beyond.body.error).to.deep.equal({ code: "forbidden", message: "errors.apikey_scope_exceeds_grants" });
    expect((await limited.post("/api-keys", { name: "x", scopes: ["time.entry.read:any"] })).status).to.equal(403);
    expect(await count()).to.equal(before);
    expect((await limited.post("/api-keys", { name: "x", scopes: ["time.entry.read:own"] })).status).to.equal(201);
  });

  it("gives :own to a holder of :any, and once per scope", async () => {
    const { status, body } = await session.post("/api-keys", {
      name: "x",
      scopes: ["time.entry.read:own", "time.entry.read:own"],
    });
    expect(status).to.equal(201);
    expect(body.scopes).to.deep.equal(["time.entry.read:own"]);
  });

  it("lets an owner's wildcard cover everything, yet never puts it on a key", async () => {
    const owner = await tenant.member("owner", { password: PASSWORD });
    const own = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, owner.email, PASSWORD));
    expect((await own.post("/api-keys", { name: "x", scopes: ["settings.roles.manage"] })).status).to.equal(201);
    expect((await own.post("/api-keys", { name: "x", scopes: ["*"] })).status).to.equal(422);
  });

  it("refuses a service account: the key needs a person as owner", async () => {
    const robot = await tenant.serviceAccount(["apikeys.personal.manage", "apikeys.service_account.manage", READ]);
    expect((await robot.post("/api-keys", { name: "x", scopes: [READ] })).status).to.equal(403);
    expect((await robot.get("/api-keys")).body).to.deep.equal([]);
  });

  it("keeps the selection of the person behind it: a restricted member's key sees no more", async () => {
    const [seen, hidden] = [await tenant.company(), await tenant.company()];
    const restricted = await tenant.member("admin");
    await tenant.group("Some", [seen.id], [restricted.membershipId]);
    const { body } = await restricted.post("/api-keys", { name: "x", scopes: [READ] });
    expect((await use(body.secret, `/companies/${seen.id}`)).status).to.equal(200);
    expect((await use(body.secret, `/companies/${hidden.id}`)).status).to.equal(404);
  });

  describe("with a key", () => {
    it("cannot climb: permissions beyond the key's scopes are refused", async () => {
      const key = await parent(["apikeys.personal.manage", READ, "time.entry.read:own"]);
      expect((await key.post({ name: "x", scopes: ["companies.company.write"] })).status).to.equal(403);
      expect((await key.post({ name: "x", scopes: ["time.entry.read:any"] })).status).to.equal(403);
      expect((await key.post({ name: "x", scopes: [READ] })).status).to.equal(201);
    });

    it("cannot outlive its parent: a later end is refused, no end means the parent's", async () => {
      const end = inDays(5);
      const key = await parent(["apikeys.personal.manage", READ], end);
      const later = await key.post({ name: "x", scopes: [READ], expires_at: inDays(6) });
      expect(later.body.error.fields).to.deep.equal({ expires_at: "errors.apikey_expiry_too_far" });
      for (const expires_at of [undefined, null]) {
        const { body } = await key.post({ name: "x", scopes: [READ], expires_at });
        expect(Date.parse(body.expires_at)).to.equal(Date.parse(end));
      }
      expect((await key.post({ name: "x", scopes: [READ], expires_at: inDays(4) })).status).to.equal(201);
    });

    it("cannot be created while its line is being revoked: in any order, no live key is left over", async () => {
      for (let round = 0; round < 8; round++) {
        const root = await parent(["apikeys.personal.manage", READ]);
        const { body: child } = await root.post({ name: "child", scopes: ["apikeys.personal.manage", READ] });
        const bear = () =>
          send(service.port, "POST", "/api-keys", {
            host: tenant.host,
            key: child.secret,
            body: { name: "late", scopes: [READ] },
          });
        const [, ...born] = await Promise.all([session.post(`/api-keys/${root.id}/revoke`), bear(), bear(), bear()]);
        for (const { status } of born) expect(status).to.be.oneOf([201, 401]);
        const { rows } = await service.sql.query(
          "select name from api_keys where revoked_at is null and account_id = $1 and name in ('child', 'late')",
          [person.accountId],
        );
        expect(rows).to.deep.equal([]);
      }
    });
  });
});

describe("GET /api-keys", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("lists the caller's keys of this organisation, newest first, dead ones included, no other person's", async () => {
    const [person, colleague] = [await tenant.member("admin"), await tenant.member("admin")];
    await colleague.post("/api-keys", { name: "Not yours", scopes: [READ] });
    const made: string[] = [];
    for (const name of ["first", "second", "third"])
      made.unshift((await person.post("/api-keys", { name, scopes: [READ] })).body.id);
    await person.post(`/api-keys/${made[0]}/revoke`);
    await service.sql.query("update api_keys set expires_at = now() - interval '1 day' where id = $1", [made[1]]);
    const { body } = await person.get("/api-keys");
    expect(body.map(({ id }: { id: string }) => id)).to.deep.equal([...made, person.keyId]);
    expect(body[0].revoked_at).to.be.a("string");
  });

  it("takes updated_since: a revocation is a change", async () => {
    const person = await tenant.member("admin");
    const { body: key } = await person.post("/api-keys", { name: "old", scopes: [READ] });
    await service.sql.query("update api_keys set updated_at = now() - interval '1 day' where account_id = $1", [
      person.accountId,
    ]);
    const path = `/api-keys?updated_since=${new Date(Date.now() - 3_600_000).toISOString()}`;
    expect((await person.get(path)).body).to.deep.equal([]);
    await person.post(`/api-keys/${key.id}/revoke`);
    expect((await person.get(path)).body.map(({ id }: { id: string }) => id)).to.deep.equal([key.id]);
  });
});
