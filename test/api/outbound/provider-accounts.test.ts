import { expect } from "chai";
import { forgetBreakerStates, troubles } from "../../../core/outbound/provider/circuit.ts";
import { provider } from "../../../core/outbound/provider/provider.ts";
import { inJob } from "../../../core/outbound/provider/retry-context.ts";
import { type CallTrace, onCall } from "../../../core/outbound/trace.ts";
import { ended } from "../../support/effort.ts";
import { sharedService, type TestService } from "../../support/service.ts";
import { describeProvider, failureOf, PATIENT, READ, simulator } from "./provider-support.ts";

describe("an account at a provider", () => {
  let running: TestService;
  const traces: CallTrace[] = [];
  let client: ReturnType<typeof describeProvider>;
  before(async () => {
    await simulator.start();
    running = await sharedService();
    onCall((trace) => traces.push(trace));
  });
  beforeEach(() => {
    simulator.reset();
    forgetBreakerStates();
    traces.length = 0;
    client = describeProvider();
  });
  after(async () => {
    await running.stop();
    await simulator.stop();
  });
  const age = (seconds: number) =>
    running.sql
      .query(
        `update provider_troubles set closed_until = closed_until - make_interval(secs => $1),
           paused_until = paused_until - make_interval(secs => $1)`,
        [seconds],
      )
      .then(forgetBreakerStates);

  describe("whose account fails again and again", () => {
    const breakIt = async (account = "a") => {
      const heal = simulator.failWhen(() => true, { kind: "reply", status: 500 });
      for (let n = 0; n < 3; n++) await failureOf(client.call({ ...READ, account }));
      heal();
    };
    const statesOf = async () =>
      (await troubles()).filter(({ provider: kind }) => kind === client.kind).map(({ account, state }) => `${account} ${state}`);

    it("is not called for 30 seconds after 5 failures, on any node, and then by one caller to see", async () => {
      client = describeProvider(PATIENT);
      await breakIt();
      const before = simulator.received.length;
      const failure = await failureOf(client.call(READ));
      expect(failure.kind).to.equal("open");
      expect(failure.retryAfter).to.be.within(28, 60);
      forgetBreakerStates();
      expect((await failureOf(client.call(READ))).kind).to.equal("open");
      expect(await statesOf()).to.deep.equal(["a open"]);
      expect(simulator.received).to.have.length(before);
      await age(61);
      expect(await statesOf()).to.deep.equal(["a half_open"]);
      const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
      simulator.fail({ kind: "wait", until: answered });
      const calls = [client.call(READ), client.call(READ)];
      // The refused one ends while the other waits for its answer.
      await Promise.race(calls.map((call) => call.catch(() => {})));
      answer();
      const both = await Promise.allSettled(calls);
      expect(both.map(({ status }) => status).toSorted()).to.deep.equal(["fulfilled", "rejected"]);
      expect(simulator.received).to.have.length(before + 1);
      expect(await statesOf()).to.deep.equal([]);
      expect((await client.call(READ)).status).to.equal(200);
    });

    it("is paused longer each time the trial fails, up to 5 minutes", async () => {
      await breakIt();
      const waits: number[] = [];
      for (let n = 0; n < 5; n++) {
        await age(301);
        simulator.fail({ kind: "reply", status: 500 }, { kind: "reply", status: 500 });
        expect((await failureOf(client.call(READ))).text).to.equal("HTTP 500");
        waits.push((await failureOf(client.call(READ))).retryAfter as number);
      }
      expect(waits.map((seconds) => Math.round(seconds / 60) * 60)).to.deep.equal([60, 120, 240, 300, 300]);
    });

    it("does no harm to other accounts, nor to other providers' accounts of the same name", async () => {
      await breakIt("bad");
      expect((await client.call(READ)).status).to.equal(200);
      expect((await describeProvider().call({ ...READ, account: "bad" })).status).to.equal(200);
      expect((await failureOf(client.call({ ...READ, account: "bad" }))).kind).to.equal("open");
    });

    it("is counted from the start again after a proper answer; refusals of the call do not count", async () => {
      simulator.fail(...Array(4).fill({ kind: "reply", status: 500 }));
      await failureOf(client.call(READ));
      await failureOf(client.call(READ));
      expect(await statesOf()).to.deep.equal(["a counting"]);
      expect((await client.call({ ...READ, path: "/missing" })).status).to.equal(404);
      expect(await statesOf()).to.deep.equal([]);
    });

    it("keeps a job away as long as the provider asked, and lets a waiting person retry", async () => {
      simulator.fail({ kind: "reply", status: 429, headers: { "Retry-After": "120" } });
      await failureOf(client.call(READ));
      forgetBreakerStates();
      const failure = await failureOf(inJob(() => client.call(READ)));
      expect(failure.kind).to.equal("limited");
      expect(failure.retryAfter).to.be.within(115, 120);
      expect(await statesOf()).to.deep.equal(["a paused"]);
      expect(simulator.received).to.have.length(1);
      expect((await client.call(READ)).status).to.equal(200);
    });
  });

  it("is counted per account and minute over all nodes", async () => {
    const limited = describeProvider({ perMinute: 3 });
    if (Date.now() % 60_000 > 45_000) await new Promise((resolve) => setTimeout(resolve, 15_100));
    const other = provider({ kind: limited.kind, baseUrl: () => simulator.origin, perMinute: 3 });
    for (const one of [limited, other, limited]) expect((await one.call(READ)).status).to.equal(200);
    const failure = await failureOf(other.call(READ));
    expect(failure.kind).to.equal("limited");
    expect(failure.retryAfter).to.be.within(1, 60);
    expect((await limited.call({ ...READ, account: "b" })).status).to.equal(200);
    expect(simulator.received).to.have.length(4);
  });

  it("finds every place taken by a provider that hangs, and says so after 5 seconds; other accounts go on", async () => {
    const narrow = describeProvider({ concurrency: 2, readTimeout: 9000 });
    simulator.failWhen(() => simulator.received.length <= 1, { kind: "hang" });
    const hanging = failureOf(narrow.call({ ...READ, account: "hangs", effect: "create" }));
    while (simulator.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const isOver = ended(hanging);
    expect((await narrow.call({ ...READ, account: "fine" })).status).to.equal(200);
    expect(isOver(), "the other account waited").to.equal(false);
    expect(await failureOf(narrow.call({ ...READ, account: "hangs" }))).to.include({ kind: "busy", retryAfter: 1 });
    expect((await hanging).kind).to.equal("timeout");
    expect(narrow.load).to.deep.equal({ taken: 0, waiting: 0 });
  });
});
