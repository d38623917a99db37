import { expect } from "chai";
import { OverBudget, type PoolOptions, TaskFailed, ThreadPool } from "../../../core/threads/thread-pool.ts";
import { until } from "../../support/jobs.ts";

const TASK = new URL("./thread-pool-task.ts", import.meta.url).href;

describe("a pool of threads", function () {
  this.timeout(60_000);
  const pools: ThreadPool[] = [];
  const pool = (options: Partial<PoolOptions> = {}): ThreadPool => {
    const made = new ThreadPool({
      entry: new URL("../../../core/threads/thread.ts", import.meta.url),
      ...{ most: 2, mostOfOne: 1, mostWaiting: 3, memory: 64, patience: 100, startTimeout: 60_000, idle: 60_000 },
      ...options,
    });
    pools.push(made);
    return made;
  };
  const call = (from: ThreadPool, input: object, key = "a", budget = 60_000) =>
    from.run({ task: TASK, input, key, budget }).then(
      (value) => value,
      (error: Error) => error,
    );
  afterEach(async () => {
    for (const one of pools.splice(0)) await one.stop();
  });

  it("starts no thread before there is work, and uses it again", async () => {
    const one = pool();
    expect(one.size).to.deep.equal({ threads: 0, waiting: 0 });
    expect(await call(one, { does: "answer" })).to.deep.equal({ calls: 1 });
    expect(await call(one, { does: "answer" })).to.deep.equal({ calls: 2 });
    expect(one.size.threads).to.equal(1);
  });

  it("returns the error of a task, and continues with its thread", async () => {
    const one = pool();
    const error = await call(one, { does: "throw" });
    expect(error).to.be.instanceOf(TaskFailed).and.not.instanceOf(OverBudget);
    expect((error as Error).message).to.equal("as ordered");
    expect(await call(one, { does: "answer" })).to.deep.equal({ calls: 2 });
  });

  it("ends work that takes too long or too much memory with its thread, and does the next in another", async () => {
    const one = pool();
    expect(await call(one, { does: "loop" }, "a", 100)).to.be.instanceOf(OverBudget);
    expect(await call(one, { does: "grow" })).to.be.instanceOf(OverBudget);
    expect(one.size.threads).to.equal(0);
    expect(await call(one, { does: "answer" })).to.deep.equal({ calls: 1 });
  });

  it("counts processor time: a task that waits is not over its budget", async () => {
    expect(await call(pool(), { does: "wait", milliseconds: 1_500 }, "a", 500)).to.equal("waited");
  });

  it("lets one key have its threads and no more, and the next key pass", async () => {
    const one = pool();
    const gate = new SharedArrayBuffer(4);
    const held = [call(one, { does: "hold", gate }), call(one, { does: "hold", gate })];
    await until(async () => one.size.waiting === 1);
    expect(await call(one, { does: "answer" }, "b")).to.deep.equal({ calls: 1 });
    expect(one.size.waiting).to.equal(1);
    new Int32Array(gate).fill(1);
    Atomics.notify(new Int32Array(gate), 0);
    expect(await Promise.all(held)).to.deep.equal(["held", "held"]);
  });

  it("refuses what would wait behind too many of the same key, and takes others", async () => {
    const one = pool();
    const gate = new SharedArrayBuffer(4);
    const held = [1, 2, 3, 4].map(() => call(one, { does: "hold", gate }));
    const refused = (await call(one, { does: "answer" })) as { code: number; data: object };
    expect([refused.code, refused.data]).to.deep.equal([503, { headers: { "Retry-After": "2" } }]);
    expect(await call(one, { does: "answer" }, "b")).to.deep.equal({ calls: 1 });
    new Int32Array(gate).fill(1);
    Atomics.notify(new Int32Array(gate), 0);
    await Promise.all(held);
  });

  it("ends a thread that has had no work for a while", async () => {
    const one = pool({ idle: 10 });
    await call(one, { does: "answer" });
    await until(async () => one.size.threads === 0);
    expect(await call(one, { does: "answer" })).to.deep.equal({ calls: 1 });
  });

  it("gives threads nothing of the environment", async () => {
    expect(await call(pool(), { does: "environment" })).to.deep.equal([]);
  });
});
