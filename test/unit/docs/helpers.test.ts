import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { helpersPage } from "../../support/helpers-page.ts";

const PAGE = path.join(import.meta.dirname, "../../../docs/helpers.md");

describe("docs/helpers.md", function () {
  this.timeout(60_000);
  const page = helpersPage();
  if (process.env["HELPERS_WRITE"] === "1") writeFileSync(PAGE, page);

  it("matches the docstrings", () => {
    expect(readFileSync(PAGE, "utf8")).to.equal(page);
  });

  it("names no helper without a docstring", () => {
    expect(page.match(/^\| `\w+` \| {2}\|.*$/gm) ?? []).to.deep.equal([]);
  });
});
