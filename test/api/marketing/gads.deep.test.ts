import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { addDays, dateIn } from "../../../core/calendar/calendar.ts";
import type { EventPayloads } from "../../../core/declare/events.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { linkAccount } from "../../../integrations/marketing/links/from-advertising.ts";
import type { MarketingLinkRow } from "../../../integrations/marketing/models.ts";
import { calls } from "../../../integrations/marketing/sources/gads/gads-calls.ts";
import { type SourceAccess, SourceFailure, type Span } from "../../../integrations/marketing/sources/source.ts";
import { inRequest } from "../../../mixins/google/transactions.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { GoogleAdsSimulator } from "../../simulators/google-ads/google-ads.ts";
import type { SimulatedCustomer } from "../../simulators/google-ads/state.ts";
import { withDeadline } from "../../support/deadline.ts";
import { settled } from "../../support/jobs.ts";
import { connected } from "../../support/workspace.ts";
import { ACCOUNTS, type Agency, LINKS, type MarketingWorld, startMarketing } from "./google-world.ts";

const TOKEN = "an-instance-token-of22";
const TODAY = dateIn("Europe/Amsterdam", Date.now());
const day = (n: number) => addDays(TODAY, n);
const WEEK: Span = { from: day(-7), to: day(-1) };

describe("Google Ads as a source (marketing-ads §2.9)", () => {
  let world: MarketingWorld;
  let ads: GoogleAdsSimulator;
  let agency: Agency;
  let customer: SimulatedCustomer;
  before(async () => {
    world = await startMarketing(
      { SERVICE_ADS_DEVELOPER_TOKEN: TOKEN, SERVICE_ADS_API_VERSION: process.env["TEST_ADS_VERSION"] ?? "v26" },
      async (google) => {
        ads = new GoogleAdsSimulator(google);
        await ads.start();
        return ads.environment;
      },
    );
  });
  beforeEach(async () => {
    agency = await world.agency();
    ads.reset();
    ads.state.developerTokens.add(TOKEN);
    customer = ads.state.customer({ descriptiveName: "Bakery", currencyCode: "CHF" });
    ads.state.let(agency.person.subject, customer);
  });
  afterEach(() => expect([...world.google.complaints, ...ads.complaints]).to.deep.equal([]));
  after(async () => {
    await world.stop();
    await ads.stop();
  });

  const sql = (text: string, values: unknown[] = []) => world.service.sql.query(text, values);
  const connection = async (): Promise<string> =>
    (await sql("select id from workspace_connections where account_id = $1", [agency.owner.accountId])).rows[0].id;
  const asSource = async <T>(
    work: (access: SourceAccess, link: MarketingLinkRow) => Promise<T>,
    values: Partial<MarketingLinkRow> = {},
  ): Promise<T> => {
    const access = { transactions: inRequest, connectionId: await connection(), websiteId: null };
    const link = { id: crypto.randomUUID(), external_id: customer.id, config: {}, paused_until: null, ...values };
    return inTenancy(
      () => systemRequest("test", agency.tenant.organisation, "read"),
      () => work(access, link as MarketingLinkRow),
    );
  };
  const campaign = (id: string, name: string) => customer.put("campaign", `campaigns/${id}`, { id, name, status: "ENABLED" });
  const measured = (of: string, date: string, micros: bigint, clicks = 3) =>
    customer.measured(
      "campaign",
      of,
      { date, device: "MOBILE" },
      { costMicros: micros, clicks, impressions: 100, conversions: 1.5, conversionsValue: 20.25 },
    );
  const pick = async () => (await agency.owner.get(`${ACCOUNTS}?source=gads`)).body;

  it("reads days of the account with exact money in its own currency", async () => {
    const one = campaign("1", "Bread");
    const two = campaign("2", "Cake");
    measured(one, day(-2), 1_234_567n);
    measured(two, day(-2), 10n);
    measured(one, day(-9), 99_000_000n);
    expect(await asSource((access, link) => calls.days(access, link, WEEK))).to.deep.equal({
      currency: "CHF",
      isComplete: true,
      days: [
        {
          day: day(-2),
          metrics: { cost: 1.234577, clicks: 6, impressions: 200, conversions: 3, conversionsValue: 40.5 },
        },
      ],
    });
    expect(ads.queries()).to.deep.equal([
      `SELECT segments.date, customer.currency_code, metrics.cost_micros, metrics.clicks, metrics.impressions, metrics.conversions, metrics.conversions_value FROM customer WHERE segments.date BETWEEN '${WEEK.from}' AND '${WEEK.to}'`,
    ]);
  });

  it("takes an answer after more than 55 seconds for a failure", async () => {
    ads.failWhen(() => true, { kind: "hang" });
    const failed = await withDeadline(55_000, () =>
      asSource((access, link) => calls.days(access, link, { from: day(-1), to: day(-1) })).catch((error: unknown) => error),
    );
    expect((failed as SourceFailure).key).to.equal("marketing.accounts_error");
  });

  it("ranks ten campaigns by cost", async () => {
    for (let n = 1; n <= 12; n++) measured(campaign(String(n), `Campaign ${n}`), day(-1), BigInt(n) * 1_000_000n);
    const rows = await asSource((access, link) => calls.drilldown(access, link, "campaigns", WEEK));
    expect(rows).to.have.length(10);
    expect(rows[0]).to.deep.equal({
      label: "Campaign 12",
      key: "12",
      href: null,
      metrics: { cost: 12, clicks: 3, impressions: 100, conversions: 1.5, conversionsValue: 20.25 },
    });
  });

  it("expands managers with one query, never offers them, and carries their id in every later call (S22)", async () => {
    const manager = ads.state.customer({ descriptiveName: "Agency", manager: true });
    const child = ads.state.customer({ descriptiveName: "Cheese" }, manager);
    ads.state.customer({ descriptiveName: "Closed", status: "CANCELED" }, manager);
    const closed = ads.state.customer({ descriptiveName: "Gone", status: "CANCELED" });
    ads.state.let(agency.person.subject, manager, closed);
    const { accounts, configured, error } = await pick();
    expect([configured, error]).to.deep.equal([true, null]);
    expect(accounts).to.deep.equal([
      {
        external_id: customer.id,
        display_name: "Bakery",
        account_hint: null,
        config: { currency: "CHF", manager_id: null },
        already_linked: false,
      },
      {
        external_id: child.id,
        display_name: "Cheese",
        account_hint: "Agency",
        config: { currency: "EUR", manager_id: manager.id },
        already_linked: false,
      },
    ]);
    expect(ads.queries().filter((query) => query.includes("customer_client"))).to.have.length(1);
    const link = { source: "gads", external_id: child.id, config: { currency: "EUR", manager_id: manager.id } };
    ads.received.length = 0;
    const id = await world.link(agency, link);
    // The mirror of advertising reads the account in the meantime.
    const ofMarketing = ads.received.filter(({ body }) => body.includes("customer.currency_code, metrics."));
    expect(ofMarketing.map(({ headers }) => headers["login-customer-id"])).to.deep.equal(Array(27).fill(manager.id));
    expect(new Set(ads.received.map(({ headers }) => headers["login-customer-id"]))).to.deep.equal(new Set([manager.id]));
    expect(await world.row(id)).to.deep.include({ backfill_done: true, last_error: null });
  });

  it("marks an account that advertising attaches to a client, and leaves out that of a client that the caller does not see", async () => {
    const other = await agency.tenant.company();
    const attached = await agency.owner.post("/ads-platform/accounts", { customer_id: customer.id, company_id: other.id });
    expect(attached.status, attached.text).to.equal(201);
    const picked = async (who = agency.owner) =>
      (await who.get(`${ACCOUNTS}?source=gads`)).body.accounts.map(
        ({ external_id, already_linked }: { external_id: string; already_linked: boolean }) => [external_id, already_linked],
      );
    expect(await picked()).to.deep.equal([[customer.id, true]]);
    await world.settle();
    await world.service.sql.query("delete from marketing_links where organisation_id = $1", [agency.tenant.organisation.id]);
    expect(await picked()).to.deep.equal([[customer.id, true]]);
    const admin = await agency.tenant.member("admin");
    ads.state.let((await connected(world.google, admin, { query: "include_ads=true" })).subject, customer);
    expect(await picked(admin)).to.deep.equal([[customer.id, true]]);
    await agency.tenant.group("selection", [agency.company], [admin.membershipId]);
    expect(await picked(admin)).to.deep.equal([]);
  });

  it("calls an account through the manager that advertising has for it, as that changes", async () => {
    const manager = ads.state.customer({ descriptiveName: "Agency", manager: true });
    const child = ads.state.customer({ descriptiveName: "Cheese" }, manager);
    ads.state.let(agency.person.subject, manager);
    const id = await world.link(agency, { source: "gads", external_id: child.id, config: { currency: "EUR" } });
    expect(await world.row(id)).to.deep.include({ last_error: "marketing.no_access" });
    const [account] = (await agency.owner.get("/ads-platform/accounts")).body;
    const through = async (login_customer_id: string | null) => {
      expect((await agency.owner.patch(`/ads-platform/accounts/${account.id}`, { login_customer_id })).status).to.equal(200);
      // Advertising reads the account too, once it is linked.
      await settled(world.service);
      ads.received.length = 0;
      await world.nightly();
      return [...new Set(ads.received.map(({ headers }) => headers["login-customer-id"]))];
    };
    expect(await through(manager.id)).to.deep.equal([manager.id]);
    expect(await world.row(id)).to.deep.include({ backfill_done: true, last_error: null });
    expect(await through(null)).to.deep.equal([undefined]);
  });

  it("distinguishes a retired version from everything else (P30)", async () => {
    ads.versions.clear();
    expect(await pick()).to.deep.include({ error: "marketing.ads_platform_api_version", accounts: [], has_scope: true });
  });

  it("distinguishes the 403 of a disabled API, that of a missing scope and any other (S21)", async () => {
    for (const [reason, expected] of [
      ["SERVICE_DISABLED", [true, "marketing.api_not_enabled"]],
      ["accessNotConfigured", [true, "marketing.api_not_enabled"]],
      ["ACCESS_TOKEN_SCOPE_INSUFFICIENT", [false, "marketing.scope_insufficient"]],
      ["insufficientPermissions", [false, "marketing.scope_insufficient"]],
      ["insufficientScopes", [false, "marketing.scope_insufficient"]],
      ["forbidden", [true, "marketing.no_access"]],
    ] as const) {
      ads.fail(GoogleSimulator.refusing(403, reason));
      const { has_scope, error } = await pick();
      expect([has_scope, error], reason).to.deep.equal(expected);
    }
  });

  it("marks the connection when the refresh of the token is refused, and reports that as every grant does", async () => {
    world.google.revoke(agency.person);
    await sql("update workspace_connections set access_expires_at = now() - interval '1 second'");
    expect(await pick()).to.deep.include({
      connected: true,
      has_scope: false,
      accounts: [],
      error: "errors.workspace_connection_error",
    });
    const text = "select status from workspace_connections where account_id = $1";
    expect((await sql(text, [agency.owner.accountId])).rows[0].status).to.equal("error");
    expect(await pick()).to.deep.include({ connected: true, has_scope: false, error: null });
    expect(ads.received).to.deep.equal([]);
  });

  it("reports a missing developer token or connection, without a call", async () => {
    const failure = await asSource((access, link) =>
      calls.days({ ...access, connectionId: null }, link, WEEK).catch((error: unknown) => error),
    );
    expect([failure instanceof SourceFailure, (failure as SourceFailure).key]).to.deep.equal([true, "marketing.disconnected"]);
    expect(ads.received).to.deep.equal([]);
  });

  it("reports a grant without the scope of advertising, and a link that names no account, without a call", async () => {
    const failure = async (values: Partial<MarketingLinkRow> = {}) => {
      const failed = asSource((access, link) => calls.days(access, link, WEEK), values);
      return failed.then(
        () => expect.fail("it succeeded"),
        (error: unknown) => (error as SourceFailure).key,
      );
    };
    expect(await failure({ external_id: "bakery" })).to.equal("marketing.accounts_error");
    const stored = (text: string) =>
      sql(`update workspace_connections set ${text} where account_id = $1`, [agency.owner.accountId]);
    await stored("scopes = '{https://www.googleapis.com/auth/analytics.readonly}'");
    expect(await failure()).to.equal("marketing.scope_insufficient");
    await stored("status = 'error'");
    expect(await failure()).to.equal("marketing.disconnected");
    expect(ads.received).to.deep.equal([]);
  });

  describe("an account that advertising gave to a client (marketing-ads §2.2)", () => {
    const attach = (values: Partial<EventPayloads["ads.account.attached"]> = {}) => {
      const { organisation } = agency.tenant;
      const payload = {
        account_id: randomUUID(),
        company_id: agency.company,
        customer_id: "1234567890",
        descriptive_name: "Bakery Ads",
        currency: "EUR",
        manager_id: "999",
        connection_id: null,
        ...values,
      };
      const write = <T>(work: () => Promise<T>) => inTenancy(() => systemRequest("test", organisation, "write"), work);
      return linkAccount({ payload }, { organisation, write });
    };
    const links = async () => (await agency.owner.get(`${LINKS}?company_id=${agency.company}`)).body;
    const events = async () =>
      (await sql("select count(*)::int as n from outbox where event = 'marketing.link.attached'")).rows[0].n;

    it("is a link too, which is read from the start and not reported back (S19)", async () => {
      const before = await events();
      await attach({ customer_id: customer.id, manager_id: null, connection_id: await connection() });
      const [link] = await links();
      expect(link).to.deep.include({
        source: "gads",
        external_id: customer.id,
        display_name: "Bakery Ads",
        config: { currency: "EUR" },
        active: true,
        connection_ok: true,
      });
      expect(await events()).to.equal(before);
      await world.settle();
      expect(await world.row(link.id)).to.deep.include({ backfill_done: true, last_error: null });
    });

    it("is matched by its digits; spelling and name stay, currency and manager are added, and a removed link is active again", async () => {
      const values = { company_id: agency.company, source: "gads", external_id: "123-456-7890", display_name: "Mine" };
      const { id } = (await agency.owner.post(LINKS, { ...values, config: { currency: "USD", note: "kept" } })).body;
      await world.settle();
      await agency.owner.delete(`${LINKS}/${id}`);
      // Stored by a version that kept the spelling that was sent.
      await sql(
        "update marketing_links set last_error = 'marketing.accounts_error', external_id = '123-456-7890' where id = $1",
        [id],
      );
      await attach();
      expect(await links()).to.have.length(1);
      expect((await links())[0]).to.deep.include({
        id,
        last_error: null,
        external_id: "123-456-7890",
        display_name: "Mine",
        active: true,
        config: { currency: "EUR", manager_id: "999", note: "kept" },
      });
      const { updated_at } = (await sql("select updated_at from marketing_links where id = $1", [id])).rows[0];
      await attach();
      expect((await sql("select updated_at from marketing_links where id = $1", [id])).rows[0].updated_at).to.deep.equal(
        updated_at,
      );
    });

    it("is nothing while marketing may not be written (S8), or once its client is gone", async () => {
      await attach({ company_id: crypto.randomUUID() });
      await sql(
        `insert into product_licences (module, expires_at, grace_days) values ('marketing', now() - interval '2 days', 0)
         on conflict (module) do update set expires_at = excluded.expires_at`,
      );
      try {
        await attach();
      } finally {
        await sql("update product_licences set expires_at = now() + interval '1 year' where module = 'marketing'");
      }
      expect(await links()).to.deep.equal([]);
    });
  });
});
