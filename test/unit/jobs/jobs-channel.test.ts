import { expect } from "chai";
import sinon from "sinon";
import { Channel } from "../../../core/jobs/channel.ts";

/** A channel that is never connected: its messages to this node need no database. */
function listening() {
  const channel = new Channel("node", "postgres://unused@localhost/none", 5_000, () => {});
  const [reported, due] = [sinon.spy(), sinon.spy()];
  channel.on("notified", reported).on("due", due);
  return { channel, reported, due };
}

describe("a node's knowledge of its jobs", () => {
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: 1_000_000 });
  });
  afterEach(() => clock.restore());

  it("is read once more if a due time passed meanwhile: later jobs had been left to its timer", async () => {
    const { channel, reported, due } = listening();
    channel.notifyAll([["mail.send", Date.now() - 5]], Date.now() - 10);
    await clock.tickAsync(50);
    expect([reported.args, due.callCount]).to.deep.equal([[["mail.send"]], 1]);
  });

  it("is not looked into again for what had come already", async () => {
    const { channel, reported, due } = listening();
    channel.notifyAll([["mail.send", Date.now() - 5]], Date.now() - 1);
    channel.notifyAll([["mail.send", 0]], 0);
    await clock.tickAsync(1_000);
    expect([reported.callCount, due.callCount]).to.deep.equal([2, 0]);
  });

  it("comes at its moment, and the end of the timer asks for the next", async () => {
    const { channel, reported, due } = listening();
    channel.notifyAll([["mail.send", Date.now() + 30]], Date.now());
    await clock.tickAsync(29);
    expect([reported.callCount, due.callCount]).to.deep.equal([0, 0]);
    await clock.tickAsync(2);
    expect([reported.args, due.callCount]).to.deep.equal([[["mail.send"]], 0]);
    await clock.tickAsync(50);
    expect([reported.callCount, due.callCount]).to.deep.equal([1, 1]);
  });

  it("is searched once for all timers that end shortly after one another", async () => {
    const { channel, reported, due } = listening();
    for (const [name, wait] of [
      ["mail.send", 10],
      ["sms.send", 30],
      ["push.send", 50],
      ["site.check", 200],
    ] as const)
      channel.notify(name, Date.now() + wait);
    await clock.tickAsync(150);
    expect([reported.args.flat(), due.callCount]).to.deep.equal([["mail.send", "sms.send", "push.send"], 1]);
    await clock.tickAsync(150);
    expect([reported.callCount, due.callCount]).to.deep.equal([4, 2]);
  });

  it("is no longer searched once the channel is closed", async () => {
    const { channel, due } = listening();
    channel.notify("mail.send", Date.now() + 10);
    await clock.tickAsync(20);
    await channel.disconnect();
    await clock.tickAsync(1_000);
    expect(due.callCount).to.equal(0);
  });
});
