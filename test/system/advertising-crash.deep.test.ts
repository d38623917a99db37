import net from "node:net";
import { expect } from "chai";
import pg from "pg";
import { type Advertiser, advertiser, DEVELOPER_TOKEN } from "../api/advertising/advertising-world.ts";
import {
  AdvertisedAccount,
  isWrite,
  settleAfter,
  WRITES,
  type WriteCase,
  type WritesWorld,
} from "../api/advertising/writes-world.ts";
import { GoogleSimulator } from "../simulators/google/google.ts";
import { GoogleAdsSimulator } from "../simulators/google-ads/google-ads.ts";
import { SimulatedMutations } from "../simulators/google-ads/mutations.ts";
import type { Fault } from "../simulators/simulator.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import type { Answer } from "../support/http.ts";
import { holdTimesOfDay, strike, until } from "../support/jobs.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { makeTenant } from "../support/service.ts";
import { withoutCalendars } from "../support/workspace.ts";
import { waitingAt } from "./advisory-lock.ts";

/** A lock that the test holds: what closes a write waits for it. */
const LOCK = 50_310;
/** A node calls the provider at most 16 times at once. */
const HALVES = [WRITES.slice(0, 10), WRITES.slice(10)];
/** Routes of every kind; each holds a connection to the database while it cannot be recorded. */
const KINDS = WRITES.filter(({ name }) =>
  ["POST budgets", "PATCH budgets", "POST campaigns", "POST keywords", "POST negatives", "DELETE campaigns"].includes(name),
);

/** The way to the provider, which keeps writes from arriving while it is closed. */
class Way {
  isClosed = false;
  /** Writes that left a node and did not arrive. */
  withheld = 0;
  readonly #server: net.Server;

  constructor(to: () => number) {
    this.#server = net.createServer((from) => {
      const onward = net.connect(to(), "127.0.0.1");
      let isWithheld = false;
      from.on("data", (bytes) => {
        if (this.isClosed && /^POST \S+:mutate /.test(bytes.toString("latin1"))) {
          isWithheld = true;
          this.withheld += 1;
        }
        if (!isWithheld) onward.write(bytes);
      });
      onward.pipe(from);
      for (const [one, other] of [
        [from, onward],
        [onward, from],
      ] as const)
        one.on("error", () => other.destroy()).on("close", () => other.destroy());
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as net.AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
  }
}

