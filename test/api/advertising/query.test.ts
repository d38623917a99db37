import { expect } from "chai";
import { refusing } from "../../simulators/google-ads/replies.ts";
import { type Advertiser, type AdvertisingWorld, advertiser, startAdvertising, writtenAccount } from "./advertising-world.ts";
import { FilledAccount } from "./reads-world.ts";

describe("POST /ads-platform/accounts/:account_id/query (marketing-ads §3.7)", () => {
  let world: AdvertisingWorld;
  let own: Advertiser;
  let account: string;
  before(async () => {
    world = await startAdvertising();
  });
  beforeEach(async () => {
    world.reset();
    own = await advertiser(world);
    account = await writtenAccount(world.service, own);
    const filled = new FilledAccount(own.customer);
    for (let id = 1; id <= 3; id += 1) filled.campaign(id, `C${id}`, { costMicros: BigInt(id) });
  });
  afterEach(() => {
    expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]);
  });
  after(() => world.stop());

  const run = (query: string, more: object = {}) => own.owner.post(`/ads-platform/accounts/${account}/query`, { query, ...more });

  it("answers the provider's rows as they are, with the query that was sent", async () => {
    const { status, body } = await run(" select campaign.id,\n campaign.name from campaign order by campaign.id ; ");
    expect(status).to.equal(200);
    const { fetched_at: _at, account: brief, rows, ...rest } = body;
    expect(brief.id).to.equal(account);
    expect(rest).to.deep.equal({
      period: null,
      currency: "EUR",
      account_timezone: "Europe/Amsterdam",
      row_count: 3,
      total_rows: 3,
      offset: 0,
      warnings: [],
      totals: null,
      extra: {},
      executed_query: "select campaign.id, campaign.name from campaign order by campaign.id LIMIT 200",
      resource: "campaign",
    });
    expect(rows[0]).to.deep.equal({
      campaign: { resourceName: `${own.customer.resourceName}/campaigns/1`, id: "1", name: "C1" },
    });
    expect(world.ads.queries()).to.deep.equal([body.executed_query]);
  });

  it("lowers a limit of the query with a warning", async () => {
    const { body } = await run("SELECT campaign.id FROM campaign LIMIT 5000", { limit: 2 });
    expect(body).to.deep.include({ row_count: 2, warnings: ["ads.warning.limit_clamped"] });
    expect(body.executed_query).to.match(/ LIMIT 2$/);
    expect((await run("SELECT campaign.id FROM campaign", { limit: 5000 })).body.warnings).to.deep.equal([]);
  });

  const refused: [query: string, code: string, message: string, hasField: boolean][] = [
    ["  ", "ads_platform_query_invalid", "empty", false],
    ["SELECT campaign.id FROM campaign WHERE campaign.name = 'x", "ads_platform_query_invalid", "unterminated_string", false],
    ["SELECT campaign.id; FROM campaign", "ads_platform_query_invalid", "multiple_statements", false],
    ["SELECT campaign.id FROM campaign FROM campaign", "ads_platform_query_invalid", "repeated_clause", false],
    ["UPDATE campaign", "ads_platform_query_invalid", "shape", false],
    ["SELECT campaign.id FROM campaign LIMIT all", "ads_platform_query_invalid", "limit", false],
    ["SELECT billing_setup.id FROM billing_setup", "ads_platform_query_resource", "resource_not_allowed", true],
    ["SELECT metrics.clicks FROM campaign", "ads_platform_query_unbounded", "needs_date_bound", true],
  ];
  for (const [query, code, fault, hasField] of refused)
    it(`refuses '${query}' before any call`, async () => {
      const { status, body } = await run(query);
      const message = `errors.ads_platform_query_${fault}`;
      expect([status, body.error.code, body.error.message]).to.deep.equal([422, code, message]);
      expect(body.error.fields).to.deep.equal(hasField ? { query: message } : undefined);
      expect(world.ads.calls()).to.deep.equal([]);
    });

  it("validates query and limit", async () => {
    for (const [body, field] of [
      [{}, "query"],
      [{ query: "" }, "query"],
      [{ query: "x".repeat(8001) }, "query"],
      [{ query: "SELECT campaign.id FROM campaign", limit: 0 }, "limit"],
    ] as const) {
      const answer = await own.owner.post(`/ads-platform/accounts/${account}/query`, body);
      expect([answer.status, answer.body.error.code]).to.deep.equal([422, "validation"]);
      expect(answer.body.error.fields).to.have.property(field);
    }
  });

  it("answers the provider's refusal, without its text", async () => {
    world.ads.fail(refusing(400, { group: "queryError", value: "UNRECOGNIZED_FIELD", message: "Secret prose" }, "r-1"));
    const { status, body, text } = await run("SELECT campaign.id FROM campaign");
    expect([status, body.error.code]).to.deep.equal([422, "ads_platform_query"]);
    expect(body.error.details).to.deep.equal({
      provider_error_code: "queryError.UNRECOGNIZED_FIELD",
      provider_request_id: "r-1",
    });
    expect(text).not.to.include("prose");
  });
});
