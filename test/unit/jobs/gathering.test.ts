import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { Gathering } from "../../../core/jobs/gathering.ts";

/** A gathering whose calls end when the test says so. */
function gathering() {
  const calls: { items: readonly string[]; end: PromiseWithResolvers<readonly string[]> }[] = [];
  const gathered = new Gathering<string, string>((items) => {
    const end = Promise.withResolvers<readonly string[]>();
    calls.push({ items, end });
    return end.promise;
  });
  const answer = (index: number) => calls[index]?.end.resolve(calls[index].items.map((item) => item.toUpperCase()));
  return { gathered, calls, answer, items: () => calls.map(({ items }) => items.join("")) };
}

describe("Gathering", () => {
  it("does the items of one turn in one call, and gives each its own result", async () => {
    const { gathered, answer, items } = gathering();
    const results = Promise.all(["a", "b", "c"].map((item) => gathered.add(item)));
    await turn();
    answer(0);
    expect([await results, items()]).to.deep.equal([["A", "B", "C"], ["abc"]]);
  });

  it("does together what came while a call was under way", async () => {
    const { gathered, answer, items } = gathering();
    const first = gathered.add("a");
    await turn();
    const later = ["b", "c"].map((item) => gathered.add(item));
    expect(items()).to.deep.equal(["a"]);
    answer(0);
    await first;
    await turn();
    expect(items()).to.deep.equal(["a", "bc"]);
    answer(1);
    expect(await Promise.all(later)).to.deep.equal(["B", "C"]);
  });

  it("waits for other items for its time", async () => {
    const calls: string[][] = [];
    const noted = async (items: readonly string[]) => {
      calls.push([...items]);
      return items;
    };
    const gathered = new Gathering<string, string>(noted, () => 5);
    const first = gathered.add("a");
    await turn();
    await Promise.all([first, gathered.add("b")]);
    expect(calls).to.deep.equal([["a", "b"]]);
  });

  it("lets no key wait for another", async () => {
    const { gathered, answer, items } = gathering();
    void gathered.add("a", "one");
    const other = gathered.add("b", "two");
    await turn();
    expect(items()).to.deep.equal(["a", "b"]);
    answer(1);
    expect(await other).to.equal("B");
  });

  it("fails for all of a call, and for no later one", async () => {
    const { gathered, calls, answer } = gathering();
    const failed = Promise.allSettled(["a", "b"].map((item) => gathered.add(item)));
    await turn();
    const after = gathered.add("c");
    calls[0]?.end.reject(new Error("away"));
    expect((await failed).map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    await turn();
    answer(1);
    expect(await after).to.equal("C");
  });

  it("begins again after it was idle, and does at most two hundred at once", async () => {
    const { gathered, answer, calls } = gathering();
    const many = Promise.all(Array.from({ length: 201 }, (_, n) => gathered.add(String(n))));
    await turn();
    answer(0);
    await turn();
    answer(1);
    expect((await many).length).to.equal(201);
    expect(calls.map(({ items }) => items.length)).to.deep.equal([200, 1]);
    await turn();
    const again = gathered.add("z");
    await turn();
    answer(2);
    expect(await again).to.equal("Z");
  });
});
