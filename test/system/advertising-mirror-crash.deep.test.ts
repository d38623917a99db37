import { expect } from "chai";
import pg from "pg";
import { addDays, eachDay } from "../../core/calendar/dates.ts";
import { type Advertiser, type AdvertisingWorld, advertiser, DEVELOPER_TOKEN } from "../api/advertising/advertising-world.ts";
import { GoogleSimulator } from "../simulators/google/google.ts";
import { GoogleAdsSimulator } from "../simulators/google-ads/google-ads.ts";
import type { SimulatedCustomer } from "../simulators/google-ads/state.ts";
import type { Received } from "../simulators/simulator.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { holdTimesOfDay, strike, until } from "../support/jobs.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { heapOf, launchService, MEASURABLE, type Spawned, watchHeap } from "../support/process.ts";
import { makeTenant } from "../support/service.ts";
import { withoutCalendars } from "../support/workspace.ts";
import { todayWithTime } from "./midnight.ts";

const CHUNKS = 27;
/** In how many of the chunks of a backfill its node is killed; in every one before a release. */
const KILLS = Number(process.env["ADVERTISING_CRASH_KILLS"] ?? 3);
/** Accounts of the nightly run whose memory is measured, and the MiB of objects and buffers that it may hold over idle. */
const [ACCOUNTS, MIB] = [Number(process.env["ADVERTISING_ACCOUNTS"] ?? 300), 30];
let today = "";
const day = (n: number) => addDays(today, n);
const NIGHTLY = "ads.accounts.nightly";

