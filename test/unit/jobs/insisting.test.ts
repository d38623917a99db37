import { expect } from "chai";
import { Errors } from "moleculer";
import { type RefusalParts, refusal } from "../../../core/errors/errors.ts";
import { callInsistently, writeInsistently } from "../../../core/jobs/insisting.ts";

describe("a job's record of an act that must not happen twice", () => {
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

describe("a job's call to another actor", () => {
  /** A run whose calls fail so often first, and how many there were. */
  const runThatFails = (times: number, error: unknown, signal = new AbortController().signal) => {
    const tried = { times: 0 };
    const call = async <T>(): Promise<T> => {
      if (tried.times++ < times) throw error;
      return "done" as T;
    };
    return { tried, run: { call, signal } };
  };
  /** A refusal for want of the database, as a call between two nodes gives it. */
  const away = (undone?: boolean) => {
    const error = refusal("unavailable");
    if (undone !== undefined) (error.data as RefusalParts).undone = undone;
    return error;
  };

  for (const [title, error] of [
    ["the database was away", away(true)],
    ["no node does it", new Errors.ServiceNotFoundError({ action: "tasks.make" })],
    ["its node is going", new Errors.ServiceNotAvailableError({ action: "tasks.make" })],
  ] as const)
    it(`is done later where ${title}`, async () => {
      const { tried, run } = runThatFails(2, error);
      expect(await callInsistently(run, ["tasks.make"], 60_000)).to.equal("done");
      expect(tried.times).to.equal(3);
    });

  for (const [title, error] of [
    ["may be kept although the database went away", away(false)],
    ["does not tell whether anything is kept", away()],
    ["was refused", refusal("conflict")],
    ["was broken by another that it needs", new Errors.ServiceNotFoundError({ action: "mails.send" })],
    ["was not answered", new Errors.RequestTimeoutError({ action: "tasks.make", nodeID: "a" })],
  ] as const)
    it(`is not asked for again when it ${title}`, async () => {
      const { tried, run } = runThatFails(9, error);
      const thrown = await callInsistently(run, ["tasks.make"], 60_000).catch((reason: unknown) => reason);
      expect(thrown).to.equal(error);
      expect(tried.times).to.equal(1);
    });

  for (const [title, error] of [
    ["may be kept although the database went away", away(false)],
    ["was not answered", new Errors.RequestTimeoutError({ action: "tasks.make", nodeID: "a" })],
    ["was on a node that is gone", new Errors.RequestRejectedError({ action: "tasks.make", nodeID: "a" })],
    ["is still under way elsewhere", refusal("idempotency_in_progress")],
  ] as const)
    it(`is repeated under its own name when it ${title}`, async () => {
      const { tried, run } = runThatFails(2, error);
      expect(await callInsistently(run, ["tasks.make", {}, undefined, "its name"], 60_000)).to.equal("done");
      expect(tried.times).to.equal(3);
    });

  it("is not asked for again under its own name when it was refused", async () => {
    const { tried, run } = runThatFails(9, refusal("conflict"));
    await callInsistently(run, ["tasks.make", {}, undefined, "its name"], 60_000).catch(() => {});
    expect(tried.times).to.equal(1);
  });

  it("is given up when its time or that of the run is up", async () => {
    const error = away(true);
    const late = runThatFails(Number.POSITIVE_INFINITY, error);
    expect(await callInsistently(late.run, ["tasks.make"], -1).catch((reason: unknown) => reason)).to.equal(error);
    const stopped = runThatFails(Number.POSITIVE_INFINITY, error, AbortSignal.abort());
    expect(await callInsistently(stopped.run, ["tasks.make"], 60_000).catch((reason: unknown) => reason)).to.equal(error);
    expect([late.tried.times, stopped.tried.times]).to.deep.equal([1, 1]);
  });
});
