import { expect } from "chai";
import { drain } from "../../../core/jobs/drain.ts";

interface Row {
  key: string;
  n: number;
}

const rowsOf = (...texts: string[]): Row[] => texts.map((text) => ({ key: text.charAt(0), n: Number(text.slice(1)) }));
const named = (rows: readonly Row[]): string[] => rows.map(({ key, n }) => `${key}${n}`);

/** Attempts that end when the test says so, with the rows that were started and are running. */
class Attempts {
  readonly started: string[] = [];
  readonly #running = new Map<string, PromiseWithResolvers<unknown>>();

  readonly attempt = ({ key, n }: Row): Promise<unknown> => {
    const name = `${key}${n}`;
    const running = Promise.withResolvers<unknown>();
    this.started.push(name);
    this.#running.set(name, running);
    return running.promise;
  };

  get running(): string[] {
    return [...this.#running.keys()];
  }

  /** Ends an attempt, and waits until the next one has started. */
  async end(name: string, outcome?: false | Error): Promise<void> {
    const { resolve, reject } = this.#running.get(name) as PromiseWithResolvers<unknown>;
    this.#running.delete(name);
    if (outcome instanceof Error) reject(outcome);
    else resolve(outcome);
    await new Promise((next) => setImmediate(next));
  }
}

describe("drain", () => {
  const orderKey = ({ key }: Row) => key;
  let attempts: Attempts;
  beforeEach(() => {
    attempts = new Attempts();
  });

  it("tries all rows in their order by default", async () => {
    const drained = drain(rowsOf("b1", "a1", "b2"), {}, attempts.attempt);
    for (const name of ["b1", "a1", "b2"]) {
      expect(attempts.running).to.deep.equal([name]);
      await attempts.end(name);
    }
    expect(await drained).to.deep.equal([]);
  });

  it("tries the rows of one key in their order, and those of several keys in parallel up to the limit", async () => {
    const drained = drain(rowsOf("a1", "a2", "b1", "c1", "b2"), { orderKey, atOnce: 2 }, attempts.attempt);
    expect(attempts.running).to.deep.equal(["a1", "b1"]);
    await attempts.end("b1");
    expect(attempts.running).to.deep.equal(["a1", "b2"]);
    await attempts.end("b2");
    expect(attempts.running).to.deep.equal(["a1", "c1"]);
    await attempts.end("a1");
    expect(attempts.running).to.deep.equal(["c1", "a2"]);
    await attempts.end("a2");
    await attempts.end("c1");
    expect(await drained).to.deep.equal([]);
  });

  it("tries rows without a key in parallel", async () => {
    const drained = drain(rowsOf("a1", "a2", "a3"), { atOnce: 2 }, attempts.attempt);
    expect(attempts.running).to.deep.equal(["a1", "a2"]);
    for (const name of ["a2", "a1", "a3"]) await attempts.end(name);
    expect(await drained).to.deep.equal([]);
  });

  it("starts no further row once the run is aborted, and returns the rest", async () => {
    const controller = new AbortController();
    const drained = drain(rowsOf("a1", "a2", "b1", "c1"), { orderKey, atOnce: 2, signal: controller.signal }, attempts.attempt);
    controller.abort();
    for (const name of ["a1", "b1"]) await attempts.end(name);
    expect(named(await drained).sort()).to.deep.equal(["a2", "c1"]);
  });

  it("starts no further row after its time", async () => {
    const drained = drain(rowsOf("a1", "a2"), { longest: 20 }, attempts.attempt);
    await new Promise((resolve) => setTimeout(resolve, 25));
    await attempts.end("a1");
    expect(named(await drained)).to.deep.equal(["a2"]);
    expect(named(await drain(rowsOf("b1"), { longest: 0 }, attempts.attempt))).to.deep.equal(["b1"]);
  });

  it("starts no further row after an attempt that returns false", async () => {
    const drained = drain(rowsOf("a1", "b1", "c1", "a2"), { orderKey, atOnce: 2 }, attempts.attempt);
    await attempts.end("a1", false);
    await attempts.end("b1");
    expect(named(await drained).sort()).to.deep.equal(["a2", "c1"]);
  });

  it("throws the first error only once the running attempts have ended, and starts no further row", async () => {
    let thrown: unknown;
    const drained = drain(rowsOf("a1", "b1", "c1"), { atOnce: 2 }, attempts.attempt).catch((error: unknown) => {
      thrown = error;
    });
    const error = new Error("first");
    await attempts.end("a1", error);
    expect([thrown, attempts.started]).to.deep.equal([undefined, ["a1", "b1"]]);
    await attempts.end("b1", new Error("second"));
    await drained;
    expect([thrown, attempts.started]).to.deep.equal([error, ["a1", "b1"]]);
  });
});
