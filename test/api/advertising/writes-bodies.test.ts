import { expect } from "chai";
import { AdvertisedAccount, isWrite, sentWrites, startWrites, WRITES, type WritesWorld } from "./writes-world.ts";

describe("bodies and answers of writes at the advertising provider (marketing-ads §3.10)", () => {
  let world: WritesWorld;
  let account: AdvertisedAccount;
  before(async () => {
    world = await startWrites();
    world.reset();
    account = await AdvertisedAccount.make(world);
  });
  beforeEach(() => {
    world.mutations.reset();
    world.ads.received.length = 0;
  });
  afterEach(() => expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]));
  after(() => world.stop());

  it("refuse an unknown key with the nearest one, before any call", async () => {
    for (const one of WRITES.filter(({ method }) => method !== "DELETE")) {
      const { status, body } = await account.write(one, { validate_onyl: true });
      expect([status, body.error?.code, Object.keys(body.error?.fields ?? {})], one.name).to.deep.equal([
        422,
        "validation",
        ["validate_onyl"],
      ]);
      expect(body.error.details, one.name).to.deep.equal({ validate_onyl: "validate_only" });
    }
    const keywords = await account.call("POST", "keywords", {
      ad_group_id: "3",
      keywords: [{ text: "rye", match_typ: "EXACT" }],
    });
    expect([keywords.status, keywords.body.error.details]).to.deep.equal([422, { match_typ: "match_type" }]);
    expect([world.ads.received, await account.intents()]).to.deep.equal([[], []]);
  });

  it("ignore what the service sets itself, as every body does", async () => {
    const body = { name: "Set here", amount: 1, id: "1", created_at: "2001-01-01T00:00:00Z", version: 99 };
    expect((await account.call("POST", "budgets", body)).status).to.equal(201);
    expect((await account.call("PATCH", "campaigns/2", { name: "Bread", id: "7" })).status).to.equal(200);
    expect(sentWrites(world)[1].operations[0].updateMask).to.equal("name");
  });

  it("take null in an optional field of a creation as not sent", async () => {
    const body = { name: "Nulls", amount: 1, shared: null, validate_only: null };
    expect((await account.call("POST", "budgets", body)).status).to.equal(201);
    const keywords = [{ text: "nulls", match_type: null, cpc_bid: null }];
    expect((await account.call("POST", "keywords", { ad_group_id: "3", keywords })).status).to.equal(201);
  });

  it("take amounts as numbers and as text, as every module does", async () => {
    const sent: [method: string, tail: string, body: object][] = [
      ["POST", "budgets", { name: "Text", amount: "12.50" }],
      ["PATCH", "budgets/1", { amount: "10.29" }],
      ["POST", "ad-groups", { name: "Text", campaign_id: "2", cpc_bid: "0.75" }],
      ["PATCH", "ad-groups/3", { cpc_bid: "0.8" }],
      ["POST", "keywords", { ad_group_id: "3", keywords: [{ text: "text", cpc_bid: "0.5" }] }],
      ["PATCH", "keywords", { ad_group_id: "3", criterion_id: "5", cpc_bid: "0.6" }],
    ];
    for (const [method, tail, body] of sent) {
      const { status, text } = await account.call(method, tail, body);
      expect(status, `${tail}: ${text}`).to.be.oneOf([200, 201]);
    }
    const micros = world.mutations.carried.map(({ operation: { create, update } }) => {
      const values = create ?? update ?? {};
      return values["amountMicros"] ?? values["cpcBidMicros"];
    });
    expect(micros).to.deep.equal(["12500000", "10290000", "750000", "800000", "500000", "600000"]);
    for (const amount of ["1.0000001", "ten", "", "-1e99"])
      expect((await account.call("POST", "budgets", { name: "Wrong", amount })).body.error?.fields, amount).to.have.keys(
        "amount",
      );
    const policy = { max_daily_budget: "50.10", max_cpc: 2 };
    const { status, body } = await account.own.owner.put(account.path("policy"), policy);
    expect([status, body.max_daily_budget, body.max_cpc]).to.deep.equal([200, 50.1, 2]);
    const before = (await account.activity()).length;
    await account.policy({ max_daily_budget: "50.1", max_cpc: "2.00" });
    expect((await account.activity()).length, "the same amounts in another spelling").to.equal(before);
    await account.own.owner.delete(account.path("policy"));
  });

  it("count each row of a batch as applied, refused or skipped", async () => {
    await account.policy({ max_cpc: 1 });
    world.mutations.refuse((_, __, index) => (index === 1 ? { group: "criterionError", value: "INVALID_KEYWORD_TEXT" } : null));
    const keywords = [{ text: "counted a" }, { text: "counted b", cpc_bid: 2 }, { text: "counted c" }, { text: "counted d" }];
    const { body } = await account.call("POST", "keywords", { ad_group_id: "3", keywords });
    const refused = body.results.filter(({ ok }: { ok: boolean }) => !ok).length;
    expect([body.requested, body.applied, refused, body.skipped.length]).to.deep.equal([4, 2, 1, 1]);
    await account.own.owner.delete(account.path("policy"));
  });

  it("record a change under the name of its object, with its id in the payload", async () => {
    expect((await account.call("PATCH", "campaigns/2", { status: "ENABLED" })).status).to.equal(200);
    const [decision] = await account.decisions();
    expect(decision).to.deep.nested.include({ subject: "Bread", "payload.id": "2" });
    const list = { name: "Named", campaign_ids: ["2"] };
    expect((await account.call("POST", "negative-lists", list)).body.applied).to.equal(2);
    const [attached] = await account.decisions();
    expect(attached).to.deep.nested.include({ subject: "Bread", "payload.campaign_id": "2" });
  });

  it("list what runs or is unknown as open", async () => {
    const mend = world.ads.failWhen(isWrite, { kind: "lose" });
    const ids: string[] = [];
    for (const name of ["First", "Second"])
      ids.push((await account.call("POST", "budgets", { name, amount: 1 })).body.error.details.intent_id);
    mend();
    await world.service.sql.query("update ads_intents set state = 'pending' where id = $1", [ids[0]]);
    const listed = async (state: string) => (await account.decisions(`state=${state}`)).map(({ id }) => id);
    expect([await listed("open"), await listed("pending"), await listed("unknown")]).to.deep.equal([
      ids.toReversed(),
      ids.slice(0, 1),
      ids.slice(1),
    ]);
    expect((await account.call("GET", "decisions?state=opened")).status).to.equal(422);
  });
});
