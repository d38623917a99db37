import { EventEmitter } from "node:events";
import { expect } from "chai";
import type { ServiceBroker } from "moleculer";
import sinon from "sinon";
import { watchTransport } from "../../../operator/transport.ts";

const MINUTE = 60_000;
const REFUSAL =
  "NATS at nats.internal:4222 refuses the credentials of this node ('Authorization Violation'), and has done so for a minute.";
const violation = () => Object.assign(new Error("'Authorization Violation'"), { code: "AUTHORIZATION_VIOLATION" });

/** A node whose transporter reports the test's messages. */
function watched() {
  const localBus = new EventEmitter();
  const connection = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<unknown>();
  const [logged, warned, onEnd] = [sinon.spy(), sinon.spy(), sinon.spy()];
  const transit = {
    connect: () => connection.promise,
    disconnect: () => Promise.reject(new Error("CONNECTION_CLOSED")),
    tx: { client: { closed: () => lost.promise } },
  };
  const calledOff = new AbortController();
  const broker = { transit, localBus, getLogger: () => ({ error: logged, warn: warned }) } as unknown as ServiceBroker;
  watchTransport(broker, [new URL("nats://kantoor:wrong@nats.internal:4222")], { onEnd, signal: calledOff.signal });
  return {
    logged,
    warned,
    onEnd,
    stop: () => transit.disconnect(),
    calledOff,
    lost,
    connecting: transit.connect(),
    refuse: () => localBus.emit("$transporter.error", { error: violation() }),
    fail: () => localBus.emit("$transporter.error", { error: Object.assign(new Error("away"), { code: "CONNECTION_REFUSED" }) }),
    connect() {
      connection.resolve();
      localBus.emit("$transporter.connected");
    },
  };
}

describe("a transporter that refuses the credentials of a node", () => {
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => {
    clock = sinon.useFakeTimers();
  });
  afterEach(() => clock.restore());

  it("is named once, without the password, and after a minute the start fails with the cause", async () => {
    const { refuse, connecting, logged, onEnd } = watched();
    const outcome = connecting.then(
      () => "connected",
      (error: Error) => `${error.name}: ${error.message}`,
    );
    refuse();
    refuse();
    expect(logged.args).to.deep.equal([
      [
        { event: "transport.credentials_refused" },
        "NATS at nats.internal:4222 refuses the credentials of this node ('Authorization Violation'); this node ends unless they count within a minute.",
      ],
    ]);
    await clock.tickAsync(MINUTE);
    expect(await outcome).to.equal(`ConfigurationError: ${REFUSAL}`);
    expect(onEnd.called).to.equal(false);
  });

  it("ends a node that had been connected, a minute after they no longer count", async () => {
    const { connect, connecting, lost, onEnd } = watched();
    connect();
    await connecting;
    lost.resolve(violation());
    await clock.tickAsync(MINUTE - 1);
    expect(onEnd.called).to.equal(false);
    await clock.tickAsync(1);
    expect(onEnd.args).to.deep.equal([[REFUSAL]]);
  });

  it("is forgiven when they count again within the minute", async () => {
    const { refuse, connect, connecting, onEnd } = watched();
    refuse();
    await clock.tickAsync(MINUTE / 2);
    connect();
    await connecting;
    await clock.tickAsync(MINUTE);
    expect(onEnd.called).to.equal(false);
  });

  it("is waited for when it is only away, and not at all once the start is called off", async () => {
    const { fail, connecting, logged, onEnd, calledOff } = watched();
    fail();
    await clock.tickAsync(2 * MINUTE);
    expect([logged.called, onEnd.called]).to.deep.equal([false, false]);
    calledOff.abort(new Error("called off"));
    const outcome = await connecting.catch((error: Error) => error.message);
    expect(outcome).to.equal("called off");
  });

  it("that is gone when its node stops does not end the stop", async () => {
    const { stop, warned } = watched();
    await stop();
    expect(warned.callCount).to.equal(1);
  });
});
