import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { addDays, dateIn } from "../../../core/calendar/calendar.ts";
import { forgetBreakerStates } from "../../../core/outbound/provider/circuit.ts";
import { sources } from "../../../integrations/marketing/sources/registry.ts";
import { GoogleAdsSimulator } from "../../simulators/google-ads/google-ads.ts";
import { RankmathSimulator } from "../../simulators/rankmath.ts";
import { SerankingSimulator } from "../../simulators/seranking.ts";
import type { Received, Simulator } from "../../simulators/simulator.ts";
import { withDeadline } from "../../support/deadline.ts";
import { pathsOf, tablesWith } from "../../support/traces.ts";
import { type Agency, type MarketingWorld, startMarketing } from "./google-world.ts";

const TOKEN = "an-instance-token-of22";
const KEY = "a-key-of-seranking-22";
const PASSWORD = "abcd efgh ijkl";
const MARK = "the source's very own sentence";
const YESTERDAY = addDays(dateIn("Europe/Amsterdam", Date.now()), -1);

/** Milliseconds that one request to each source can take. */
const LIMITS = { ga4: 40_000, gsc: 40_000, gads: 55_000, seranking: 40_000, rankmath: 30_000 } as const;
type Source = keyof typeof LIMITS;
const SOURCES = Object.keys(LIMITS) as Source[];

/** Two links of a source: requests about the first one are distinguishable. */
interface Pair {
  slow: string;
  fine: string;
  simulator: Simulator;
  isSlow: (request: Received) => boolean;
}

