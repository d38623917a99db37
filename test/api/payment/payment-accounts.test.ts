import { expect } from "chai";
import type { Fault } from "../../simulators/simulator.ts";
import type { Tenant, TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { newKey, type PaymentWorld, startPayments } from "./payment-world.ts";

const PATH = "/invoicing/payment-accounts";

describe("/invoicing/payment-accounts", () => {
  let world: PaymentWorld;
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    world = await startPayments();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const create = (values: object) => tenant.owner.post(PATH, { label: "Main", api_key: newKey(), ...values });
  const stored = async (id: string) => (await service.sql.query("select * from payment_accounts where id = $1", [id])).rows[0];

  it("adds one with the mode its key begins with, and never shows the key", async () => {
    const key = newKey("test");
    const { status, body, text } = await create({ api_key: key });
    expect(status).to.equal(201);
    const { id, webhook_url, ...rest } = body;
    expect(rest).to.deep.equal({
      provider: "mollie",
      label: "Main",
      mode: "test",
      active: true,
      api_key_configured: true,
      methods: [],
      status: "active",
      last_verified_at: null,
      last_error: null,
    });
    expect(webhook_url).to.match(
      new RegExp(
        `^http://${tenant.host}/api/v1/invoicing/payments/webhook/mollie/${tenant.organisation.id}\\.${id}\\.[\\w-]{32}$`,
      ),
    );
    const row = await stored(id);
    for (const text_ of [text, JSON.stringify(row)]) expect(text_).not.to.include(key);
    expect(JSON.stringify(row)).not.to.include(webhook_url.split(".").at(-1));
    expect(world.provider.received, "nothing is asked").to.deep.equal([]);
  });

  const refused: [what: string, values: object, fields: Record<string, string>][] = [
    ["no key", { api_key: null }, { api_key: "errors.required" }],
    ["an empty key", { api_key: "  " }, { api_key: "errors.required" }],
    ["a key of another kind", { api_key: "access_123" }, { api_key: "errors.validation" }],
    ["a prefix alone", { api_key: "live_" }, { api_key: "errors.validation" }],
    ["an unknown provider", { provider: "nobody" }, { provider: "errors.validation" }],
    ["no label", { label: "" }, { label: "errors.validation" }],
  ];
  for (const [what, values, fields] of refused)
    it(`refuses ${what}`, async () => {
      expect(refusalOf(await create(values))).to.deep.equal(invalidOn(fields));
      expect((await tenant.owner.get(PATH)).body).to.deep.equal([]);
    });

  it("takes no mode: it is never entered", async () => {
    expect((await create({ mode: "test" })).body.mode).to.equal("live");
  });

  it("refuses a label twice, on adding and on changing, but not in another organisation", async () => {
    await create({ label: "One" });
    const { body: two } = await create({ label: "Two" });
    const taken = [409, "conflict", { label: "errors.duplicate" }];
    expect(refusalOf(await create({ label: "One" }))).to.deep.equal(taken);
    expect(refusalOf(await tenant.owner.patch(`${PATH}/${two.id}`, { label: "One" }))).to.deep.equal(taken);
    tenant = await service.tenant();
    expect((await create({ label: "One" })).status).to.equal(201);
  });

  it("lists five fields by provider and label, inactive ones included, for holders of the wide scope alone", async () => {
    const ids: Record<string, string> = {};
    for (const [label, active] of [
      ["b", true],
      ["A", false],
      ["c", true],
    ] as const)
      ids[label] = (await create({ label, active })).body.id;
    const { body } = await tenant.owner.get(PATH);
    expect(body).to.deep.equal([
      { id: ids["A"], provider: "mollie", label: "A", mode: "live", active: false },
      { id: ids["b"], provider: "mollie", label: "b", mode: "live", active: true },
      { id: ids["c"], provider: "mollie", label: "c", mode: "live", active: true },
    ]);
    const own = await tenant.member("member", { grants: ["invoicing.payment.link:own", "invoicing.invoice.read:any"] });
    expect((await own.get(PATH)).status).to.equal(403);
    const any = await tenant.member("member", { grants: ["invoicing.payment.link:any"] });
    expect((await any.get(PATH)).body).to.have.length(3);
    expect((await any.post(PATH, { label: "x", api_key: newKey() })).status).to.equal(403);
    expect((await any.post(`${PATH}/${ids["b"]}/verify`)).status).to.equal(403);
  });

  it("keeps the key if omitted, null or empty", async () => {
    const { body: before } = await create({});
    const row = await stored(before.id);
    for (const values of [{ label: "New" }, { api_key: null }, { api_key: "" }, { active: false }]) {
      const { status, body } = await tenant.owner.patch(`${PATH}/${before.id}`, values);
      expect([status, body.webhook_url, body.mode]).to.deep.equal([200, before.webhook_url, "live"]);
      expect(Object.keys(body), "the shape of the answer to POST").to.deep.equal(Object.keys(before));
    }
    const after = await stored(before.id);
    expect([after.api_key, after.label, after.active]).to.deep.equal([row.api_key, "New", false]);
  });

  it("replaces a key with its mode and callback address, and clears the verification", async () => {
    const [key, next] = [newKey(), newKey("test")];
    const { body: before } = await create({ api_key: key });
    await tenant.owner.post(`${PATH}/${before.id}/verify`);
    expect((await stored(before.id)).last_verified_at).not.to.equal(null);
    const { body: after } = await tenant.owner.patch(`${PATH}/${before.id}`, { api_key: next });
    expect([after.mode, after.methods, after.last_verified_at, after.status]).to.deep.equal(["test", [], null, "active"]);
    expect(after.webhook_url).not.to.equal(before.webhook_url);
    const at = (url: string) => service.call("POST", `/${new URL(url).pathname}`, { body: "id=tr_x" });
    expect([(await at(before.webhook_url)).status, (await at(after.webhook_url)).status]).to.deep.equal([404, 200]);
  });

  it("refuses another kind of key without touching the stored one", async () => {
    const { body: before } = await create({});
    expect(refusalOf(await tenant.owner.patch(`${PATH}/${before.id}`, { api_key: "sk_1" }))).to.deep.equal(
      invalidOn({ api_key: "errors.validation" }),
    );
    expect((await tenant.owner.post(`${PATH}/${before.id}/verify`)).body.ok).to.equal(true);
  });

  it("is removed while its attempts stay", async () => {
    const { id } = await world.account(tenant);
    const invoiceId = await world.invoice(tenant);
    const attempt = await world.attempt(tenant.owner, invoiceId);
    expect((await tenant.owner.delete(`${PATH}/${id}`)).status).to.equal(204);
    const { body } = await tenant.owner.get(`/invoicing/invoices/${invoiceId}/payment-intents`);
    expect(body.map((one: { id: string; account_id: null }) => [one.id, one.account_id])).to.deep.equal([[attempt.id, null]]);
    expect(world.provider.calls("get") + world.provider.calls("create")).to.equal(1);
    const { status, body: synced } = await tenant.owner.post(
      `/invoicing/invoices/${invoiceId}/payment-intents/${attempt.id}/sync`,
    );
    expect([status, synced.status, synced.last_error]).to.deep.equal([200, "open", "the account of this payment is gone"]);
    expect((await tenant.owner.delete(`${PATH}/${id}`)).status).to.equal(404);
  });

  it("is another organisation's as if it were not there", async () => {
    const { id } = await world.account(await service.tenant());
    for (const answer of [
      await tenant.owner.patch(`${PATH}/${id}`, { label: "mine" }),
      await tenant.owner.delete(`${PATH}/${id}`),
      await tenant.owner.post(`${PATH}/${id}/verify`),
    ])
      expect(answer.status).to.equal(404);
  });

  describe("POST …/verify", () => {
    it("gives the methods of a key that works and keeps them", async () => {
      const { id } = await world.account(tenant, { api_key: newKey("test") });
      world.provider.methods = ["ideal", "creditcard"];
      const { status, body } = await tenant.owner.post(`${PATH}/${id}/verify`);
      expect([status, body]).to.deep.equal([200, { ok: true, mode: "test", methods: ["ideal", "creditcard"], error: null }]);
      const row = await stored(id);
      expect([row.status, row.methods, row.last_error]).to.deep.equal(["active", ["ideal", "creditcard"], null]);
      expect(row.last_verified_at).not.to.equal(null);
      expect(world.provider.received.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(["GET /v2/methods"]);
    });

    it("says why a key does not work, with 200, and keeps that; the key is blanked where the provider repeats it", async () => {
      const key = newKey();
      const { id } = await world.account(tenant, { api_key: key });
      world.provider.revoked.add(key);
      const { status, body, text } = await tenant.owner.post(`${PATH}/${id}/verify`);
      expect([status, body.ok, body.methods]).to.deep.equal([200, false, []]);
      expect(body.error).to.match(/^HTTP 401 Unauthorized Request/);
      const row = await stored(id);
      expect([row.status, row.last_error]).to.deep.equal(["error", body.error]);
      for (const seen of [text, row.last_error]) expect(seen).not.to.include(key);
      world.provider.revoked.clear();
      await tenant.owner.post(`${PATH}/${id}/verify`);
      expect([(await stored(id)).status, (await stored(id)).last_error]).to.deep.equal(["active", null]);
    });

    it("asks once more after a broken connection, 429 or 5xx, and no third time", async () => {
      const { id } = await world.account(tenant);
      for (const fault of [
        { kind: "drop" } as const,
        { kind: "reply", status: 429 } as const,
        { kind: "reply", status: 503 } as const,
      ]) {
        world.provider.fail(fault);
        expect((await tenant.owner.post(`${PATH}/${id}/verify`)).body.ok, JSON.stringify(fault)).to.equal(true);
      }
      const asked = world.provider.received.length;
      world.provider.fail({ kind: "reply", status: 500 }, { kind: "reply", status: 500 });
      expect((await tenant.owner.post(`${PATH}/${id}/verify`)).body.ok).to.equal(false);
      expect(world.provider.received.length - asked).to.equal(2);
    });

    for (const [fault, error] of [
      [{ kind: "flood" }, /larger than 4194304 bytes/],
      [{ kind: "bomb", bytes: 5 << 20 }, /larger than 4194304 bytes/],
      [{ kind: "garbage" }, /HTTP|makes no sense/],
    ] as [Fault, RegExp][])
      it(`refuses an answer that is a ${fault.kind}: at most 4 MB, packed or not, and nothing but HTTP`, async () => {
        const { id } = await world.account(tenant);
        world.provider.fail(fault, fault);
        const { status, body } = await tenant.owner.post(`${PATH}/${id}/verify`);
        expect([status, body.ok]).to.deep.equal([200, false]);
        expect(body.error).to.match(error);
      });

    it("says so when the key can no longer be read", async () => {
      const { id } = await world.account(tenant);
      const other = await world.account(tenant);
      await service.sql.query(
        "update payment_accounts set api_key = (select api_key from payment_accounts where id = $2) where id = $1",
        [id, other.id],
      );
      const { status, body } = await tenant.owner.post(`${PATH}/${id}/verify`);
      expect([status, body.ok, body.error]).to.deep.equal([200, false, "errors.invoicing.payment_credential_unreadable"]);
      expect(world.provider.received).to.deep.equal([]);
      expect((await tenant.owner.patch(`${PATH}/${id}`, { label: "still there" })).body.api_key_configured).to.equal(false);
    });
  });
});
