import { expect } from "chai";
import { strike } from "../../../support/jobs.ts";
import { inOneMinute } from "../../../support/minutes.ts";
import { startService, type TestService } from "../../../support/service.ts";
import { CALLBACK, OAuthWorld, refusedWith, reported } from "./oauth-world.ts";

describe("POST /oauth/register", () => {
  let world: OAuthWorld;
  before(async () => {
    world = await OAuthWorld.open();
  });
  after(() => world.service.stop());

  const register = (body: unknown, headers: Record<string, string> = {}) =>
    world.anonymous("POST", "/oauth/register", body, headers);

  it("makes a public client, and says so in the words of RFC 7591", async () => {
    const answer = await register({
      redirect_uris: [CALLBACK],
      client_name: "An app",
      client_uri: "https://app.example.com",
      scope: "x",
    });
    expect([answer.status, answer.headers["cache-control"]]).to.deep.equal([201, "no-store"]);
    const { client_id, client_id_issued_at, ...rest } = answer.body;
    expect(client_id).to.match(/^[0-9a-f]{32}$/);
    expect(Math.abs(client_id_issued_at - Date.now() / 1000)).to.be.lessThan(60);
    expect(rest).to.deep.equal({
      client_name: "An app",
      client_uri: "https://app.example.com",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  it("creates a confidential one with a secret, and stores only its digest", async () => {
    const { body } = await register({ redirect_uris: [CALLBACK], token_endpoint_auth_method: "client_secret_post" });
    expect(body).to.include({
      token_endpoint_auth_method: "client_secret_post",
      client_secret_expires_at: 0,
      client_name: "MCP client",
    });
    expect(body.client_secret).to.match(/^[0-9a-f]{64}$/);
    const { rows } = await world.service.sql.query("select c::text as row from oauth_clients c where client_id = $1", [
      body.client_id,
    ]);
    expect(rows[0].row).to.not.contain(body.client_secret);
  });

  for (const method of ["client_secret_basic", "private_key_jwt", "nonsense"])
    it(`makes a public one of a client that asks for ${method}`, async () => {
      const { body } = await register({ redirect_uris: [CALLBACK], token_endpoint_auth_method: method });
      expect([body.token_endpoint_auth_method, "client_secret" in body]).to.deep.equal(["none", false]);
    });

  const refused: [what: string, body: unknown, status: number, description: string][] = [
    ["no redirect URI", {}, 422, "errors.oauth_redirect_required"],
    ["an empty list of them", { redirect_uris: [] }, 422, "errors.oauth_redirect_required"],
    [
      "one that runs script beside a good one",
      { redirect_uris: [CALLBACK, "javascript:x"] },
      422,
      "errors.oauth_redirect_invalid",
    ],
    ["one with a fragment", { redirect_uris: [`${CALLBACK}#x`] }, 422, "errors.oauth_redirect_invalid"],
    ["a redirect URI that is no text", { redirect_uris: [1] }, 422, "errors.validation"],
    ["an address that runs script", { redirect_uris: [CALLBACK], client_uri: "java script:x" }, 422, "errors.validation"],
    ["a name of 201 characters", { redirect_uris: [CALLBACK], client_name: "x".repeat(201) }, 422, "errors.validation"],
    ["a body that is no JSON", "{", 422, "errors.validation"],
  ];
  for (const [what, body, status, description] of refused)
    it(`refuses ${what} in the shape of the RFC`, async () => {
      expect(refusedWith(await register(body))).to.deep.equal([status, "invalid_client_metadata", description]);
    });

  it("refuses another media type in that shape too", async () => {
    const answer = await register("a=b", { "Content-Type": "text/plain" });
    expect(refusedWith(answer)).to.deep.equal([415, "invalid_client_metadata", "errors.content_type"]);
  });

  it("takes a program from any origin: no cookie is looked at", async () => {
    const headers = { Origin: "https://app.example.com", "Sec-Fetch-Site": "cross-site" };
    expect((await register({ redirect_uris: [CALLBACK] }, headers)).status).to.equal(201);
  });

  it("makes a client of this organisation alone", async () => {
    const other = await OAuthWorld.open(world.service);
    const { client_id } = await world.register();
    expect((await world.describe({ client_id })).status).to.equal(200);
    expect(reported(await other.describe({ client_id }))).to.deep.equal([400, "not_found", "errors.oauth_client_unknown"]);
  });

  it("holds 200 clients in an organisation, of which those never approved within a day and the revoked do not count", async () => {
    const full = await OAuthWorld.open(world.service);
    const organisation = full.tenant.organisation.id;
    await full.service.sql.query(
      `insert into oauth_clients (id, organisation_id, client_id, name, redirect_uris, approved_at)
       select gen_random_uuid(), $1, 'filled ' || n, 'Filled', '{https://app.example.com}', now() from generate_series(1, 199) n`,
      [organisation],
    );
    const flood = () => full.anonymous("POST", "/oauth/register", { redirect_uris: [CALLBACK] });
    const both = await Promise.all([flood(), flood()]);
    expect(both.map(({ status }) => status).toSorted(), "one place, two at once").to.deep.equal([201, 429]);
    const refused = await flood();
    expect(refusedWith(refused)).to.deep.equal([429, "invalid_client_metadata", "errors.oauth_too_many_clients"]);
    expect(Number(refused.headers["retry-after"]), "until the client of this test is removed").to.be.within(86_000, 86_400);
    await full.shift("oauth_clients", "revoked_at = now()", "client_id = 'filled 1'");
    expect((await flood()).status).to.equal(201);
    expect((await flood()).status).to.equal(429);
    await full.shift("oauth_clients", "approved_at = null, created_at = now() - interval '25 hours'", "client_id = 'filled 2'");
    expect((await flood()).status).to.equal(201);
    expect((await world.register()).client_id, "elsewhere").to.have.length(32);
  });

  it("keeps a client that was never approved for a day, known or removed by the clockwork", async () => {
    const [young, old, approved] = [await world.register(), await world.register(), await world.register()];
    await world.session(approved);
    const ids = `client_id in ('${old.client_id}', '${approved.client_id}')`;
    await world.shift("oauth_clients", "created_at = now() - interval '25 hours'", ids);
    expect(reported(await world.describe({ client_id: old.client_id }))).to.deep.equal([
      400,
      "not_found",
      "errors.oauth_client_unknown",
    ]);
    expect(reported(await world.approve({ client_id: old.client_id }))).to.deep.equal([
      400,
      "not_found",
      "errors.oauth_client_unknown",
    ]);
    await strike(world.service, "access.clear-oauth");
    const { rows } = await world.service.sql.query("select client_id from oauth_clients where client_id = any($1)", [
      [young.client_id, old.client_id, approved.client_id],
    ]);
    expect(rows.map(({ client_id }) => client_id)).to.have.members([young.client_id, approved.client_id]);
  });

  it("stores a blank address of the application as none", async () => {
    for (const client_uri of ["", "  "]) {
      const { status, body } = await register({ redirect_uris: [CALLBACK], client_uri });
      expect([status, "client_uri" in body]).to.deep.equal([201, false]);
      expect((await world.describe({ client_id: body.client_id })).body.client_uri).to.equal(null);
    }
  });

  it("answers an unknown host as every endpoint does", async () => {
    const answer = await world.service.call("POST", "/oauth/register", {
      host: "nowhere.kantoor.test",
      body: { redirect_uris: [CALLBACK] },
    });
    expect(reported(answer)).to.deep.equal([404, "unknown_host", "errors.unknown_host"]);
  });
});

describe("POST /oauth/register, flooded", () => {
  let service: TestService;
  before(async () => {
    service = await startService({ SERVICE_RATE_LIMIT_CLIENT_REGISTRATION: "10" });
  });
  after(() => service.stop());

  it("takes ten a minute from an address and host, refused ones included, in the shape of every limit", async () => {
    const other = await OAuthWorld.open(service);
    const register = (at: OAuthWorld, body: object = {}) => at.anonymous("POST", "/oauth/register", body);
    const refused = await inOneMinute(async () => {
      const world = await OAuthWorld.open(service);
      for (let n = 0; n < 10; n++) expect((await register(world)).status).to.equal(422);
      return register(world, { redirect_uris: [CALLBACK] });
    });
    expect(reported(refused)).to.deep.equal([429, "rate_limited", "errors.rate_limited"]);
    expect(Number(refused.headers["retry-after"])).to.be.within(1, 60);
    expect((await register(other, { redirect_uris: [CALLBACK] })).status, "another host").to.equal(201);
  });
});
