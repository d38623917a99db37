import { expect } from "chai";
import {
  type Advertiser,
  type AdvertisingWorld,
  advertiser,
  DEVELOPER_TOKEN,
  startAdvertising,
  writtenAccount,
} from "./advertising-world.ts";

const PATH = "/ads-platform/settings";
const TOKEN = "own-developer-token-22";

describe("/ads-platform/settings (marketing-ads §3.1)", () => {
  let world: AdvertisingWorld;
  let own: Advertiser;
  before(async () => {
    world = await startAdvertising();
  });
  beforeEach(async () => {
    world.reset();
    own = await advertiser(world);
  });
  afterEach(() => expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]));
  after(() => world.stop());

  const put = (body: object) => own.owner.put(PATH, body);
  const lines = async () => {
    const { rows } = await world.service.sql.query(
      "select action, payload from activity where organisation_id = $1 and entity_type = 'ads_settings' order by id",
      [own.tenant.organisation.id],
    );
    return rows;
  };

  it("are as by default before they are saved", async () => {
    expect((await own.owner.get(PATH)).body).to.deep.equal({
      developer_token_configured: false,
      env_token_configured: true,
      default_login_customer_id: null,
      writes_enabled: true,
    });
  });

  it("never answer the developer token, keep it where it is absent or blank, and remove it with null", async () => {
    const first = await put({ developer_token: `  ${TOKEN} ` });
    expect(first.status).to.equal(200);
    expect(first.text).not.to.include(TOKEN);
    expect(first.body.developer_token_configured).to.equal(true);
    for (const body of [{}, { developer_token: "" }, { developer_token: "   " }])
      expect((await put(body)).body.developer_token_configured, JSON.stringify(body)).to.equal(true);
    expect((await put({ developer_token: null })).body.developer_token_configured).to.equal(false);
  });

  it("call with the organisation's token, trimmed, before that of marketing and the instance's (§2.4)", async () => {
    const account = await writtenAccount(world.service, own);
    world.ads.state.developerTokens.clear();
    const ofMarketing = "a-marketing-token-of22";
    for (const token of [TOKEN, ofMarketing]) world.ads.state.developerTokens.add(token);
    expect((await own.owner.put("/marketing/settings", { ads_developer_token: ofMarketing })).status).to.equal(200);
    await put({ developer_token: `  ${TOKEN} ` });
    expect((await own.owner.post(`/ads-platform/accounts/${account}/verify`)).body.status).to.equal("active");
    await put({ developer_token: null });
    expect((await own.owner.post(`/ads-platform/accounts/${account}/verify`)).body.status).to.equal("active");
    await world.service.sql.query("update marketing_settings set ads_developer_token = null where organisation_id = $1", [
      own.tenant.organisation.id,
    ]);
    world.ads.state.developerTokens.add(DEVELOPER_TOKEN);
    expect((await own.owner.post(`/ads-platform/accounts/${account}/verify`)).body.status).to.equal("active");
    expect(world.ads.received.map(({ headers }) => headers["developer-token"])).to.deep.equal([
      TOKEN,
      ofMarketing,
      DEVELOPER_TOKEN,
    ]);
  });

  it("store the manager's ten digits, and refuse any other id", async () => {
    expect((await put({ default_login_customer_id: "123-456-7890" })).body.default_login_customer_id).to.equal("1234567890");
    expect((await put({})).body.default_login_customer_id).to.equal("1234567890");
    for (const id of ["none", "123456789", "12345678901"]) {
      const { status, body } = await put({ default_login_customer_id: id });
      const fields = { default_login_customer_id: "errors.ads_platform_customer_id_invalid" };
      expect([status, body.error.fields], id).to.deep.equal([422, fields]);
    }
    expect((await put({ default_login_customer_id: null })).body.default_login_customer_id).to.equal(null);
  });

  it("record the names of changed settings, never a value, and nothing without a change", async () => {
    await put({ developer_token: TOKEN, default_login_customer_id: "1234567890", writes_enabled: false });
    await put({ developer_token: TOKEN, default_login_customer_id: "123-456-7890", writes_enabled: false });
    await put({ writes_enabled: true });
    expect(await lines()).to.deep.equal([
      {
        action: "ads.settings_changed",
        payload: { changed: ["default_login_customer_id", "developer_token", "writes_enabled"] },
      },
      { action: "ads.settings_changed", payload: { changed: ["writes_enabled"] } },
    ]);
  });

  it("are the administrators'", async () => {
    const member = await own.tenant.member("member");
    expect((await member.get(PATH)).status).to.equal(403);
    expect((await member.put(PATH, {})).status).to.equal(403);
    expect((await (await own.tenant.member("admin")).get(PATH)).status).to.equal(200);
  });
});
