import { expect } from "chai";
import type { Field } from "../../../core/impex/field.ts";
import { delimiterOf, readCsv } from "../../../core/impex/files/csv.ts";
import { ignoredColumns, readMapping, takenAs } from "../../../core/impex/mapping.ts";
import { matchRows, sameName } from "../../../core/impex/matching.ts";
import { ImportRefused } from "../../../core/impex/refused.ts";
import { leftCells, rowValues } from "../../../core/impex/values.ts";
import { COMPANY_COLUMNS } from "../../../services/clients/sheets/company-columns.ts";
import { CONTACT_COLUMNS } from "../../../services/clients/sheets/contact-columns.ts";
import { allOf } from "./support.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string | Uint8Array) => {
  const { headers, rows } = readCsv(typeof text === "string" ? bytes(text) : text);
  return { headers, rows: allOf(rows) };
};
const FIELDS = ["name", "client_number", "city", "notes", "country"];

/** The values of one row under a mapping. */
const mapped = (mapping: string, row: Record<string, string>) => {
  const headers = Object.keys(row);
  return rowValues(readMapping([mapping], headers, FIELDS), headers, Object.values(row));
};

describe("CSV of an import", () => {
  it("finds the delimiter of the header line, ignoring quoted text", () => {
    expect(delimiterOf("a,b,c\n1;2;3;4")).to.equal(",");
    expect(delimiterOf('"a,b,c,d";b;c\n')).to.equal(";");
    expect(delimiterOf("a\tb\n")).to.equal("\t");
    expect(delimiterOf("only")).to.equal(",");
  });

  it("reads UTF-8 with and without byte order mark, quotes, line breaks in cells and every line ending", () => {
    const text = 'Naam;Plaats\r\n"Café ""Noord""";"Den\nHaag"\r\n';
    const expected = { headers: ["Naam", "Plaats"], rows: [{ row: 2, cells: ['Café "Noord"', "Den\nHaag"] }] };
    expect(read(text)).to.deep.equal(expected);
    expect(read(`\uFEFF${text}`)).to.deep.equal(expected);
  });

  it("numbers rows as a spreadsheet does and leaves out empty ones", () => {
    expect(read("a,b\n1,2\n\n,\n3,4\n").rows.map(({ row }) => row)).to.deep.equal([2, 5]);
  });

  it("refuses other encodings, empty files, open quotes and rows that are too long, in a sentence", () => {
    expect(() => read(Uint8Array.from([0x6e, 0x0a, 0xe9, 0x81]))).to.throw(ImportRefused, "nor Windows-1252");
    expect(() => read("")).to.throw(ImportRefused, "empty");
    expect(() => read('a,b\n"1,2\n')).to.throw(ImportRefused, "well-formed");
    expect(() => read("a,b\n1,2\n1,2,3\n")).to.throw(ImportRefused, "Row 3");
  });
});

