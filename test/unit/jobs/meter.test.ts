import { expect } from "chai";
import { Meter } from "../../../core/jobs/meter.ts";

const broker = { isMetricsEnabled: () => false } as never;

describe("the figures of a job", () => {
  it("count what happened and give the median and the 99th of a hundred of its lags and durations", () => {
    const meter = new Meter(broker);
    for (let n = 1; n <= 100; n++) {
      meter.started("a", n);
      meter.ended("a", 2 * n);
    }
    meter.count("a", "enqueued", 100);
    meter.count("a", "succeeded", 99);
    meter.count("a", "failed");
    expect(meter.read()["a"]).to.deep.equal({
      enqueued: 100,
      succeeded: 99,
      failed: 1,
      retried: 0,
      dead: 0,
      skipped: 0,
      running: 0,
      lag_p50: 51,
      lag_p99: 100,
      duration_p50: 102,
      duration_p99: 200,
    });
  });

  it("leave out the wait of a repeated attempt, which is on purpose, and know what runs", () => {
    const meter = new Meter(broker);
    meter.started("a", null);
    expect(meter.read()["a"]).to.include({ running: 1, lag_p50: null });
  });

  it("are of the last thousand runs", () => {
    const meter = new Meter(broker);
    for (let n = 0; n < 3_000; n++) meter.started("a", n < 2_000 ? 5_000 : 1);
    expect(meter.read()["a"]?.lag_p99).to.equal(1);
  });
});
