import { expect } from "chai";
import sinon from "sinon";
import { Relay } from "../../../core/jobs/relay.ts";
import type { Queue } from "../../../core/jobs/store.ts";

/** Longer than a later message waits for a pass, and shorter than it is ahead (core/jobs/outbox.ts). */
const WHILE = 600;

describe("the relay of a node", () => {
  let clock: sinon.SinonFakeTimers;
  let passes: number;
  let relay: Relay;
  /** A pass's wait before it ends. */
  let answered: Promise<unknown>;

  beforeEach(() => {
    // So early that nothing is due to be repaired.
    clock = sinon.useFakeTimers({ now: 1_000 });
    passes = 0;
    answered = Promise.resolve();
    const ask: NonNullable<Queue["ask"]> = async <T>() => {
      passes += 1;
      await answered;
      return [{ result: { taken: 0, handed: [] } }] as T[];
    };
    const queue: Queue = { own: true, ask, put: async () => {} };
    const handed = async () => {};
    const onTrouble = (error: unknown) => {
      throw error;
    };
    relay = new Relay({ queue, poll: 60_000, missing: async () => [], handed, onTrouble });
  });
  afterEach(async () => {
    await relay.stop();
    clock.restore();
  });

  it("carries due messages in a pass of their own, and later ones in one for all that arrived meanwhile", async () => {
    for (let n = 0; n < 5; n++) {
      relay.nudge();
      await clock.tickAsync(50);
    }
    expect(passes, "due at once").to.equal(5);
    for (let n = 0; n < 5; n++) {
      relay.nudgeLater();
      await clock.tickAsync(50);
    }
    expect(passes, "before its time").to.equal(5);
    await clock.tickAsync(WHILE);
    expect(passes, "due later").to.equal(6);
    await clock.tickAsync(WHILE);
    expect(passes, "nothing new").to.equal(6);
  });

  it("carries later messages along with the next pass", async () => {
    relay.nudgeLater();
    relay.nudge();
    await clock.tickAsync(WHILE);
    expect(passes).to.equal(1);
  });

  it("makes another pass for messages committed during one, even if another pass is requested meanwhile", async () => {
    let answer = () => {};
    answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const first = relay.pass();
    relay.nudgeLater();
    const same = relay.pass();
    answer();
    await Promise.all([first, same]);
    expect(passes).to.equal(1);
    await clock.tickAsync(WHILE);
    expect(passes).to.equal(2);
  });

  it("makes none once it has stopped", async () => {
    relay.nudgeLater();
    await relay.stop();
    relay.nudgeLater();
    await clock.tickAsync(WHILE);
    expect(passes).to.equal(0);
  });
});