describe("mapping of an import", () => {
  it("takes a column by its header, in any case, and in quotes where the header holds a sign of the grammar", () => {
    expect(mapped("name=Security", { Security: "3M" })).to.deep.equal({ name: "3M" });
    expect(mapped("name=security", { Security: "3M" })).to.deep.equal({ name: "3M" });
    expect(mapped('name="Name, full",city=Town', { "Name, full": "3M", Town: "Saint Paul" })).to.deep.equal({
      name: "3M",
      city: "Saint Paul",
    });
  });

  it("takes parts of a cell", () => {
    const row = { HQ: "Warmley, Bristol, United Kingdom" };
    expect(mapped("city=HQ[1]", row)).to.deep.equal({ city: "Warmley" });
    expect(mapped("city=HQ[2..]", row)).to.deep.equal({ city: "Bristol, United Kingdom" });
    expect(mapped("city=HQ[1..2]", row)).to.deep.equal({ city: "Warmley, Bristol" });
    expect(mapped("city=HQ[4]", row)).to.deep.equal({});
  });

  it("joins columns as one labelled line each and leaves out blank ones", () => {
    const row = { Sector: "Health Care", HQ: "Dublin, Ireland", Founded: "" };
    expect(mapped("notes=Sector|Region:HQ[2..]|Founded", row)).to.deep.equal({ notes: "Sector: Health Care\nRegion: Ireland" });
  });

  it("takes a fixed text, and an apostrophe inside a header as a letter", () => {
    expect(mapped("name=Naam,country='NL'", { Naam: "Bakker" })).to.deep.equal({ name: "Bakker", country: "NL" });
    expect(mapped("name=Klant's naam", { "Klant's naam": "Bakker" })).to.deep.equal({ name: "Bakker" });
  });

  it("finds columns named like a field automatically, and names unread columns", () => {
    const headers = ["Name", "Client number", "Extra"];
    const rules = readMapping([], headers, FIELDS);
    expect(rules.map(({ field }) => field)).to.deep.equal(["name", "client_number"]);
    expect(ignoredColumns(rules, headers)).to.deep.equal(["Extra"]);
  });

  it("refuses an unreadable mapping, in a sentence that names it", () => {
    const reading =
      (mapping: string, headers = ["A", "B"]) =>
      () =>
        readMapping([mapping], headers, FIELDS);
    expect(reading("nome=A")).to.throw(ImportRefused, "no field 'nome'");
    expect(reading("name=C")).to.throw(ImportRefused, "no column 'C': it has A, B");
    expect(reading("name")).to.throw(ImportRefused, "FIELD=Header");
    expect(reading("name=A,name=B")).to.throw(ImportRefused, "mapped twice");
    expect(reading('name="A')).to.throw(ImportRefused, "not closed");
    expect(reading("C=")).to.throw(ImportRefused, "no column 'C'");
  });

  /** The fields of a file and what each row has, with the columns that are ignored and those read under a guess. */
  const readAs = (text: string, fields: readonly Field[], mapping = "") => {
    const { headers, rows } = read(text);
    const rules = readMapping([mapping], headers, fields);
    return {
      rows: rows.map(({ cells }) => rowValues(rules, headers, cells)),
      left: rows.flatMap(({ cells }) => leftCells(rules, headers, cells).map(({ value }) => value)),
      ignored: ignoredColumns(rules, headers),
      taken: takenAs(rules),
    };
  };

  it("reads repeated headers as columns of one kind: a list has all, another field the first that is filled", () => {
    const fields: Field[] = [
      { key: "labels", kind: "list" },
      { key: "phone", kind: "text" },
    ];
    const file = "Labels,Phone,Labels,Phone,Labels,Note\na,1,,2,b,x\n,,c,3,,y\n";
    expect(readAs(file, fields)).to.deep.equal({
      rows: [
        { labels: "a\nb", phone: "1" },
        { labels: "c", phone: "3" },
      ],
      left: ["2"],
      ignored: ["Note"],
      taken: [],
    });
    expect(readAs(file, fields, "labels=Labels").rows[0]).to.deep.equal({ labels: "a\nb", phone: "1" });
    expect(readAs(file, fields, 'labels="Labels (2)"').rows[1]?.["labels"]).to.equal("c");
  });

  it("leaves a column and its repetitions out", () => {
    const fields: Field[] = [{ key: "name", kind: "text", names: ["naam"] }];
    expect(readAs("Naam,Name\na,b\n", fields, "Naam=")).to.deep.include({ rows: [{ name: "b" }], ignored: ["Naam"] });
    expect(readAs("Naam,Naam\na,b\n", fields, "Naam=")).to.deep.include({ rows: [{}], ignored: ["Naam", "Naam (2)"] });
    expect(readAs("a=b,Name\n1,b\n", [...fields, { key: "a=b", kind: "text" }], "a=b=").rows).to.deep.equal([{ name: "b" }]);
  });

  it("guesses by the neighbours of a column, and names each guess", () => {
    const companies = (text: string) => readAs(text, COMPANY_COLUMNS);
    const beside = companies("Naam;Straat;Nummer;Postcode;Stad\nBakker;Dorpsstraat;16;3511 AA;Utrecht\n");
    expect(beside.rows[0]).to.include({ address_line1: "Dorpsstraat", house_number: "16" });
    expect(beside.taken).to.deep.equal([{ column: "Nummer", as: "house_number" }]);
    const apart = companies("Nummer;Naam;Straat\n17;Bakker;Dorpsstraat 1\n");
    expect(apart.rows[0]).to.include({ client_number: "17", address_line1: "Dorpsstraat 1" });
    expect(apart.taken).to.deep.equal([{ column: "Nummer", as: "client_number" }]);
    const both = companies("Naam;Straat;Nummer;Huisnummer\nBakker;Dorpsstraat;17;1\n");
    expect(both.rows[0]).to.include({ client_number: "17", house_number: "1" });
    const claimed = companies("Klantnummer;Code\n17;x\n");
    expect(claimed).to.deep.include({ rows: [{ client_number: "17" }], ignored: ["Code"], taken: [] });
    const people = (text: string) => readAs(text, CONTACT_COLUMNS);
    expect(people("First name,Name\nJan,de Vries\n")).to.deep.include({
      rows: [{ first_name: "Jan", last_name: "de Vries" }],
      taken: [{ column: "Name", as: "last_name" }],
    });
    expect(people("First name,Name\nJan,Jan de Vries\n").rows).to.deep.equal([{ first_name: "Jan", last_name: "de Vries" }]);
    expect(people("Name,First name,Last name\nJan de Vries,Jan,de Vries\n").taken).to.deep.equal([]);
  });

  it("keeps the spaces around a cell, and removes the apostrophe that guards a formula", () => {
    const row = { Naam: "  a " };
    expect(mapped("name=Naam", row)).to.deep.equal({ name: "  a " });
    expect(read("a,b,c\n'=1+1,'+31 20,'t Wapen\n").rows[0]?.cells).to.deep.equal(["=1+1", "+31 20", "'t Wapen"]);
  });
});

