import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { nextStepNumber } from "../../migrations/run.ts";
import { type Followed, followTutorials } from "../support/tutorial.ts";

describe("npm run new -- module", function () {
  this.timeout(240_000);
  let copy: Followed;
  before(() => {
    copy = followTutorials([]);
  });
  after(() => copy.remove());

  const generate = (...words: string[]) => copy.run(["bin/run.mjs", "new", ...words]);
  const read = (file: string) => readFileSync(path.join(copy.folder, file), "utf8");

  const REFUSED: readonly (readonly [words: string, reason: string])[] = [
    ["module", "npm run new -- module <plural>"],
    ["thing shelves", "npm run new -- module <plural>"],
    ["module shelves --plural x", "Unknown option '--plural'"],
    ["module Shelves", "'Shelves' is not the name of a module: it has 2 to 30 small letters and digits and begins with a letter"],
    ["module ../shelves", "'../shelves' is not the name of a module"],
    ["module houses", "The ending of 'houses' does not say its singular: name it with --singular."],
    ["module shelves --singular Shelf", "'Shelf' is not the name of a record"],
    ["module companies", "'companies' exists already: it is a table or kind of record of services/clients/module.ts."],
    ["module money --singular coin", "'money' exists already: it is a module."],
    ["module works --singular task", "'task' exists already: it is a table or kind of record of services/work/module.ts."],
    ["module rows", "The code that is written uses 'rows' for something else: take another name."],
    ["module shelves --singular shelf --dutch 'x\"'", "is not a Dutch plural"],
  ];
  for (const [words, reason] of REFUSED)
    it(`refuses '${words}' and writes nothing`, () => {
      const { status, stdout, stderr } = generate(...words.split(" "));
      expect([status, stdout], stderr).to.deep.equal([2, ""]);
      expect(stderr).to.include(reason);
      expect(copy.changed()).to.deep.equal([]);
    });

  it("writes the module with its names, an article that fits and the next number", () => {
    const { status, said, stdout } = generate("module", "archives", "--singular", "archive", "--dutch", "archieven");
    expect(status, said).to.equal(0);
    const files = [
      `migrations/${nextStepNumber()}-archives.ts`,
      "services/archives/archives.service.ts",
      "services/archives/archives.ts",
      "services/archives/demo.ts",
      "services/archives/module.ts",
      "test/api/archives/archives.test.ts",
      "test/fixtures/archives/fixtures.ts",
    ];
    expect(copy.changed()).to.deep.equal(files);
    for (const file of files) expect(stdout).to.include(`  ${file}\n`);
    expect(read("services/archives/module.ts")).to.include('["Archieven beheren", "Manage archives"]');
    expect(read("services/archives/archives.service.ts")).to.include('"Add an archive"').and.include("GET /archives/:archive_id");
    for (const file of files) expect(read(file).toLowerCase()).not.to.match(/bookmark|bladwijzer|nnnn/);
  });

  it("writes what npm run check takes as it is", () => {
    const { status, said } = copy.run(["bin/run.mjs", "check"]);
    expect(status, said).to.equal(0);
    expect(said).to.match(/No fixes applied\.\n$/);
  });

  it("writes a test that is green", () => {
    const { status, said } = copy.run(["test/run.ts", "test/api/archives"]);
    expect(status, said).to.equal(0);
    expect(said).to.match(/\b3 passed, 0 failed\b/);
  });

  it("overwrites nothing: not one file is written where one of them exists", () => {
    const [migration = ""] = globSync("migrations/*-archives.ts", { cwd: copy.folder });
    copy.git("clean", "-dfq", "--exclude=node_modules", "services", "migrations", "test/api");
    writeFileSync(path.join(copy.folder, "test/fixtures/archives/fixtures.ts"), "// Mine\n");
    const { status, stderr } = generate("module", "archives", "--singular", "archive");
    expect(status).to.equal(2);
    expect(stderr).to.equal("test/fixtures/archives/fixtures.ts exists already, and nothing is overwritten.\n");
    expect(read("test/fixtures/archives/fixtures.ts")).to.equal("// Mine\n");
    expect(copy.changed(), migration).to.deep.equal(["test/fixtures/archives/fixtures.ts"]);
  });
});
