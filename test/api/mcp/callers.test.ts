import { expect } from "chai";
import { createKey } from "../../../operator/organisations.ts";
import { type Call, send } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";

const LIST = { jsonrpc: "2.0", id: 7, method: "tools/list", params: {} };
const ACCEPT = { Accept: "application/json, text/event-stream" };
const INVALID = 'error="invalid_token", ';
const UNAUTHORIZED = { error: { code: "unauthorized", message: "errors.unauthorized" } };

describe("callers of /mcp", () => {
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    ({ owner } = tenant);
  });
  after(() => service.stop());
  const post = ({ headers, ...call }: Call = {}, body: unknown = LIST) =>
    send(service.port, "POST", "//mcp", { host: tenant.host, body, ...call, headers: { ...ACCEPT, ...headers } });
  const withKey = (headers: Record<string, string> = {}, body: unknown = LIST) => post({ key: owner.key, headers }, body);
  const metadata = (fault = "") =>
    `Bearer ${fault}resource_metadata="http://${tenant.host}/.well-known/oauth-protected-resource/mcp"`;

  it("opens to a key, as X-API-Key and as a bearer token", async () => {
    expect((await withKey()).body.result.tools).to.have.length(8);
    const { status, headers } = await post({ headers: { Authorization: `Bearer ${owner.key}` } });
    expect(status).to.equal(200);
    expect(headers).to.include({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  });

  it("answers with a trailing slash as every operation does, and with no second one", async () => {
    const at = (path: string, method = "POST") =>
      send(service.port, method, path, { host: tenant.host, key: owner.key, body: LIST, headers: ACCEPT });
    expect((await at("//mcp/")).body).to.deep.equal((await at("//mcp")).body);
    expect((await send(service.port, "GET", "/companies/", { host: tenant.host, key: owner.key })).status).to.equal(200);
    expect((await at("//mcp//")).status).to.equal(404);
  });

  it("points a caller without a good key to the place to get one", async () => {
    const none: Call[] = [{}, { headers: { Authorization: "Bearer eyJhbGciOi" } }];
    const bad: Call[] = [{ key: `${owner.key}0` }, { key: "nonsense" }, { headers: { Authorization: `Bearer ${owner.key}0` } }];
    for (const call of [...none, ...bad]) {
      const { status, body, headers } = await post(call);
      const asked = metadata(bad.includes(call) ? INVALID : "");
      expect([status, body, headers["www-authenticate"]]).to.deep.equal([401, UNAUTHORIZED, asked]);
    }
  });

  it("does not open to a session, which any page of this host would have", async () => {
    const member = await tenant.member("admin", { password: "correct horse battery" });
    const cookie = await signIn(service.port, tenant.host, member.email, "correct horse battery");
    expect((await inSession(service.port, tenant.host, cookie).get("/companies")).status).to.equal(200);
    const { status, headers } = await post({ cookie });
    expect([status, headers["www-authenticate"]]).to.deep.equal([401, metadata()]);
  });

  it("closes with the next request after a key is revoked", async () => {
    const { value, id } = await createKey(service.sql, tenant.organisation.id, "kt", {
      name: "short-lived",
      scopes: ["companies.company.read"],
      accountId: owner.accountId,
    });
    const call = { ...LIST, method: "tools/call", params: { name: "find_client", arguments: {} } };
    for (const body of [LIST, call]) expect((await post({ key: value }, body)).status).to.equal(200);
    await service.sql.query("update api_keys set revoked_at = now() where organisation_id = $1 and id = $2", [
      tenant.organisation.id,
      id,
    ]);
    for (const body of [call, LIST]) {
      const { status, headers } = await post({ key: value }, body);
      expect([status, headers["www-authenticate"]]).to.deep.equal([401, metadata(INVALID)]);
    }
  });

  it("shows a list and finds operations by the caller's current permissions", async () => {
    const reader = await tenant.member("member", { grants: ["companies.company.read", "tasks.task.read"] });
    const search = { ...LIST, method: "tools/call", params: { name: "search_tools", arguments: { module: "companies" } } };
    const seen = async () => {
      const [list, found] = [await post({ key: reader.key }), await post({ key: reader.key }, search)];
      const names: string[] = list.body.result.tools.map(({ name }: { name: string }) => name);
      return [names.includes("find_client"), JSON.parse(found.body.result.content[0].text).total > 0];
    };
    const grant = (permissions: string[]) =>
      service.sql.query(
        "update roles r set permissions = $2 from membership_roles m where m.role_id = r.id and m.membership_id = $1",
        [reader.membershipId, permissions],
      );
    expect(await seen()).to.deep.equal([true, true]);
    await grant(["tasks.task.read"]);
    expect((await post({ key: reader.key })).body.result.tools.map(({ name }: { name: string }) => name)).to.not.include(
      "find_client",
    );
    await grant(["companies.company.read"]);
    expect(await seen()).to.deep.equal([true, true]);
    await grant(["tasks.task.read"]);
    expect(JSON.parse((await post({ key: reader.key }, search)).body.result.content[0].text).total).to.equal(0);
  });

  it("opens to an OAuth token made for it, and to none made for another resource", async () => {
    const scopes = ["companies.company.read"];
    const { value, id } = await createKey(service.sql, tenant.organisation.id, "kt", {
      ...{ name: "an app", scopes, accountId: owner.accountId },
    });
    const call = { ...LIST, method: "tools/call", params: { name: "find_client", arguments: {} } };
    for (const [resource, status] of [
      ["/mcp", 200],
      ["/mcp/reports", 401],
      ["", 401],
    ] as const) {
      const recorded = `http://${tenant.host}${resource}`;
      await service.sql.query("update api_keys set oauth_resource = $2, expires_at = now() + interval '1 hour' where id = $1", [
        id,
        recorded,
      ]);
      for (const body of [LIST, call]) {
        const answer = await post({ headers: { Authorization: `Bearer ${value}` } }, body);
        expect([resource, answer.status]).to.deep.equal([resource, status]);
        if (status === 401) expect(answer.headers["www-authenticate"]).to.equal(metadata(INVALID));
      }
    }
  });

  it("is that of one organisation: a key opens its own host alone, and an unknown host has none", async () => {
    const other = await service.tenant();
    expect((await post({ key: owner.key, host: other.host })).status).to.equal(401);
    expect((await post({ key: owner.key, host: "unknown.kantoor.test" })).status).to.equal(401);
    const { status, body } = await post({ host: "unknown.kantoor.test" });
    expect([status, body.error.code]).to.deep.equal([404, "unknown_host"]);
  });

  it("is shut while the organisation is suspended", async () => {
    const other = await service.tenant();
    await service.sql.query("update organisations set status = 'suspended' where id = $1", [other.organisation.id]);
    const { status, body } = await post({ key: other.owner.key, host: other.host });
    expect([status, body.error.code]).to.deep.equal([403, "org_suspended"]);
  });

  it("refuses a page of another site, under any name of this machine", async () => {
    for (const Origin of ["https://evil.test", `http://${tenant.host}:81`, `https://${tenant.host}`, "null"]) {
      const { status, body } = await withKey({ Origin });
      expect([Origin, status, body.error?.code]).to.deep.equal([Origin, 403, "forbidden"]);
    }
    expect((await withKey({ Origin: `http://${tenant.host}` })).status).to.equal(200);
  });

  it("accepts POST only: there is no session to listen in or to end", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const { status, headers, body } = await send(service.port, method, "//mcp", {
        host: tenant.host,
        key: owner.key,
        headers: ACCEPT,
      });
      expect([method, status, headers["allow"], body.error.code]).to.deep.equal([method, 405, "POST", "method_not_allowed"]);
      expect((await send(service.port, method, "//mcp", { host: tenant.host })).status).to.equal(401);
    }
    const { status, body } = await withKey({}, { ...LIST, method: "subscriptions/listen" });
    expect([status, body.error.code, body.id]).to.deep.equal([404, -32601, 7]);
  });

  it("reads a body of JSON within the limit of every body, and of one message", async () => {
    const { body: refused, status: tooLarge } = await withKey({}, " ".repeat(1_048_577));
    expect([tooLarge, refused.error]).to.deep.equal([
      413,
      { code: "validation", message: "errors.upload_too_large", fields: { _: "errors.upload_too_large" } },
    ]);
    expect((await withKey({ "Content-Type": "text/plain" })).status).to.equal(415);
    for (const [body, code] of [
      ["{", -32700],
      ["", -32700],
      ["7", -32700],
      [[LIST, LIST], -32600],
    ] as const) {
      const answer = await withKey({}, body);
      expect([answer.status, answer.body.error.code, answer.body.id]).to.deep.equal([400, code, null]);
    }
  });

  it("answers with JSON, and with a stream of events to a client that would rather have one", async () => {
    const { headers, text } = await withKey({ Accept: "application/json;q=0.5, text/event-stream" });
    expect(headers["content-type"]).to.equal("text/event-stream");
    const [, data = ""] = /^data: (.*)$/m.exec(text) ?? [];
    expect(JSON.parse(data)).to.deep.equal((await withKey()).body);
  });

  it("answers in either form that a client accepts, and also without an Accept header", async () => {
    const accepting = (headers: Record<string, string>) =>
      send(service.port, "POST", "//mcp", { host: tenant.host, body: LIST, key: owner.key, headers });
    const whole = (await withKey()).body;
    for (const accept of [undefined, "*/*", "application/json", "application/*", "text/html, */*;q=0.1"]) {
      const { status, body } = await accepting(accept === undefined ? {} : { Accept: accept });
      expect([status, body], accept).to.deep.equal([200, whole]);
    }
    const { status, headers, text } = await accepting({ Accept: "text/event-stream" });
    expect([status, headers["content-type"]]).to.deep.equal([200, "text/event-stream"]);
    expect(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? "")).to.deep.equal(whole);
    const refused = await accepting({ Accept: "text/html" });
    expect([refused.status, refused.body.error.code, refused.body.id]).to.deep.equal([406, -32000, LIST.id]);
  });

  it("keeps to the revision that is named, and refuses one it does not know", async () => {
    expect((await withKey({ "MCP-Protocol-Version": "2025-06-18" })).status).to.equal(200);
    const { status, body } = await withKey({ "MCP-Protocol-Version": "1999-01-01" });
    expect([status, body.error.code]).to.deep.equal([400, -32000]);
  });

  it("refuses an invalid message, whatever is in it", async () => {
    const calls = [
      null,
      "x",
      7,
      [],
      { name: "call_tool", arguments: null },
      { name: "call_tool", arguments: "x" },
      { name: ["call_tool"] },
    ];
    for (const params of calls) {
      const { status, body } = await withKey({}, { ...LIST, method: "tools/call", params });
      expect([params, status === 200 || status === 400, typeof body.error?.code]).to.deep.equal([params, true, "number"]);
    }
    for (const args of [{}, { operation: 7 }, { operation: "constructor" }, { operation: "companiesList", arguments: "x" }]) {
      const { body } = await withKey({}, { ...LIST, method: "tools/call", params: { name: "call_tool", arguments: args } });
      expect([args, typeof body.result.isError]).to.deep.equal([args, args.arguments ? "undefined" : "boolean"]);
    }
  });

  it("acknowledges a notification without an answer", async () => {
    const { status, text } = await withKey({}, { jsonrpc: "2.0", method: "notifications/initialized" });
    expect([status, text]).to.deep.equal([202, ""]);
  });
});
