import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import excel from "exceljs";
import { csvOf } from "../../../core/impex/export.ts";
import type { Field } from "../../../core/impex/field.ts";
import type { ExportedCell } from "../../../core/impex/files/cell.ts";
import { readCsv } from "../../../core/impex/files/csv.ts";
import { decode } from "../../../core/impex/files/encoding.ts";
import { readSheet } from "../../../core/impex/files/read-sheet.ts";
import { CALL_LIMITS, OPERATOR_LIMITS } from "../../../core/impex/files/sheet.ts";
import { workbookOf } from "../../../core/impex/files/xlsx-writer.ts";
import { ImportRefused } from "../../../core/impex/refused.ts";
import { effortWithin } from "../../support/effort.ts";
import { archiveOf } from "../../support/workbook.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** A workbook as another program would make it. */
async function workbook(fill: (book: excel.Workbook) => void): Promise<Uint8Array> {
  const book = new excel.Workbook();
  fill(book);
  return new Uint8Array((await book.xlsx.writeBuffer()) as ArrayBuffer);
}
const oneSheet = (rows: excel.CellValue[][]) => workbook((book) => void book.addWorksheet("Blad1").addRows(rows));
const read = async (file: Uint8Array) => {
  const { headers, rows } = await readSheet(file, CALL_LIMITS);
  return { headers, rows: [...rows] };
};
const readText = (text: string | Uint8Array, limits = CALL_LIMITS) => {
  const { headers, rows } = readCsv(typeof text === "string" ? bytes(text) : text, limits);
  return { headers, rows: [...rows] };
};
async function refusal(file: Uint8Array | Promise<Uint8Array>, limits = CALL_LIMITS): Promise<ImportRefused> {
  try {
    await readSheet(await file, limits);
  } catch (error) {
    if (error instanceof ImportRefused) return error;
    throw error;
  }
  throw new Error("the file was read");
}

const zip = archiveOf;

const RELATIONS = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"
  Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="/xl/worksheets/list.xml"/></Relationships>`;
const WORKBOOK = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="x"><sheets>
  <sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`;
const parts = (sheet: string | Buffer, claims?: number) => [
  { name: "xl/workbook.xml", content: Buffer.from(WORKBOOK) },
  { name: "xl/_rels/workbook.xml.rels", content: Buffer.from(RELATIONS) },
  { name: "xl/worksheets/list.xml", content: Buffer.from(sheet), ...(claims !== undefined && { claims }) },
];
const STYLES =
  '<Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>';
const stylesOf = (format: string) => `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
  <numFmts count="1"><numFmt numFmtId="164" formatCode="${format}"/></numFmts>
  <cellXfs count="1"><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`;
const sheetOf = (rows: string) =>
  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`;

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
    for (const header of ["a".repeat(9_000_000), '""'.repeat(4_000_000)])
      expect(() => readText(`"${header}";b\nx;y\n`)).to.throw(ImportRefused);
    expect(() => readText(`"${"a".repeat(9_000_000)}`)).to.throw(ImportRefused, "not well-formed");
    expect(() => readText(`a,b\n1,${"x".repeat(51_000_000)}\n`)).to.throw(ImportRefused, "more than 50000000 characters");
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
    const bomb = Buffer.alloc(80 * 2 ** 20, 0x20);
    const honest = zip(parts(bomb));
    expect(honest.length).to.be.lessThan(2 ** 20);
    expect((await refusal(honest)).meaning).to.equal("file_too_large");
    expect((await refusal(zip(parts(bomb, 1000)))).meaning).to.equal("invalid_xlsx");
    const many = zip([...parts(sheetOf("")), { name: "xl/media/image1.png", content: bomb }]);
    expect((await refusal(many)).meaning, "what is not read does not count").to.equal("empty_file");
  });

  it("are not searched for long, for any table of contents", async () => {
    const sheet = sheetOf('<row r="1"><c r="A1" t="str"><v>name</v></c></row>');
    for (const [nonsense, most] of [
      ["<sheet ", 100_000],
      [`<sheet ${"a".repeat(900_000)}>`, 1],
      [`<sheet ${"a ".repeat(400_000)}>`, 1],
      [`<sheet ${`a="`.repeat(300_000)}>`, 1],
    ] as const) {
      const contents = Buffer.from(nonsense.repeat(most));
      const file = zip(parts(sheet).map((part) => (part.name === "xl/workbook.xml" ? { ...part, content: contents } : part)));
      const reading = async () => expect((await refusal(file)).meaning).to.equal("invalid_xlsx");
      expect(await effortWithin(1_000, reading), nonsense.slice(0, 12)).to.be.below(1_000);
    }
  });

  it("can name very many sheets", async () => {
    const sheets = Array.from({ length: 25_000 }, (_, index) => `<sheet name="${index}" r:id="s${index}"/>`).join("");
    const relations = Array.from({ length: 20_000 }, (_, index) => `<Relationship Id="x${index}" Target="t"/>`).join("");
    const file = zip(
      parts(sheetOf('<row r="1"><c r="A1" t="str"><v>name</v></c></row>')).map(({ name, content }) => {
        const text = content.toString().replace("</sheets>", `${sheets}</sheets>`);
        return { name, content: Buffer.from(text.replace("</Relationships>", `${relations}</Relationships>`)) };
      }),
    );
    const reading = async () => expect((await readSheet(file, CALL_LIMITS)).ignoredSheets).to.have.length(25_000);
    expect(await effortWithin(1_000, reading)).to.be.below(1_000);
  });

  it("are refused when a number format is longer than any format is", async () => {
    const sheet = sheetOf('<row r="1"><c r="A1" t="str"><v>name</v></c></row><row r="2"><c r="A2" s="0"><v>1</v></c></row>');
    const styled = (format: string) =>
      zip([
        ...parts(sheet).map((part) =>
          part.name.endsWith(".rels")
            ? { ...part, content: Buffer.from(RELATIONS.replace("</Relationships>", `${STYLES}</Relationships>`)) }
            : part,
        ),
        { name: "xl/styles.xml", content: Buffer.from(stylesOf(format)) },
      ]);
    expect((await read(styled("[Red][&lt;5]0.00"))).rows).to.deep.equal([{ row: 2, cells: [1] }]);
    const reading = async () => {
      for (const format of ["[".repeat(100_000), "[a".repeat(70)])
        expect((await refusal(styled(format))).meaning, format.slice(0, 4)).to.equal("invalid_xlsx");
    };
    expect(await effortWithin(1_000, reading)).to.be.below(1_000);
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
});
