import { expect } from "chai";
import type { TokenState } from "../../../simulators/edge.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { refusalOf } from "../../clients/companies/company-records.ts";
import { type EdgeWorld, newToken, startEdge } from "./edge-world.ts";

describe("POST /edge/accounts/{account_id}/verify", () => {
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  let token: string;
  before(async () => {
    world = await startEdge();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    token = newToken();
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const account = (values: object = {}) => world.account(tenant, { api_token: token, ...values });
  const verify = (id: string) => tenant.owner.post(`/edge/accounts/${id}/verify`);
  const ALL = { token_valid: true, accounts_read: true, zones_read: true, pages_read: true, registrar_read: true };

  it("asks once for each capability and keeps the answer", async () => {
    const { id, edge_account_id: a } = await account();
    const { status, body } = await verify(id);
    expect([status, body]).to.deep.equal([
      200,
      {
        ok: true,
        capabilities: ALL,
        capability_errors: {},
        edge_account_id: a,
        edge_account_name: "Agency",
        account_choices: [],
        error: null,
      },
    ]);
    expect(world.provider.calls().toSorted()).to.deep.equal(
      [
        "GET /accounts?page=1&per_page=50",
        "GET /user/tokens/verify",
        "GET /zones",
        `GET /accounts/${a}/pages/projects`,
        `GET /accounts/${a}/registrar/domains`,
      ].toSorted(),
    );
    const row = await world.stored("edge_accounts", id);
    expect([row["status"], row["capabilities"], row["edge_account_name"]]).to.deep.equal(["active", ALL, "Agency"]);
    expect(row["last_verified_at"]).not.to.equal(null);
  });

  it("asks about records and redirects too where a zone is known, and a zone without redirects will do", async () => {
    const made = await account();
    const { edgeId } = await world.zone(tenant, made, "a.example");
    const { body } = await verify(made.id);
    expect(body.capabilities).to.deep.equal({ ...ALL, dns_read: true, redirect_read: true });
    expect(world.provider.calls()).to.include.members([
      `GET /zones/${edgeId}/dns_records`,
      `GET /zones/${edgeId}/rulesets/phases/http_request_dynamic_redirect/entrypoint`,
    ]);
  });

  it("picks the only visible account; of several it picks none and offers them", async () => {
    const one = await account({ edge_account_id: null });
    const first = world.atProvider();
    expect((await verify(one.id)).body).to.include({ edge_account_id: first.id, edge_account_name: "Agency" });
    expect(await world.stored("edge_accounts", one.id)).to.include({ edge_account_id: first.id, edge_account_name: "Agency" });
    const second = world.provider.state.account("Other");
    const two = await account({ edge_account_id: null });
    const { body } = await verify(two.id);
    expect([body.edge_account_id, body.account_choices]).to.deep.equal([
      null,
      [
        { id: first.id, name: "Agency" },
        { id: second.id, name: "Other" },
      ],
    ]);
    expect([body.capabilities.pages_read, body.capabilities.registrar_read]).to.deep.equal([false, false]);
    const pinned = await account({ edge_account_id: second.id });
    expect((await verify(pinned.id)).body).to.deep.include({
      edge_account_id: second.id,
      edge_account_name: "Other",
      account_choices: [],
    });
  });

  it("says what each refused capability said, up to 200 characters; a granted read makes the token valid", async () => {
    world.provider.deny(/registrar|user.tokens/);
    const { id } = await account();
    const { body } = await verify(id);
    expect([body.ok, body.capabilities]).to.deep.equal([true, { ...ALL, registrar_read: false }]);
    expect(body.capability_errors).to.deep.equal({ registrar_read: "HTTP 403 (code 10000): Authentication error" });
    world.provider.reset();
    world.provider.state.accounts.push({ id: body.edge_account_id, name: "Agency" });
    expect((await verify(id)).body.capability_errors, "replaced whole").to.deep.equal({});
  });

  it("knows a token that belongs to an account", async () => {
    const { id, edge_account_id: a } = await account();
    world.provider.tokens.set(token, "of an account");
    expect((await verify(id)).body.capabilities).to.deep.equal(ALL);
    expect(world.provider.calls()).to.include(`GET /accounts/${a}/tokens/verify`);
  });

  for (const [state, said] of [
    ["revoked", /^HTTP 401 \(code 1000\): Invalid API Token \*\*\*$/],
    ["blocked", /^HTTP 403 \(code 9109\)/],
    ["malformed", /^HTTP 400 \(code 6003\)/],
  ] as [TokenState, RegExp][])
    it(`answers 200 for a token that is ${state}, with the provider's words and without the token`, async () => {
      const { id } = await account();
      world.provider.tokens.set(token, state);
      const { status, body, text } = await verify(id);
      expect([status, body.ok, body.capabilities]).to.deep.equal([200, false, {}]);
      expect(body.error).to.match(said);
      expect(text).not.to.include(token);
      expect(await world.stored("edge_accounts", id)).to.deep.include({ status: "error", last_error: body.error });
      world.provider.tokens.clear();
      await verify(id);
      expect(await world.stored("edge_accounts", id)).to.deep.include({ status: "active", last_error: null });
    });

  it("answers 200 when the provider is away, and names the seconds of a 429", async () => {
    const { id } = await account();
    const standing = world.provider.failWhen(() => true, { kind: "drop" });
    const { status, body } = await verify(id);
    expect([status, body.ok, body.capabilities]).to.deep.equal([200, false, {}]);
    standing();
    world.provider.failWhen(() => true, { kind: "reply", status: 429, headers: { "Retry-After": "17" } });
    expect((await verify(id)).body.error).to.match(/429.*17 s/);
  });

  it("refuses when the token can no longer be read", async () => {
    const { id } = await account();
    const other = await account();
    await service.sql.query(
      "update edge_accounts set api_token = (select api_token from edge_accounts where id = $2) where id = $1",
      [id, other.id],
    );
    for (const path of ["verify", "sync"])
      expect(refusalOf(await tenant.owner.post(`/edge/accounts/${id}/${path}`))).to.deep.equal([
        409,
        "edge_token_unreadable",
        null,
      ]);
    expect(world.provider.received).to.deep.equal([]);
  });
});
