import { expect } from "chai";
import { addDays, eachDay } from "../../../core/calendar/dates.ts";
import { comparedSpan } from "../../../core/calendar/named-spans.ts";
import { todayIn } from "../../../core/calendar/zones.ts";
import { newId } from "../../../core/database/model.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { fire } from "../../support/jobs.ts";
import {
  type Advertiser,
  type AdvertisingWorld,
  advertiser,
  startAdvertising,
  writtenAccount,
} from "../advertising/advertising-world.ts";
import { ok, type Row } from "./reporting-world.ts";
import { type Gathering, gathered, printed, rowsOf, valuesOf } from "./sections-world.ts";

const PERFORMANCE = "ads.performance";
const CHANGES = "ads.changes";
const SPAN = { from: "2026-07-01", to: "2026-07-31" };
const SYNCED = { last_synced_at: "2026-08-02T05:15:00Z" };

describe("sections of a report from the advertising mirror (workspace-reporting §1.3, S28)", () => {
  let world: AdvertisingWorld;
  let own: Advertiser;
  let company: string;
  before(async () => {
    world = await startAdvertising();
    await jobsOf(world.service.node.broker).ready();
  });
  beforeEach(async () => {
    world.reset();
    await world.service.sql.query("update ads_accounts set active = false");
    own = await advertiser(world);
    company = (await own.tenant.company()).id;
  });
  afterEach(() => expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]));
  after(() => world.stop());

  const gathering = (more: Partial<Gathering> = {}): Gathering => ({ company, span: SPAN, ...more });
  const section = (key: string, more?: Partial<Gathering>) => printed(own.tenant, key, gathering(more));
  const nothing = async (key: string, more?: Partial<Gathering>) => (await gathered(own.tenant, key, gathering(more))).data;
  const written = (values: Record<string, unknown> = {}) =>
    writtenAccount(world.service, own, { company_id: company, currency_code: "EUR", ...values });
  const another = (values: Record<string, unknown> = {}) =>
    writtenAccount(
      world.service,
      { ...own, customer: world.ads.state.customer({ descriptiveName: "Café" }) },
      {
        company_id: company,
        currency_code: "EUR",
        ...values,
      },
    );
  /** Stores the same figures for each day of a span, of the account and one campaign of it. */
  async function store(account: string, from: string, to: string, clicks = 2, campaign = "Bread"): Promise<void> {
    for (const [dimension, item, name] of [
      ["account", "", null],
      ["campaign", "7", campaign],
    ])
      await world.service.sql.query(
        `insert into ads_days (organisation_id, account_id, dimension, day, item, item_name, impressions, clicks, cost_micros, conversions,
            conversions_value, all_conversions)
          select $1, $2, $3, d, $4, $5, $6, $7, $8, 0.1, 2.5, 0.2 from generate_series($9::date, $10::date, interval '1 day') d`,
        [own.tenant.organisation.id, account, dimension, item, name, clicks * 10, clicks, clicks * 625_000, from, to],
      );
  }
  const trend = (account: string, { from, to }: { from: string; to: string }): Promise<Row> =>
    ok(own.owner.get(`/ads-platform/accounts/${account}/trend?date_from=${from}&date_to=${to}`));
  const change = (account: string, at: string, values: Record<string, unknown> = {}) =>
    world.service.sql.query(
      `insert into ads_changes (organisation_id, account_id, changed_at, resource_name, operation, resource_type, user_email, client_type,
          campaign, changed_fields)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        ...[own.tenant.organisation.id, account, at, `customers/1/campaigns/${at}`, values["operation"] ?? "UPDATE"],
        ...[values["type"] ?? "CAMPAIGN", "by" in values ? values["by"] : "noor@example.com", "GOOGLE_ADS_WEB_CLIENT"],
        ...["customers/1/campaigns/7", values["fields"] ?? "status,cpcBidMicros"],
      ],
    );
  /** The totals of a section are those of the account's trend; ratios are printed as percentages. */
  function expectTrend(totals: Parameters<typeof valuesOf>[0], { totals: now, previous_totals: before }: Row): void {
    expect(totals).not.to.have.length(0);
    for (const { key, kind, value, before: earlier } of totals) {
      const scaled = (figure: number | null) =>
        figure === null ? null : Number((figure * (kind === "percent" ? 100 : 1)).toFixed(6));
      expect([value, earlier], key).to.deep.equal([scaled(now[key]), scaled(before[key])]);
    }
  }

  it("print nothing without accounts, before anything was mirrored, and without figures", async () => {
    expect([await nothing(PERFORMANCE), await nothing(CHANGES)]).to.deep.equal([null, null]);
    const account = await written();
    expect([await nothing(PERFORMANCE), await nothing(CHANGES)]).to.deep.equal([null, null]);
    await store(account, "2026-07-01", "2026-07-31", 0);
    await world.service.sql.query("update ads_days set conversions = 0, conversions_value = 0 where account_id = $1", [account]);
    await world.service.sql.query("update ads_accounts set last_synced_at = $2 where id = $1", [account, SYNCED.last_synced_at]);
    expect([await nothing(PERFORMANCE), await nothing(CHANGES)]).to.deep.equal([null, null]);
  });

  it("print the figures stored by the mirror's jobs, as in the account's trend", async () => {
    const today = todayIn("Europe/Amsterdam", Date.now(), "UTC");
    const span = { from: addDays(today, -10), to: addDays(today, -1) };
    const before = comparedSpan(span, "year");
    for (const [id, name] of [
      ["1", "Bread"],
      ["2", "Cakes"],
    ] as const) {
      const campaign = own.customer.put("campaign", `campaigns/${id}`, { id, name });
      for (const date of [...eachDay(span.from, span.to), ...eachDay(before.from, before.to)])
        own.customer.measured(
          "campaign",
          campaign,
          { date, device: "MOBILE" },
          { impressions: 100 * Number(id), clicks: Number(date.slice(8)), costMicros: 1_333_333n, conversions: 0.1 },
        );
    }
    own.customer.put("change_event", "changeEvents/1~2~3", {
      changeDateTime: `${addDays(today, -1)} 10:11:12.123456`,
      changeResourceName: `${own.customer.resourceName}/campaigns/2`,
      changeResourceType: "CAMPAIGN",
      resourceChangeOperation: "UPDATE",
      clientType: "GOOGLE_ADS_WEB_CLIENT",
      userEmail: "someone@example.com",
      campaign: `${own.customer.resourceName}/campaigns/2`,
      changedFields: "status",
    });
    const account = await written();
    await fire(world.service, "ads.accounts.nightly");
    const read = await trend(account, span);
    const data = await section(PERFORMANCE, { span });
    expectTrend(data.totals, read);
    expect(data.totals.map(({ key }) => key)).to.include.members(["cost", "clicks", "ctr", "cost_per_conversion"]);
    expect(data.currency).to.equal("EUR");
    expect(rowsOf(data).map(({ campaign, cost, clicks }) => [campaign, cost, clicks])).to.deep.equal(
      read["breakdown"].map((row: Row) => [row["campaign_name"], row["cost"], row["clicks"]]),
    );
    expect(data.series?.points.map(({ value }) => value)).to.deep.equal(read["series"].map(({ metrics }: Row) => metrics.clicks));
    expect(data.series?.points.every(({ before: earlier }) => earlier !== null)).to.equal(true);
    const changes = await section(CHANGES, { span, audience: "internal" });
    expect(valuesOf(changes.totals)).to.deep.equal({ changes: [1, null] });
    expect(rowsOf(changes)).to.have.length(1);
    expect(rowsOf(changes)[0]).to.include({
      campaign: "Cakes",
      operation: "Changed",
      what: "Campaign",
      by: "someone@example.com",
    });
  });

  it("have each account as a part, or all accounts in one, and leave excluded and hidden ones out", async () => {
    const [bakery, cafe] = [await written(), await another()];
    await store(bakery, "2026-07-01", "2026-07-31", 2, "Bread");
    await store(bakery, "2025-07-01", "2025-07-31", 1, "Bread");
    await store(cafe, "2026-07-01", "2026-07-31", 3, "Coffee");
    const split = await section(PERFORMANCE);
    expect(split.table).to.equal(undefined);
    expect(split.parts?.map(({ name }) => name)).to.deep.equal(["Bakery", "Café"]);
    expectTrend(split.parts?.[0]?.totals ?? [], await trend(bakery, SPAN));
    const { totals } = await trend(cafe, SPAN);
    // Nothing is stored of the café's previous year: there is no comparison, where the trend has zeros.
    for (const { key, kind, value, before } of split.parts?.[1]?.totals ?? [])
      expect([value, before], key).to.deep.equal([Number((totals[key] * (kind === "percent" ? 100 : 1)).toFixed(6)), null]);
    const marketing = `/marketing/companies/${company}/settings`;
    await ok(own.owner.put(marketing, { report: { split: "combined" } }));
    const whole = await section(PERFORMANCE);
    expect(whole.parts).to.equal(undefined);
    // Days of one account are missing, so that all of them together have no comparison either.
    expect(valuesOf(whole.totals)["clicks"]).to.deep.equal([155, null]);
    expect(whole.totals).to.deep.equal(split.totals);
    expect(rowsOf(whole).map(({ campaign }) => campaign)).to.deep.equal(["Coffee", "Bread"]);
    const link = newId();
    await world.service.sql.query(
      `insert into marketing_links (id, organisation_id, company_id, source, external_id, display_name)
        select $1, organisation_id, company_id, 'gads', customer_id, 'Café' from ads_accounts where id = $2`,
      [link, cafe],
    );
    await ok(own.owner.put(marketing, { report: { split: "combined", exclude: [link] } }));
    expect(valuesOf((await section(PERFORMANCE)).totals)["clicks"]).to.deep.equal([62, 31]);
    await ok(own.owner.put(marketing, { report: null, layout: { sources: { gads: { hidden: true } } } }));
    expect([await nothing(PERFORMANCE), await nothing(CHANGES)]).to.deep.equal([null, null]);
  });

  it("never add amounts of several currencies up", async () => {
    const [bakery, cafe] = [await written(), await another({ currency_code: "USD" })];
    await store(bakery, "2026-07-01", "2026-07-31");
    await store(cafe, "2026-07-01", "2026-07-31");
    await ok(own.owner.put(`/marketing/companies/${company}/settings`, { report: { split: "combined" } }));
    const data = await section(PERFORMANCE);
    expect(data.currency).to.equal(null);
    expect(data.totals.map(({ key }) => key)).to.deep.equal(["impressions", "clicks", "ctr", "conversions", "conversion_rate"]);
    expect(data.parts?.map(({ totals, table }) => [totals[0]?.label.en, table?.columns[1]?.label.nl])).to.deep.equal([
      ["Cost (EUR)", "Kosten (EUR)"],
      ["Cost (USD)", "Kosten (USD)"],
    ]);
  });

  it("have the 8 dearest campaigns", async () => {
    const account = await written();
    await store(account, "2026-07-01", "2026-07-31", 100, "C0");
    for (let id = 11; id <= 20; id++)
      await world.service.sql.query(
        `insert into ads_days (organisation_id, account_id, dimension, day, item, item_name, impressions, clicks, cost_micros, conversions,
            conversions_value, all_conversions) values ($1, $2, 'campaign', '2026-07-02', $3, $4, 10, 1, $5, 0, 0, 0)`,
        [own.tenant.organisation.id, account, String(id), `C${id}`, id * 1_000_000],
      );
    const alone = await section(PERFORMANCE);
    const campaigns = rowsOf(alone).map(({ campaign }) => campaign);
    expect(alone.table).to.have.property("total_rows", 11);
    expect(campaigns).to.deep.equal(["C0", "C20", "C19", "C18", "C17", "C16", "C15", "C14"]);
    // Of several accounts together 8 as well.
    await store(await another(), "2026-07-01", "2026-07-31", 50, "Coffee");
    await ok(own.owner.put(`/marketing/companies/${company}/settings`, { report: { split: "combined" } }));
    const both = await section(PERFORMANCE);
    const together = rowsOf(both).map(({ campaign }) => campaign);
    expect(both.table).to.have.property("total_rows", 12);
    expect(together).to.deep.equal(["C0", "Coffee", "C20", "C19", "C18", "C17", "C16", "C15"]);
  });

  it("say up to which day an account was mirrored, and fail where days before it are missing", async () => {
    const account = await written();
    await store(account, "2026-07-01", "2026-07-20");
    const data = await section(PERFORMANCE);
    expect(data.final_until).to.equal("2026-07-20");
    expect(data.series?.points.slice(19, 21).map(({ value }) => value)).to.deep.equal([2, null]);
    const failure = (key: string, span: Gathering["span"]) =>
      nothing(key, { span }).then(String, (error: Error) => error.message);
    expect(await failure(PERFORMANCE, { from: "2026-07-21", to: "2026-07-31" })).to.equal("ads.warning.days_not_synced");
    await world.service.sql.query("delete from ads_days where account_id = $1 and day = '2026-07-05'", [account]);
    expect(await failure(PERFORMANCE, SPAN)).to.equal("ads.warning.days_not_synced");
    await world.service.sql.query("update ads_accounts set last_synced_at = '2026-06-30T12:00:00Z' where id = $1", [account]);
    expect(await failure(CHANGES, SPAN)).to.equal("ads.warning.days_not_synced");
  });

  it("have the 25 newest changes of the span in words, and how many there were", async () => {
    const account = await written(SYNCED);
    await store(account, "2026-07-01", "2026-07-31");
    await change(account, "2026-06-30 23:59:59");
    await change(account, "2026-08-01 00:00:00");
    for (let day = 1; day <= 28; day++) await change(account, `2026-07-${String(day).padStart(2, "0")} 09:30:00`);
    await change(account, "2026-07-31 23:59:59", { operation: "REMOVE", type: "SOME_THING", by: null });
    const data = await section(CHANGES, { audience: "internal", mode: "previous", locale: "nl" });
    expect(valuesOf(data.totals)).to.deep.equal({ changes: [29, 1] });
    expect(rowsOf(data)).to.have.length(25);
    expect(data.table).to.have.property("total_rows", 29);
    expect(rowsOf(data).slice(0, 2)).to.deep.equal([
      {
        changed_at: "31 jul 2026, 23:59",
        what: "some thing",
        operation: "Verwijderd",
        fields: "status, cpc bid micros",
        campaign: "Bread",
        by: "google ads web client",
      },
      {
        changed_at: "28 jul 2026, 09:30",
        what: "Campagne",
        operation: "Gewijzigd",
        fields: "status, cpc bid micros",
        campaign: "Bread",
        by: "noor@example.com",
      },
    ]);
    expect(data.final_until).to.equal(null);
    const cafe = await another(SYNCED);
    await change(cafe, "2026-07-30 09:00:00");
    expect(
      rowsOf(await section(CHANGES))
        .slice(0, 2)
        .map(({ account: name }) => name),
    ).to.deep.equal(["Bakery", "Café"]);
  });

  it("take the same number of statements for one account and for ten", async () => {
    const count = async (key: string) => (await gathered(own.tenant, key, gathering())).statements;
    const account = await written(SYNCED);
    await store(account, "2026-07-01", "2026-07-31");
    await change(account, "2026-07-02 09:00:00");
    const one = [await count(PERFORMANCE), await count(CHANGES)];
    for (let more = 0; more < 9; more++) await store(await another(SYNCED), "2026-07-01", "2026-07-31");
    expect([await count(PERFORMANCE), await count(CHANGES)]).to.deep.equal(one);
    expect(one).to.deep.equal([4, 3]);
  });

  it("are of the client alone", async () => {
    const account = await written();
    await store(account, "2026-07-01", "2026-07-31");
    const other = (await own.tenant.company()).id;
    expect(await nothing(PERFORMANCE, { company: other })).to.equal(null);
  });
});