describe("matching of an import", () => {
  const stored = (id: string) => ({ id });
  const match = (
    rows: [number: string | undefined, name: string | undefined][],
    numbers: Record<string, string> = {},
    names: Record<string, string[]> = {},
  ) =>
    matchRows(
      rows.map(([number, name]) => ({ number, name })),
      {
        byNumber: new Map(Object.entries(numbers).map(([number, id]) => [number, stored(id)])),
        byName: new Map(Object.entries(names).map(([name, ids]) => [name, ids.map(stored)])),
      },
    );

  it("matches on the number before the name", async () => {
    expect(await match([["1", "Beta"]], { 1: "a" }, { beta: ["b"] })).to.deep.equal([{ change: stored("a") }]);
  });

  it("matches on a name that one stored row and one row of the file have, ignoring case", async () => {
    expect(await match([["9", "Beta"]], {}, { beta: ["b"] })).to.deep.equal([{ change: stored("b") }]);
    expect(await match([[undefined, "BETA"]], {}, { beta: ["b"] })).to.deep.equal([{ change: stored("b") }]);
  });

  it("takes a letter and its accent for the letter with that accent, as the database does", async () => {
    expect(await match([[undefined, "Cafe\u0301"]], {}, { [sameName("Café")]: ["c"] })).to.deep.equal([{ change: stored("c") }]);
    expect(await match([[undefined, "Cafe"]], {}, { [sameName("Café")]: ["c"] })).to.deep.equal([{ create: true }]);
  });

  it("makes a new row of an ambiguous name with a number, and refuses one without", async () => {
    expect(await match([["9", "Beta"]], {}, { beta: ["b", "c"] })).to.deep.equal([{ create: true }]);
    expect(await match([[undefined, "Beta"]], {}, { beta: ["b", "c"] })).to.deep.equal([{ refuse: "name" }]);
    expect(
      await match([
        [undefined, "Beta"],
        [undefined, "beta"],
      ]),
    ).to.deep.equal([{ refuse: "name" }, { refuse: "name" }]);
  });

  it("refuses a repeated number in the file", async () => {
    expect(
      await match([
        ["1", "A"],
        ["1", "B"],
      ]),
    ).to.deep.equal([{ refuse: "number" }, { refuse: "number" }]);
  });

  it("never gives one stored row to two rows of the file", async () => {
    const matches = await match(
      [
        ["1", "Gamma"],
        [undefined, "Beta"],
      ],
      { 1: "b" },
      { beta: ["b"] },
    );
    expect(matches).to.deep.equal([{ change: stored("b") }, { create: true }]);
  });
});
