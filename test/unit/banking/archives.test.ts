import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import { ZipFile } from "yazl";
import { readStatements } from "../../../integrations/banking/reading/read-statements.ts";
import { StatementUnreadable } from "../../../integrations/banking/reading/unreadable.ts";
import { camt, ING, KNAB, ntry } from "./files.ts";

function zipOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  return buffer(zip.outputStream as unknown as NodeJS.ReadableStream);
}

async function refused(bytes: Buffer) {
  try {
    await readStatements("maart.zip", bytes);
  } catch (error) {
    expect(error).to.be.instanceOf(StatementUnreadable);
    const { reason, file, at } = error as StatementUnreadable;
    return { reason, file, ...at };
  }
  throw new Error("the archive was read");
}

describe("ZIP of statements", () => {
  it("is read file by file, without what systems add", async () => {
    const files = await readStatements(
      "maart.zip",
      await zipOf({ "a.xml": camt("02", ""), "__MACOSX/._a.xml": "x", "map/b.csv": ING }),
    );
    expect(files.map(({ name, statements }) => [name, statements[0]?.format])).to.deep.equal([
      ["a.xml", "camt053"],
      ["map/b.csv", "ing"],
    ]);
  });

  it("is refused as a whole for one file, which it names", async () => {
    const half = KNAB.replace('"50,00"', '"50,x"');
    expect(await refused(await zipOf({ "a.xml": camt("02", ""), "b.csv": half }))).to.deep.equal({
      reason: "unreadable_entry",
      file: "b.csv",
      line: 4,
    });
  });

  it("is refused with an archive in it, without files, and damaged", async () => {
    const inner = await zipOf({ "a.xml": camt("02", ntry()) });
    expect(await refused(await zipOf({ "inner.zip": inner }))).to.deep.equal({ reason: "broken_archive", file: "inner.zip" });
    expect(await refused(await zipOf({ "__MACOSX/x": "x" }))).to.include({ reason: "no_statement", file: "maart.zip" });
    expect(await refused(inner.subarray(0, 60))).to.include({ reason: "broken_archive" });
  });

  it("is refused with more files or bytes than a person reads", async () => {
    const many = Object.fromEntries(Array.from({ length: 401 }, (_, index) => [`${index}.csv`, ING]));
    expect(await refused(await zipOf(many))).to.include({ reason: "broken_archive" });
    const large = await zipOf({ "a.csv": Buffer.alloc(101 * 1024 * 1024) });
    expect(large.length).to.be.lessThan(1024 * 1024);
    expect(await refused(large)).to.include({ reason: "broken_archive" });
  });
});
