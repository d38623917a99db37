import { expect } from "chai";
import type { Tenant } from "../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../clients/companies/company-records.ts";
import { type StoredWorld, storedWorld } from "./stored-world.ts";

const PATH = "/marketing/settings";
const RANKINGS = {
  source: "auto",
  limit: 25,
  min_impressions: 10,
  max_position: 25,
  grouped: true,
  show_landing_pages: true,
};
const DEFAULTS = {
  ads_developer_token_configured: false,
  env_ads_token_configured: false,
  seranking_api_key_configured: false,
  default_compare: "year",
  rankings: RANKINGS,
  report: { split: "per_website", exclude: [] },
};

describe("/marketing/settings (marketing-ads §2.4)", () => {
  let world: StoredWorld;
  let tenant: Tenant;
  before(async () => {
    world = await storedWorld("2026-08-10");
  });
  beforeEach(async () => {
    tenant = await world.tenant();
  });
  after(() => world.stop());

  const put = (body: object, headers = {}) => tenant.owner.put(PATH, body, { headers });
  const stored = async () =>
    (await world.sql.query("select * from marketing_settings where organisation_id = $1", [tenant.organisation.id])).rows;

  it("are the defaults before they were first saved", async () => {
    const { status, body } = await tenant.owner.get(PATH);
    expect([status, body]).to.deep.equal([200, DEFAULTS]);
    expect(await stored()).to.have.length(0);
  });

  it("are read, and not changed, by a member who sees some clients only", async () => {
    const restricted = await tenant.member("admin");
    await tenant.group("Some", [(await tenant.company()).id], [restricted.membershipId]);
    expect((await restricted.put(PATH, { default_compare: "previous" })).status).to.equal(403);
    expect((await restricted.get(PATH)).body.default_compare).to.equal("year");
  });

  it("keep omitted fields, and merge objects", async () => {
    expect(
      (await put({ default_compare: "previous", rankings: { limit: 200 }, report: { split: "combined" } })).body,
    ).to.deep.equal({
      ...DEFAULTS,
      default_compare: "previous",
      rankings: { ...RANKINGS, limit: 200 },
      report: { split: "combined", exclude: [] },
    });
    expect((await put({ rankings: { source: "off", min_impressions: 0 } })).body.rankings).to.deep.equal({
      ...RANKINGS,
      limit: 200,
      source: "off",
      min_impressions: 0,
    });
    expect((await put({})).body).to.deep.include({ default_compare: "previous", report: { split: "combined", exclude: [] } });
    expect((await put({ rankings: { limit: null }, default_compare: null, report: null })).body).to.deep.equal({
      ...DEFAULTS,
      rankings: { ...RANKINGS, source: "off", min_impressions: 0 },
    });
  });

  it("keep a secret that is absent, null or empty, and never show it", async () => {
    const first = await put({ ads_developer_token: "a-developer-token", seranking_api_key: "a-seranking-key" });
    expect(first.body).to.deep.equal({ ...DEFAULTS, ads_developer_token_configured: true, seranking_api_key_configured: true });
    const [before] = await stored();
    const second = await put({ ads_developer_token: "", seranking_api_key: null, default_compare: "previous" });
    expect(second.body).to.deep.include({ ads_developer_token_configured: true, seranking_api_key_configured: true });
    const [row] = await stored();
    expect(row.ads_developer_token).to.equal(before.ads_developer_token).and.to.match(/^v1\./);
    const trail = await trailOf(world.sql, "marketing_settings", row.id);
    expect(trail.map(({ action }) => action)).to.deep.equal(["created", "updated"]);
    await put({ seranking_api_key: "another-seranking-key" });
    const lines = await trailOf(world.sql, "marketing_settings", row.id);
    expect(lines.at(-1)?.payload.changes).to.deep.equal({ seranking_api_key: { from: "***", to: "***" } });
    for (const text of [first.text, second.text, JSON.stringify(await stored()), JSON.stringify(lines)])
      expect(text).not.to.match(/a-developer-token|a-seranking-key|another-seranking-key/);
  });

  it("count a secret that cannot be decrypted as not configured", async () => {
    await put({ seranking_api_key: "a-seranking-key" });
    // A text that was sealed for another column.
    const other = "update marketing_settings set seranking_api_key = ads_developer_token where organisation_id = $1";
    await put({ ads_developer_token: "a-developer-token" });
    await world.sql.query(other, [tenant.organisation.id]);
    expect((await tenant.owner.get(PATH)).body.seranking_api_key_configured).to.equal(false);
  });

  it("record a change once, and nothing where nothing changes", async () => {
    await put({ default_compare: "previous" });
    const again = await put({ default_compare: "previous", rankings: {}, ads_developer_token: "" });
    expect(again.status).to.equal(200);
    const [row] = await stored();
    expect(row.version).to.equal(1);
    expect(await trailOf(world.sql, "marketing_settings", row.id)).to.have.length(1);
    await put({ default_compare: "year" });
    const [, line] = await trailOf(world.sql, "marketing_settings", row.id);
    expect(line?.payload.changes).to.deep.equal({ default_compare: { from: "previous", to: "year" } });
  });

  for (const [what, body, field] of [
    ["an unknown comparison", { default_compare: "week" }, "default_compare"],
    ["a limit of 0", { rankings: { limit: 0 } }, "limit"],
    ["a limit of 201", { rankings: { limit: 201 } }, "limit"],
    ["impressions below 0", { rankings: { min_impressions: -1 } }, "min_impressions"],
    ["impressions over 10,000", { rankings: { min_impressions: 10_001 } }, "min_impressions"],
    ["a position below 3", { rankings: { max_position: 2 } }, "max_position"],
    ["a position over 100", { rankings: { max_position: 101 } }, "max_position"],
    ["an unknown ranking source", { rankings: { source: "bing" } }, "source"],
    ["an unknown split", { report: { split: "none" } }, "split"],
    ["links to exclude, which are a client's", { report: { exclude: ["00000000-0000-4000-8000-000000000000"] } }, "exclude"],
    ["a token of 1025 characters", { ads_developer_token: "x".repeat(1025) }, "ads_developer_token"],
    ["a key of 1025 characters", { seranking_api_key: "x".repeat(1025) }, "seranking_api_key"],
  ] as [string, object, string][])
    it(`refuse ${what}`, async () =>
      expect(refusalOf(await put(body))).to.deep.equal(invalidOn({ [field]: "errors.validation" })));

  it("are written only while the tag of If-Match holds", async () => {
    const tag = (await tenant.owner.get(PATH)).headers["etag"] as string;
    expect((await put({ default_compare: "previous" }, { "if-match": tag })).status).to.equal(200);
    expect((await put({ default_compare: "year" }, { "if-match": tag })).status).to.equal(412);
    expect((await tenant.owner.get(PATH)).body.default_compare).to.equal("previous");
  });

  it("are saved once by two first writes at the same time", async () => {
    const answers = await Promise.all([put({ default_compare: "previous" }), put({ rankings: { limit: 7 } })]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect((await tenant.owner.get(PATH)).body).to.deep.include({
      default_compare: "previous",
      rankings: { ...RANKINGS, limit: 7 },
    });
  });

  it("are for those who manage links", async () => {
    const member = await tenant.member("member");
    expect((await member.get(PATH)).status).to.equal(403);
    expect((await member.put(PATH, {})).status).to.equal(403);
  });
});
