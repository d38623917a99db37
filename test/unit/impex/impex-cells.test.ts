import { expect } from "chai";
import fc from "fast-check";
import { type CustomDefinition, type CustomValues, readCustomValues } from "../../../core/custom-fields/values.ts";
import { mergedCustom } from "../../../core/impex/changes.ts";
import { bare, customFields, readCell } from "../../../core/impex/field.ts";
import {
  type Cell,
  csvCell,
  exportedNumber,
  guarded,
  plainNumber,
  readBoolean,
  readNumber,
  unguarded,
} from "../../../core/impex/files/cell.ts";
import { readDate, readDatetime, readLocalDatetime } from "../../../core/impex/files/date-cells.ts";
import { readList, writeList } from "../../../core/impex/files/lists.ts";
import { cases } from "../../support/cases.ts";

const table = <T>(read: (cell: Cell) => T | undefined, rows: readonly (readonly [Cell, T | undefined])[]) => {
  for (const [cell, expected] of rows) expect(read(cell), JSON.stringify(cell)).to.equal(expected);
};

describe("cells of a spreadsheet", () => {
  it("reads Dutch and plain decimals, and refuses what people read in two ways", () => {
    table(readNumber, [
      ["1.234,56", "1234.56"],
      ["1234.56", "1234.56"],
      ["1,234.56", "1234.56"],
      ["1234,5", "1234.5"],
      ["12,5", "12.5"],
      ["-12,50", "-12.50"],
      ["0,125", "0.125"],
      ["0.125", "0.125"],
      ["1234", "1234"],
      ["1234.567", "1234.567"],
      ["1234,567", "1234.567"],
      ["1.234.567", "1234567"],
      ["1,234,567", "1234567"],
      ["1.234.567,8", "1234567.8"],
      ["007", "007"],
      [1.234, "1.234"],
      [-5, "-5"],
      ["1.234", undefined],
      ["1,234", undefined],
      ["-12.345", undefined],
      ["1.23.456", undefined],
      ["1,23,456", undefined],
      ["12.34,5.6", undefined],
      ["€ 5", undefined],
      ["5 euro", undefined],
      ["twaalf", undefined],
      ["", undefined],
      [true, undefined],
      [{ fault: "#N/A" }, undefined],
      [{ number: 7, shown: "00007" }, "7"],
    ]);
  });

  it("reads Dutch and ISO dates and a workbook's serial numbers, and refuses days that do not exist", () => {
    table(readDate, [
      ["31-12-2025", "2025-12-31"],
      ["31/12/2025", "2025-12-31"],
      ["2025-12-31", "2025-12-31"],
      ["1-2-2025", "2025-02-01"],
      [" 29-02-2024 ", "2024-02-29"],
      [46022, "2025-12-31"],
      [61, "1900-03-01"],
      ["29-02-2025", undefined],
      ["12/31/2025", undefined],
      ["10/Nov/26 12:00 AM", "2026-11-10"],
      ["Nov 10, 2026", "2026-11-10"],
      ["10. März 2026", "2026-03-10"],
      ["3 mrt 2026", "2026-03-03"],
      ["03/04/2026, 09:00:00 AM", "2026-04-03"],
      ["2026/3/4", "2026-03-04"],
      ["1767222000000", "2025-12-31"],
      ["10/Foo/26", undefined],
      ["31/12/2025 gisteren", undefined],
      ["31-12/2025", undefined],
      ["31-12-25", undefined],
      ["2025-13-01", undefined],
      ["46022", undefined],
      [46022.5, undefined],
      [60, undefined],
      [1e9, undefined],
      ["gisteren", undefined],
    ]);
    table(readLocalDatetime, [
      ["31-12-2025 14:30", "2025-12-31T14:30"],
      [46022, "2025-12-31T00:00"],
      ["2025-12-31T14:30:00", "2025-12-31T14:30:00"],
      ["2025-12-31T14:30:00+01:00", "2025-12-31T13:30:00Z"],
      ["2025-12-31T14:30:00Z", "2025-12-31T14:30:00Z"],
      ["31/12/2025, 09:05 PM", "2025-12-31T21:05:00"],
      ["10/Nov/26 12:00 AM", "2026-11-10T00:00:00"],
      ["1767222000000", "2025-12-31T23:00:00.000Z"],
      ["31-12-2025 25:00", undefined],
    ]);
    table(readDatetime, [
      ["31-12-2025 14:30", "2025-12-31T14:30Z"],
      ["31-12-2025", "2025-12-31T00:00Z"],
      ["2025-12-31T14:30:00+01:00", "2025-12-31T13:30:00Z"],
      [46022, "2025-12-31T00:00Z"],
      ["31-12-2025 25:00", undefined],
      ["31-12-2025 om 14:30", undefined],
    ]);
  });

  it("reads truth values in Dutch, English and German and nothing else", () => {
    for (const yes of ["ja", "JA", "yes", "true", "1", "WAAR", "wahr", true, 1])
      expect(readBoolean(yes), String(yes)).to.equal(true);
    for (const no of ["nee", "No", "false", "0", "onwaar", "Nein", "falsch", false, 0])
      expect(readBoolean(no), String(no)).to.equal(false);
    for (const neither of ["j", "misschien", "2", "", { fault: "#N/A" }, 2])
      expect(readBoolean(neither), JSON.stringify(neither)).to.equal(undefined);
  });

  it("puts an apostrophe before text that a spreadsheet would run, and removes exactly that again", () => {
    for (const formula of ["=1+1", "+31302300000", "-5", "@SUM(A1)", "\tx", "\rx", "'=1+1", "''=x"]) {
      expect(guarded(formula)).to.equal(`'${formula}`);
      expect(unguarded(guarded(formula))).to.equal(formula);
    }
    for (const text of ["'t Wapen", "a=b", "12", "", "'", " =1"]) {
      expect(guarded(text)).to.equal(text);
      expect(unguarded(text)).to.equal(text);
    }
  });

  it("gives every text of a CSV file back as it was, with the spaces around it", () => {
    fc.assert(
      fc.property(fc.string(), (value) => csvCell(guarded(value)) === value),
      cases(100),
    );
    for (const text of ["  a ", "\t", "#N/A", "'#REF!", "#n/a", "Err:502"]) expect(csvCell(guarded(text)), text).to.equal(text);
  });

  it("recognises a spreadsheet's text for a failed formula, in its three languages", () => {
    for (const text of ["#N/A", "#REF!", "#DIV/0!", "#NAME?", "#N/B", "#VERW!", "#DEEL/0!", "#NV", "#BEZUG!", "Err:502"])
      expect(csvCell(text), text).to.deep.equal({ fault: text });
    for (const text of ["#1", "N/A", "#N/A!", " #N/A x", "# REF"]) expect(csvCell(text), text).to.equal(text);
  });

  it("writes numbers so that none of them is ambiguous", () => {
    expect(exportedNumber(1.234)).to.equal("1.2340");
    expect(exportedNumber(12.5)).to.equal("12.5");
    expect(exportedNumber(1234)).to.equal("1234");
    expect(plainNumber(1e-7)).to.equal("0.0000001");
    expect(plainNumber(-1.5e21)).to.equal("-1500000000000000000000");
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0));
    fc.assert(
      fc.property(finite, (value) => Number(readNumber(exportedNumber(value))) === value),
      cases(100),
    );
  });

  it("keeps lists in one cell, parts with separators in quotes and empty parts too", () => {
    expect(readList("a; b;c\nd")).to.deep.equal(["a", "b", "c", "d"]);
    expect(readList('"a;b"; "say ""hi"""')).to.deep.equal(["a;b", 'say "hi"']);
    expect(readList("; x")).to.deep.equal(["", "x"]);
    expect(readList("x;")).to.deep.equal(["x", ""]);
    const parts = fc.array(fc.string({ unit: fc.constantFrom("a", ";", '"', "\n", " ") }), { minLength: 1 });
    const isWhole = (list: string[]) => writeList(list).trim() === writeList(list);
    fc.assert(
      fc.property(parts.filter(isWhole), (list) => {
        expect(readList(writeList(list))).to.deep.equal(list);
      }),
      cases(100),
    );
  });

  it("reads a list of any length", () => {
    expect(readList(`"${"a".repeat(9_000_000)}"; b`).map(({ length }) => length)).to.deep.equal([9_000_000, 1]);
    expect(readList('"'.repeat(9_000_001)).map(({ length }) => length)).to.deep.equal([9_000_001]);
    expect(readList('"a"\n "b" c;"d";;\n e')).to.deep.equal(["a", '"b" c', "d", "", "e"]);
  });

  it("compares headers without case, spaces, accents and punctuation", () => {
    expect(bare("E-mail Facturen")).to.equal("emailfacturen");
    expect(bare("Café_naam (1)")).to.equal("cafenaam1");
  });

  it("refuses a failed formula and an unknown choice", () => {
    const status = { key: "status", kind: "choice", choices: { active: ["actief"], lead: [] } } as const;
    expect(readCell(status, "Actief")).to.deep.equal({ value: "active" });
    expect(readCell(status, "weg")).to.deep.equal({ error: "impex.errors.invalid_option" });
    expect(readCell({ key: "name", kind: "text" }, { fault: "#N/A" })).to.deep.equal({ error: "errors.validation" });
  });
});

