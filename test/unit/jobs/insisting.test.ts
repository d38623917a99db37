import { expect } from "chai";
import { refusal } from "../../../core/declare/errors.ts";
import { writeInsistently } from "../../../core/jobs/insisting.ts";

describe("what a job writes down of something that must not happen twice", () => {
  /** A run whose writes fail so often first, and how many there were. */
  const runThatFails = (times: number, error: unknown, signal = new AbortController().signal) => {
    const tried = { times: 0 };
    const write = async <T>(work: () => Promise<T>): Promise<T> => {
      if (tried.times++ < times) throw error;
      return work();
    };
    return { tried, run: { write, signal } };
  };

  it("is written as soon as the database is back", async () => {
    const { tried, run } = runThatFails(2, refusal("unavailable"));
    expect(await writeInsistently(run, async () => "written")).to.equal("written");
    expect(tried.times).to.equal(3);
  });

  it("fails at once for any other reason", async () => {
    for (const error of [refusal("conflict"), new TypeError("unavailable")]) {
      const { tried, run } = runThatFails(9, error);
      const thrown = await writeInsistently(run, async () => {}).catch((reason: unknown) => reason);
      expect(thrown).to.equal(error);
      expect(tried.times).to.equal(1);
    }
  });

  it("is given up when the time of the run is up", async () => {
    const controller = new AbortController();
    const error = refusal("unavailable");
    const { tried, run } = runThatFails(Number.POSITIVE_INFINITY, error, controller.signal);
    const ended = writeInsistently(run, async () => {}).catch((reason: unknown) => reason);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await ended).to.equal(error);
    expect(tried.times).to.equal(2);
  });
});
