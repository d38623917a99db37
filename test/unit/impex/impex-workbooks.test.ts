import { expect } from "chai";
import excel from "exceljs";
import type { HeaderChoice } from "../../../core/impex/files/header.ts";
import { readSheet } from "../../../core/impex/files/read-sheet.ts";
import { CALL_LIMITS, OPERATOR_LIMITS } from "../../../core/impex/files/sheet.ts";
import { knownHeaders } from "../../../core/impex/mapping.ts";
import type { ImportRefused } from "../../../core/impex/refused.ts";
import { rounds } from "../../support/tier.ts";
import { workbookWith } from "../../support/workbook.ts";

const FIELDS = [
  { key: "name", kind: "text", names: ["naam"] },
  { key: "city", kind: "text", names: ["plaats"] },
  { key: "phone", kind: "text", names: ["telefoon"] },
] as const;
const CHOICE: HeaderChoice = { known: knownHeaders([], FIELDS) };
const read = async (file: Uint8Array | string, choice: Partial<HeaderChoice> = {}) => {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const { rows, ...sheet } = await readSheet(bytes, CALL_LIMITS, { ...CHOICE, ...choice });
  return { ...sheet, rows: await Array.fromAsync(rows) };
};
const refusal = (file: Uint8Array, limits = CALL_LIMITS) =>
  readSheet(file, limits, CHOICE).then(
    () => null,
    (error: unknown) => (error as ImportRefused).meaning,
  );

describe("numbers of a workbook", () => {
  it("are what their format shows where it only fills up digits, and else the number", async () => {
    const formats = ["00000", "0000-0000", "&quot;K-&quot;000", "0.00", "#,##0", "dd-mm-yyyy"];
    const shown = (value: number, style: number) => ({ value, style });
    const file = workbookWith({
      texts: ["Naam"],
      formats,
      rows: [
        [0, 0, 0, 0, 0, 0],
        [shown(7, 0), shown(12_345_678, 1), shown(7, 2), shown(7.5, 3), shown(1234, 4), shown(46_022, 5)],
        [shown(1_234_567, 0), shown(-7, 0), shown(7.5, 0)],
      ],
    });
    expect((await read(file)).rows.map(({ cells }) => cells)).to.deep.equal([
      [
        { number: 7, shown: "00007" },
        { number: 12_345_678, shown: "1234-5678" },
        { number: 7, shown: "K-007" },
        7.5,
        1234,
        "2025-12-31",
      ],
      [1_234_567, -7, 7.5],
    ]);
  });
});

describe("the limits of an unpacked workbook", () => {
  it("has no cell beyond a hundred thousand characters, for any compression and caller", async () => {
    const file = workbookWith({
      texts: ["Naam", "Plaats", "Bakker", Buffer.alloc(rounds(2_000_000, 60_000_000), "x")],
      rows: [
        [0, 1],
        [2, 3],
      ],
    });
    expect(file.length).to.be.lessThan(70_000);
    for (const limits of [CALL_LIMITS, OPERATOR_LIMITS]) {
      const { rows } = await readSheet(file, limits, CHOICE);
      const kept = { fault: `${"x".repeat(60)}… (more than 100,000 characters)`, isTooLong: true };
      expect(await Array.fromAsync(rows)).to.deep.equal([{ row: 2, cells: ["Bakker", kept] }]);
    }
  });

  it("has no sheet beyond the limit of a call, made of one text that many cells share", async () => {
    const file = workbookWith({
      texts: ["Naam", "Plaats", "x".repeat(100_000)],
      rows: [[0, 1], ...Array.from({ length: rounds(50, 1500) }, () => [2, 2])],
    });
    expect(file.length).to.be.lessThan(10_000);
    const limits = { ...CALL_LIMITS, unpacked: rounds(2 ** 21, CALL_LIMITS.unpacked) };
    expect(await refusal(file, limits)).to.equal("file_too_large");
  });
});

describe("the sheet and row that name the columns", () => {
  const made = async (fill: (book: excel.Workbook) => void) => {
    const book = new excel.Workbook();
    fill(book);
    return new Uint8Array((await book.xlsx.writeBuffer()) as ArrayBuffer);
  };
  const covered = () =>
    made((book) => {
      book.addWorksheet("Voorblad").addRows([["Klantenlijst"], ["Naam", "Bureau Voorbeeld"]]);
      const sheet = book.addWorksheet("Klanten");
      sheet.addRows([
        ["Overzicht 2025"],
        [],
        ["Klant", "Adres", "Telefoon"],
        ["Naam", "Plaats"],
        ["Bakker", "Ede", "030-2300000"],
      ]);
      sheet.mergeCells("C3:C4");
    });

  it("are the first with known columns, below a cover, a title and a header merged over two rows", async () => {
    expect(await read(await covered())).to.deep.equal({
      name: "Klanten",
      headerRow: 4,
      headers: ["Naam", "Plaats", "Telefoon"],
      ignoredSheets: ["Voorblad"],
      rows: [{ row: 5, cells: ["Bakker", "Ede", "030-2300000"] }],
    });
  });

  it("are those a caller names: a sheet by name or number, a row by number", async () => {
    const file = await covered();
    expect((await read(file, { sheet: "voorblad" })).headers).to.deep.equal(["Naam", "Bureau Voorbeeld"]);
    expect(await read(file, { sheet: "2", row: 3 })).to.deep.include({ headerRow: 3, headers: ["Klant", "Adres", "Telefoon"] });
    expect((await read("x\nNaam;Plaats\nNaam;Telefoon\nA;1\n", { row: 2 })).rows).to.have.length(2);
    const meaning = async (choice: Partial<HeaderChoice>, bytes: Uint8Array | string = file) =>
      read(bytes, choice).then(
        () => null,
        (error: unknown) => (error as ImportRefused).meaning,
      );
    expect(await meaning({ sheet: "Weg" })).to.equal("sheet_not_found");
    expect(await meaning({ sheet: "3" })).to.equal("sheet_not_found");
    expect(await meaning({ sheet: "Klanten" }, "naam\nA\n")).to.equal("sheet_not_found");
    expect(await meaning({ row: 99 }, "naam\nA\n")).to.deep.equal({ header_row: "errors.validation" });
  });

  it("count the columns a mapping names, and use the first row if none is known", async () => {
    const text = "Lijst\nBron;2025\nOmschrijving;Woonplaats\nBakker;Ede\n";
    const mapped = knownHeaders(["name=Omschrijving,city=Woonplaats"], FIELDS);
    expect(await read(text, { known: mapped })).to.deep.include({ headerRow: 3, headers: ["Omschrijving", "Woonplaats"] });
    expect((await read("a;b\n1;2\n")).headers).to.deep.equal(["a", "b"]);
  });

  it("are found in CSV under the delimiter that fits, or the one a line sep= names", async () => {
    expect((await read("Klanten, debiteuren, relaties\nNaam;Plaats\nBakker;Ede\n")).headers).to.deep.equal(["Naam", "Plaats"]);
    for (const line of ["sep=;", '"sep=;"', "SEP=;"])
      expect(await read(`${line}\r\nNaam;Plaats, land\r\nBakker;Ede\r\n`), line).to.deep.equal({
        headers: ["Naam", "Plaats, land"],
        headerRow: 1,
        rows: [{ row: 2, cells: ["Bakker", "Ede"] }],
      });
    expect((await read("sep=|\nNaam|Plaats\nBakker|Ede\n")).rows[0]?.cells).to.deep.equal(["Bakker", "Ede"]);
  });
});
