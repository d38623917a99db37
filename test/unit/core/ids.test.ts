import { expect } from "chai";
import sinon from "sinon";
import { newId } from "../../../core/database/model.ts";
import { once } from "../../../core/declare/once.ts";

describe("new ids", () => {
  afterEach(() => sinon.restore());
  const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it("are UUIDs of version 7, each greater than the one before, with random ends", () => {
    const ids = Array.from({ length: 5000 }, newId);
    for (const id of ids) expect(id).to.match(VERSION_7);
    expect(ids).to.deep.equal([...ids].sort());
    expect(new Set(ids.map((id) => id.slice(-10))).size).to.equal(ids.length);
  });

  it("keep their order when the clock stops or goes back", () => {
    const clock = sinon.useFakeTimers({ now: Date.UTC(2100, 0, 1), toFake: ["Date"] });
    const first = [newId(), newId()];
    clock.setSystemTime(Date.UTC(2099, 0, 1));
    const then = [newId(), newId()];
    const ids = [...first, ...then];
    expect(ids).to.deep.equal([...ids].sort());
    expect(new Set(ids).size).to.equal(4);
  });
});

describe("values loaded once", () => {
  it("is the same for every caller, and loaded again after a failure", async () => {
    const load = sinon.stub();
    load.onFirstCall().rejects(new Error("gone"));
    load.onSecondCall().resolves("part");
    const part = once(load);
    const failures = await Promise.allSettled([part(), part()]);
    expect(failures.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    expect(await Promise.all([part(), part()])).to.deep.equal(["part", "part"]);
    expect(load.callCount).to.equal(2);
  });
});
