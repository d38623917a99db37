import { expect } from "chai";
import Cloudflare from "cloudflare";
import { newToken } from "../../api/assets/edge/edge-world.ts";
import { EdgeSimulator } from "../../simulators/edge.ts";

const PHASE = "http_request_dynamic_redirect";
const redirect = (url: string) => ({
  action: "redirect" as const,
  expression: '(http.host eq "a.example")',
  action_parameters: { from_value: { status_code: 301 as const, target_url: { value: url }, preserve_query_string: true } },
  description: "a redirect",
  enabled: true,
});

/**
 * The simulator holds every request and everything it answers against `descriptions/cloudflare.v4.json`, which is made from the types of this
 * client. What the client itself sends is therefore understood, and what the simulator answers is what the types name.
 */
describe("the simulated edge provider, called by the provider's official client", () => {
  const provider = new EdgeSimulator();
  let client: Cloudflare;
  let account_id: string;
  let zone_id: string;
  before(() => provider.start());
  beforeEach(() => {
    provider.reset();
    client = new Cloudflare({ apiToken: newToken(), baseURL: provider.root, maxRetries: 0 });
    account_id = provider.state.account("Agency").id;
    zone_id = provider.state.zone(account_id, "a.example").id;
  });
  afterEach(() => expect(provider.complaints).to.deep.equal([]));
  after(() => provider.stop());

  const all = async <Row>(rows: AsyncIterable<Row>): Promise<Row[]> => {
    const found: Row[] = [];
    for await (const row of rows) found.push(row);
    return found;
  };

  it("lists its accounts, and whether a token belongs to a person or to an account", async () => {
    expect((await all(client.accounts.list())).map(({ id, name }) => [id, name])).to.deep.equal([[account_id, "Agency"]]);
    expect((await client.user.tokens.verify()).status).to.equal("active");
    const token = newToken();
    provider.tokens.set(token, "of an account");
    const owned = new Cloudflare({ apiToken: token, baseURL: provider.root, maxRetries: 0 });
    const refused = await owned.user.tokens.verify().catch(({ status, errors }) => [status, errors[0].code]);
    expect(refused).to.deep.equal([401, 1000]);
    expect((await owned.accounts.tokens.verify({ account_id })).status).to.equal("active");
  });

  it("lists zones to the last page, by account and by name, and reads one", async () => {
    for (let n = 0; n < 24; n++) provider.state.zone(account_id, `z${n}.example`);
    provider.state.zone(provider.state.account("Another").id, "elsewhere.example");
    expect(await all(client.zones.list({ account: { id: account_id } }))).to.have.length(25);
    const [only, ...others] = await all(client.zones.list({ name: "z3.example" }));
    expect([only?.name, others]).to.deep.equal(["z3.example", []]);
    const zone = await client.zones.get({ zone_id });
    expect([zone.status, zone.paused, zone.account.id, zone.name_servers.length]).to.deep.equal(["active", false, account_id, 2]);
  });

  it("adds, lists, changes, exports and removes records", async () => {
    const record = { zone_id, type: "A" as const, name: "www.a.example", content: "192.0.2.1", ttl: 1 as const, proxied: true };
    const { id } = await client.dns.records.create(record);
    const again = await client.dns.records.create(record).catch(({ status, errors }) => [status, errors[0].code]);
    expect(again).to.deep.equal([400, 81058]);
    await client.dns.records.edit(id, { ...record, content: "192.0.2.2" });
    expect((await all(client.dns.records.list({ zone_id }))).map(({ content }) => content)).to.deep.equal(["192.0.2.2"]);
    expect(await client.dns.records.export({ zone_id })).to.include("www.a.example.\t1\tIN\tA\t192.0.2.2");
    expect((await client.dns.records.delete(id, { zone_id })).id).to.equal(id);
  });

  it("keeps redirect rules in the ruleset of their phase, and page rules separately", async () => {
    const ruleset = async () => (await client.rulesets.phases.get(PHASE, { zone_id })) as { id: string; rules: { id: string }[] };
    expect(await ruleset().catch(({ status }) => status)).to.equal(404);
    const made = provider.redirects.rule(zone_id, redirect("https://one.example"));
    const { id: ruleset_id } = await ruleset();
    await client.rulesets.rules.create(ruleset_id, { zone_id, ...redirect("https://two.example") });
    await client.rulesets.rules.edit(made.id, { zone_id, ruleset_id, ...redirect("https://three.example") });
    const targets = () => provider.redirects.rules(zone_id).map((rule) => rule.action_parameters?.from_value?.target_url.value);
    expect(targets()).to.deep.equal(["https://three.example", "https://two.example"]);
    await client.rulesets.rules.delete(made.id, { zone_id, ruleset_id });
    expect((await ruleset()).rules).to.have.length(1);
    provider.redirects.forward(zone_id, "*a.example/*", "https://b.example");
    expect((await client.pageRules.list({ zone_id })).map(({ status }) => status)).to.deep.equal(["active"]);
  });

  it("has static sites with their hostnames, and registered domains", async () => {
    const { name } = provider.state.project(account_id, "site", ["a.example"]);
    const [site] = await all(client.pages.projects.list({ account_id }));
    expect([site?.name, site?.domains]).to.deep.equal(["site", ["site.pages.example", "a.example"]]);
    const added = await client.pages.projects.domains.create(name, { account_id, name: "b.example" });
    expect([added.name, added.status]).to.deep.equal(["b.example", "initializing"]);
    await client.pages.projects.domains.delete("a.example", { account_id, project_name: name });
    const hostnames = await all(client.pages.projects.domains.list(name, { account_id }));
    expect(hostnames.map((one) => one.name)).to.deep.equal(["b.example"]);
    provider.state.registration(account_id, "a.example");
    const [registered] = await all(client.registrar.domains.list({ account_id }));
    expect([registered?.current_registrar, registered?.locked]).to.deep.equal(["Cloudflare", true]);
  });
});
