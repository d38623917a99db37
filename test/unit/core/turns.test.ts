import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type TurnLimits, Turns } from "../../../core/values/turns.ts";

/** Turns whose holders are letters, with the order in which they began. */
function trial(limits: TurnLimits) {
  const turns = new Turns(limits);
  const began: string[] = [];
  const refused: string[] = [];
  const take = (name: string, timeout?: number) =>
    turns.take(name.charAt(0), { refusal: () => new Error(`${name} refused`), ...(timeout !== undefined && { timeout }) }).then(
      () => void began.push(name),
      (error: Error) => void refused.push(error.message),
    );
  const end = async (...keys: string[]) => {
    for (const key of keys) {
      turns.over(key);
      await sleep(0);
    }
  };
  return { turns, began, refused, take, end };
}

describe("turns", () => {
  it("are never more than there are, and one holder never has more than its share", async () => {
    const { turns, began, refused, take } = trial({ total: 4, share: 2 });
    await Promise.all([take("a1"), take("a2")]);
    await take("a3", 1);
    await Promise.all([take("b1"), take("c1")]);
    await take("d1", 1);
    expect([began, refused, turns.taken, turns.waiting]).to.deep.equal([
      ["a1", "a2", "b1", "c1"],
      ["a3 refused", "d1 refused"],
      4,
      0,
    ]);
  });

  it("go to the holder with the fewest, then to the one whose last turn is the longest ago", async () => {
    const { began, take, end } = trial({ total: 3 });
    await Promise.all([take("a1"), take("a2"), take("b1")]);
    for (const name of ["a3", "a4", "b2", "c1", "c2"]) void take(name);
    await end("b", "b", "a", "c", "a");
    expect(began).to.deep.equal(["a1", "a2", "b1", "b2", "c1", "a3", "c2", "a4"]);
  });

  it("do not starve a holder while new ones come", async () => {
    const { began, take, end } = trial({ total: 1 });
    await take("a1");
    for (const name of ["a2", "a3", "b1"]) void take(name);
    await end("a", "a");
    for (const name of ["c1", "d1"]) void take(name);
    await end("b", "a", "c");
    expect(began).to.deep.equal(["a1", "a2", "b1", "a3", "c1", "d1"]);
  });

  it("go past a holder that is at its limit", async () => {
    const { began, take, end } = trial({ total: 2, share: 1 });
    await Promise.all([take("a1"), take("b1")]);
    for (const name of ["a2", "c1"]) void take(name);
    await end("b");
    expect(began).to.deep.equal(["a1", "b1", "c1"]);
    await end("a");
    expect(began).to.deep.equal(["a1", "b1", "c1", "a2"]);
  });

  it("keep the last one for a holder without any", async () => {
    const { turns, began, take, end } = trial({ total: 3, keepsOne: true });
    await Promise.all([take("a1"), take("a2")]);
    void take("a3");
    await take("b1");
    expect([began, turns.taken, turns.waiting]).to.deep.equal([["a1", "a2", "b1"], 3, 1]);
    await end("b");
    expect(began).to.deep.equal(["a1", "a2", "b1"]);
    await end("a");
    expect(began).to.deep.equal(["a1", "a2", "b1", "a3"]);
  });

  it("refuse the newest of the longest line when too many wait, and the newcomer that has the longest", async () => {
    const { began, refused, take, end } = trial({ total: 1, mostWaiting: 3 });
    await take("a1");
    for (const name of ["a2", "a3", "a4", "b1", "a5"]) void take(name);
    await sleep(0);
    expect(refused).to.deep.equal(["a4 refused", "a5 refused"]);
    await end("a", "a", "b");
    expect(began).to.deep.equal(["a1", "a2", "b1", "a3"]);
  });

  it("refuse a holder whose own line is full, and all that wait when asked", async () => {
    const { turns, began, refused, take, end } = trial({ total: 1, mostWaitingOfOne: 1 });
    await take("a1");
    for (const name of ["a2", "a3", "b1"]) void take(name);
    await sleep(0);
    expect(refused).to.deep.equal(["a3 refused"]);
    turns.refuseWaiting();
    await end("a");
    expect([refused, began, turns.taken, turns.waiting]).to.deep.equal([
      ["a3 refused", "a2 refused", "b1 refused"],
      ["a1"],
      0,
      0,
    ]);
    expect(() => turns.over("a")).to.throw("'a' has no turn");
  });

  it("lose none that was left by a timeout", async () => {
    const { turns, began, refused, take, end } = trial({ total: 1 });
    await take("a1");
    await take("b1", 1);
    await end("a");
    expect([refused, turns.taken]).to.deep.equal([["b1 refused"], 0]);
    await take("c1");
    expect(began).to.deep.equal(["a1", "c1"]);
  });
});