describe("sources that are slow or refuse (marketing-ads §2.9, §2.10)", function () {
  this.timeout(180_000);
  const seranking = new SerankingSimulator();
  const [slowSite, fineSite] = [new RankmathSimulator(), new RankmathSimulator()];
  let ads: GoogleAdsSimulator;
  let world: MarketingWorld;
  let agency: Agency;
  let pairs: Record<Source, Pair>;
  const simulators = (): Simulator[] => [world.google, ads, seranking, slowSite, fineSite];

  before(async () => {
    world = await startMarketing(
      {
        SERVICE_ADS_DEVELOPER_TOKEN: TOKEN,
        SERVICE_ADS_API_VERSION: process.env["TEST_ADS_VERSION"] ?? "v26",
        SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
      },
      async (google) => {
        ads = new GoogleAdsSimulator(google);
        await Promise.all([ads, seranking, slowSite, fineSite].map((one) => one.start()));
        return { ...ads.environment, ...seranking.environment };
      },
    );
    seranking.keys.add(KEY);
  });
  beforeEach(async () => {
    agency = await world.agency();
    for (const one of [ads, seranking, slowSite, fineSite]) one.reset();
    forgetBreakerStates();
    const { status, text } = await agency.owner.put("/marketing/settings", { seranking_api_key: KEY });
    expect(status, text).to.equal(200);
    pairs = {
      ga4: await analytics(),
      gsc: await searchConsole(),
      gads: await advertising(),
      seranking: await rankings(),
      rankmath: await visibility(),
    };
  });
  afterEach(() => expect(simulators().flatMap(({ complaints }) => complaints)).to.deep.equal([]));
  after(async () => {
    await world.stop();
    await Promise.all([ads, seranking, slowSite, fineSite].map((one) => one.stop()));
  });

  const insert = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const row: Record<string, unknown> = { id: randomUUID(), organisation_id: agency.tenant.organisation.id, ...values };
    const names = Object.keys(row);
    const slots = names.map((_, at) => `$${at + 1}`).join(", ");
    await world.service.sql.query(`insert into ${table} (${names.join(", ")}) values (${slots})`, Object.values(row));
    return row["id"] as string;
  };
  /** Writes a link whose backfill is complete. */
  const link = async (source: Source, external_id: string, values: Record<string, unknown> = {}): Promise<string> => {
    const isGrant = source !== "seranking" && source !== "rankmath";
    const { rows } = await world.service.sql.query("select id from workspace_connections where account_id = $1", [
      agency.owner.accountId,
    ]);
    return insert("marketing_links", {
      company_id: agency.company,
      source,
      external_id,
      display_name: external_id,
      connection_id: isGrant ? rows[0].id : null,
      backfill_done: true,
      read_days: "{[2020-01-01,2100-01-01)}",
      ...values,
    });
  };
  const paired = async (source: Source, [slow, fine]: [string, string], simulator: Simulator, isSlow: Pair["isSlow"]) => ({
    // The night reads links in the order of their ids: the slow one is the first.
    slow: await link(source, slow, { id: randomUUID().replace(/^./, "0") }),
    fine: await link(source, fine, { id: randomUUID().replace(/^./, "f") }),
    simulator,
    isSlow,
  });

  const analytics = () => {
    const [slow, fine] = ["Slow", "Fine"].map((name) => {
      const property = world.analytics.property(name, { person: agency.person });
      property.visits = () => [{ user: "a" }];
      return property.id;
    }) as [string, string];
    return paired("ga4", [slow, fine], world.google, ({ path }) => path.includes(`${slow}:`));
  };
  const searchConsole = () => {
    for (const name of ["slow", "fine"])
      world.search.site(`sc-domain:${name}.example`, agency.person).searches = () => [
        { query: "bread", clicks: 1, impressions: 2, position: 3 },
      ];
    const isSlow = ({ path }: Received) => path.includes("slow.example");
    return paired("gsc", ["sc-domain:slow.example", "sc-domain:fine.example"], world.google, isSlow);
  };
  const advertising = () => {
    ads.state.developerTokens.add(TOKEN);
    const [slow, fine] = ["Slow", "Fine"].map((descriptiveName) => {
      const customer = ads.state.customer({ descriptiveName });
      ads.state.let(agency.person.subject, customer);
      const campaign = customer.put("campaign", "campaigns/1", { id: "1", name: "Bread" });
      const metrics = { costMicros: 1n, clicks: 1, impressions: 2, conversions: 1, conversionsValue: 2 };
      customer.measured("campaign", campaign, { date: YESTERDAY, device: "MOBILE" }, metrics);
      return customer.id;
    }) as [string, string];
    return paired("gads", [slow, fine], ads, ({ path }) => path.includes(`/customers/${slow}/`));
  };
  const rankings = () => {
    seranking.sites.length = 0;
    // Both have the same order key, so they are read one after the other (`laneOf`).
    for (const id of [501, 502])
      seranking.sites.push({
        id,
        title: `Project ${id}`,
        name: `https://project${id}.example`,
        groups: [{ id: 1, name: "Bikes" }],
        engines: [
          {
            site_engine_id: 10,
            search_engine_id: 411,
            region_name: "Nederland",
            keywords: [{ id: "1", name: "bike", group_id: 1, volume: 1, positions: { [YESTERDAY]: 2 } }],
          },
        ],
        models: [],
      });
    return paired("seranking", ["501", "502"], seranking, ({ query }) => query.get("site_id") === "501");
  };
  const visibility = async (): Promise<Pair> => {
    const linked = async (site: RankmathSimulator, name: string) => {
      const brand = randomUUID();
      site.users.set("reader", PASSWORD);
      site.brands.splice(0, site.brands.length, {
        ...{ id: brand, name, url: "https://shop.example", locale: "nl_NL", score: 50, rank: 2, avg_sentiment: 0.4 },
        ...{ mentions: 12, citations: 7, last_analyzed: `${YESTERDAY}T10:00:00Z` },
      });
      const domain = {
        company_id: agency.company,
        name: `${name}.example`,
        label: name,
        tld: "example",
        start_date: "2026-01-01",
      };
      const website_id = await insert("websites", { domain_id: await insert("domains", domain) });
      const credential = { address: site.address, username: "reader", password: PASSWORD };
      const { status, text } = await agency.owner.put(`/marketing/websites/${website_id}/credential`, credential);
      expect(status, text).to.equal(200);
      return link("rankmath", brand, { website_id });
    };
    const [slow, fine] = [await linked(slowSite, "slow"), await linked(fineSite, "fine")];
    return { slow, fine, simulator: slowSite, isSlow: () => true };
  };

  for (const source of SOURCES)
    it(`reports ${source} after ${LIMITS[source]} ms as an error of its link, and reads all the others`, async () => {
      const { slow, simulator, isSlow } = pairs[source];
      simulator.failWhen(isSlow, { kind: "hang" });
      await withDeadline(LIMITS[source], () => world.nightly(), 1_000);
      expect(simulator.received.some(isSlow), "the slow one was asked").to.equal(true);
      const all = Object.values(pairs).flatMap((one) => [one.slow, one.fine]);
      for (const id of all) {
        const {
          source: of,
          display_name,
          last_error,
          last_synced_at,
          held_by,
        } = (await world.row(id)) as unknown as Record<string, unknown>;
        const isOnTime = id !== slow;
        expect(
          [last_error, last_synced_at !== null, held_by, (await world.days(id)).length > 0],
          `${of} ${display_name}`,
        ).to.deep.equal([isOnTime ? null : "marketing.accounts_error", isOnTime, null, isOnTime]);
      }
    });

  it("answers no word of any source, and no secret that its refusal repeats, through any route", async () => {
    await world.nightly();
    const { authorization } = world.google.received.findLast(({ path }) => path.endsWith(":runReport"))?.headers ?? {};
    const secrets = [KEY, TOKEN, PASSWORD, `${authorization}`.replace("Bearer ", "")];
    for (const secret of secrets) expect(secret.length, secret).to.be.greaterThan(10);
    const message = `${MARK} ${secrets.join(" ")}`;
    const error = {
      code: 403,
      message,
      status: "PERMISSION_DENIED",
      errors: [{ reason: "forbidden", domain: "global", message }],
    };
    const body = JSON.stringify({ error, message, code: "rest_forbidden", data: { status: 403 } });
    const refusal = { kind: "reply", status: 403, headers: { "Content-Type": "application/json" }, body } as const;
    for (const one of simulators()) one.failWhen(({ path }) => !path.endsWith("/token"), refusal);
    await world.nightly();
    const { owner, company } = agency;
    const links = (await owner.get(`/marketing/links?company_id=${company}`)).body;
    const list: { id: string; source: Source; website_id: string | null; last_error: string | null }[] = links.items ?? links;
    expect(list.map(({ last_error }) => /^marketing\.\w+$/.test(`${last_error}`))).to.deep.equal(Array(10).fill(true));
    const client = `/marketing/companies/${company}`;
    const paths = [
      ...[`/marketing/links?company_id=${company}`, `${client}/metrics`, `${client}/settings`, "/marketing/settings"],
      ...[
        "/marketing/clients",
        "/marketing/overview",
        "/marketing/summary",
        `/activity?entity_type=company&entity_id=${company}`,
      ],
      ...list.flatMap(({ id, source, website_id }) => [
        `/marketing/accounts?source=${source}${website_id === null ? "" : `&website_id=${website_id}`}`,
        ...Object.keys(sources.get(source)?.drilldowns ?? {}).map((kind) => `${client}/drilldown?link_id=${id}&kind=${kind}`),
      ]),
    ];
    for (const path of new Set(paths)) {
      const answer = await owner.get(path);
      expect(answer.status, path).to.equal(200);
      if (path.includes("drilldown")) expect(answer.body.available, path).to.equal(false);
      for (const word of [MARK, ...secrets]) expect(pathsOf(answer.body, word), path).to.deep.equal([]);
    }
    for (const word of [MARK, ...secrets]) expect(await tablesWith(world.service.sql, word)).to.deep.equal([]);
  });
});
