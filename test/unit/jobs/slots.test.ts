import { expect } from "chai";
import { Slots } from "../../../core/jobs/queue/slots.ts";

const host = { slotsOf: (name: string) => (name === "mail.wake" ? 15 : 9), isClock: (name: string) => name.startsWith("clock") };
const never = () => new Promise<readonly never[]>(() => {});

describe("the free slots of a node", () => {
  const heldOf = (...names: string[]) => new Map(names.map((name, n) => [String(n), { name }]));
  const many = (name: string, count: number) => Array.from({ length: count }, () => name);

  it("are those of a name that no job has", () => {
    expect(new Slots(host, heldOf()).room("mail.wake")).to.equal(15);
    expect(new Slots(host, heldOf("mail.wake", "clock.a")).room("mail.wake")).to.equal(14);
  });

  it("of all clocks together are twenty, whatever else runs", () => {
    const slots = new Slots(host, heldOf(...many("clock.a", 9), ...many("clock.b", 9), ...many("mail.wake", 3)));
    expect(slots.room("clock.a")).to.equal(0);
    expect(slots.room("clock.c")).to.equal(2);
    expect(slots.room("mail.wake"), "clocks take none of them").to.equal(12);
  });

  it("of clocks are reserved while a claim runs", async () => {
    const slots = new Slots(host, heldOf());
    void slots.claim("clock.a", 9, never);
    void slots.claim("clock.b", 9, never);
    void slots.claim("mail.wake", 15, never);
    expect(slots.room("clock.c")).to.equal(2);
    await slots.claim("clock.c", 2, async () => []);
    expect(slots.room("clock.c")).to.equal(2);
  });

  it("are filled by time alone at each fourth claim of a name", async () => {
    const slots = new Slots(host, heldOf());
    const claims: boolean[] = [];
    const claim = (name: string) =>
      slots.claim(name, 1, async (byTime) => {
        claims.push(byTime);
        return [];
      });
    for (let n = 0; n < 8; n++) await claim("mail.wake");
    await claim("clock.a");
    expect(claims).to.deep.equal([false, false, false, true, false, false, false, true, false]);
  });
});
