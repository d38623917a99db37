import { expect } from "chai";
import { mergedFields } from "../../../services/clients/merging/merged-fields.ts";

const SPEC = { single: ["name", "phone"], together: [["street", "city", "country"]] };
const merged = (kept: object, other: object) =>
  mergedFields(kept as Record<string, unknown>, other as Record<string, unknown>, SPEC);
const conflict = (field: string, kept: string | null, other: string) => ({ field, kept, other });

describe("the fields of two records that become one", () => {
  for (const [what, kept, other, filled, conflicts] of [
    ["an empty field takes the other's value", { phone: null }, { phone: "+31302312345" }, { phone: "+31302312345" }, []],
    ["a blank field counts as empty", { phone: " " }, { phone: "1" }, { phone: "1" }, []],
    ["a value stays, and the other's is reported", { name: "A" }, { name: "B" }, {}, [conflict("name", "A", "B")]],
    ["equal values are no conflict", { name: "A" }, { name: "A" }, {}, []],
    ["an empty value of the other changes nothing", { name: "A" }, { name: null }, {}, []],
    [
      "an address comes whole where there was none",
      { city: null },
      { street: "Laan", city: "Zeist", country: "NL" },
      { street: "Laan", city: "Zeist", country: "NL" },
      [],
    ],
    ["an address that agrees is completed", { city: "Zeist" }, { street: "Laan", city: "Zeist" }, { street: "Laan" }, []],
    [
      "an address that differs stays, also where it has a gap",
      { city: "Zeist" },
      { street: "Kade", city: "Gent" },
      {},
      [conflict("street", null, "Kade"), conflict("city", "Zeist", "Gent")],
    ],
    [
      "custom fields are merged one by one",
      { custom: { a: 1, b: 2 } },
      { custom: { b: 3, c: [4] } },
      { custom: { a: 1, b: 2, c: [4] } },
      [conflict("custom.b", "2", "3")],
    ],
    ["false is a value", { custom: { a: false } }, { custom: { a: true } }, {}, [conflict("custom.a", "false", "true")]],
    ["notes are joined", { notes: "One" }, { notes: "Two" }, { notes: "One\n\nTwo" }, []],
    ["notes that are there already are not repeated", { notes: "One. Two." }, { notes: "Two." }, {}, []],
    ["notes fill empty ones", { notes: null }, { notes: "Two" }, { notes: "Two" }, []],
  ] as const)
    it(what, () => {
      expect(merged(kept, other)).to.deep.equal({ filled, conflicts });
    });
});
