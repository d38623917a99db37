import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { connected } from "../../support/workspace.ts";
import { ACCOUNTS, type Agency, ALL_SCOPES, LINKS, type MarketingWorld, startMarketing } from "./google-world.ts";

describe("GET /marketing/accounts (marketing-ads §2.3)", () => {
  let world: MarketingWorld;
  let agency: Agency;
  before(async () => {
    world = await startMarketing();
  });
  beforeEach(async () => {
    agency = await world.agency();
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const ask = async (source = "ga4", who = agency.owner, more = "") => {
    const { status, text, body } = await who.get(`${ACCOUNTS}?source=${source}${more}`);
    expect(status, text).to.equal(200);
    return body;
  };
  const calls = (api = "analyticsadmin") => world.google.calls(api).length;
  const NONE = { accounts: [], error: null, connected_via: [] };
  const lender = () => ({ user_id: agency.owner.accountId, email: agency.person.email, is_me: false });
  const without = ({ connected_via, ...rest }: { connected_via: { name: string }[] }) => ({
    ...rest,
    connected_via: connected_via.map(({ name: _name, ...owner }) => owner),
  });

  it("lists the properties of all accounts, page by page, and which are linked", async () => {
    world.analytics.pageSize = 1;
    const shop = world.analytics.property("Shop", { person: agency.person, account: "Bakery" });
    const blog = world.analytics.property("Blog", { person: agency.person, account: "Agency", type: "PROPERTY_TYPE_ROLLUP" });
    world.analytics.property("Somebody's");
    await agency.owner.post(LINKS, { company_id: agency.company, source: "ga4", external_id: shop.id, display_name: "Shop" });
    const config = (propertyType: string) => ({ propertyType });
    expect(await ask()).to.deep.equal({
      ...NONE,
      source: "ga4",
      connected: true,
      has_scope: true,
      configured: true,
      connect_flag: "include_analytics",
      accounts: [
        {
          external_id: shop.id,
          display_name: "Shop",
          account_hint: "Bakery",
          config: config("PROPERTY_TYPE_ORDINARY"),
          already_linked: true,
        },
        {
          external_id: blog.id,
          display_name: "Blog",
          account_hint: "Agency",
          config: config("PROPERTY_TYPE_ROLLUP"),
          already_linked: false,
        },
      ],
    });
    expect(world.google.calls("analyticsadmin")).to.deep.equal([
      "GET /analyticsadmin/v1beta/accountSummaries?pageSize=200",
      "GET /analyticsadmin/v1beta/accountSummaries?pageSize=200&pageToken=page-1",
    ]);
  });

  it("lists the sites of Search Console but those without a verified permission", async () => {
    world.search.site("sc-domain:shop.nl", agency.person, "siteFullUser");
    world.search.site("https://shop.nl/", agency.person);
    world.search.site("https://foreign.nl/", agency.person, "siteUnverifiedUser");
    const { accounts, connect_flag } = await ask("gsc");
    expect(connect_flag).to.equal("include_search_console");
    expect(accounts).to.deep.equal([
      {
        external_id: "sc-domain:shop.nl",
        display_name: "shop.nl",
        account_hint: null,
        config: { siteType: "domain", permissionLevel: "siteFullUser" },
        already_linked: false,
      },
      {
        external_id: "https://shop.nl/",
        display_name: "https://shop.nl/",
        account_hint: null,
        config: { siteType: "url_prefix", permissionLevel: "siteOwner" },
        already_linked: false,
      },
    ]);
  });

  it("caches a success for 600 seconds per connection and source, marks accounts linked meanwhile, and caches no failure", async () => {
    const shop = world.analytics.property("Shop", { person: agency.person });
    world.google.fail(GoogleSimulator.refusing(403, "forbidden"));
    expect((await ask()).error).to.equal("marketing.no_access");
    expect((await ask()).accounts).to.have.length(1);
    await agency.owner.post(LINKS, { company_id: agency.company, source: "ga4", external_id: shop.id, display_name: "Shop" });
    expect((await ask()).accounts[0].already_linked).to.equal(true);
    expect(calls()).to.equal(2);
    const admin = await agency.tenant.member("admin");
    await connected(world.google, admin, { query: ALL_SCOPES });
    expect((await ask("ga4", admin)).accounts).to.deep.equal([]);
    expect(calls()).to.equal(3);
    await world.service.sql.query("update marketing_answers set fetched_at = fetched_at - interval '601 seconds'");
    await ask();
    expect(calls()).to.equal(4);
  });

  it("names the colleagues with a working grant and the scope to a caller without a connection (S20)", async () => {
    const admin = await agency.tenant.member("admin");
    const other = await agency.tenant.member("member");
    await connected(world.google, other, { query: "include_search_console=true" });
    expect(without(await ask("ga4", admin))).to.deep.equal({
      ...NONE,
      source: "ga4",
      connected: false,
      has_scope: false,
      configured: true,
      connect_flag: "include_analytics",
      connected_via: [lender()],
    });
    await world.service.sql.query("update workspace_connections set status = 'error' where account_id = $1", [
      agency.owner.accountId,
    ]);
    expect((await ask("ga4", admin)).connected_via).to.deep.equal([]);
    expect(calls()).to.equal(0);
  });

  it("says that the scope is missing without a call, and that a grant in error may not be used", async () => {
    const admin = await agency.tenant.member("admin");
    await connected(world.google, admin, { query: "include_search_console=true" });
    const missing = await ask("ga4", admin);
    expect(without(missing)).to.deep.include({ connected: true, has_scope: false, error: null, connected_via: [lender()] });
    await world.service.sql.query("update workspace_connections set status = 'error' where account_id = $1", [admin.accountId]);
    expect(await ask("gsc", admin)).to.deep.include({ connected: true, has_scope: false, error: null, accounts: [] });
    expect([calls(), calls("searchconsole")]).to.deep.equal([0, 0]);
  });

  it("marks the connection when the refresh of the token is refused, and answers 200 all the same", async () => {
    world.analytics.property("Shop", { person: agency.person });
    world.google.revoke(agency.person);
    await world.service.sql.query("update workspace_connections set access_expires_at = now() - interval '1 second'");
    expect(await ask()).to.deep.include({
      connected: true,
      has_scope: false,
      accounts: [],
      error: "errors.workspace_connection_error",
    });
    const text = "select status from workspace_connections where account_id = $1";
    expect((await world.service.sql.query(text, [agency.owner.accountId])).rows[0].status).to.equal("error");
    expect(await ask()).to.deep.include({ connected: true, has_scope: false, error: null });
  });

  it("distinguishes the 403 of a disabled API from that of a missing scope (S21)", async () => {
    for (const api of ["analyticsadmin", "searchconsole"]) world.google.disabled.add(api);
    for (const source of ["ga4", "gsc"])
      expect(await ask(source)).to.deep.include({ has_scope: true, error: "marketing.api_not_enabled" });
    world.google.disabled.clear();
    for (const reason of ["insufficientPermissions", "insufficientScopes", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"]) {
      world.google.fail(GoogleSimulator.refusing(403, reason));
      expect(await ask(), reason).to.deep.include({ has_scope: false, error: "marketing.scope_insufficient" });
    }
    world.google.fail(GoogleSimulator.refusing(403, "accessNotConfigured"));
    expect((await ask()).error).to.equal("marketing.api_not_enabled");
  });

  const JSON_TYPE = { "Content-Type": "application/json" };
  for (const [what, faults] of [
    ["a refusal of the token", [GoogleSimulator.refusing(401, "authError"), GoogleSimulator.refusing(401, "authError")]],
    ["a quota", [GoogleSimulator.refusing(429, "rateLimitExceeded")]],
    ["a page of HTML", [{ kind: "reply", status: 200, body: "<html>Sorry</html>" }]],
    ["no JSON", [{ kind: "reply", status: 200, headers: JSON_TYPE, body: '{"accountSummaries": [' }]],
    [
      "wrong types",
      [{ kind: "reply", status: 200, headers: JSON_TYPE, body: '{"accountSummaries": [{"propertySummaries": 7}]}' }],
    ],
    ["an answer without end", [{ kind: "flood" }]],
    ["two refusals of the network", [{ kind: "drop" }, { kind: "drop" }]],
  ] as const)
    it(`answers marketing.accounts_error for ${what}, in no words of the provider`, async () => {
      world.google.fail(...faults);
      expect(await ask()).to.deep.include({ connected: true, has_scope: true, accounts: [], error: "marketing.accounts_error" });
      expect((await ask()).error).to.equal(null);
    });

  it("says that advertising has no developer token, without a call", async () => {
    expect(await ask("gads")).to.deep.include({
      connected: true,
      has_scope: true,
      configured: false,
      error: null,
      connect_flag: "include_ads",
    });
    expect(world.google.calls("googleads")).to.deep.equal([]);
  });

  it("requires a website for Rank Math alone", async () => {
    const missing = await agency.owner.get(`${ACCOUNTS}?source=rankmath`);
    expect([missing.status, missing.body.error.fields]).to.deep.equal([422, { website_id: "errors.required" }]);
    expect((await agency.owner.get(`${ACCOUNTS}?source=rankmath&website_id=${randomUUID()}`)).status).to.equal(404);
    expect((await ask("ga4", agency.owner, `&website_id=${randomUUID()}`)).error).to.equal(null);
    for (const wrong of ["", "?source=matomo"])
      expect((await agency.owner.get(`${ACCOUNTS}${wrong}`)).body.error.fields, wrong).to.have.keys("source");
  });

  it("is for managers of links", async () => {
    const member = await agency.tenant.member("member");
    expect((await member.get(`${ACCOUNTS}?source=ga4`)).status).to.equal(403);
  });
});