describe("custom fields as columns", () => {
  const definition = (key: string, label_i18n: Record<string, string> = {}, more: Partial<CustomDefinition> = {}) =>
    ({ key, data_type: "text", required: false, options_json: [], config_json: {}, label_i18n, ...more }) as CustomDefinition;

  it("are found by key and by every label that only one of them has", () => {
    const fields = customFields([definition("a", { nl: "Soort", en: "Kind" }), definition("b", { nl: "Soort", en: "B" })]);
    expect(fields.map(({ key, names }) => [key, names])).to.deep.equal([
      ["custom.a", ["kind"]],
      ["custom.b", ["b"]],
    ]);
  });

  it("are merged into the stored ones; the same again, or nothing, sends nothing", () => {
    const definitions = [definition("a"), definition("n", {}, { data_type: "number" })];
    expect(mergedCustom({ a: "x", n: 5 }, undefined, definitions)).to.equal(undefined);
    expect(mergedCustom({ a: "x", n: 5, old: 1 }, { n: "5" }, definitions)).to.equal(undefined);
    const written = (stored: CustomValues, given: CustomValues) =>
      readCustomValues(mergedCustom(stored, given, definitions) as CustomValues, definitions);
    expect(written({ a: "x", n: 5, old: 1 }, { n: "6" })).to.deep.equal({ values: { a: "x", n: 6, old: 1 }, refused: {} });
    expect(written({ a: "x" }, { n: "six" }).refused).to.deep.equal({ n: "customfields.errors.invalid_number" });
  });
});
