import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import type excel from "exceljs";
import { csvOf } from "../../../core/impex/export.ts";
import type { Field } from "../../../core/impex/field.ts";
import type { ExportedCell } from "../../../core/impex/files/cell.ts";
import { decode } from "../../../core/impex/files/encoding.ts";
import { readSheet } from "../../../core/impex/files/read-sheet.ts";
import { CALL_LIMITS, OPERATOR_LIMITS } from "../../../core/impex/files/sheet.ts";
import { workbookOf } from "../../../core/impex/files/xlsx-writer.ts";
import { ImportRefused } from "../../../core/impex/refused.ts";
import { archiveOf as zip } from "../../support/workbook.ts";
import { bytes, oneSheet, parts, read, readText, refusal, sheetOf, styled, workbook } from "./support.ts";

describe("CSV files", () => {
  it("are read in Windows-1252 if they are not UTF-8", () => {
    expect(decode(Uint8Array.from([0x43, 0x61, 0x66, 0xe9, 0x20, 0x80]))).to.equal("Café €");
    expect(decode(bytes("Café €"))).to.equal("Café €");
  });

  it("are read in UTF-16 of either order with its mark, as spreadsheets save 'Unicode text'", () => {
    const little = Buffer.from("\ufeffNaam\tPlaats\r\nCafé €\t’s-Graveland\r\n", "utf16le");
    const expected = { headers: ["Naam", "Plaats"], rows: [{ row: 2, cells: ["Café €", "’s-Graveland"] }] };
    expect(readText(little)).to.deep.equal(expected);
    expect(readText(Buffer.from(little).swap16())).to.deep.equal(expected);
    expect(() => readText(little.subarray(0, -1))).to.throw(ImportRefused, "neither UTF-8, UTF-16");
  });

  it("are refused in an unknown encoding", () => {
    for (const encoded of [Buffer.from("Naam\r\né", "utf16le"), Uint8Array.from([0xe9, 0x00]), Uint8Array.from([0xe9, 0x81])])
      expect(() => decode(encoded)).to.throw(ImportRefused, "nor Windows-1252");
  });

  it("are refused when empty, and fine with nothing but headers", () => {
    for (const nothing of ["", "\n\n", ";;;\n1;2;3"]) expect(() => readText(nothing), nothing).to.throw(ImportRefused, "empty");
    expect(readText("name;city\r\n")).to.deep.equal({ headers: ["name", "city"], rows: [] });
  });

  it("may have rows that are shorter than the headers, and cells of a hundred thousand characters", () => {
    const long = "😀".repeat(100_000);
    expect(readText(`a,b,c\n1\n2,${long}\n`).rows.map(({ cells }) => cells)).to.deep.equal([["1"], ["2", long]]);
  });

  it("may have no cell beyond a hundred thousand characters: it is an error of its row, and in a header of the file", () => {
    const long = "x".repeat(100_001);
    const [row] = readText(`a,b\n1,${long}\n`).rows;
    expect(row?.cells).to.deep.equal(["1", { fault: `${"x".repeat(60)}… (more than 100,000 characters)`, isTooLong: true }]);
    for (const header of ["a".repeat(100_001), '""'.repeat(100_001)])
      expect(() => readText(`"${header}";b\nx;y\n`)).to.throw(ImportRefused, "name of a column");
    expect(() => readText(`"${"a".repeat(300_000)}`)).to.throw(ImportRefused, "not well-formed");
  });

  it("may have no record beyond a limit of characters", () => {
    const limits = { ...CALL_LIMITS, record: 1000 };
    expect(readText(`a,b\n1,${"x".repeat(990)}\n`, limits).rows).to.have.length(1);
    expect(() => readText(`a,b\n1,${"x".repeat(1001)}\n`, limits)).to.throw(ImportRefused, "more than 1000 characters");
  });

  it("are refused beyond a limit of rows or columns, for any content", () => {
    const limits = { ...CALL_LIMITS, rows: 2 };
    expect(readText("a\n1\n\n2\n", limits).rows).to.have.length(2);
    expect(() => readText("a\n1\n2\n3\n", limits)).to.throw(ImportRefused, "more than 2 rows");
    expect(() => readText(`a\n1\n${"\n".repeat(100)}2\n`, limits)).to.throw(ImportRefused, "more than 2 rows");
    expect(() => readText(Array.from({ length: 501 }, (_, n) => `c${n}`).join(","))).to.throw(ImportRefused, "columns");
  });
});

