import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import module from "../../../integrations/workspace/module.ts";

const DOCUMENT = readFileSync(path.join(import.meta.dirname, "../../../docs/workspace.md"), "utf8");

describe("docs/workspace.md", () => {
  it("has a line with a remedy for every refusal of the module", () => {
    const lines = DOCUMENT.split("\n").filter((line) => line.startsWith("| "));
    const declared = Object.values(module.errors ?? {}).flat();
    expect(declared.length).to.be.above(20);
    // A code, or the message of a code that others have too.
    const missing = declared
      .map((entry) => entry.split(" ").at(-1) as string)
      .filter((name) => !lines.some((line) => line.includes(`\`${name}\``) && (line.split("|")[3] ?? "").trim() !== ""));
    expect(missing).to.deep.equal([]);
  });
});
