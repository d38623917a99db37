import { expect } from "chai";
import { dateOrders } from "../../../core/impex/date-orders.ts";
import type { Field } from "../../../core/impex/field.ts";
import { readDate } from "../../../core/impex/files/date-cells.ts";
import type { DateOrder } from "../../../core/impex/files/dates.ts";

const FIELDS: readonly Field[] = [
  { key: "name", kind: "text" },
  { key: "due_date", kind: "date" },
  { key: "start", kind: "text", dated: true },
];

/** The rows as a file gives them. */
async function* each<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows;
}

/** The orders in a file with these columns, where the header of a field is its key. */
const orders = async (columns: Readonly<Record<string, readonly string[]>>, asked: DateOrder | null = null) => {
  const headers = Object.keys(columns);
  const length = Math.max(...Object.values(columns).map((cells) => cells.length));
  const rows = Array.from({ length }, (_, row) => Object.fromEntries(headers.map((one) => [one, columns[one]?.[row] ?? ""])));
  const { of, taken, ambiguous } = await dateOrders(
    { headers, headerOf: (field) => field, read: () => each(rows), all: () => each(rows.map((row) => Object.values(row))) },
    FIELDS,
    asked,
  );
  return { of: Object.fromEntries(of), taken, ambiguous };
};

describe("the order of day and month in a file (conventions §22)", () => {
  for (const [what, columns, expected] of [
    ["one date that is only month first", { due_date: ["03/04/2026", "03/14/2026"] }, { due_date: "mdy" }],
    ["one date that is only day first", { due_date: ["03/04/2026", "14/03/2026"] }, { due_date: "dmy" }],
    ["both kinds: day first", { due_date: ["03/14/2026", "14/03/2026"] }, { due_date: "dmy" }],
    ["dates with hyphens and points", { due_date: ["03-04-2026", "03.04.2026"] }, {}],
    ["a day that is its month", { due_date: ["05/05/2026"] }, {}],
  ] as const)
    it(`follows from the rows: ${what}`, async () => {
      expect(await orders(columns)).to.deep.equal({ of: expected, taken: [], ambiguous: [] });
    });

  for (const [what, columns, order] of [
    ["a time with AM or PM", { start: ["03/04/2026, 09:00:00 AM"] }, "mdy"],
    ["an amount in dollars", { start: ["03/04/2026"], name: ["$1,200.00"] }, "mdy"],
    ["a header of the United States", { start: ["03/04/2026"], "Zip Code": ["10001"] }, "mdy"],
    ["a header that names the order", { start: ["03/04/2026"], "Due (DD/MM/YYYY)": ["x"] }, "dmy"],
    ["another column that is decided", { start: ["03/04/2026"], due_date: ["03/14/2026"] }, "mdy"],
  ] as const)
    it(`follows from ${what}, and is named`, async () => {
      const found = await orders(columns);
      expect(found.of).to.include({ start: order });
      expect(found.taken).to.deep.equal([{ column: "start", as: order }]);
      expect(found.ambiguous).to.deep.equal([]);
    });

  it("does not follow a hint that the rows contradict", async () => {
    expect(await orders({ start: ["14/03/2026 9:00 AM"] })).to.deep.equal({ of: { start: "dmy" }, taken: [], ambiguous: [] });
  });

  it("is open where nothing decides, and then the caller's", async () => {
    const columns = { due_date: ["", "03/04/2026"], start: ["2026-03-04"] };
    expect(await orders(columns)).to.deep.equal({
      of: {},
      taken: [],
      ambiguous: [{ column: "due_date", example: "03/04/2026", as: "2026-04-03" }],
    });
    expect((await orders(columns, "mdy")).of).to.deep.equal({ due_date: "mdy", start: "mdy" });
    expect(readDate("03/04/2026", { order: "mdy", zone: "UTC" })).to.equal("2026-03-04");
  });
});
