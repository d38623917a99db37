import { expect } from "chai";
import { OAuthWorld } from "./oauth-world.ts";

describe("discovery (access §8.1)", () => {
  let world: OAuthWorld;
  before(async () => {
    world = await OAuthWorld.open();
  });
  after(() => world.service.stop());

  const get = (path: string, headers = {}) => world.anonymous("GET", path, undefined, headers);

  it("describes the authorization server at the requested address", async () => {
    const { origin } = world;
    const [inside, root] = [
      await get("/oauth/metadata/authorization-server"),
      await get("//.well-known/oauth-authorization-server"),
    ];
    expect(inside.body).to.deep.equal({
      issuer: origin,
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/api/v1/oauth/token`,
      registration_endpoint: `${origin}/api/v1/oauth/register`,
      revocation_endpoint: `${origin}/api/v1/oauth/revoke`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
      scopes_supported: ["mcp:read", "mcp:full"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      service_documentation: `${origin}/api/docs`,
    });
    expect([root.status, root.text]).to.deep.equal([200, inside.text]);
    const other = await OAuthWorld.open(world.service);
    expect((await other.anonymous("GET", "//.well-known/oauth-authorization-server")).body.issuer).to.equal(other.origin);
  });

  it("describes each protected resource, at its own path", async () => {
    const { origin } = world;
    const document = (path: string) => ({
      resource: `${origin}${path}`,
      authorization_servers: [origin],
      scopes_supported: ["mcp:read", "mcp:full"],
      bearer_methods_supported: ["header"],
      resource_documentation: `${origin}/api/docs`,
    });
    const places: [path: string, resource: string][] = [
      ["/oauth/metadata/protected-resource", "/mcp"],
      ["/oauth/metadata/protected-resource?resource_path=/mcp/every-day", "/mcp/every-day"],
      ["//.well-known/oauth-protected-resource", "/mcp"],
      ["//.well-known/oauth-protected-resource/mcp", "/mcp"],
      ["//.well-known/oauth-protected-resource/mcp/every-day_1", "/mcp/every-day_1"],
    ];
    for (const [path, resource] of places) expect((await get(path)).body, path).to.deep.equal(document(resource));
  });

  for (const path of ["/", "/mcp/", "/mcp/a/b", "/mcp/a.b", "/api", "mcp", "/mcp/%2e"])
    it(`knows no resource '${path}'`, async () => {
      const { status, body } = await get(`/oauth/metadata/protected-resource?resource_path=${encodeURIComponent(path)}`);
      expect([status, body.error.fields]).to.deep.equal([422, { resource_path: "errors.validation" }]);
    });

  it("has nothing else at the well-known paths", async () => {
    for (const path of ["oauth-authorization-server/mcp", "oauth-protected-resource/other", "openid-configuration"])
      expect((await get(`//.well-known/${path}`)).status, path).to.equal(404);
    expect((await world.anonymous("POST", "//.well-known/oauth-authorization-server")).status).to.equal(405);
  });

  it("is named by every 401 to a caller without credential, and by no other", async () => {
    const challenge = `Bearer resource_metadata="${world.origin}/.well-known/oauth-protected-resource/mcp"`;
    const { host } = world.tenant;
    for (const path of ["/companies", "/users/me", "/oauth/consent"]) {
      const answer = await get(path);
      expect([answer.status, answer.headers["www-authenticate"]], path).to.deep.equal([401, challenge]);
      expect(answer.text).to.equal('{"error":{"code":"unauthorized","message":"errors.unauthorized"}}');
    }
    expect((await get("/companies", { Authorization: "Basic abc" })).headers["www-authenticate"], "ignored").to.equal(challenge);
    const withKey = await world.service.call("GET", "/companies", { host, key: `kt_${"0".repeat(12)}_${"0".repeat(64)}` });
    const withCookie = await world.service.call("GET", "/companies", { host, cookie: `kantoor_session=${"0".repeat(64)}` });
    for (const answer of [withKey, withCookie])
      expect([answer.status, answer.headers["www-authenticate"]]).to.deep.equal([401, undefined]);
    expect((await get("/no/such/path")).headers["www-authenticate"]).to.equal(undefined);
  });

  it("is described in the document, with the shape of each refusal", async () => {
    const { body } = await get("//api/openapi.json");
    const shapeOf = (path: string, status: number) => {
      const name = body.paths[path].post.responses[status].$ref.split("/").at(-1);
      const { schema, examples } = body.components.responses[name].content["application/json"];
      return [JSON.stringify(schema).match(/OAuthError|Error/g), examples];
    };
    const [token, tokens] = shapeOf("/oauth/token", 400);
    expect(token).to.deep.equal(["OAuthError"]);
    expect(tokens.invalid_grant.value).to.deep.equal({ error: "invalid_grant", error_description: "errors.oauth_invalid_grant" });
    expect(shapeOf("/oauth/register", 422)[1]["validation-oauth_redirect_invalid"].value).to.deep.equal({
      error: "invalid_client_metadata",
      error_description: "errors.oauth_redirect_invalid",
    });
    expect(shapeOf("/oauth/register", 429)[0], "its own limit and that of the address").to.have.members(["Error", "OAuthError"]);
    expect(shapeOf("/oauth/consent", 400)[0]).to.deep.equal(["Error"]);
  });

  it("tells a principal for which resource its token was recorded, at no cost", async () => {
    const client = await world.register();
    const resource = `${world.origin}/mcp`;
    const [bound, free] = [await world.session(client, { resource }), await world.session(client)];
    const { rows } = await world.service.sql.query(
      "select oauth_resource from api_keys where lookup = any($1) order by oauth_resource nulls last",
      [[bound, free].map(({ access_token }) => access_token.slice(3, 15))],
    );
    expect(rows.map(({ oauth_resource }) => oauth_resource)).to.deep.equal([resource, null]);
    const { host } = world.tenant;
    const calls = [
      await world.with(bound.access_token, "/companies"),
      await world.service.call("GET", "/companies", { host, key: world.person.key }),
    ];
    // The first call of each reads the principal; the second shows the cost of a call.
    const again = [
      await world.with(bound.access_token, "/companies"),
      await world.service.call("GET", "/companies", { host, key: world.person.key }),
    ];
    for (const [token, key] of [calls, again]) {
      expect([token?.status, key?.status]).to.deep.equal([200, 200]);
      expect(token?.statements).to.equal(key?.statements);
    }
  });
});
