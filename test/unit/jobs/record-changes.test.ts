import { expect } from "chai";
import type { ChangedRecord } from "../../../core/declare/events.ts";
import { recordEventsOf } from "../../../core/trail/record-changes.ts";

const [A, B] = ["0195a000-0000-7000-8000-00000000000a", "0195a000-0000-7000-8000-00000000000b"];
const all = new Set(
  ["hosting", "task", "website"].flatMap((kind) => ["created", "updated", "deleted"].map((change) => `${kind}.${change}`)),
);

const change = (kind: string, id: string, what: ChangedRecord["change"], ...fields: string[]): ChangedRecord => ({
  kind,
  id,
  change: what,
  fields,
});
const shown = async (changes: ChangedRecord[], wanted: ReadonlySet<string> = all) =>
  (await recordEventsOf(changes, wanted)).map(({ name, entityType, entityId, payload }) => [name, entityType, entityId, payload]);

describe("the changes of a transaction as events", () => {
  const cases: [what: string, changes: ChangedRecord[], expected: unknown[]][] = [
    ["nothing", [], []],
    [
      "several changes of one record as one, each field once",
      [change("hosting", A, "updated", "city"), change("hosting", A, "updated", "phone", "city")],
      [["hosting.updated", "hosting", A, { hosting_id: A, changed: ["city", "phone"] }]],
    ],
    [
      "what was added and changed as added",
      [change("hosting", A, "created"), change("hosting", A, "updated", "city")],
      [["hosting.created", "hosting", A, { hosting_id: A }]],
    ],
    [
      "what was changed and deleted as deleted",
      [change("hosting", A, "updated", "city"), change("hosting", A, "deleted")],
      [["hosting.deleted", "hosting", A, { hosting_id: A }]],
    ],
    [
      "what was deleted twice as deleted once",
      [change("website", A, "deleted"), change("website", A, "deleted")],
      [["website.deleted", "website", A, { website_id: A }]],
    ],
    [
      "what was added and deleted as both",
      [change("hosting", A, "created"), change("hosting", A, "deleted")],
      [
        ["hosting.created", "hosting", A, { hosting_id: A }],
        ["hosting.deleted", "hosting", A, { hosting_id: A }],
      ],
    ],
    [
      "records apart, also of two kinds with one id, in the order they were written",
      [change("website", B, "updated", "root"), change("hosting", A, "created"), change("hosting", B, "deleted")],
      [
        ["website.updated", "website", B, { website_id: B, changed: ["root"] }],
        ["hosting.created", "hosting", A, { hosting_id: A }],
        ["hosting.deleted", "hosting", B, { hosting_id: B }],
      ],
    ],
    ["not what a domain event reports", [change("task", A, "created"), change("task", A, "updated", "title")], []],
  ];
  for (const [what, changes, expected] of cases)
    it(`report ${what}`, async () => {
      expect(await shown(changes)).to.deep.equal(expected);
    });

  it("are those that are wanted, each with an id of its own", async () => {
    const changes = [change("hosting", A, "created"), change("hosting", B, "updated", "city")];
    expect(await shown(changes, new Set(["hosting.created"]))).to.deep.equal([
      ["hosting.created", "hosting", A, { hosting_id: A }],
    ]);
    expect(await shown(changes, new Set(["company.updated"]))).to.deep.equal([]);
    expect(new Set((await recordEventsOf(changes, all)).map(({ id }) => id)).size).to.equal(2);
  });
});
