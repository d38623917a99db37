import { expect } from "chai";
import { refusalOf } from "../../../clients/companies/company-records.ts";
import { type AtEdge, type EdgeWorld, startEdge } from "./edge-redirects-world.ts";

const INTENT = {
  target_url: "https://nieuw.example",
  status_code: 301,
  preserve_path: true,
  preserve_query: true,
  include_subdomains: true,
};

describe("PUT /edge/domains/{domain_id}/redirect: refusals of the provider", () => {
  let world: EdgeWorld;
  let domain: AtEdge;
  before(async () => {
    world = await startEdge();
  });
  beforeEach(async () => {
    domain = await world.connected();
    world.edge.received.length = 0;
  });
  afterEach(() => expect(world.edge.complaints).to.deep.equal([]));
  after(() => world.stop());

  const stored = () => world.row("edge_redirects", domain.domainId, "domain_id");
  const refusals: [what: string, status: number, errors: object[], code: [number, string], breaks: boolean][] = [
    ["a token that is no good", 401, [{ code: 1000, message: "Invalid API Token" }], [409, "edge_token_rejected"], true],
    ["a token with HTTP 400", 400, [{ code: 10000, message: "Authentication error" }], [409, "edge_token_rejected"], true],
    ["a malformed token", 400, [{ code: 6003, message: "Invalid request headers" }], [409, "edge_token_rejected"], true],
    [
      "an address of ours",
      403,
      [{ code: 9109, message: "Cannot use the access token from location: 192.0.2.1" }],
      [409, "edge_token_ip_blocked"],
      true,
    ],
    ["a scope", 403, [{ code: 10000, message: "Authentication error" }], [409, "edge_scope_missing"], false],
    ["something else", 400, [{ code: 20127, message: "no such thing" }], [502, "edge_request_failed"], false],
  ];
  for (const [what, status, errors, [refused, code], breaks] of refusals)
    it(`${what}: ${code}, with its words on the account alone`, async () => {
      const body = JSON.stringify({ success: false, errors, messages: [], result: null });
      world.failing(domain, { kind: "reply", status, body });
      const answer = await domain.put();
      expect([answer.status, answer.body.error.code, answer.body.error.message]).to.deep.equal([refused, code, `errors.${code}`]);
      const [{ message }] = errors as [{ message: string }];
      expect(answer.text).not.to.include(message);
      const account = await world.row("edge_accounts", domain.accountId);
      expect([account["status"], account["last_error"]]).to.deep.equal([
        breaks ? "error" : "active",
        `HTTP ${status} (code ${(errors[0] as { code: number }).code}): ${message}`,
      ]);
      expect(await stored()).to.equal(undefined);
      expect(await world.row("domains", domain.domainId)).to.include({ status: "active" });
    });

  it("stores the provider's message with the existing redirect, which keeps its earlier settings", async () => {
    await domain.put();
    world.edge.deny(new RegExp(`^PATCH /zones/${domain.zone.id}/`));
    expect((await domain.put({ target_url: "https://ander.example" })).status).to.equal(409);
    expect(await stored()).to.include({ target_url: INTENT.target_url, last_status: "error" });
    expect((await stored())["last_error"]).to.match(/^HTTP 403 \(code 10000\)/);
    expect((await domain.status()).body.issues).to.include("redirect_not_pushed");
    expect((await domain.check()).body.redirect).to.include({ last_status: "active", last_error: null });
  });

  it("names the seconds to wait", async () => {
    const fault = {
      kind: "reply",
      status: 429,
      headers: { "Retry-After": "17" },
      body: '{"success":false,"errors":[]}',
    } as const;
    world.failing(domain, fault);
    const { status, body } = await domain.put();
    expect([status, body.error.code, body.error.details]).to.deep.equal([
      502,
      "edge_request_failed",
      { retry_after_seconds: 17 },
    ]);
  });

  it("is distinguished from a token that cannot be decrypted after a change of keys", async () => {
    await world.service.sql.query("update edge_accounts set api_token = 'v1.00000000.x' where id = $1", [domain.accountId]);
    expect(refusalOf(await domain.put())).to.deep.equal([409, "edge_token_unreadable", null]);
    expect(world.edge.received).to.deep.equal([]);
  });

  it("keeps the token out of every text", async () => {
    world.edge.tokens.set(domain.token, "revoked");
    const { text } = await domain.put();
    const { last_error } = await world.row("edge_accounts", domain.accountId);
    expect([text, last_error].join()).not.to.include(domain.token);
    expect(last_error).to.equal("HTTP 401 (code 1000): Invalid API Token ***");
  });
});
