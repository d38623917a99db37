import { expect } from "chai";
import sinon from "sinon";
import { addDays, eachDay } from "../../../core/calendar/dates.ts";
import { todayIn } from "../../../core/calendar/zones.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { refusing } from "../../simulators/google-ads/replies.ts";
import type { SimulatedCustomer } from "../../simulators/google-ads/state.ts";
import { fire, settled, until } from "../../support/jobs.ts";
import { type Advertiser, type AdvertisingWorld, advertiser, startAdvertising, writtenAccount } from "./advertising-world.ts";

const NIGHTLY = "ads.accounts.nightly";

describe("The mirror of advertising accounts (marketing-ads §3.11)", () => {
  let world: AdvertisingWorld;
  let own: Advertiser;
  before(async () => {
    world = await startAdvertising();
    await jobsOf(world.service.node.broker).ready();
  });
  beforeEach(async () => {
    world.reset();
    await world.service.sql.query("update ads_accounts set active = false");
    own = await advertiser(world);
  });
  afterEach(() => {
    sinon.restore();
    expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]);
  });
  after(() => world.stop());

  const today = (zone = "Europe/Amsterdam") => todayIn(zone, Date.now(), "UTC");
  const stamped = { backfilled_at: "2026-01-01T00:00:00Z" };
  /** One click and 1.25 a day and kind of device for each of these days. */
  const measure = (customer: SimulatedCustomer, days: readonly string[], micros = 1_250_000n) => {
    const campaign = customer.put("campaign", "campaigns/1", { id: "1", name: "Bread" });
    for (const date of days)
      for (const device of ["MOBILE", "DESKTOP"])
        customer.measured(
          "campaign",
          campaign,
          { date, device },
          { impressions: 10, clicks: 1, costMicros: micros, conversions: 0.1 },
        );
  };
  const stored = async (id: string, dimension = "account") => {
    const { rows } = await world.service.sql.query(
      `select day::text, item, item_name, impressions, clicks, cost_micros::text, conversions::text from ads_days
        where account_id = $1 and dimension = $2 order by day, item`,
      [id, dimension],
    );
    return rows;
  };
  const account = async (id: string) =>
    (await world.service.sql.query("select *, backfilled_from::text as chunk from ads_accounts where id = $1", [id])).rows[0];
  const spans = () =>
    world.ads
      .queries()
      .flatMap((query) => /FROM customer WHERE segments.date BETWEEN '(.*)' AND '(.*)'/.exec(query)?.slice(1, 3) ?? []);

  describe("at night", () => {
    it("reads the trailing 7 days of active accounts other than managers by account, campaign and device, exactly", async () => {
      const now = today();
      measure(own.customer, eachDay(addDays(now, -9), now), 9_007_199_254_740_993n);
      const id = await writtenAccount(world.service, own, stamped);
      const manager = world.ads.state.customer({ manager: true });
      await writtenAccount(world.service, { ...own, customer: manager }, { ...stamped, is_manager: true });
      const gone = world.ads.state.customer();
      await writtenAccount(world.service, { ...own, customer: gone }, { ...stamped, active: false });
      sinon.stub(Date.prototype, "getDay");
      await fire(world.service, NIGHTLY);
      const weekly = new Date(`${now}T00:00:00Z`).getUTCDay() === 0;
      const kept = (await stored(id)).filter(({ day }) => day >= addDays(now, -7));
      expect(kept).to.deep.equal(
        eachDay(addDays(now, -7), addDays(now, -1)).map((day) => ({
          day,
          item: "",
          item_name: null,
          impressions: "20",
          clicks: "2",
          cost_micros: "18014398509481986",
          conversions: "0.2",
        })),
      );
      expect(weekly ? 90 : 7).to.equal((await stored(id)).length);
      expect((await stored(id, "campaign")).at(-1)).to.include({ item: "1", item_name: "Bread", clicks: "2" });
      expect((await stored(id, "device")).slice(-2).map(({ item, clicks }) => [item, clicks])).to.deep.equal([
        ["DESKTOP", "1"],
        ["MOBILE", "1"],
      ]);
      expect(new Set(world.ads.calls().map((call) => call.split("/")[2]))).to.deep.equal(new Set([own.customer.id]));
      expect(await account(id)).to.deep.include({ status: "active", last_error: null });
      expect((await account(id)).last_synced_at).not.to.equal(null);
    });

    it("reads in halves where the days have more rows than one read returns, and each day once", async () => {
      const now = today();
      const days = eachDay(addDays(now, -7), addDays(now, -1));
      for (const id of ["1", "2", "3", "4"]) {
        const campaign = own.customer.put("campaign", `campaigns/${id}`, { id, name: `C${id}` });
        for (const date of days) own.customer.measured("campaign", campaign, { date }, { clicks: 1, costMicros: 1_000_000n });
      }
      world.ads.pageRows = 1;
      const id = await writtenAccount(world.service, own, stamped);
      await fire(world.service, NIGHTLY);
      expect(await account(id)).to.include({ status: "active", last_error: null });
      expect((await account(id)).last_synced_at).not.to.equal(null);
      expect((await stored(id)).slice(-7).map(({ day, clicks }) => [day, clicks])).to.deep.equal(days.map((day) => [day, "4"]));
      expect(await stored(id, "campaign")).to.have.length(28);
    });

    it("replaces restated rows, and keeps a row for an empty day", async () => {
      const now = today();
      const id = await writtenAccount(world.service, own, stamped);
      measure(own.customer, [addDays(now, -1), addDays(now, -2)]);
      await fire(world.service, NIGHTLY);
      own.customer.facts.length = 0;
      measure(own.customer, [addDays(now, -2)], 5_000_000n);
      await fire(world.service, NIGHTLY);
      expect((await stored(id)).slice(-2).map(({ day, cost_micros }) => [day, cost_micros])).to.deep.equal([
        [addDays(now, -2), "10000000"],
        [addDays(now, -1), "0"],
      ]);
      expect(await stored(id, "campaign")).to.have.length(1);
    });

    it("keeps changes once each, and a refused change log fails nothing (S3)", async () => {
      const now = today();
      measure(own.customer, [addDays(now, -1)]);
      const id = await writtenAccount(world.service, own, stamped);
      own.customer.put("change_event", "changeEvents/1~2~3", {
        changeDateTime: `${addDays(now, -1)} 10:11:12.123456`,
        changeResourceName: `${own.customer.resourceName}/campaigns/1`,
        changeResourceType: "CAMPAIGN",
        resourceChangeOperation: "UPDATE",
        clientType: "GOOGLE_ADS_WEB_CLIENT",
        userEmail: "someone@example.com",
        changedFields: "status",
      });
      const changes = async () =>
        (
          await world.service.sql.query(
            "select changed_at::text, operation, changed_fields from ads_changes where account_id = $1",
            [id],
          )
        ).rows;
      for (const _ of [1, 2]) {
        await fire(world.service, NIGHTLY);
        expect(await changes()).to.deep.equal([
          { changed_at: `${addDays(now, -1)} 10:11:12.123456`, operation: "UPDATE", changed_fields: "status" },
        ]);
      }
      await world.service.sql.query("delete from ads_days where account_id = $1", [id]);
      const mend = world.ads.failWhen(
        ({ body }) => body.includes("change_event"),
        refusing(400, { group: "changeEventError", value: "START_DATE_TOO_OLD" }),
      );
      await fire(world.service, NIGHTLY);
      mend();
      expect((await stored(id)).at(-1)).to.include({ clicks: "2" });
      expect(await account(id)).to.include({ status: "active", last_error: null });
    });

    describe("with more changes than the provider returns for one query", () => {
      const MANY = 10_050;
      /** Changes of yesterday, newest first, `perSecond` in each second. */
      const putChanges = (perSecond: number) => {
        const noon = Date.parse(`${addDays(today(), -1)}T12:00:00Z`);
        for (let n = 0; n < MANY; n++)
          own.customer.put("change_event", `changeEvents/${n}`, {
            changeDateTime: `${new Date(noon - Math.floor(n / perSecond) * 1000).toISOString().slice(0, 19).replace("T", " ")}.${999_999 - n}`,
            changeResourceName: `${own.customer.resourceName}/campaigns/${n}`,
            resourceChangeOperation: "UPDATE",
          });
      };
      const count = async (id: string) =>
        (await world.service.sql.query("select count(*)::int as n from ads_changes where account_id = $1", [id])).rows[0].n;

      it("reads the history to its end, also across a second that two answers share", async () => {
        const id = await writtenAccount(world.service, own, stamped);
        putChanges(3);
        await fire(world.service, NIGHTLY);
        expect(await count(id)).to.equal(MANY);
        expect(await account(id)).to.include({ status: "active", last_error: null });
      });

      it("keeps what it can reach of a second with more changes, and the figures", async () => {
        measure(own.customer, [addDays(today(), -1)]);
        const id = await writtenAccount(world.service, own, stamped);
        putChanges(MANY);
        await fire(world.service, NIGHTLY);
        expect(await count(id)).to.equal(10_000);
        expect((await stored(id)).at(-1)).to.include({ clicks: "2" });
        expect(await account(id)).to.include({ status: "active", last_error: null });
      });
    });

    it("limits a failure to its account", async () => {
      const other = world.ads.state.customer();
      world.ads.state.let(own.person.subject, other);
      const id = await writtenAccount(world.service, own, stamped);
      const bad = await writtenAccount(world.service, { ...own, customer: other }, stamped);
      other.values.status = "SUSPENDED";
      await fire(world.service, NIGHTLY);
      expect((await account(bad)).last_error).to.match(/^HTTP 403 authorizationError.CUSTOMER_NOT_ENABLED: /);
      expect(await account(bad)).to.include({ status: "error", last_synced_at: null });
      expect(await account(id)).to.include({ status: "active", last_error: null });
      other.values.status = "ENABLED";
      await fire(world.service, NIGHTLY);
      expect(await account(bad)).to.include({ status: "active", last_error: null });
    });

    it("calls nothing under a lapsed licence; afterwards it resumes reading, and the backfill continues (S8)", async () => {
      const now = today();
      measure(own.customer, eachDay(addDays(now, -801), now));
      const other = world.ads.state.customer();
      world.ads.state.let(own.person.subject, other);
      measure(other, eachDay(addDays(now, -801), now));
      const id = await writtenAccount(world.service, own, { ...stamped, last_synced_at: `${addDays(now, -20)}T05:15:00Z` });
      const half = await writtenAccount(world.service, { ...own, customer: other }, { backfilled_from: addDays(now, -90) });
      const licence = (days: number) =>
        world.service.sql.query(
          `insert into product_licences (module, expires_at, grace_days) values ('ads_platform', now() + $1 * interval '1 day', 0)
             on conflict (module) do update set expires_at = excluded.expires_at`,
          [days],
        );
      await licence(-2);
      try {
        await fire(world.service, NIGHTLY);
        expect([world.ads.received, await stored(id), await stored(half)]).to.deep.equal([[], [], []]);
        expect(await account(half)).to.include({ chunk: addDays(now, -90), backfilled_at: null, last_error: null });
      } finally {
        await licence(365);
      }
      await fire(world.service, NIGHTLY);
      expect((await stored(id)).map(({ day }) => day)).to.include.members(eachDay(addDays(now, -26), addDays(now, -1)));
      const days = (await stored(half)).map(({ day }) => day);
      expect(days).to.include.members([
        ...eachDay(addDays(now, -800), addDays(now, -91)),
        ...eachDay(addDays(now, -7), addDays(now, -1)),
      ]);
      expect((await account(half)).backfilled_at).not.to.equal(null);
    });

    it("calls nothing for a broken connection", async () => {
      const id = await writtenAccount(world.service, own, stamped);
      await world.service.sql.query("update workspace_connections set status = 'error', error_since = now() where id = $1", [
        own.connectionId,
      ]);
      await fire(world.service, NIGHTLY);
      expect(await account(id)).to.include({ status: "error", last_error: "errors.ads_platform_not_configured" });
      expect(world.ads.received).to.deep.equal([]);
    });

    it("learns a missing zone, and reads the days of it", async () => {
      own.customer.values.timeZone = "Pacific/Kiritimati";
      const id = await writtenAccount(world.service, own, { ...stamped, time_zone: null, currency_code: null });
      measure(own.customer, [addDays(today("Pacific/Kiritimati"), -1)]);
      await fire(world.service, NIGHTLY);
      expect(await account(id)).to.include({ time_zone: "Pacific/Kiritimati", currency_code: "EUR" });
      expect((await stored(id)).at(-1)).to.include({ day: addDays(today("Pacific/Kiritimati"), -1), clicks: "2" });
    });
  });

  describe("the backfill", () => {
    it("reads 800 days in chunks of 30, newest first, and stamps the account; the night queues it again until then (S2)", async () => {
      const now = today();
      measure(own.customer, eachDay(addDays(now, -801), addDays(now, -1)));
      const id = await writtenAccount(world.service, own);
      // By their days, because a busy machine has a slow read repeated.
      const chunks = new Set<string>();
      const mend = world.ads.failWhen(
        ({ body }) => {
          if (!/FROM customer WHERE segments.date BETWEEN/.test(body) || body.includes("segments.device")) return false;
          const [, from = "", to = ""] = /BETWEEN '(.*?)' AND '(.*?)'/.exec(body) ?? [];
          const length = eachDay(from, to).length;
          return length > 10 && chunks.add(from).size > 3 && length === 30;
        },
        refusing(403, { group: "authorizationError", value: "USER_PERMISSION_DENIED" }),
      );
      await fire(world.service, NIGHTLY);
      expect((await account(id)).backfilled_at).to.equal(null);
      expect((await account(id)).chunk).to.equal(addDays(now, -90));
      mend();
      await fire(world.service, NIGHTLY);
      expect((await account(id)).backfilled_at).not.to.equal(null);
      const days = await stored(id);
      expect(days.map(({ day }) => day)).to.deep.equal(eachDay(addDays(now, -800), addDays(now, -1)));
      expect(days.every(({ clicks }) => clicks === "2")).to.equal(true);
      world.ads.received.length = 0;
      await fire(world.service, NIGHTLY);
      expect(spans().length).to.be.at.most(4);
    });

    it("reads a chunk in halves, too, and is complete after it", async () => {
      const now = today();
      measure(own.customer, eachDay(addDays(now, -40), addDays(now, -1)));
      world.ads.pageRows = 1;
      const id = await writtenAccount(world.service, own);
      await fire(world.service, NIGHTLY);
      expect(await account(id)).to.include({ status: "active", last_error: null, chunk: null });
      expect((await account(id)).backfilled_at).not.to.equal(null);
      const days = await stored(id);
      expect(days.map(({ day }) => day)).to.deep.equal(eachDay(addDays(now, -800), addDays(now, -1)));
      expect(days.filter(({ clicks }) => clicks === "2")).to.have.length(40);
    });

    it("is queued by linking, 5 seconds later", async () => {
      measure(own.customer, [addDays(today(), -799)]);
      const { body } = await own.owner.post("/ads-platform/accounts", { customer_id: own.customer.id });
      await until(async () => (await account(body.id)).backfilled_at !== null);
      await settled(world.service);
      expect((await stored(body.id))[1]).to.include({ clicks: "2" });
    });
  });
});
