import { expect } from "chai";
import { exportedSheet, fileOf } from "../../../core/impex/export.ts";
import { readSheet } from "../../../core/impex/files/read-sheet.ts";
import { CALL_LIMITS } from "../../../core/impex/files/sheet.ts";
import { matchRows } from "../../../core/impex/matching.ts";
import { breathing, flatMapped, jsonOf } from "../../../core/threads/breath.ts";
import { occasionsOf } from "../../../services/notifications/audience/occasions.ts";

/** How often others had the event loop while the work ran. */
async function letIn(work: () => unknown): Promise<number> {
  let [times, isOver] = [0, false];
  const other = () => {
    times += 1;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  await work();
  isOver = true;
  return times;
}

/** Work of a millisecond that lets nobody in. */
function busy(): void {
  const until = performance.now() + 1;
  while (performance.now() < until);
}

const MANY = 20_000;
const many = <T>(make: (n: number) => T, count = MANY): T[] => Array.from({ length: count }, (_, n) => make(n));

describe("a long loop", () => {
  it("lets others have the event loop again and again", async () => {
    const loop = async () => {
      for await (const _ of breathing(many(String, 200))) busy();
    };
    expect(await letIn(loop)).to.be.at.least(20);
  });

  it("lets nobody in while it is short, so that a small write stays in one turn", async () => {
    const loop = async () => {
      for await (const _ of breathing([1, 2, 3]));
      await flatMapped(many(String, 200), (one) => one);
      await jsonOf(many(String, 200));
    };
    expect(await letIn(loop)).to.equal(0);
  });

  it("shares each turn of the event loop with no other long loop", async () => {
    let [inTurn, most, isOver] = [new Set<number>(), 0, false];
    const turn = () => {
      most = Math.max(most, inTurn.size);
      inTurn = new Set();
      if (!isOver) setImmediate(turn);
    };
    const loop = async (name: number) => {
      for await (const _ of breathing(many(String, 50))) {
        busy();
        inTurn.add(name);
      }
    };
    // All begin in one turn; what counts is how they go on.
    const running = many(loop, 6);
    setImmediate(() => {
      inTurn = new Set();
      turn();
    });
    await Promise.all(running);
    isOver = true;
    expect(most).to.be.within(1, 2);
  });

  it("gives what a short one gives", async () => {
    for (const count of [0, 1, 200, 201, 1000]) {
      const items = many((n) => ({ n, text: `"${n}`, nothing: undefined }), count);
      expect(await jsonOf(items)).to.equal(JSON.stringify(items));
      const work = ({ n }: { n: number }, index: number) => (n % 3 === 0 ? [n, index] : n % 3 === 1 ? [] : n);
      expect(await flatMapped(items, work)).to.deep.equal(items.flatMap(work));
    }
  });
});

describe("work over as many rows as a file has lets others in", () => {
  const names = (n: number) => `Client ${n}`;

  it("reading CSV", async () => {
    const file = new TextEncoder().encode(`Name;City\n${many((n) => `${names(n)};Utrecht`).join("\n")}\n`);
    expect(await letIn(() => readSheet(file, CALL_LIMITS))).to.be.at.least(5);
  });

  it("matching with stored records", async () => {
    const rows = many((n) => ({ id: undefined, number: String(n), name: names(n) }), 5 * MANY);
    expect(await letIn(() => matchRows(rows, { byNumber: new Map(), byName: new Map() }))).to.be.at.least(5);
  });

  it("finding the audience of their events", async () => {
    const event = (n: number) => ({ id: `${n}`, name: "company.created", entityType: "company", entityId: `${n}`, payload: {} });
    const events = many(event, 10 * MANY);
    expect(await letIn(() => occasionsOf(events, null))).to.be.at.least(5);
  });

  it("writing CSV", async () => {
    const fields = many((n) => ({ key: `field ${n}`, kind: "text" as const }), 20);
    const entity = {
      name: "thing",
      plural: "things",
      read: "companies.company.read",
      fields,
      filters: {},
      ids: async () => many(String),
      // The rows are there at once: what lets others in is not the database.
      rows: async (ids: readonly string[]) =>
        ids.map((id) => Object.fromEntries(fields.map(({ key }) => [key, `${key} of ${id}`]))),
    };
    const write = async () => {
      let bytes = 0;
      const { fields: shown, pages } = await exportedSheet(entity, {});
      for await (const chunk of await fileOf("csv", shown, pages)) bytes += chunk.length;
      expect(bytes).to.be.above(MANY);
    };
    expect(await letIn(write)).to.be.at.least(10);
  });
});
