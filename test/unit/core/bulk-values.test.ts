import { expect } from "chai";
import type { BulkUpdate } from "../../../core/bulk/entity.ts";
import { day, oneOf, type Reader, yesOrNo } from "../../../core/bulk/readers.ts";
import { readValues } from "../../../core/bulk/values.ts";
import { isApiError } from "../../../core/errors/errors.ts";

/** A reader that finds Ann alone, as a reference would. */
const person: Reader = {
  about: "Ann",
  example: "Ann",
  of: async (text) => (text === "Ann" ? { value: "1" } : { error: "impex.errors.unresolved_reference" }),
};
const KEYS: BulkUpdate["keys"] = {
  status: { field: "status", read: oneOf(["open", "done"]) },
  owner: { field: "owner_id", read: person, clearable: true },
  due: { field: "due_date", read: day, clearable: true },
  billed: { field: "billed", read: yesOrNo },
};

describe("readValues()", () => {
  const read: [texts: Record<string, string | null>, values: object][] = [
    [{ status: "open" }, { status: "open" }],
    [{ status: "  done\t" }, { status: "done" }],
    [{ owner: " Ann " }, { owner_id: "1" }],
    [{ owner: null }, { owner_id: null }],
    [{ owner: "" }, { owner_id: null }],
    [{ due: " \n" }, { due_date: null }],
    [{ billed: "nee" }, { billed: false }],
    [
      { billed: "0", owner: null, status: "open", due: "2026-03-19" },
      { billed: false, owner_id: null, status: "open", due_date: "2026-03-19" },
    ],
  ];
  for (const [texts, values] of read)
    it(`reads ${JSON.stringify(texts)}`, async () => {
      expect(await readValues(KEYS, texts)).to.deep.equal(values);
    });

  const refused: [texts: Record<string, string | null>, fields: Record<string, string>][] = [
    [{ name: "x" }, { name: "impex.errors.unknown_column" }],
    [{ name: null }, { name: "impex.errors.unknown_column" }],
    [{ toString: "x" }, { toString: "impex.errors.unknown_column" }],
    [{ owner_id: "Ann" }, { owner_id: "impex.errors.unknown_column" }],
    [{ status: null }, { status: "errors.required" }],
    [{ status: " " }, { status: "errors.required" }],
    [{ billed: "" }, { billed: "errors.required" }],
    [{ owner: "Bob" }, { owner: "impex.errors.unresolved_reference" }],
    [
      { due: "soon", status: "open", owner: "Bob", billed: null, more: "x" },
      {
        due: "impex.errors.invalid_date",
        owner: "impex.errors.unresolved_reference",
        billed: "errors.required",
        more: "impex.errors.unknown_column",
      },
    ],
  ];
  for (const [texts, fields] of refused)
    it(`refuses ${JSON.stringify(texts)}, each text under its key and the first as the message`, async () => {
      const error = await readValues(KEYS, texts).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (!isApiError(error)) throw new Error("it was read");
      expect([error.code, error.type, error.message, error.data]).to.deep.equal([
        422,
        "validation",
        Object.values(fields)[0],
        { fields },
      ]);
    });
});
