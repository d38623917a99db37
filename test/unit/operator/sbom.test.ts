import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import manifest from "../../../package.json" with { type: "json" };

const ROOT = path.join(import.meta.dirname, "../../..");

const lock = JSON.parse(readFileSync(path.join(ROOT, "package-lock.json"), "utf8")) as {
  packages: Record<string, { version: string; dev?: boolean }>;
};

interface Component {
  name: string;
  version: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
  hashes?: { alg: string; content: string }[];
}

describe("npm run sbom", function () {
  this.timeout(120_000);
  const folder = mkdtempSync(path.join(tmpdir(), "kantoor-sbom-"));
  let bill: { bomFormat: string; metadata: { component: Component }; components: Component[] };

  before(() => {
    const file = path.join(folder, "sbom.json");
    execFileSync(process.execPath, [path.join(ROOT, "bin/sbom.mjs"), file], { stdio: "pipe" });
    bill = JSON.parse(readFileSync(file, "utf8"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("writes a CycloneDX document of this service", () => {
    expect(bill.bomFormat).to.equal("CycloneDX");
    expect(bill.metadata.component).to.include({ name: manifest.name, version: manifest.version, type: "application" });
  });

  it("lists every package that the service depends on, in its exact version, and none of developers", () => {
    const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
    const missing = Object.entries(manifest.dependencies).filter(([name, version]) => !listed.has(`${name}@${version}`));
    expect(missing).to.deep.equal([]);
    const indirect = Object.entries(lock.packages).filter(
      ([place, { dev }]) => place !== "" && !dev && existsSync(path.join(ROOT, place, "package.json")),
    );
    const byLock = indirect.map(([place, { version }]) => `${place.split("node_modules/").at(-1)}@${version}`);
    expect([...listed].toSorted()).to.deep.equal([...new Set(byLock)].toSorted());
    const names = new Set(bill.components.map(({ name }) => name));
    expect(["mocha", "typescript", "chai", "exceljs"].filter((name) => names.has(name))).to.deep.equal([]);
  });

  it("names the licence and the digest of each", () => {
    const named = ({ licenses = [] }: Component) =>
      licenses.some(({ license, expression }) => license?.id ?? license?.name ?? expression);
    expect(bill.components.filter((one) => !named(one)).map(({ name }) => name)).to.deep.equal([]);
    expect(bill.components.filter(({ hashes = [] }) => hashes.length === 0).map(({ name }) => name)).to.deep.equal([]);
  });
});
