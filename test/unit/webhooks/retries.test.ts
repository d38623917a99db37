import { expect } from "chai";
import { isTaken, PATIENCE, waitAfterAttempt } from "../../../services/webhooks/deliveries/retries.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];

describe("the retries of a webhook", () => {
  const waits: [attempts: number, wait: number | null][] = [
    [1, 5000],
    [2, 5 * MINUTE],
    [3, 30 * MINUTE],
    [4, 2 * HOUR],
    [5, 5 * HOUR],
    [6, 10 * HOUR],
    [7, 14 * HOUR],
    [8, 20 * HOUR],
    [9, 24 * HOUR],
    [10, null],
  ];
  for (const [attempts, wait] of waits)
    it(`wait ${wait === null ? "no more" : `${wait / 1000} s`} after attempt ${attempts}`, () => {
      expect(waitAfterAttempt(attempts)).to.equal(wait);
    });

  it("go on for longer than an endpoint may fail, so that the last of them ends it", () => {
    const waited = (attempts: number) => waits.slice(0, attempts - 1).reduce((sum, [, wait]) => sum + (wait ?? 0), 0);
    expect(waited(10)).to.be.greaterThan(PATIENCE);
    expect(waited(9)).to.be.lessThan(PATIENCE);
  });

  for (const [status, expected] of [
    [200, true],
    [204, true],
    [299, true],
    [199, false],
    [300, false],
    [302, false],
    [404, false],
    [410, false],
    [500, false],
  ] as const)
    it(`take ${status} for ${expected ? "taken" : "not taken"}`, () => {
      expect(isTaken(status)).to.equal(expected);
    });
});
