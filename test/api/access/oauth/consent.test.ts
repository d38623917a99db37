import { expect } from "chai";
import type { Answer } from "../../../support/http.ts";
import { CALLBACK, OAuthWorld, proof, type Registered, reported } from "./oauth-world.ts";

describe("consent (access §8.3)", () => {
  let world: OAuthWorld;
  let client: Registered;
  before(async () => {
    world = await OAuthWorld.open();
    client = await world.register({ client_name: "An app", client_uri: "https://app.example.com" });
  });
  after(() => world.service.stop());

  /** Both calls of the API, which refuse alike. */
  const both = async (members: Record<string, string>): Promise<Answer[]> => [
    await world.describe({ client_id: client.client_id, ...members }),
    await world.approve({ client_id: client.client_id, ...members }),
  ];

  it("is described to every member, and nothing is written", async () => {
    const written = () =>
      world.service.sql.query("select xmin::text, c.* from oauth_clients c where client_id = $1", [client.client_id]);
    const before = await written();
    const { status, body } = await world.describe({ client_id: client.client_id, scope: "companies.company.read nonsense" });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      client_name: "An app",
      client_uri: "https://app.example.com",
      full: false,
      issuer: world.origin,
      may_approve: true,
      redirect_uri: CALLBACK,
      resource: null,
      scopes: [
        { label_key: "permissions.companies.company.read", preselected: true, read: true, value: "companies.company.read" },
      ],
    });
    expect((await written()).rows).to.deep.equal(before.rows);
    expect(await world.audited("oauth.consent")).to.deep.equal([]);
  });

  it("offers the caller's permissions", async () => {
    const values = async (at: OAuthWorld, scope: string) =>
      (await at.describe({ client_id: client.client_id, scope })).body.scopes.map(({ value }: { value: string }) => value);
    const narrow = await world.as("member", ["companies.company.read", "time.entry.read:own", "apikeys.personal.manage"]);
    expect(await values(narrow, "")).to.have.members([
      "companies.company.read",
      "time.entry.read:own",
      "apikeys.personal.manage",
    ]);
    expect(await values(narrow, "mcp:read")).to.have.members(["companies.company.read", "time.entry.read:own"]);
    const owner = await world.as("owner");
    expect(await values(owner, "time.entry.read companies.company.delete")).to.have.members([
      "time.entry.read:any",
      "companies.company.delete",
    ]);
    expect((await owner.describe({ client_id: client.client_id })).body.full).to.equal(true);
  });

  it("refuses a key with 403 and an anonymous caller with 401", async () => {
    const path = `/oauth/consent?client_id=${client.client_id}&redirect_uri=${encodeURIComponent(CALLBACK)}`;
    const { person, tenant } = world;
    const body = {
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      code_challenge: proof().challenge,
      scopes: ["companies.company.read"],
    };
    expect(reported(await person.get(path))).to.deep.equal([403, "forbidden", "errors.forbidden"]);
    expect(reported(await person.post("/oauth/consent", body))).to.deep.equal([403, "forbidden", "errors.forbidden"]);
    const token = (await world.session(client, { scopes: ["apikeys.personal.manage", "companies.company.read"] })).access_token;
    const headers = { Authorization: `Bearer ${token}` };
    expect((await world.service.call("POST", "/oauth/consent", { host: tenant.host, headers, body })).status, "a token").to.equal(
      403,
    );
    for (const method of ["GET", "POST"]) expect((await world.anonymous(method, path)).status).to.equal(401);
  });

  it("accepts the permission to manage one's own keys, and states beforehand whether one has it", async () => {
    const without = await world.as("member", ["companies.company.read"]);
    expect((await without.describe({ client_id: client.client_id })).body.may_approve).to.equal(false);
    expect(reported(await without.approve({ client_id: client.client_id }))).to.deep.equal([
      403,
      "forbidden",
      "errors.forbidden",
    ]);
  });

  it("is refused from another site", async () => {
    const answer = await world.call(
      "POST",
      "/oauth/consent",
      {
        client_id: client.client_id,
        redirect_uri: CALLBACK,
        code_challenge: proof().challenge,
        scopes: ["companies.company.read"],
      },
      { Origin: "https://evil.example" },
    );
    expect(reported(answer)).to.deep.equal([403, "forbidden", "errors.forbidden"]);
  });

  it("knows no client that is not registered here", async () => {
    for (const answer of await both({ client_id: "unknown" }))
      expect(reported(answer)).to.deep.equal([400, "not_found", "errors.oauth_client_unknown"]);
  });

  for (const redirect_uri of [
    `${CALLBACK}/more`,
    "https://app.example.com@evil.example/callback",
    `${CALLBACK}#x`,
    "https://app.example.com/callback/../x",
  ])
    it(`sends nothing to ${redirect_uri}`, async () => {
      for (const answer of await both({ redirect_uri }))
        expect(reported(answer)).to.deep.equal([400, "validation", "errors.oauth_redirect_mismatch"]);
    });

  it("lets an app on the visitor's machine take any port", async () => {
    const local = await world.register({ redirect_uris: ["http://127.0.0.1/cb"] });
    const redirect_uri = "http://127.0.0.1:51234/cb";
    expect((await world.describe({ client_id: local.client_id, redirect_uri })).body.redirect_uri).to.equal(redirect_uri);
    const { code, verifier } = await world.code(local, { redirect_uri });
    expect((await world.redeem(local, { code, verifier }, { redirect_uri: "http://127.0.0.1/cb" })).status, "as sent").to.equal(
      400,
    );
    expect((await world.redeem(local, { code, verifier }, { redirect_uri })).status).to.equal(200);
  });

  it("takes a resource of this address and no other", async () => {
    for (const path of ["/mcp", "/mcp/every-day"]) {
      const [described] = await both({ resource: `${world.origin}${path}` });
      expect(described?.body.resource).to.equal(`${world.origin}${path}`);
    }
    for (const answer of await both({ resource: "" })) expect(answer.status, "an empty one is not sent").to.equal(200);
    for (const resource of [world.origin, `${world.origin}/mcp/`, `${world.origin}/api/v1`, "https://evil.example/mcp", "/mcp"])
      for (const answer of await both({ resource }))
        expect(reported(answer), resource).to.deep.equal([400, "invalid_target", "errors.oauth_invalid_target"]);
  });

  const challenges: [what: string, sent: Record<string, string>][] = [
    ["the method plain", { code_challenge_method: "plain" }],
    ["a method in other letters", { code_challenge_method: "s256" }],
    ["a challenge that is too short", { code_challenge: "x".repeat(42) }],
    ["a challenge that is too long", { code_challenge: "x".repeat(129) }],
    ["an empty challenge", { code_challenge: "" }],
  ];
  for (const [what, sent] of challenges)
    it(`refuses ${what}`, async () => {
      const answer = await world.approve({ client_id: client.client_id, ...sent });
      expect(reported(answer)).to.deep.equal([422, "validation", "errors.oauth_pkce_required"]);
      expect(answer.body.error.fields).to.deep.equal({ code_challenge: "errors.oauth_pkce_required" });
    });

  const scopes: [what: string, scopes: string[], status: number, message: string][] = [
    ["none", [], 422, "errors.oauth_scope_empty"],
    ["the wildcard", ["*"], 422, "errors.oauth_scope_invalid"],
    ["what stands for many", ["mcp:read"], 422, "errors.oauth_scope_invalid"],
    ["an unknown one", ["companies.company.read", "nonsense"], 422, "errors.oauth_scope_invalid"],
    ["a scoped one without its scope", ["time.entry.read"], 422, "errors.oauth_scope_invalid"],
    ["an unscoped one with a scope", ["companies.company.read:any"], 422, "errors.oauth_scope_invalid"],
    ["one that is not held", ["settings.roles.manage"], 403, "errors.apikey_scope_exceeds_grants"],
  ];
  for (const [what, asked, status, message] of scopes)
    it(`refuses a consent to ${what}, and writes nothing`, async () => {
      const fresh = await world.register();
      const answer = await world.approve({ client_id: fresh.client_id, scopes: asked });
      expect(reported(answer)).to.deep.equal([status, status === 403 ? "forbidden" : "validation", message]);
      if (status === 422) expect(answer.body.error.fields).to.deep.equal({ scopes: message });
      const { rows } = await world.service.sql.query("select approved_at from oauth_clients where client_id = $1", [
        fresh.client_id,
      ]);
      expect(rows[0].approved_at).to.equal(null);
    });

  it("refuses a consent to more than a person holds at that breadth", async () => {
    const narrow = await world.as("member", ["time.entry.read:own", "apikeys.personal.manage"]);
    const consent = (scope: string) => narrow.approve({ client_id: client.client_id, scopes: [scope] });
    expect((await consent("time.entry.read:any")).status).to.equal(403);
    expect((await consent("time.entry.read:own")).status).to.equal(200);
  });

  it("answers with a code, the issuer and the state behind the query of the redirect URI", async () => {
    const uri = `${CALLBACK}?tenant=1`;
    const own = await world.register({ redirect_uris: [uri] });
    const { body } = await world.approve({ client_id: own.client_id, redirect_uri: uri, state: "a b&iss=https://evil.example" });
    expect(body.redirect_to.startsWith(`${uri}&code=`)).to.equal(true);
    const { searchParams } = new URL(body.redirect_to);
    expect([searchParams.getAll("iss"), searchParams.getAll("state")]).to.deep.equal([
      [world.origin],
      ["a b&iss=https://evil.example"],
    ]);
    const without = await world.approve({ client_id: own.client_id, redirect_uri: uri });
    expect(new URL(without.body.redirect_to).searchParams.has("state")).to.equal(false);
  });

  it("stores the digest of a code, and its bindings", async () => {
    const { code } = await world.code(client, { resource: `${world.origin}/mcp` });
    expect(code).to.match(/^[0-9a-f]{64}$/);
    const { rows } = await world.service.sql.query(
      `select c.resource, c.scopes, c.account_id, c.expires_at - now() < interval '10 minutes' and c.expires_at > now() + interval '9 minutes' as is_short,
         c::text as row from oauth_codes c where code_hash = sha256($1::text::bytea)`,
      [code],
    );
    expect(rows[0]).to.include({ resource: `${world.origin}/mcp`, account_id: world.person.accountId, is_short: true });
    expect(rows[0].row).to.not.contain(code);
  });

  it("is in the access audit, with the grants and without a code", async () => {
    const named = await world.register({ client_name: "Audited" });
    const scopes = ["companies.company.read"];
    const { code } = await world.code(named, { scopes: [...scopes, ...scopes] });
    const last = (await world.audited("oauth.consent")).at(-1);
    expect(last).to.deep.equal({
      actor: world.person.accountId,
      target: world.person.accountId,
      detail: { client_id: named.client_id, client_name: "Audited", scopes, resource: null },
    });
    expect(JSON.stringify(last)).to.not.contain(code);
  });

  it("is never answered twice from memory", async () => {
    const headers = { "Idempotency-Key": "consent" };
    const body = {
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      code_challenge: proof().challenge,
      scopes: ["companies.company.read"],
    };
    expect((await world.call("POST", "/oauth/consent", body, headers)).status).to.equal(200);
    expect(reported(await world.call("POST", "/oauth/consent", body, headers))[1]).to.equal("idempotency_conflict");
  });
});
