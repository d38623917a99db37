import { expect } from "chai";
import { renamed, renaming } from "../../../operator/organisation-backup/ids.ts";

const [A, B] = ["0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b", "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2c"];

describe("the ids of a restored copy", () => {
  it("are others, of the same time, and differ where the originals do", () => {
    expect(renamed(A, "seed"))
      .to.match(/^0190a1b2-c3d4-7e5f-8a6b-[0-9a-f]{12}$/)
      .and.not.equal(A);
    expect(renamed(A, "seed")).not.to.equal(renamed(B, "seed"));
    expect(renamed(A, "seed")).to.equal(renamed(A, "seed"));
    expect(renamed(A, "seed")).not.to.equal(renamed(A, "another"));
  });

  it("replace the organisation's own ids wherever they stand, and leave those of other systems", () => {
    const rename = renaming(new Set([A]), "seed", new Map([[B, A]]));
    const own = renamed(A, "seed");
    expect(rename(`${A}\t{"file": "/files/${A}"}\t{${B},${A}}\n`)).to.equal(`${own}\t{"file": "/files/${own}"}\t{${A},${own}}\n`);
    const foreign = "11111111-2222-3333-4444-555555555555";
    expect(rename(foreign)).to.equal(foreign);
  });
});
