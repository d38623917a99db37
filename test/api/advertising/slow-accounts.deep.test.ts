import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { withDeadline } from "../../support/deadline.ts";
import { strike, until } from "../../support/jobs.ts";
import { type Advertiser, type AdvertisingWorld, advertiser, startAdvertising, writtenAccount } from "./advertising-world.ts";

/** Milliseconds that one request to the provider can take (marketing-ads §3.3). */
const LIMIT = 55_000;

describe("an advertising account that answers slower than the limit", function () {
  this.timeout(120_000);
  let world: AdvertisingWorld;
  let own: Advertiser;
  let ids: { slow: string; fine: string };
  before(async () => {
    world = await startAdvertising();
    await jobsOf(world.service.node.broker).ready();
  });
  beforeEach(async () => {
    world.reset();
    await world.service.sql.query("update ads_accounts set active = false");
    own = await advertiser(world);
    const fine = world.ads.state.customer({ descriptiveName: "Fine" });
    world.ads.state.let(own.person.subject, fine);
    const stamped = { backfilled_at: "2026-01-01T00:00:00Z" };
    ids = {
      slow: await writtenAccount(world.service, own, stamped),
      fine: await writtenAccount(world.service, { ...own, customer: fine }, stamped),
    };
    world.ads.failWhen(({ path }) => path.includes(`/customers/${own.customer.id}/`), { kind: "hang" });
  });
  afterEach(() => expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]));
  after(() => world.stop());

  const row = async (id: string) => (await world.service.sql.query("select * from ads_accounts where id = $1", [id])).rows[0];
  const requests = () => world.ads.received.filter(({ path }) => path.includes(`/customers/${own.customer.id}/`)).length;

  it("answers a read with 502 after three attempts, and another account's read is as ever", async () => {
    const read = (id: string) => own.owner.get(`/ads-platform/accounts/${id}/campaigns?period=7d`);
    const [slow, fine] = await withDeadline(LIMIT, () => Promise.all([read(ids.slow), read(ids.fine)]), 1_000);
    expect([slow.status, slow.body.error.code, slow.body.error.message]).to.deep.equal([
      502,
      "ads_platform_unreachable",
      "errors.ads_platform_unreachable",
    ]);
    expect([fine.status, fine.body.row_count, requests()]).to.deep.equal([200, 0, 3]);
  });

  it("has an error after its mirror run, and the other account is on time", async () => {
    await withDeadline(
      LIMIT,
      async () => {
        await strike(world.service, "ads.accounts.nightly");
        await until(async () => (await row(ids.slow)).status === "error" && (await row(ids.fine)).last_synced_at !== null);
      },
      1_000,
    );
    const [slow, fine] = [await row(ids.slow), await row(ids.fine)];
    expect([slow.last_error, slow.last_synced_at]).to.deep.equal(["there was no whole answer in time", null]);
    expect([fine.status, fine.last_error]).to.deep.equal(["active", null]);
    const { rows } = await world.service.sql.query(
      "select account_id, count(distinct day)::int >= 7 as is_week from ads_days where account_id = any($1) group by 1",
      [[ids.slow, ids.fine]],
    );
    expect(rows).to.deep.equal([{ account_id: ids.fine, is_week: true }]);
  });
});
