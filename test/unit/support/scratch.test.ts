import { rm, stat } from "node:fs/promises";
import { expect } from "chai";
import { scratch } from "../../support/run/scratch.ts";

describe("the folder of a test run", () => {
  const modeOf = async (folder: string) => ((await stat(folder)).mode & 0o7777).toString(8);

  it("is in TMPDIR, opens only the temporary parts to other accounts, and keeps the rest to itself", async () => {
    // The run itself has set it.
    const given = process.env["TMPDIR"] as string;
    const { folder, database, temporary } = await scratch();
    try {
      expect(folder.startsWith(`${given}/kantoor-test-`)).to.equal(true);
      expect([await modeOf(folder), await modeOf(temporary)]).to.deep.equal(["711", "1777"]);
      expect([database, temporary]).to.deep.equal([`${folder}/database`, `${folder}/tmp`]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