describe("nodes that are killed while they write at the advertising provider (marketing-ads §3.10)", function () {
  this.timeout(600_000);
  const google = new GoogleSimulator();
  const ads = new GoogleAdsSimulator(google);
  const mutations = new SimulatedMutations(ads);
  const way = new Way(() => Number(new URL(ads.origin).port));
  let database: TestDatabase;
  let sql: pg.Client;
  let holder: pg.Client;
  let node: Spawned;
  let settings: Record<string, string>;
  let world: WritesWorld;
  let own: Advertiser;

  const launch = async () => {
    node = await launchService(settings);
    await until(async () => (await own.owner.get("/ads-platform/policy")).status === 200);
  };

  before(async () => {
    await Promise.all([google.start(), ads.start()]);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    holder = new pg.Client({ connectionString: database.owner });
    await Promise.all([sql.connect(), holder.connect()]);
    await holdTimesOfDay(sql);
    await withoutCalendars(sql);
    settings = {
      ...nodeSettings(database),
      ...google.environment,
      SERVICE_ADS_API_URL: await way.start(),
      SERVICE_ADS_DEVELOPER_TOKEN: DEVELOPER_TOKEN,
      SERVICE_JOBS_POLL_MS: "250",
    };
    ads.state.developerTokens.add(DEVELOPER_TOKEN);
    node = await launchService(settings);
    const tenant = await makeTenant(sql, () => node.port as number, "agency");
    const service = { sql, tenant: async () => tenant };
    world = { service, google, ads, mutations } as unknown as WritesWorld;
    own = await advertiser(world);
    await sql.query(`create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end $$;
      create trigger wait_for_test before update on ads_intents for each row when (new.state = 'applied')
        execute function wait_for_test()`);
  });
  beforeEach(() => {
    way.isClosed = false;
    mutations.reset();
    ads.received.length = 0;
  });
  afterEach(() => expect([...google.complaints, ...ads.complaints]).to.deep.equal([]));
  after(async () => {
    await node?.stop();
    await Promise.all([sql?.end(), holder?.end()]);
    await database?.drop();
    way.stop();
    await Promise.all([google.stop(), ads.stop()]);
  });

  /** One route, in an account where nothing else is written. */
  interface Writing {
    one: WriteCase;
    account: AdvertisedAccount;
    answer: Promise<Answer | null>;
  }
  const key = ({ name }: WriteCase) => ({ "Idempotency-Key": `killed ${name}` });
  const begin = async (cases: readonly WriteCase[], headers: (one: WriteCase) => Record<string, string> = () => ({})) => {
    const all: Omit<Writing, "answer">[] = [];
    for (const one of cases) {
      const customer = ads.state.customer();
      ads.state.let(own.person.subject, customer);
      all.push({ one, account: await AdvertisedAccount.make(world, {}, { ...own, customer }) });
    }
    return all.map(
      (writing): Writing => ({
        ...writing,
        answer: writing.account.write(writing.one, {}, headers(writing.one)).catch(() => null),
      }),
    );
  };
  const killed = async (writings: readonly Writing[]) => {
    await node.kill();
    expect(await Promise.all(writings.map(({ answer }) => answer))).to.deep.equal(writings.map(() => null));
    // Turns and keys of a node that died end by themselves, seconds later.
    await sql.query("update ads_budget_turns set held_until = now() - interval '1 second'");
    await sql.query("update idempotency_keys set held_until = now() where held_until is not null");
    await launch();
  };
  const settle = (writings: readonly Writing[], minutes: number) =>
    settleAfter(
      world,
      minutes,
      writings.map(({ account }) => account.id),
    );
  const sent = ({ account }: Writing) =>
    ads.received.filter((request) => isWrite(request) && request.path.includes(`/customers/${account.customerId}/`)).length;
  const carried = ({ account }: Writing) => mutations.carried.filter(({ customer }) => customer === account.customerId);
  const states = async ({ account }: Writing) => (await account.intents()).map(({ state }) => state);
  /** The provider has done it once, and it is recorded once. */
  const expectOnce = async (writing: Writing) => {
    const { one, account } = writing;
    const names = carried(writing).map(({ resourceName }) => resourceName);
    const recorded = await account.decisions();
    expect([sent(writing), names.length, await states(writing)], one.name).to.deep.equal([1, one.decisions.length, ["applied"]]);
    expect(recorded.map(({ decision }) => decision).toSorted(), one.name).to.deep.equal(
      one.decisions.map(({ decision }) => decision).toSorted(),
    );
    expect(
      recorded.map(({ payload }) => (payload as { resource_name: string }).resource_name),
      one.name,
    ).to.have.members(names);
    expect(
      (await account.activity()).map(([action]) => action),
      one.name,
    ).to.deep.equal([one.activity]);
  };
  /** Nothing has happened, nothing is recorded, and the same write goes through now. */
  const expectNothing = async (writing: Writing) => {
    const { one, account } = writing;
    const before = [carried(writing).length, await states(writing), await account.decisions(), await account.activity()];
    expect(before, one.name).to.deep.equal([0, ["refused"], [], []]);
    const { status, text } = await account.write(one);
    expect([status, carried(writing).length], `${one.name} ${text}`).to.deep.equal([one.status, one.decisions.length]);
    expect(await account.decisions(), one.name).to.have.length(one.decisions.length);
  };
  /** While the outcome of a write is unknown, the same one is not sent. */
  const expectShown = async (writing: Writing) => {
    const { one, account } = writing;
    const [{ id } = {}, ...others] = (await account.intents()) as { id: string }[];
    const count = sent(writing);
    const { status, body } = await account.write(one);
    expect([status, body.error?.code, body.error?.details?.intent_id, others, sent(writing)], one.name).to.deep.equal([
      502,
      "ads_platform_unreachable",
      id,
      [],
      count,
    ]);
  };

  for (const [half, cases] of HALVES.entries())
    it(`before the call: every route has committed its request, and is refused in the end (${half + 1} of 2)`, async () => {
      way.isClosed = true;
      way.withheld = 0;
      const writings = await begin(cases);
      await until(() => way.withheld === writings.length);
      await killed(writings);
      way.isClosed = false;
      for (const writing of writings) {
        expect(sent(writing), writing.one.name).to.equal(0);
        // Unknown where the node gave up waiting before the last of the others was withheld.
        expect(["pending", "unknown"], writing.one.name).to.include((await states(writing)).join());
        await expectShown(writing);
      }
      await settle(writings, 11);
      for (const writing of writings) await expectNothing(writing);
    });

  for (const [half, cases] of HALVES.entries())
    it(`during the call: every route is refused in the end where the provider did nothing (${half + 1} of 2)`, async () => {
      const mend = ads.failWhen(isWrite, { kind: "hang" });
      const writings = await begin(cases);
      await until(() => writings.every((writing) => sent(writing) === 1));
      await killed(writings);
      mend();
      for (const writing of writings) await expectShown(writing);
      await settle(writings, 2);
      for (const writing of writings) expect(await states(writing), writing.one.name).to.deep.equal(["unknown"]);
      await settle(writings, 11);
      for (const writing of writings) await expectNothing(writing);
    });

  for (const [half, cases] of HALVES.entries())
    it(`after the provider's yes: every route is settled by reading back, and never sent again (${half + 1} of 2)`, async () => {
      let release = () => {};
      const fault: Fault = { kind: "wait", until: new Promise<void>((resolve) => (release = resolve)) };
      const mend = ads.failWhen(isWrite, fault);
      const writings = await begin(cases, key);
      await until(() => writings.every((writing) => carried(writing).length === writing.one.decisions.length));
      await killed(writings);
      mend();
      release();
      for (const writing of writings) await expectShown(writing);
      await settle(writings, 2);
      for (const writing of writings) await expectOnce(writing);
      await settle(writings, 20);
      for (const writing of writings) await expectOnce(writing);
    });

  /** Lets the provider answer, and the node die before it has recorded that. */
  const killedUnrecorded = async () => {
    await holder.query("select pg_advisory_lock($1)", [LOCK]);
    const writings = await begin(KINDS, key);
    await until(async () => (await waitingAt(holder, LOCK)) === writings.length);
    await killed(writings);
    await until(async () => (await waitingAt(holder, LOCK)) === 0);
    await holder.query("select pg_advisory_unlock($1)", [LOCK]);
    return writings;
  };

  it("between the provider's answer and our record: a retry under the same key gets the answer, and none is sent again", async () => {
    const writings = await killedUnrecorded();
    for (const writing of writings) {
      const { one, account } = writing;
      // Keys are those of POST; any other retry is the same write, of which the outcome is open.
      if (one.method !== "POST") {
        await expectShown(writing);
        continue;
      }
      const { status, body, text } = await account.write(one, {}, key(one));
      expect([status, body.applied], `${one.name} ${text}`).to.deep.equal([one.status, one.decisions.length]);
      await expectOnce(writing);
    }
    await settle(writings, 20);
    for (const writing of writings) await expectOnce(writing);
  });

  it("between the provider's answer and our record: a job records what no caller asks for again", async () => {
    const writings = await killedUnrecorded();
    await sql.query("update outside_acts set due_at = now()");
    await until(async () => (await sql.query("select 1 from jobs.agenda_jobs where name = 'jobs.acts'")).rowCount === 1);
    await strike({ sql }, "jobs.acts");
    await until(async () => (await sql.query("select 1 from outside_acts")).rowCount === 0);
    for (const writing of writings) await expectOnce(writing);
    await settle(writings, 20);
    for (const writing of writings) await expectOnce(writing);
  });

  it("after our yes: every route is recorded", async () => {
    const writings = await begin(WRITES);
    const answers = await Promise.all(writings.map(({ answer }) => answer));
    await node.kill();
    expect(answers.map((answer) => answer?.status)).to.deep.equal(WRITES.map(({ status }) => status));
    await launch();
    await settle(writings, 20);
    for (const writing of writings) await expectOnce(writing);
  });
});
