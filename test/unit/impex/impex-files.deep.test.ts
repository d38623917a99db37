import { expect } from "chai";
import { readSheet } from "../../../core/impex/files/read-sheet.ts";
import { CALL_LIMITS } from "../../../core/impex/files/sheet.ts";
import { ImportRefused } from "../../../core/impex/refused.ts";
import { effortWithin } from "../../support/effort.ts";
import { archiveOf as zip } from "../../support/workbook.ts";
import { parts, readText, refusal, sheetOf, styled } from "./support.ts";

describe("CSV files at the limits of a call", () => {
  it("have no header of megabytes, and no record beyond its limit", () => {
    for (const header of ["a".repeat(9_000_000), '""'.repeat(4_000_000)])
      expect(() => readText(`"${header}";b\nx;y\n`)).to.throw(ImportRefused);
    expect(() => readText(`"${"a".repeat(9_000_000)}`)).to.throw(ImportRefused, "not well-formed");
    expect(() => readText(`a,b\n1,${"x".repeat(51_000_000)}\n`)).to.throw(ImportRefused, "more than 50000000 characters");
  });
});

describe("workbooks at the limits of a call", () => {
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

  it("are not searched for long for a number format", async () => {
    const reading = async () => {
      for (const format of ["[".repeat(100_000), "[a".repeat(70)])
        expect((await refusal(styled(format))).meaning, format.slice(0, 4)).to.equal("invalid_xlsx");
    };
    expect(await effortWithin(1_000, reading)).to.be.below(1_000);
  });
});
