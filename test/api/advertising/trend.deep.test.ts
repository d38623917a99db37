import { expect } from "chai";
import sinon from "sinon";
import { addDays, eachDay } from "../../../core/calendar/dates.ts";
import { todayIn } from "../../../core/calendar/zones.ts";
import { type Advertiser, type AdvertisingWorld, advertiser, startAdvertising, writtenAccount } from "./advertising-world.ts";

describe("GET /ads-platform/accounts/{id}/trend (marketing-ads §3.6)", () => {
  let world: AdvertisingWorld;
  let own: Advertiser;
  let account: string;
  before(async () => {
    world = await startAdvertising();
  });
  beforeEach(async () => {
    world.reset();
    own = await advertiser(world);
    account = await writtenAccount(world.service, own, { currency_code: "USD" });
  });
  afterEach(() => {
    sinon.restore();
    expect(world.ads.received).to.deep.equal([]);
  });
  after(() => world.stop());

  /** Stores the same figures for each day of a span. */
  const store = (
    from: string,
    to: string,
    values: { clicks?: number; micros?: string; dimension?: string; item?: string; name?: string } = {},
  ) =>
    world.service.sql.query(
      `insert into ads_days (organisation_id, account_id, dimension, day, item, item_name, impressions, clicks, cost_micros, conversions,
          conversions_value, all_conversions)
        select $1, $2, $3, d, $4, $5, $6, $7, $8, 0.1, 2.5, 0.2 from generate_series($9::date, $10::date, interval '1 day') d`,
      [
        ...[own.tenant.organisation.id, account, values.dimension ?? "account", values.item ?? "", values.name ?? null],
        ...[(values.clicks ?? 2) * 10, values.clicks ?? 2, values.micros ?? "1250000", from, to],
      ],
    );
  const trend = async (query = "") => (await own.owner.get(`/ads-platform/accounts/${account}/trend${query}`)).body;
  const span = "?date_from=2026-07-01&date_to=2026-07-10";

  it("compares a period with the same days a year earlier, from stored figures, without a call", async () => {
    await store("2026-07-01", "2026-07-10");
    await store("2025-07-01", "2025-07-10", { clicks: 1, micros: "1000000" });
    await store("2026-07-01", "2026-07-10", { dimension: "campaign", item: "7", name: "Bread" });
    const body = await trend(span);
    expect(body.account).to.deep.include({ id: account, customer_id: own.customer.id, descriptive_name: "Bakery" });
    expect(body.period).to.deep.equal({ date_from: "2026-07-01", date_to: "2026-07-10", days: 10, token: null });
    expect(body.compared_with).to.deep.equal({ date_from: "2025-07-01", date_to: "2025-07-10", days: 10, token: null });
    expect(body).to.include({ compare_mode: "year", currency: "USD", missing_days: 0 });
    expect(body.totals).to.deep.equal({
      impressions: 200,
      clicks: 20,
      cost: 12.5,
      conversions: 1,
      conversions_value: 25,
      all_conversions: 2,
      ctr: 0.1,
      average_cpc: 0.63,
      conversion_rate: 0.05,
      cost_per_conversion: 12.5,
      value_per_conversion: 25,
    });
    expect(body.previous_totals).to.include({ clicks: 10, cost: 10 });
    expect(body.change.cost).to.deep.equal({ from: 10, to: 12.5, absolute: 2.5, relative: 0.25 });
    expect(body.series.map(({ date }: { date: string }) => date)).to.deep.equal(eachDay("2026-07-01", "2026-07-10"));
    expect(body.breakdown).to.deep.equal([{ campaign_id: "7", campaign_name: "Bread", ...body.totals }]);
    expect(body.warnings).to.deep.equal([]);
  });

  it("adds micros exactly", async () => {
    await store("2026-07-01", "2026-07-10", { micros: "900719925474099" });
    expect((await trend(span)).totals.cost).to.equal(9007199254.74);
  });

  it("compares with the previous days for `previous`, and with the year for any other word", async () => {
    expect((await trend(`${span}&compare=previous`)).compared_with).to.deep.include({
      date_from: "2026-06-21",
      date_to: "2026-06-30",
    });
    expect(await trend(`${span}&compare=never`)).to.include({ compare_mode: "year" });
  });

  it("breaks down by the 10 dearest campaigns, with their newest name", async () => {
    for (let id = 1; id <= 12; id++)
      await store("2026-07-01", "2026-07-01", { dimension: "campaign", item: String(id), micros: `${id}000000`, name: `C${id}` });
    await store("2026-07-02", "2026-07-02", { dimension: "campaign", item: "12", micros: "0", name: "Renamed" });
    const { breakdown } = await trend(span);
    expect(breakdown.map((one: { campaign_id: string }) => one.campaign_id)).to.deep.equal(
      Array.from({ length: 10 }, (_, at) => String(12 - at)),
    );
    expect(breakdown[0]).to.include({ campaign_name: "Renamed", cost: 12 });
  });

  it("counts and reports the days that are not stored; a future day is not counted", async () => {
    await store("2026-07-01", "2026-07-08");
    await store("2025-07-01", "2025-07-10");
    const short = await trend(span);
    expect(short).to.deep.include({ missing_days: 2, compared_missing_days: 0, change: {} });
    expect([short.previous_totals.clicks, short.warnings]).to.deep.equal([0, ["ads.warning.days_not_synced"]]);
    const future = await trend("?date_from=2099-01-01&date_to=2099-01-31");
    expect([future.missing_days, future.warnings]).to.deep.equal([0, ["ads.warning.period_not_final"]]);
  });

  it("counts and reports the days that are missing in the comparison, too: it says nothing of how far metrics moved", async () => {
    await store("2026-07-01", "2026-07-10");
    await store("2025-07-08", "2025-07-10");
    const warned = { warnings: ["ads.warning.days_not_synced"] };
    expect(await trend(span)).to.deep.include({ missing_days: 0, compared_missing_days: 7, ...warned });
    const previous = await trend(`${span}&compare=previous`);
    expect(previous).to.deep.include({ compared_missing_days: 10, change: {}, ...warned });
    expect(previous.previous_totals).to.include({ clicks: 0, cost: 0, ctr: null });
    await store("2025-07-01", "2025-07-07");
    expect(await trend(span)).to.deep.include({ missing_days: 0, compared_missing_days: 0, warnings: [] });
  });

  it("swaps reversed dates and keeps the last 400 days of a longer span", async () => {
    const { period, warnings } = await trend("?date_from=2026-07-10&date_to=2020-07-01");
    expect([period.date_to, period.days]).to.deep.equal(["2026-07-10", 400]);
    expect(warnings).to.include.members(["ads.warning.dates_swapped", "ads.warning.range_capped"]);
  });

  it("ends yesterday in the account's zone, from -11 to +14 and over both days of a clock change", async () => {
    const zones = ["Pacific/Pago_Pago", "America/New_York", "UTC", "Europe/Amsterdam", "Asia/Kolkata", "Pacific/Kiritimati"];
    for (const zone of zones) {
      await world.service.sql.query("update ads_accounts set time_zone = $2 where id = $1", [account, zone]);
      const yesterday = addDays(todayIn(zone, Date.now(), "UTC"), -1);
      const { period } = await trend("?period=30d");
      expect(period, zone).to.deep.equal({ date_from: addDays(yesterday, -29), date_to: yesterday, days: 30, token: "30d" });
    }
    await store("2026-03-28", "2026-03-30");
    await store("2025-10-25", "2025-10-27");
    for (const [from, to] of [
      ["2026-03-28", "2026-03-30"],
      ["2025-10-25", "2025-10-27"],
    ] as const) {
      const body = await trend(`?date_from=${from}&date_to=${to}`);
      expect([body.period.days, body.series.length, body.totals.clicks, body.missing_days]).to.deep.equal([3, 3, 6, 0]);
    }
  });

  it("answers in a fixed number of statements", async () => {
    const count = async (query: string) => (await own.owner.get(`/ads-platform/accounts/${account}/trend${query}`)).statements;
    const few = await count("?period=7d");
    await store("2025-07-11", "2026-08-09");
    expect(await count("?period=365d")).to.equal(few);
  });
});
