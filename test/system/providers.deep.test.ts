import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { queryAll } from "../../core/database/query.ts";
import { openAction } from "../../core/declare/makers/open-action.ts";
import { forgetBreakerStates } from "../../core/outbound/provider/circuit.ts";
import { ProviderFailure, provider } from "../../core/outbound/provider/provider.ts";
import { answer, label, Type } from "../../core/schema/schema.ts";
import { service as actor } from "../../mixins/resource.ts";
import { Misunderstood, type Received, type Reply, Simulator } from "../simulators/simulator.ts";
import { type Caller, startService, type TestService } from "../support/service.ts";

/** A provider with accounts, named in a header. */
class Accounts extends Simulator {
  protected answer({ path }: Received): Reply {
    if (path !== "/things") throw new Misunderstood("no such operation");
    return { status: 200, body: { things: [] } };
  }
}

const simulator = new Accounts();
/** Milliseconds until a call to a hanging account is given up. */
const HANGS = 4000;
const client = provider({ kind: "harmless", baseUrl: () => simulator.origin, readTimeout: HANGS, concurrency: 8 });
const asks = actor("harmless", {
  actions: {
    ask: openAction({
      rest: "GET /harmless/:account",
      summary: "Asks a provider for an account",
      open: "a test",
      path: { account: label(20) },
      returns: answer("Harmless", { outcome: Type.String() }),
      async handler(ctx) {
        const { account } = ctx.params;
        await queryAll();
        try {
          const { status } = await client.call({
            account,
            operation: "things",
            path: "/things",
            headers: { "X-Account": account },
          });
          return { outcome: String(status) };
        } catch (error) {
          if (error instanceof ProviderFailure) return { outcome: error.kind };
          throw error;
        }
      },
    }),
  },
});

const percentile = (times: number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.ceil(times.length * share) - 1] ?? Number.NaN;

/** Milliseconds of calls made one after another until the time is over. */
async function timesOf(call: () => Promise<{ status: number }>, until: number): Promise<number[]> {
  const times: number[] = [];
  while (performance.now() < until) {
    const began = performance.now();
    expect((await call()).status).to.equal(200);
    times.push(performance.now() - began);
    await sleep(5);
  }
  return times;
}

describe("a provider in trouble", function () {
  this.timeout(120_000);
  let service: TestService;
  let owner: Caller;
  before(async () => {
    await simulator.start();
    // Few connections: one occupied while a provider hangs would be missed at once.
    service = await startService({ SERVICE_DATABASE_POOL: "4" }, [asks]);
    const tenant = await service.tenant();
    owner = tenant.owner;
    for (let n = 0; n < 30; n++) await tenant.company({ name: `Company ${n}` });
  });
  after(async () => {
    await service.stop();
    await simulator.stop();
  });

  const WINDOW = 2.5 * HANGS;
  /** Plain reads, and calls to a healthy account in parallel, for one window. */
  const measure = async () => {
    const until = performance.now() + WINDOW;
    const read = () => owner.get("/companies?limit=20");
    const [reads, calls] = await Promise.all([
      Promise.all([timesOf(read, until), timesOf(read, until)]),
      timesOf(() => owner.get("/harmless/fine"), until),
    ]);
    return { reads: reads.flat(), calls };
  };

  /** Keeps many callers at failing accounts until they are asked to stop, and counts their answers. */
  const trouble = () => {
    const controller = new AbortController();
    const outcomes = new Map<string, number>();
    const keepAsking = async (account: string) => {
      while (!controller.signal.aborted) {
        const { body } = await owner.get(`/harmless/${account}`);
        const key = `${account}: ${body.outcome}`;
        outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
        await sleep(250);
      }
    };
    const callers = [...Array(12).fill("hangs"), ...Array(3).fill("limited")].map((account: string) => keepAsking(account));
    return {
      outcomes,
      async stop() {
        controller.abort();
        await Promise.all(callers);
      },
    };
  };

  it("that hangs, or answers 429 with Retry-After: 60, is waited for by neither other accounts nor plain reads", async () => {
    simulator.failWhen(({ headers }) => headers["x-account"] === "hangs", { kind: "hang" });
    simulator.failWhen(({ headers }) => headers["x-account"] === "limited", {
      kind: "reply",
      status: 429,
      headers: { "Retry-After": "60" },
    });
    await measure();
    const quiet = { reads: [] as number[], calls: [] as number[] };
    const troubled = { reads: [] as number[], calls: [] as number[] };
    const reported = new Map<string, number>();
    const figures = () => {
      const p99 = (times: number[]) => Math.round(percentile(times, 0.99) * 10) / 10;
      const pairs = { reads: [p99(quiet.reads), p99(troubled.reads)], calls: [p99(quiet.calls), p99(troubled.calls)] } as const;
      const line = (name: keyof typeof pairs) =>
        `${name} p99 ${pairs[name][0]} ms quiet, ${pairs[name][1]} ms in trouble (${quiet[name].length} and ${troubled[name].length})`;
      const slowestOf = ({ reads, calls }: typeof quiet) => Math.max(...[reads, calls].map((times) => percentile(times, 0.998)));
      const slowest = slowestOf(troubled) - slowestOf(quiet);
      return { slowest, text: `${line("reads")}; ${line("calls")}; p99.8 ${Math.round(slowest)} ms more` };
    };
    // Windows alternate, so that what else this machine does meets both.
    for (let round = 0; round < 3; round++) {
      const before = await measure();
      await service.sql.query("delete from provider_troubles");
      forgetBreakerStates();
      const { stop, outcomes } = trouble();
      await sleep(100);
      const after = await measure();
      await stop();
      for (const name of ["reads", "calls"] as const) {
        quiet[name].push(...before[name]);
        troubled[name].push(...after[name]);
      }
      for (const [outcome, count] of outcomes) reported.set(outcome, (reported.get(outcome) ?? 0) + count);
    }
    const { slowest, text } = figures();
    process.stdout.write(`    ${text}; ${[...reported].map(([outcome, count]) => `${outcome} ${count}`).join(", ")}\n`);
    expect([...reported.keys()]).to.include.members(["hangs: timeout", "hangs: open", "limited: limited"]);
    // The ratio above is for who reads it: a busy machine makes any. What waits for a call that hangs takes about as long as that, and is
    // one of hundreds; so few that p99 does not show them.
    expect(slowest, text).to.be.lessThan(HANGS / 2);
  });
});
