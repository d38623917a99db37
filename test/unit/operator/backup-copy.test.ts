import { Readable } from "node:stream";
import { expect } from "chai";
import type pg from "pg";
import { measuredTable } from "../../../operator/backup/copy.ts";

describe("copying a table into a backup", () => {
  it("counts the arrived rows, whatever the server reports by then", async () => {
    // Two rows, the first with a line feed in its value, cut in the middle; no number of rows is known when the stream ends.
    const parts = ["1\tone\\nline\n2", "\ttwo\n"].map((part) => Buffer.from(part));
    const client = { query: () => Object.assign(Readable.from(parts), { rowCount: 0 }) } as unknown as pg.ClientBase;
    const table = { name: "public.things", sql: "public.things", columns: ["id", "name"], order: "id" };
    expect(await measuredTable(client, table)).to.include({ rows: 2, bytes: 18 });
  });
});
