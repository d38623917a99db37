import { expect } from "chai";
import type { Tenant, TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../../clients/companies/company-records.ts";
import { type EdgeWorld, newToken, startEdge } from "./edge-world.ts";

const PATH = "/edge/accounts";

describe("/edge/accounts", () => {
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    world = await startEdge();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const create = (values: object = {}) => tenant.owner.post(PATH, { name: "Main", api_token: newToken(), ...values });
  const provider = async (kind: string) =>
    (
      await service.sql.query(
        "insert into providers (id, organisation_id, kind, name) values (gen_random_uuid(), $1, $2, 'Edge') returning id",
        [tenant.organisation.id, kind],
      )
    ).rows[0].id;

  it("adds one without asking the provider, and never shows the token", async () => {
    const token = newToken();
    const provider_id = await provider("dns");
    const { status, body, text } = await create({ name: "  Main ", api_token: token, provider_id });
    expect(status).to.equal(201);
    const { id, ...rest } = body;
    expect(rest).to.deep.equal({
      name: "Main",
      edge_account_id: null,
      edge_account_name: null,
      provider_id,
      provider_name: "Edge",
      active: true,
      status: "active",
      capabilities: {},
      capability_errors: {},
      last_verified_at: null,
      last_synced_at: null,
      last_error: null,
      token_configured: true,
      zone_count: 0,
    });
    expect(JSON.stringify(await world.stored("edge_accounts", id)) + text).not.to.include(token);
    expect((await trailOf(service.sql, "edge_account", id)).map(({ action }) => action)).to.deep.equal(["created"]);
    expect(world.provider.received).to.deep.equal([]);
  });

  const refused: [what: string, values: object, fields: Record<string, string>][] = [
    ["no token", { api_token: null }, { api_token: "errors.validation" }],
    ["a token of 19 characters", { api_token: "x".repeat(19) }, { api_token: "errors.validation" }],
    ["a token of 513 characters", { api_token: "x".repeat(513) }, { api_token: "errors.validation" }],
    ["a token that is no header", { api_token: `${"x".repeat(20)}\r\nX: y` }, { api_token: "errors.validation" }],
    ["a blank name", { name: "  " }, { name: "errors.required" }],
    ["an unknown provider", { provider_id: crypto.randomUUID() }, { provider_id: "errors.not_found" }],
  ];
  for (const [what, values, fields] of refused)
    it(`refuses ${what}`, async () => {
      expect(refusalOf(await create(values))).to.deep.equal(invalidOn(fields));
    });

  it("refuses a provider of another kind, and one of another organisation, new or changed", async () => {
    const [dns, registrar] = [await provider("dns"), await provider("registrar")];
    const { body } = await create({ provider_id: dns });
    for (const answer of [
      await create({ provider_id: registrar }),
      await tenant.owner.patch(`${PATH}/${body.id}`, { provider_id: registrar }),
    ])
      expect([answer.status, answer.body.error.code]).to.deep.equal([400, "invalid_provider"]);
    tenant = await service.tenant();
    expect(refusalOf(await create({ provider_id: dns }))).to.deep.equal(invalidOn({ provider_id: "errors.not_found" }));
  });

  it("refuses a name twice ignoring case, but not in another organisation", async () => {
    await create({ name: "Éen" });
    const { body: two } = await create({ name: "Two" });
    const taken = [409, "conflict", { name: "errors.duplicate" }];
    expect(refusalOf(await create({ name: "éEN" }))).to.deep.equal(taken);
    expect(refusalOf(await tenant.owner.patch(`${PATH}/${two.id}`, { name: "ÉEN" }))).to.deep.equal(taken);
    tenant = await service.tenant();
    expect((await create({ name: "Éen" })).status).to.equal(201);
  });

  it("lists them by name in one go, and the names alone as options", async () => {
    for (const [name, active] of [
      ["b", true],
      ["A", false],
    ] as const)
      await create({ name, active });
    const { body, headers } = await tenant.owner.get(PATH);
    expect(body.map(({ name }: { name: string }) => name)).to.deep.equal(["A", "b"]);
    expect(Number(headers["x-statements"])).to.be.at.most(3);
    const reader = await tenant.member("member", { grants: ["edge.dns.read"] });
    expect((await reader.get(PATH)).status).to.equal(403);
    const options = await reader.get(`${PATH}/options`);
    expect(options.body.map(({ id: _, ...rest }: { id: string }) => rest)).to.deep.equal([
      { name: "A", active: false },
      { name: "b", active: true },
    ]);
  });

  it("keeps the token if omitted, null or empty, and clears an account id by an empty one", async () => {
    const { body: before } = await create({ edge_account_id: "acc" });
    const { api_token } = await world.stored("edge_accounts", before.id);
    for (const values of [{ name: "New" }, { api_token: null }, { api_token: "" }, { edge_account_id: "" }])
      expect((await tenant.owner.patch(`${PATH}/${before.id}`, values)).status).to.equal(200);
    const after = await world.stored("edge_accounts", before.id);
    expect([after["api_token"], after["name"], after["edge_account_id"]]).to.deep.equal([api_token, "New", null]);
    const lines = await trailOf(service.sql, "edge_account", before.id);
    expect(lines.map(({ action, payload }) => [action, payload])).to.deep.equal([
      ["created", {}],
      ["updated", { changes: { name: { from: "Main", to: "New" } } }],
      ["updated", { changes: { edge_account_id: { from: "acc", to: null } } }],
    ]);
    for (const values of [{ name: null }, { active: null }, { api_token: "short" }])
      expect((await tenant.owner.patch(`${PATH}/${before.id}`, values)).status).to.equal(422);
  });

  it("clears the verification with a new token", async () => {
    const { id } = await world.account(tenant);
    await tenant.owner.post(`${PATH}/${id}/verify`);
    expect(Object.keys((await world.stored("edge_accounts", id))["capabilities"] as object)).to.have.length(5);
    const { body } = await tenant.owner.patch(`${PATH}/${id}`, { api_token: newToken() });
    expect([body.capabilities, body.capability_errors, body.last_verified_at, body.last_error, body.status]).to.deep.equal([
      {},
      {},
      null,
      null,
      "active",
    ]);
    expect((await trailOf(service.sql, "edge_account", id)).at(-1)?.action).to.equal("edge.token_rotated");
  });

  it("is deleted with its read data, without a call", async () => {
    const account = await world.account(tenant);
    const domainId = await world.domain(tenant, "a.example");
    const zone = await world.zone(tenant, account, "a.example", { domain_id: domainId });
    expect((await tenant.owner.delete(`${PATH}/${account.id}`)).status).to.equal(204);
    expect(await world.stored("edge_zones", zone.id)).to.equal(undefined);
    expect(await world.stored("domains", domainId)).not.to.equal(undefined);
    expect(world.provider.received).to.deep.equal([]);
    expect((await trailOf(service.sql, "edge_account", account.id)).at(-1)?.action).to.equal("edge.account_removed");
    expect((await tenant.owner.delete(`${PATH}/${account.id}`)).status).to.equal(404);
  });

  it("is another organisation's as if it were not there", async () => {
    const { id } = await world.account(await service.tenant());
    for (const answer of [
      await tenant.owner.patch(`${PATH}/${id}`, { name: "mine" }),
      await tenant.owner.delete(`${PATH}/${id}`),
      await tenant.owner.post(`${PATH}/${id}/verify`),
      await tenant.owner.post(`${PATH}/${id}/sync`),
    ])
      expect(answer.status).to.equal(404);
    expect(world.provider.received).to.deep.equal([]);
  });
});
