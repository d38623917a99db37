import { expect } from "chai";
import type { Fault } from "../../../simulators/simulator.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";
import { type RegistrarWorld, startRegistrar } from "./registrar-world.ts";

const PATH = "/registrar/accounts";

describe("/registrar/accounts", () => {
  let world: RegistrarWorld;
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    world = await startRegistrar();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const create = (values: object = {}) =>
    tenant.owner.post(PATH, { name: "Main", api_user: "agency", api_password: world.provider.password, ...values });
  const verify = (id: string) => tenant.owner.post(`${PATH}/${id}/verify`);
  const catalogue = async (kind: string) => {
    const text =
      "insert into providers (id, organisation_id, kind, name) values (gen_random_uuid(), $1, $2, 'OXXA') returning id";
    return (await service.sql.query(text, [tenant.organisation.id, kind])).rows[0].id as string;
  };

  it("adds one without any call, and never shows the password", async () => {
    const provider_id = await catalogue("registrar");
    const { status, body, text } = await create({ provider_id });
    expect(status).to.equal(201);
    const { id, ...rest } = body;
    expect(rest).to.deep.equal({
      name: "Main",
      adapter: "oxxa",
      api_user: "agency",
      provider_id,
      provider_name: "OXXA",
      active: true,
      status: "active",
      tld_count: 0,
      funds_available: null,
      last_verified_at: null,
      last_synced_at: null,
      last_error: null,
      password_configured: true,
      domain_count: 0,
    });
    for (const seen of [text, JSON.stringify(await world.storedAccount(id))])
      expect(seen).not.to.include(world.provider.password);
    expect(world.provider.received).to.deep.equal([]);
    expect(await world.trail(tenant, "registrar_account", id)).to.deep.equal([["created", {}]]);
  });

  const nobody = "01890000-0000-7000-8000-000000000000";
  const refused: [what: string, values: object, fields: Record<string, string>][] = [
    ["no password", { api_password: undefined }, { api_password: "errors.required" }],
    ["an empty password", { api_password: "" }, { api_password: "errors.validation" }],
    ["a password of 513 characters", { api_password: "x".repeat(513) }, { api_password: "errors.validation" }],
    ["no name", { name: "" }, { name: "errors.validation" }],
    ["a blank name", { name: " \u00a0" }, { name: "errors.required" }],
    ["no user", { api_user: "" }, { api_user: "errors.validation" }],
    ["a registrar nothing speaks to", { adapter: "nobody" }, { adapter: "errors.validation" }],
    ["an unknown provider", { provider_id: nobody }, { provider_id: "errors.not_found" }],
  ];
  for (const [what, values, fields] of refused)
    it(`refuses ${what}`, async () => {
      expect(refusalOf(await create(values))).to.deep.equal(invalidOn(fields));
      expect((await tenant.owner.get(PATH)).body).to.deep.equal([]);
    });

  it("refuses a provider of another kind, and one of another organisation", async () => {
    const dns = await catalogue("dns");
    const { status, body } = await create({ provider_id: dns });
    expect([status, body.error.code]).to.deep.equal([400, "invalid_provider"]);
    const theirs = await catalogue("registrar");
    tenant = await service.tenant();
    expect(refusalOf(await create({ provider_id: theirs }))).to.deep.equal(invalidOn({ provider_id: "errors.not_found" }));
  });

  it("refuses a name twice, ignoring case, but not in another organisation", async () => {
    await create({ name: "One" });
    const { body: two } = await create({ name: "Two" });
    const taken = [409, "conflict", { name: "errors.duplicate" }];
    expect(refusalOf(await create({ name: "oNE" }))).to.deep.equal(taken);
    expect(refusalOf(await tenant.owner.patch(`${PATH}/${two.id}`, { name: "ONE" }))).to.deep.equal(taken);
    expect(refusalOf(await create({ name: " one " })), "trimmed").to.deep.equal(taken);
    expect(refusalOf(await tenant.owner.patch(`${PATH}/${two.id}`, { name: "One " }))).to.deep.equal(taken);
    expect(refusalOf(await tenant.owner.patch(`${PATH}/${two.id}`, { name: " " }))).to.deep.equal(
      invalidOn({ name: "errors.required" }),
    );
    expect((await tenant.owner.patch(`${PATH}/${two.id}`, { name: " Three " })).body.name).to.equal("Three");
    tenant = await service.tenant();
    expect((await create({ name: "One" })).status).to.equal(201);
  });

  it("lists all by name in one statement, and the active ones to choose from", async () => {
    for (const [name, active] of [
      ["b", true],
      ["A", false],
      ["c", true],
    ] as const)
      await create({ name, active });
    const { body, headers } = await tenant.owner.get(PATH);
    expect(body.map(({ name }: { name: string }) => name)).to.deep.equal(["A", "b", "c"]);
    for (let n = 0; n < 10; n++) await create({ name: `more ${n}` });
    expect((await tenant.owner.get(PATH)).headers["x-statements"]).to.equal(headers["x-statements"]);
    const { body: options } = await tenant.owner.get(`${PATH}/options`);
    expect(options[0]).to.deep.equal({ id: body[1].id, name: "b", active: true });
    expect(options).to.have.length(12);
  });

  it("keeps the password if omitted, null or empty, and records real changes on the trail", async () => {
    const { body: before } = await create();
    const { api_password } = await world.storedAccount(before.id);
    const at = `${PATH}/${before.id}`;
    for (const values of [{ name: "New" }, { api_password: null }, { api_password: "" }, { name: "New", active: true }])
      expect((await tenant.owner.patch(at, values)).status).to.equal(200);
    expect((await world.storedAccount(before.id))["api_password"]).to.equal(api_password);
    await tenant.owner.patch(at, { active: false, api_user: "other" });
    expect(await world.trail(tenant, "registrar_account", before.id)).to.deep.equal([
      ["updated", { changes: { active: { from: true, to: false }, api_user: { from: "agency", to: "other" } } }],
      ["updated", { changes: { name: { from: "Main", to: "New" } } }],
      ["created", {}],
    ]);
    for (const field of ["name", "api_user", "active"])
      expect(refusalOf(await tenant.owner.patch(at, { [field]: null }))).to.deep.equal(
        invalidOn({ [field]: "errors.validation" }),
      );
  });

  it("clears with a new password what the old one had verified", async () => {
    const id = await world.verified(tenant);
    await service.sql.query("update registrar_accounts set status = 'error', last_error = 'x' where id = $1", [id]);
    const { body, text } = await tenant.owner.patch(`${PATH}/${id}`, { api_password: "another one" });
    expect([body.tld_count, body.funds_available, body.last_verified_at, body.last_error, body.status]).to.deep.equal([
      0,
      null,
      null,
      null,
      "active",
    ]);
    expect(text).not.to.include("another one");
    expect((await world.trail(tenant, "registrar_account", id))[0]).to.deep.equal(["registrar.credential_rotated", {}]);
  });

  it("is forgotten with its register and without a call, and leaves a line", async () => {
    const id = await world.verified(tenant, { name: "Old" });
    world.provider.register({ name: "a.nl", nsgroup: world.provider.group(["ns1.x.nl", "ns2.x.nl"]), expires: "2027-01-01" });
    expect((await tenant.owner.post(`${PATH}/${id}/sync`)).body.found).to.equal(1);
    const calls = world.provider.received.length;
    expect((await tenant.owner.delete(`${PATH}/${id}`)).status).to.equal(204);
    expect(await world.register(tenant)).to.deep.equal([]);
    expect(world.provider.received).to.have.length(calls);
    expect((await world.trail(tenant, "registrar_account", id))[0]).to.deep.equal(["registrar.account_removed", { name: "Old" }]);
    expect((await tenant.owner.delete(`${PATH}/${id}`)).status).to.equal(404);
  });

  it("is another organisation's as if it were not there, and no member's", async () => {
    const id = await world.account(await service.tenant());
    for (const answer of [
      await tenant.owner.patch(`${PATH}/${id}`, { name: "mine" }),
      await tenant.owner.delete(`${PATH}/${id}`),
      await verify(id),
      await tenant.owner.post(`${PATH}/${id}/sync`),
    ])
      expect(answer.status).to.equal(404);
    const member = await tenant.member("member");
    for (const path of [PATH, `${PATH}/options`, "/registrar/domains"])
      expect((await member.get(path)).status, path).to.equal(403);
  });

  describe("POST …/verify", () => {
    it("reads funds and offered extensions, and stores both", async () => {
      const { body: account } = await create();
      const { status, body } = await verify(account.id);
      expect([status, body]).to.deep.equal([200, { ok: true, funds_available: "1234.56", tld_count: 4, error: null }]);
      expect(world.provider.asked.map(({ command }) => command)).to.deep.equal(["funds_get", "user_tld_list"]);
      const [read] = (await tenant.owner.get(PATH)).body;
      expect([read.funds_available, read.tld_count, read.status, read.last_error]).to.deep.equal(["1234.56", 4, "active", null]);
      expect(read.last_verified_at).not.to.equal(null);
    });

    const words = [
      "Login failed",
      "Inloggen mislukt",
      "Authentication error",
      "Uw wachtwoord is onjuist",
      "Wrong password",
      "Geen toegang",
    ];
    for (const text of words)
      for (const status of text === "Login failed" ? [200, 400, 401, 403, 500] : [200])
        it(`says in the registrar's words why a credential is refused: ${text}, HTTP ${status}`, async () => {
          const { body: account } = await create({ api_password: "sécret & wrong" });
          world.provider.wrongCredential = { status, text };
          const { status: answered, body, text: whole } = await verify(account.id);
          expect([answered, body.ok, body.tld_count, body.funds_available]).to.deep.equal([200, false, 0, null]);
          expect(body.error).to.include(text);
          const row = await world.storedAccount(account.id);
          expect([row["status"], row["last_error"]]).to.deep.equal(["error", body.error]);
          for (const seen of [whole, String(row["last_error"])]) expect(seen).not.to.match(/sécret|wrong\b.*apipassword|%26/);
        });

    it("clears an error once the credential works", async () => {
      const id = await world.account(tenant);
      world.provider.wrongCredential = { status: 401, text: "nee" };
      const right = world.provider.password;
      world.provider.password = "something else";
      expect((await verify(id)).body.ok).to.equal(false);
      world.provider.password = right;
      expect((await verify(id)).body.ok).to.equal(true);
      const row = await world.storedAccount(id);
      expect([row["status"], row["last_error"]]).to.deep.equal(["active", null]);
    });

    it("names the seconds to wait after a 429, and does not wait itself", async () => {
      const id = await world.account(tenant);
      world.provider.fail({ kind: "reply", status: 429, headers: { "Retry-After": "17" } });
      expect((await verify(id)).body.error).to.include("wait 17 s");
      expect(world.provider.received).to.have.length(1);
    });

    it("says so after a 429 without the time to wait", async () => {
      const id = await world.account(tenant);
      world.provider.fail({ kind: "reply", status: 429 });
      const { body } = await verify(id);
      expect([body.ok, body.error]).to.deep.equal([false, "HTTP 429"]);
      expect(world.provider.received).to.have.length(1);
    });

    it("asks once more after a broken connection or a 503, and no third time", async () => {
      for (const fault of [{ kind: "drop" } as const, { kind: "reply", status: 503 } as const]) {
        const id = await world.account(tenant);
        world.provider.fail(fault);
        expect((await verify(id)).body.ok, JSON.stringify(fault)).to.equal(true);
        world.provider.fail(fault, fault);
        expect((await verify(id)).body.ok).to.equal(false);
      }
    });

    const unread: [Fault, RegExp][] = [
      [{ kind: "garbage" }, /HTTP|makes no sense/],
      [{ kind: "reply", status: 200, body: "hello" }, /not XML/],
      [{ kind: "reply", status: 200, body: "<channel><order><status_code>XMLOK 1</status_code>" }, /not XML: .*unclosed tag/],
      [{ kind: "reply", status: 200, body: "<channel/>" }, /no status code/],
      [{ kind: "reply", status: 200, body: '<!DOCTYPE a [<!ENTITY x "y">]><channel>&x;</channel>' }, /document type/],
      [{ kind: "bomb", bytes: 33 << 20 }, /larger than 33554432 bytes/],
    ];
    for (const [fault, error] of unread)
      it(`refuses an invalid answer: ${JSON.stringify(fault).slice(0, 70)}`, async () => {
        const id = await world.account(tenant);
        world.provider.fail(fault, fault);
        const { status, body } = await verify(id);
        expect([status, body.ok]).to.deep.equal([200, false]);
        expect(body.error).to.match(error);
      });

    it("is refused when the password can no longer be read", async () => {
      const [id, other] = [await world.account(tenant), await world.account(tenant)];
      const text =
        "update registrar_accounts set api_password = (select api_password from registrar_accounts where id = $2) where id = $1";
      await service.sql.query(text, [id, other]);
      for (const path of ["verify", "sync"]) {
        const { status, body } = await tenant.owner.post(`${PATH}/${id}/${path}`);
        expect([status, body.error.code], path).to.deep.equal([409, "registrar_credential_unreadable"]);
      }
      expect(world.provider.received).to.deep.equal([]);
      expect((await tenant.owner.get(PATH)).body[0].password_configured).to.equal(false);
    });
  });
});
