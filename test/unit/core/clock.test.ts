import { expect } from "chai";
import sinon from "sinon";
import { watchClock } from "../../../operator/clock.ts";

const MINUTE = 60_000;

describe("the clock of a node among several", () => {
  let time: sinon.SinonFakeTimers;
  beforeEach(() => {
    time = sinon.useFakeTimers({ now: Date.UTC(2026, 10, 29) });
  });
  afterEach(() => time.restore());

  /** A database whose clock is `ahead` milliseconds before the node's, and which takes `way` milliseconds to answer. */
  const database = (ahead: number, way = 0) => ({
    ahead,
    async query() {
      const now = Date.now() + way / 2 + this.ahead;
      await time.tickAsync(way);
      return { rows: [{ now }] };
    },
  });

  for (const [title, ahead, way, wrong] of [
    ["a second behind", 1000, 0, null],
    ["30 seconds ahead", -30_000, 0, null],
    ["31 seconds ahead", -31_000, 0, "31 seconds ahead of"],
    ["31 seconds behind", 31_000, 0, "31 seconds behind"],
    ["an hour behind", 3_600_000, 20, "3600 seconds behind"],
    ["right, with a database that takes 50 seconds to answer", 0, 50_000, null],
  ] as const)
    it(`that is ${title} ${wrong ? "keeps it from starting" : "is right enough"}`, async () => {
      const outcome = await watchClock(database(ahead, way), () => {}).then(
        (end) => {
          end();
          return null;
        },
        (error: Error) => `${error.name}: ${error.message}`,
      );
      if (wrong === null) expect(outcome).to.equal(null);
      else expect(outcome).to.contain(`ConfigurationError: The clock of this node is ${wrong} the database's`);
    });

  it("that goes wrong later ends it, once, with the same sentence", async () => {
    const onEnd = sinon.spy();
    const clock = database(0);
    await watchClock(clock, onEnd);
    await time.tickAsync(2 * MINUTE);
    expect(onEnd.called).to.equal(false);
    clock.ahead = 90_000;
    await time.tickAsync(3 * MINUTE);
    expect(onEnd.args.map(([reason]) => reason.slice(0, 44))).to.deep.equal(["The clock of this node is 90 seconds behind "]);
  });

  it("is compared again after a database that did not answer", async () => {
    const onEnd = sinon.spy();
    const clock = database(0);
    await watchClock(clock, onEnd);
    const answers = sinon.stub(clock, "query").rejects(new Error("away"));
    await time.tickAsync(MINUTE);
    answers.restore();
    clock.ahead = -40_000;
    await time.tickAsync(MINUTE);
    expect(onEnd.callCount).to.equal(1);
  });
});
