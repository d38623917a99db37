import { execFileSync } from "node:child_process";
import { expect } from "chai";
import { zipOf } from "../../../../services/money/rendering/archive.ts";
import { entriesOf } from "../../../api/money/rendering/zip-entries.ts";

describe("an archive", () => {
  const files = [
    { name: "2026-0001.pdf", bytes: Buffer.from("one") },
    { name: "Überträge €.pdf", bytes: Buffer.alloc(70_000, 7) },
    { name: "2026-0001.PDF", bytes: Buffer.from("three") },
  ];

  it("returns the same contents, in order, with names of their own", async () => {
    const entries = entriesOf(await zipOf(files));
    expect(entries.map(({ name }) => name)).to.deep.equal(["2026-0001.pdf", "Überträge €.pdf", "2026-0001 (2).PDF"]);
    for (const [index, { bytes }] of entries.entries()) expect(bytes.equals(files[index]?.bytes as Buffer)).to.equal(true);
  });

  it("is whole to another reader, and the same bytes each time", async function () {
    const archive = await zipOf(files);
    expect((await zipOf(files)).equals(archive)).to.equal(true);
    try {
      execFileSync("python3", ["-c", "pass"]);
    } catch {
      this.skip();
    }
    const script =
      "import io,sys,zipfile;z=zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()));print(z.testzip(),*z.namelist(),sep='|')";
    const said = execFileSync("python3", ["-c", script], { input: archive, env: { ...process.env, PYTHONIOENCODING: "utf-8" } });
    expect(said.toString().trim()).to.equal("None|2026-0001.pdf|Überträge €.pdf|2026-0001 (2).PDF");
  });
});
