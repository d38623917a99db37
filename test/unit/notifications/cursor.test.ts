import { expect } from "chai";
import fc from "fast-check";
import { advance, type Cursor, cursorText, readCursor } from "../../../services/notifications/stream/cursor.ts";
import { cases } from "../../support/cases.ts";

const NOW = Date.parse("2026-03-02T09:30:00Z");
/** An instant some milliseconds after nine. */
const at = (ms: number) => new Date(Date.parse("2026-03-02T09:00:00Z") + ms).toISOString().replace("Z", "000Z");
const fresh = (ms: number): Cursor => ({ at: at(ms), sent: new Map() });
/** An id by its order among others, and its number. */
const idOf = (order: number, number: number) =>
  `${order.toString(16).padStart(8, "0")}-0000-4000-8000-${String(number).padStart(12, "0")}`;
const [one, two, three] = [idOf(3, 1), idOf(1, 2), idOf(2, 3)];

describe("how far the stream of an inbox has come", () => {
  it("sends newly visible rows, once, and continues where a read was sure to have seen everything", () => {
    const rows = [
      { id: one, at: at(10) },
      { id: two, at: at(40) },
    ];
    const first = advance(fresh(0), rows, at(30));
    expect(first.steps.map(({ row }) => row.id)).to.deep.equal([one, two]);
    expect(first.cursor).to.deep.equal({ at: at(30), sent: new Map([[two, at(40)]]) });
    const again = advance(first.cursor, [{ id: two, at: at(40) }], at(60));
    expect(again.steps).to.deep.equal([]);
    expect(again.cursor).to.deep.equal(fresh(60));
  });

  it("sends a row that was committed late, though later ones were sent before", () => {
    const { cursor } = advance(fresh(0), [{ id: two, at: at(40) }], at(30));
    const rows = [
      { id: three, at: at(35) },
      { id: two, at: at(40) },
    ];
    expect(advance(cursor, rows, at(50)).steps.map(({ row }) => row.id)).to.deep.equal([three]);
  });

  it("names after each event a point from which to continue", () => {
    const rows = [
      { id: one, at: at(10) },
      { id: two, at: at(10) },
      { id: three, at: at(20) },
    ];
    const { steps } = advance(fresh(0), rows, at(100));
    const left = steps.map(({ cursor }) => {
      const read = readCursor(cursorText(cursor), NOW) as Cursor;
      return advance(
        read,
        rows.filter((row) => row.at >= read.at),
        at(100),
      ).steps.map(({ row }) => row.id);
    });
    expect(left).to.deep.equal([[two, three], [three], []]);
  });

  it("does not go back when a later look is less sure", () => {
    expect(advance(fresh(50), [{ id: one, at: at(40) }], at(20))).to.deep.equal({ steps: [], cursor: fresh(50) });
  });

  it("reads only its own form", () => {
    for (const text of [
      undefined,
      "",
      "17",
      "~",
      `${at(0)}~x`,
      `${at(0)}~${one}`,
      "2026-03-02T09:00:00Z",
      "2026-03-02T11:00:00.000000Z",
      "2026-13-02T09:00:00.000000Z",
    ])
      expect(readCursor(text, NOW), String(text)).to.equal(null);
    expect(readCursor(cursorText({ at: at(0), sent: new Map([[one, at(5)]]) }), NOW)).to.deep.equal({
      at: at(0),
      sent: new Map([[one, at(0)]]),
    });
    expect(readCursor("2025-01-01T00:00:00.000000Z", NOW)?.at).to.equal("2026-01-31T09:30:00.000000Z");
  });

  it("loses no row and sends none twice, for any order of commits and any reconnects of the reader", () => {
    const row = fc.record({ visible: fc.nat(200), late: fc.nat(60), order: fc.nat(0xffff) });
    const look = fc.record({ wait: fc.integer({ min: 1, max: 40 }), leavesAfter: fc.option(fc.nat(4)) });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), fc.array(look, { minLength: 4, maxLength: 20 }), (written, looks) => {
        const rows = written.map(({ visible, late, order }, number) => ({
          id: idOf(order, number),
          at: at(visible),
          from: visible,
          committed: visible + late,
        }));
        let cursor = fresh(0);
        let now = 0;
        const got: string[] = [];
        for (const { wait, leavesAfter } of [...looks, { wait: 300, leavesAfter: null }, { wait: 1, leavesAfter: null }]) {
          now += wait;
          // The oldest transaction that is open: rows are stamped at or after its beginning.
          const open = rows.filter(({ from, committed }) => from <= now && committed > now).map(({ from }) => from);
          const until = at(Math.min(now, ...open));
          const seen = rows
            .filter((one) => one.committed <= now && one.from <= now && one.at >= cursor.at)
            .toSorted((a, b) => (a.at + a.id < b.at + b.id ? -1 : 1));
          const made = advance(cursor, seen, until);
          const taken = leavesAfter === null ? made.steps : made.steps.slice(0, leavesAfter);
          got.push(...taken.map(({ row: { id } }) => id));
          const reached = taken.length < made.steps.length ? (taken.at(-1)?.cursor ?? cursor) : made.cursor;
          cursor = leavesAfter === null ? reached : (readCursor(cursorText(reached), NOW) as Cursor);
        }
        expect(got.toSorted()).to.deep.equal(rows.map(({ id }) => id).toSorted());
      }),
      cases(500),
    );
  });
});
