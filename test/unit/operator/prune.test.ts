import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";

const SCRIPT = path.join(import.meta.dirname, "../../../bin/prune.mjs");
const { prune } = (await import(SCRIPT)) as { prune: (root: string) => { files: number; bytes: number } };

describe("npm run prune", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), "kantoor-prune-"));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const put = (...files: string[]) => {
    for (const file of files) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), "1234567890");
    }
  };
  const filesLeft = async () =>
    (await readdir(root, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
      .toSorted();

  it("leaves what a service loads: code, data, and the Google APIs that are imported", async () => {
    const apis = "node_modules/googleapis/build/src/apis";
    const kept = [`${apis}/gmail/index.js`, `${apis}/index.js`, "node_modules/a/b/c.js", "node_modules/a/d.json", "core/x.ts"];
    kept.push("node_modules/a/LICENSE.md", "node_modules/a/NOTICE.md", "docs/README.md");
    put("node_modules/a/README.md", "node_modules/a/docs/changes.markdown", "node_modules/a/prebuilds/x.bare");
    put(...kept, `${apis}/youtube/v3.js`, `${apis}/gmail/v1.d.ts`, "node_modules/a/b/c.js.map", "node_modules/a/c.d.mts");
    mkdirSync(path.join(root, "mixins/google"), { recursive: true });
    const [, imported] = `${apis}/gmail/index.js`.split("node_modules/");
    writeFileSync(path.join(root, "mixins/google/apis.ts"), `import("${imported}")`);
    expect(prune(root)).to.deep.equal({ files: 7, bytes: 70 });
    expect(await filesLeft()).to.deep.equal([...kept, "mixins/google/apis.ts"].toSorted());
    expect(prune(root)).to.deep.equal({ files: 0, bytes: 0 });
  });

  it("refuses where the checks of developers need the declarations, or nothing is installed", async () => {
    expect(() => prune(root)).to.throw("npm ci --omit=dev");
    put("node_modules/typescript/package.json", "node_modules/a/c.d.ts");
    expect(() => prune(root)).to.throw("The packages of developers are installed");
    expect(await filesLeft()).to.have.length(2);
  });
});
