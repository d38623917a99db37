import { expect } from "chai";
import type { ChangedRecord } from "../../../core/declare/events.ts";
import { recordEventsOf } from "../../../core/trail/record-changes.ts";

const [A, B] = ["0195a000-0000-7000-8000-00000000000a", "0195a000-0000-7000-8000-00000000000b"];
const all = new Set(
  ["contact", "task", "website"].flatMap((kind) => ["created", "updated", "deleted"].map((change) => `${kind}.${change}`)),
);

const change = (kind: string, id: string, what: ChangedRecord["change"], ...fields: string[]): ChangedRecord => ({
  kind,
  id,
  change: what,
  fields,
});
const shown = (changes: ChangedRecord[], wanted: ReadonlySet<string> = all) =>
  recordEventsOf(changes, wanted).map(({ name, entityType, entityId, payload }) => [name, entityType, entityId, payload]);

describe("the changes of a transaction as events", () => {
  const cases: [what: string, changes: ChangedRecord[], expected: unknown[]][] = [
    ["nothing", [], []],
    [
      "several changes of one record as one, each field once",
      [change("contact", A, "updated", "city"), change("contact", A, "updated", "phone", "city")],
      [["contact.updated", "contact", A, { contact_id: A, changed: ["city", "phone"] }]],
    ],
    [
      "what was added and changed as added",
      [change("contact", A, "created"), change("contact", A, "updated", "city")],
      [["contact.created", "contact", A, { contact_id: A }]],
    ],
    [
      "what was changed and deleted as deleted",
      [change("contact", A, "updated", "city"), change("contact", A, "deleted")],
      [["contact.deleted", "contact", A, { contact_id: A }]],
    ],
    [
      "what was deleted twice as deleted once",
      [change("website", A, "deleted"), change("website", A, "deleted")],
      [["website.deleted", "website", A, { website_id: A }]],
    ],
    [
      "what was added and deleted as both",
      [change("contact", A, "created"), change("contact", A, "deleted")],
      [
        ["contact.created", "contact", A, { contact_id: A }],
        ["contact.deleted", "contact", A, { contact_id: A }],
      ],
    ],
    [
      "records apart, also of two kinds with one id, in the order they were written",
      [change("website", B, "updated", "root"), change("contact", A, "created"), change("contact", B, "deleted")],
      [
        ["website.updated", "website", B, { website_id: B, changed: ["root"] }],
        ["contact.created", "contact", A, { contact_id: A }],
        ["contact.deleted", "contact", B, { contact_id: B }],
      ],
    ],
    ["not what a domain event reports", [change("task", A, "created"), change("task", A, "updated", "title")], []],
  ];
  for (const [what, changes, expected] of cases)
    it(`report ${what}`, () => {
      expect(shown(changes)).to.deep.equal(expected);
    });

  it("are those that are wanted, each with an id of its own", () => {
    const changes = [change("contact", A, "created"), change("contact", B, "updated", "city")];
    expect(shown(changes, new Set(["contact.created"]))).to.deep.equal([["contact.created", "contact", A, { contact_id: A }]]);
    expect(shown(changes, new Set(["company.updated"]))).to.deep.equal([]);
    expect(new Set(recordEventsOf(changes, all).map(({ id }) => id)).size).to.equal(2);
  });
});