describe("workbooks", () => {
  it("give texts, numbers, truth values and dates, and the row numbers a spreadsheet shows", async () => {
    const file = await oneSheet([
      ["name", "n", "yes", "day", "moment"],
      ["Café", 1234.5, true, new Date("2025-12-31T00:00:00Z"), new Date("2025-12-31T14:30:00Z")],
      [],
      ["rich", { formula: "1+1", result: 2 }, false, null, { richText: [{ text: "a" }, { text: "b" }] }],
    ]);
    expect(await read(file)).to.deep.equal({
      headers: ["name", "n", "yes", "day", "moment"],
      rows: [
        { row: 2, cells: ["Café", 1234.5, true, "2025-12-31", "2025-12-31T14:30:00"] },
        { row: 4, cells: ["rich", 2, false, "", "ab"] },
      ],
    });
  });

  it("give the result of a formula, never the formula, and mark one that failed", async () => {
    const cells = [..."abcdefg"].map((name, n) => `<c r="${"ABCDEFG"[n]}1" t="str"><v>${name}</v></c>`).join("");
    const row = `<c r="A2" t="str"><f>HYPERLINK("x")</f><v>shown</v></c><c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c>
      <c r="C2" t="e"><v>#N/A</v></c><c r="D2"><f>NOW()</f></c><c r="E2" t="str"><f>""</f><v></v></c>
      <c r="F2"><f>1-1</f><v>0</v></c><c r="G2"><f t="shared" si="0"/><v>7</v></c>`;
    const file = zip(parts(sheetOf(`<row r="1">${cells}</row><row r="2">${row}</row>`)));
    expect((await read(file)).rows[0]?.cells).to.deep.equal([
      "shown",
      { fault: "#DIV/0!" },
      { fault: "#N/A" },
      { fault: "a formula without a result" },
      "",
      0,
      7,
    ]);
  });

  it("give a formula's date as a date, by the format of its cell", async () => {
    const file = await workbook((book) => {
      const sheet = book.addWorksheet("A");
      sheet.addRow(["day"]);
      sheet.addRow([{ formula: "TODAY()", result: 46022 } as excel.CellValue]).getCell(1).numFmt = "dd-mm-yyyy";
    });
    expect((await read(file)).rows[0]?.cells).to.deep.equal(["2025-12-31"]);
  });

  it("are read from their first visible sheet, and say which others there are", async () => {
    const file = await workbook((book) => {
      book.addWorksheet("Verborgen", { state: "hidden" }).addRows([["x"], ["hidden"]]);
      book.addWorksheet("Klanten").addRows([["name"], ["seen"]]);
      book.addWorksheet("Uitleg").addRows([["more"], ["unseen"]]);
    });
    const sheet = await readSheet(file, CALL_LIMITS);
    expect(sheet.rows.at(0).cells).to.deep.equal(["seen"]);
    expect(sheet.ignoredSheets).to.deep.equal(["Uitleg"]);
  });

  it("hold a merged cell where it begins and nothing elsewhere", async () => {
    const file = await workbook((book) => {
      const sheet = book.addWorksheet("A");
      sheet.addRows([
        ["name", "city", "x"],
        ["Bakker", "Utrecht", 1],
        ["Slager", null, 2],
      ]);
      sheet.mergeCells("B2:B3");
    });
    const [one, two] = (await read(file)).rows;
    expect(one?.cells[1]).to.equal("Utrecht");
    expect(["", "Utrecht"]).to.include(two?.cells[1]);
  });

  it("may be packed by others: no table of texts, absolute paths, any name of the sheet", async () => {
    const sheet = sheetOf(
      '<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c></row><row r="3"><c r="A3" t="str"><v>Bakker_x000D_</v></c></row>',
    );
    expect(await read(zip(parts(sheet)))).to.deep.equal({ headers: ["name"], rows: [{ row: 3, cells: ["Bakker\r"] }] });
  });

  it("are refused with a sentence when they are invalid, encrypted, old or broken", async () => {
    const whole = await oneSheet([["name"], ["x"]]);
    expect((await refusal(whole.slice(0, whole.length - 40))).message).to.contain("not a readable workbook");
    expect((await refusal(bytes("PK\u0003\u0004nonsense"))).meaning).to.equal("invalid_xlsx");
    expect((await refusal(zip(parts("<worksheet><sheetData><row>")))).meaning).to.equal("invalid_xlsx");
    expect((await refusal(zip([{ name: "mimetype", content: Buffer.from("x") }]))).meaning).to.equal("invalid_xlsx");
    expect((await refusal(Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]))).message).to.contain(".xls");
    expect((await refusal(oneSheet([]))).meaning).to.equal("empty_file");
  });

  it("do not unpack beyond the limit, whether they say so or lie about it", async () => {
    const limits = { ...CALL_LIMITS, unpacked: 2 ** 20 };
    const bomb = Buffer.alloc(2 ** 20 + 1, 0x20);
    const honest = zip(parts(bomb));
    expect(honest.length).to.be.lessThan(2 ** 16);
    expect((await refusal(honest, limits)).meaning).to.equal("file_too_large");
    expect((await refusal(zip(parts(bomb, 1000)), limits)).meaning).to.equal("invalid_xlsx");
    const many = zip([...parts(sheetOf("")), { name: "xl/media/image1.png", content: bomb }]);
    expect((await refusal(many, limits)).meaning, "what is not read does not count").to.equal("empty_file");
  });

  it("are refused when a number format is longer than any format is", async () => {
    expect((await read(styled("[Red][&lt;5]0.00"))).rows).to.deep.equal([{ row: 2, cells: [1] }]);
    for (const format of ["[".repeat(100_000), "[a".repeat(70)])
      expect((await refusal(styled(format))).meaning, format.slice(0, 4)).to.equal("invalid_xlsx");
  });

  it("do not expand entities of their own", async () => {
    const laughs = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>${sheetOf('<row r="1"><c r="A1" t="str"><v>&b;</v></c></row>')}`;
    expect((await refusal(zip(parts(laughs)))).meaning).to.equal("invalid_xlsx");
  });

  it("are refused beyond a limit of rows or columns", async () => {
    const rows = Array.from({ length: 3 }, (_, n) => [String(n)]);
    expect((await refusal(oneSheet([["a"], ...rows]), { ...OPERATOR_LIMITS, rows: 2 })).meaning).to.equal("too_many_rows");
    const wide = sheetOf('<row r="1"><c r="XFD1" t="str"><v>a</v></c></row>');
    expect((await refusal(zip(parts(wide)))).meaning).to.equal("too_many_columns");
  });
});

describe("exported files", () => {
  const fields: Field[] = [
    { key: "name", kind: "text" },
    { key: "custom.n", kind: "number" },
    { key: "custom.yes", kind: "boolean" },
    { key: "custom.day", kind: "date" },
  ];
  const rows: ExportedCell[][] = [
    ["=1+1", 1.234, true, "2025-12-31"],
    ['a "b", c', -5, false, "1899-01-01"],
    ["+31\nb", "", "", ""],
    ["regel\r\neen \u0001\u007f\ufffe\uffff _x000D_", 1e21, "", "2024-02-29"],
  ];

  it("guard formulas, but no numbers, and begin with a byte order mark", async () => {
    const text = (await buffer(csvOf(fields, [rows.slice(0, 3)]))).toString();
    expect(text).to.equal(
      '\ufeffname,custom.n,custom.yes,custom.day\r\n\'=1+1,1.2340,yes,2025-12-31\r\n"a ""b"", c",-5,no,1899-01-01\r\n"\'+31\nb",,,\r\n',
    );
  });

  it("store as text the values that a column of dates has kept from another time", async () => {
    const old: ExportedCell[][] = [
      ["A", "", "", "morgen"],
      ["B", "", "", "2025-13-45"],
    ];
    const { rows: found } = await read(await buffer(workbookOf(fields, [old])));
    expect(found.map(({ cells }) => cells[3])).to.deep.equal(["morgen", "2025-13-45"]);
  });

  it("come back from CSV and workbook as they went", async () => {
    const fromCsv = readText(await buffer(csvOf(fields, [rows])));
    expect(fromCsv.rows.map(({ cells }) => cells[0])).to.deep.equal(rows.map(([name]) => name));
    const sheet = await read(await buffer(workbookOf(fields, [rows])));
    expect(sheet.headers).to.deep.equal(fields.map(({ key }) => key));
    expect(sheet.rows.map(({ cells }) => cells)).to.deep.equal([
      ["=1+1", 1.234, true, "2025-12-31"],
      ['a "b", c', -5, false, "1899-01-01"],
      ["+31\nb"],
      ["regel\r\neen \u0001\u007f\ufffe\uffff _x000D_", 1e21, "", "2024-02-29"],
    ]);
  });

  it("are workbooks that another library reads: header in view, days and numbers as cells of their type", async () => {
    const { default: library } = await import("exceljs");
    const book = new library.Workbook();
    await book.xlsx.load((await buffer(workbookOf(fields, [rows]))) as unknown as ArrayBuffer);
    const [sheet] = book.worksheets;
    expect(sheet?.name).to.equal("Export");
    expect(sheet?.views[0]).to.include({ state: "frozen", ySplit: 1 });
    expect([sheet?.getCell("A1").font?.bold, sheet?.getCell("D2").numFmt]).to.deep.equal([true, "dd-mm-yyyy"]);
    expect([sheet?.getCell("D2").value, sheet?.getCell("B2").value, sheet?.getCell("C3").value]).to.deep.equal([
      new Date("2025-12-31T00:00:00Z"),
      1.234,
      false,
    ]);
  });

  it("end with the error of their rows, and end the rows when the reader leaves", async () => {
    const seen: string[] = [];
    let begun = 0;
    async function* pages(fails: boolean): AsyncGenerator<ExportedCell[][]> {
      begun += 1;
      try {
        for (let page = 0; page < 500; page += 1) {
          if (fails && page === 100) throw new Error("the rows are gone");
          yield Array.from({ length: 100 }, () => [Math.random().toString(36), "", "", ""]);
        }
        seen.push("all");
      } finally {
        seen.push("ended");
      }
    }
    const error = await buffer(workbookOf(fields, pages(true))).catch((reason: Error) => reason);
    expect(error).to.have.property("message", "the rows are gone");
    for await (const _ of workbookOf(fields, pages(false))) if (begun === 2) break;
    for (let turn = 0; seen.length < 2 && turn < 1000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(seen).to.deep.equal(["ended", "ended"]);
  });
});