describe("nodes that mirror advertising accounts (marketing-ads §3.11)", function () {
  this.timeout(1_200_000);
  const google = new GoogleSimulator();
  const ads = new GoogleAdsSimulator(google);
  const nodes: Spawned[] = [];
  let database: TestDatabase;
  let sql: pg.Client;
  let settings: Record<string, string>;
  let own: Advertiser;
  let turn = 0;

  const launch = async (): Promise<Spawned> => {
    const node = await launchService(settings, [], { flags: MEASURABLE });
    nodes.push(node);
    await until(async () => (await own.owner.get("/companies")).status === 200);
    return node;
  };
  const killAll = async () => {
    await Promise.all(nodes.splice(0).map((node) => node.kill()));
  };

  before(async () => {
    today = await todayWithTime();
    await Promise.all([google.start(), ads.start()]);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdTimesOfDay(sql);
    await withoutCalendars(sql);
    settings = {
      ...nodeSettings(database),
      ...google.environment,
      ...ads.environment,
      SERVICE_ADS_DEVELOPER_TOKEN: DEVELOPER_TOKEN,
      SERVICE_JOBS_POLL_MS: "250",
    };
    ads.state.developerTokens.add(DEVELOPER_TOKEN);
    nodes.push(await launchService(settings, [], { flags: MEASURABLE }));
    const tenant = await makeTenant(sql, () => nodes[turn++ % nodes.length]?.port as number, "agency");
    own = await advertiser({ service: { sql, tenant: async () => tenant }, google, ads } as unknown as AdvertisingWorld);
    measure(own.customer);
  });
  afterEach(() => expect([...google.complaints, ...ads.complaints]).to.deep.equal([]));
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await sql?.end();
    await database?.drop();
    await Promise.all([google.stop(), ads.stop()]);
  });

  /** One click a day. */
  function measure(customer: SimulatedCustomer, days = 801): void {
    const campaign = customer.put("campaign", "campaigns/1", { id: "1", name: "Bread" });
    for (const date of eachDay(day(-days), day(-1)))
      customer.measured("campaign", campaign, { date, device: "MOBILE" }, { impressions: 10, clicks: 1, costMicros: 1_000_000n });
  }
  /** The span of a query of the mirror, and its subject; null for other requests. */
  const asked = ({ path, body }: Received): { customer: string; from: string; to: string; isLast: boolean } | null => {
    const [, from, to = ""] = /WHERE segments.date BETWEEN '(.*?)' AND '(.*?)'/.exec(body) ?? [];
    const customer = path.split("/")[3] as string;
    return from ? { customer, from, to, isLast: body.includes("segments.device") } : null;
  };
  const asks = (customer = own.customer.id) =>
    ads.received.flatMap((one) => asked(one) ?? []).filter((one) => one.customer === customer);
  const days = async (id: string): Promise<string[]> => {
    const text = "select day::text from ads_days where account_id = $1 and dimension = 'account' order by day";
    return (await sql.query(text, [id])).rows.map((row) => row.day);
  };
  const link = async (customer_id: string): Promise<string> => {
    const { status, text, body } = await own.owner.post("/ads-platform/accounts", { customer_id });
    expect(status, text).to.equal(201);
    return body.id;
  };
  const isDone = async (id: string): Promise<boolean> =>
    (await sql.query("select 1 from ads_accounts where id = $1 and backfilled_at is not null", [id])).rowCount === 1;

  it(`leave no gap and no day twice in a backfill whose node is killed in ${KILLS} of its ${CHUNKS} chunks`, async () => {
    const id = await link(own.customer.id);
    for (let kill = 0; kill < KILLS; kill++) {
      const chunk = Math.floor((kill * CHUNKS) / KILLS);
      const to = day(-1 - 30 * chunk);
      const from = chunk === CHUNKS - 1 ? day(-800) : addDays(to, -29);
      // In turn at the first query of a chunk, and at its last one.
      const isLast = kill % 2 === 1;
      let reached = () => {};
      const there = new Promise<void>((resolve) => (reached = resolve));
      const end = ads.failWhen(
        (request) => {
          const found = asked(request);
          const isThere = found?.from === from && found.isLast === isLast;
          if (isThere) reached();
          return isThere;
        },
        { kind: "hang" },
      );
      await there;
      await killAll();
      end();
      expect(await days(id), `after the kill in chunk ${chunk}`).to.deep.equal(
        chunk === 0 ? [] : eachDay(addDays(to, 1), day(-1)),
      );
      await launch();
    }
    await until(() => isDone(id), 300_000);
    expect(await days(id)).to.deep.equal(eachDay(day(-800), day(-1)));
    const { rows } = await sql.query("select distinct clicks::int, cost_micros::int from ads_days where account_id = $1", [id]);
    expect(rows).to.deep.equal([{ clicks: 1, cost_micros: 1_000_000 }]);
    // Only the chunk of the killed node was read again.
    expect(asks().filter(({ isLast }) => isLast).length).to.equal(CHUNKS + Math.floor(KILLS / 2));
  });

  it("run one backfill once over two nodes, for either caller", async () => {
    await launch();
    const other = ads.state.customer({ descriptiveName: "Other" });
    ads.state.let(own.person.subject, other);
    measure(other);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const end = ads.failWhen((request) => asked(request)?.customer === other.id && request.body.includes("FROM customer"), {
      kind: "wait",
      until: held,
    });
    const id = await link(other.id);
    await until(() => asks(other.id).length > 0);
    // The night, and the link made again, queue what runs already.
    await strike({ sql }, NIGHTLY);
    await link(other.id);
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    end();
    release();
    await until(() => isDone(id), 120_000);
    const backfills =
      "select 1 from jobs.agenda_jobs where name = 'ads.accounts.backfill' and (next_run_at is not null or locked_at is not null)";
    await until(async () => (await sql.query(backfills)).rowCount === 0, 60_000);
    expect(await days(id)).to.deep.equal(eachDay(day(-800), day(-1)));
    const starts = asks(other.id)
      // Without the night's own span, which ends yesterday, too.
      .filter(({ isLast, from, to }) => isLast && (to !== day(-1) || from === day(-30)))
      .map(({ from }) => from);
    expect(starts).to.deep.equal([...new Set(starts)]);
    expect(starts).to.have.length(CHUNKS);
  });

  it(`read ${ACCOUNTS} accounts in a night with ${4 * ACCOUNTS} calls, within ${MIB} MiB over idle`, async () => {
    await Promise.all(nodes.splice(1).map((node) => node.stop()));
    const [node] = nodes as [Spawned];
    for (let n = 0; n < ACCOUNTS; n++) {
      const customer = ads.state.customer({ descriptiveName: `Account ${n}` });
      ads.state.let(own.person.subject, customer);
      measure(customer, 90);
      await sql.query(
        `insert into ads_accounts (id, organisation_id, customer_id, connection_id, descriptive_name, currency_code, time_zone, backfilled_at)
         values (gen_random_uuid(), $1, $2, $3, $4, 'EUR', 'Europe/Amsterdam', now())`,
        [own.tenant.organisation.id, customer.id, own.connectionId, `Account ${n}`],
      );
    }
    const all = ACCOUNTS + 2;
    const idle = await heapOf(node);
    ads.received.length = 0;
    const watched = watchHeap(node);
    const began = performance.now();
    const text = "select count(*)::int as n from ads_accounts where last_error is null and last_synced_at > $1";
    const { rows } = await sql.query("select now()::text as began");
    await strike({ sql }, NIGHTLY);
    const count = async () => (await sql.query(text, [rows[0].began])).rows[0].n;
    await until(async () => ads.received.length >= 4 * all && (await count()) === all, 900_000).finally(watched);
    const taken = Math.round(((await watched()) - idle) / 1024);
    const took = Math.round(performance.now() - began);
    process.stdout.write(`    ${all} accounts: ${ads.received.length} calls, ${took} ms, ${taken} MiB over idle at most\n`);
    expect(ads.received.length).to.equal(4 * all);
    expect(taken).to.be.lessThan(MIB);
    expect(await count()).to.equal(all);
  });
});
