import { expect } from "chai";
import pg from "pg";
import { until } from "../../support/jobs.ts";
import { AdvertisedAccount, sentWrites, startWrites, type WritesWorld } from "./writes-world.ts";

const TOO_LARGE = "ads_platform_budget_increase_too_large";

describe("ceilings of budgets at the advertising provider (marketing-ads §3.8)", () => {
  let world: WritesWorld;
  let account: AdvertisedAccount;
  before(async () => {
    world = await startWrites();
  });
  beforeEach(async () => {
    world.reset();
    account = await AdvertisedAccount.make(world);
    await account.policy({ max_budget_increase_pct: 0.4 });
  });
  afterEach(() => expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]));
  after(() => world.stop());

  const change = async (amount: number, id = "11"): Promise<unknown[]> => {
    const { status, body } = await account.call("PATCH", `budgets/${id}`, { amount });
    return status === 200 ? [200] : [status, body.error.code, body.error.details?.limit];
  };
  const hoursPass = (hours: number) =>
    world.service.sql.query("update ads_intents set created_at = created_at - make_interval(hours => $1)", [hours]);

  it("count from the amount of 24 hours ago: not through zero, nor in many small steps", async () => {
    expect(await change(0)).to.deep.equal([200]);
    expect(await change(150)).to.deep.equal([422, TOO_LARGE, 14]);
    for (const amount of [12, 13, 14]) expect(await change(amount)).to.deep.equal([200]);
    expect(await change(14.01)).to.deep.equal([422, TOO_LARGE, 14]);
    for (const amount of [3, 14, 9]) expect(await change(amount), "down, and back again").to.deep.equal([200]);
    expect((await account.call("PATCH", "budgets/11", { amount: 15, validate_only: true })).status, "a validation too").to.equal(
      422,
    );
    await hoursPass(23);
    expect(await change(15)).to.deep.equal([422, TOO_LARGE, 14]);
    await hoursPass(2);
    expect(await change(12.61)).to.deep.equal([422, TOO_LARGE, 12.6]);
    expect(await change(12.6)).to.deep.equal([200]);
  });

  it("count from the last amount above zero, and from the one a new budget was created with", async () => {
    expect(await change(0)).to.deep.equal([200]);
    await hoursPass(48);
    expect(await change(15)).to.deep.equal([422, TOO_LARGE, 14]);
    const made = await account.call("POST", "budgets", { name: "New", amount: 20 });
    const id = made.body.results[0].resource_name.split("/").at(-1);
    for (const amount of [25, 28]) expect(await change(amount, id)).to.deep.equal([200]);
    expect(await change(29, id)).to.deep.equal([422, TOO_LARGE, 28]);
  });

  for (const [name, method, tail, body, lowered, code] of [
    ["budget", "PATCH", "budgets/11", { amount: 12 }, { max_daily_budget: 11 }, "ads_platform_budget_over_ceiling"],
    [
      "bid",
      "PATCH",
      "keywords",
      { ad_group_id: "3", criterion_id: "5", cpc_bid: 2 },
      { max_cpc: 1 },
      "ads_platform_bid_over_ceiling",
    ],
  ] as const)
    it(`that were lowered while the provider is read hold for a ${name}`, async () => {
      let release = () => {};
      world.ads.fail({ kind: "wait", until: new Promise<void>((done) => (release = done)) });
      const writing = account.call(method, tail, body);
      await until(() => world.ads.received.length > 0);
      await account.policy(lowered);
      release();
      const { status, body: answer } = await writing;
      expect([status, answer.error?.code]).to.deep.equal([422, code]);
      expect([sentWrites(world), await account.intents()]).to.deep.equal([[], []]);
    });

  it("are lowered after the intents that are being committed, and hold for every later one", async () => {
    const { sql, database } = world.service;
    const held = new pg.Client({ connectionString: database.owner });
    await held.connect();
    const waiting = async (locktype: string) =>
      ((await sql.query("select 1 from pg_locks where not granted and locktype = $1", [locktype])).rowCount ?? 0) > 0;
    try {
      await held.query("begin");
      await held.query("lock table ads_intents in share row exclusive mode");
      const writing = change(12);
      // Its intent was allowed, and cannot be stored yet.
      await until(() => waiting("relation"));
      const lowering = account.own.owner.put("/ads-platform/policy", { max_daily_budget: 11 });
      await until(() => waiting("advisory"));
      await held.query("commit");
      expect([await writing, (await lowering).status]).to.deep.equal([[200], 200]);
    } finally {
      await held.end();
    }
    expect(await change(13)).to.deep.equal([422, "ads_platform_budget_over_ceiling", 11]);
  });
});
