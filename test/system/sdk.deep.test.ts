import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { build } from "esbuild";
import { cleanEnvironment } from "../support/process.ts";
import { type Demo, demoWithClient, exampleOf, installed, PARTS, ROOT, ROWS, run } from "./sdk/demo.ts";

const COMPILER = path.join(ROOT, "node_modules/typescript/bin/tsc");

const options = (more: object, files: string[]) =>
  JSON.stringify({
    compilerOptions: {
      module: "nodenext",
      target: "es2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      ...more,
    },
    files,
  });

describe("the TypeScript client from its package", function () {
  this.timeout(600_000);
  let folder: string;
  let demo: Demo | undefined;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-sdk-"));
    demo = await demoWithClient(folder, "typescript");
    const home = await installed(folder, ["typescript"]);
    const readme = readFileSync(path.join(home, "node_modules/@kantoor/sdk/README.md"), "utf8");
    const example = exampleOf(readme, "ts", demo).replaceAll(/^(const|let|async function) /gm, "export $1 ");
    writeFileSync(path.join(home, "readme.ts"), example);
  });
  after(async () => {
    await demo?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("compiles the README's example for a browser, in strict mode and with the package's declarations checked", async () => {
    const home = path.join(folder, "home");
    writeFileSync(
      path.join(home, "tsconfig.json"),
      options({ lib: ["es2023", "dom", "dom.iterable"], types: [], noEmit: true }, ["readme.ts"]),
    );
    const { stdout } = await run(process.execPath, [COMPILER, "--project", home]);
    expect(stdout).to.equal("");
  });

  it("declares nothing as any", () => {
    const folders = ["dist", "dist/generated"].map((name) => path.join(folder, "typescript", name));
    const files = folders.flatMap((one) => readdirSync(one).map((name) => path.join(one, name)));
    const declared = files.filter((file) => file.endsWith(".d.ts")).map((file) => readFileSync(file, "utf8"));
    const code = declared
      .join("\n")
      .replaceAll(/\/\*[\s\S]*?\*\//g, "")
      .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
    // A member can have the name.
    expect(code.match(/.*\bany\b(?!\??:).*/g)).to.equal(null);
  });

  it("goes into one file for browsers without anything of Node.js", async () => {
    const { outputFiles } = await build({
      stdin: { contents: 'export * from "@kantoor/sdk";', resolveDir: path.join(folder, "home") },
      bundle: true,
      minify: true,
      platform: "browser",
      format: "esm",
      write: false,
    });
    expect(outputFiles[0]?.contents.length).to.be.within(1, 120_000);
  });

  it("leads from a client to a paid invoice, follows a list, and verifies a webhook", async () => {
    const home = path.join(folder, "home");
    // Types of Node.js for the receiver; they are not the package's.
    mkdirSync(path.join(home, "node_modules/@types"));
    for (const name of ["@types/node", "undici-types"])
      symlinkSync(path.join(ROOT, "node_modules", name), path.join(home, "node_modules", name));
    writeFileSync(path.join(home, "walk.ts"), readFileSync(path.join(import.meta.dirname, "sdk/walk.ts")));
    writeFileSync(path.join(home, "tsconfig.json"), options({ lib: ["es2023"], types: ["node"] }, ["walk.ts"]));
    await run(process.execPath, [COMPILER, "--project", home]);
    const env = { ...cleanEnvironment(), KANTOOR_URL: demo?.url, SDK_ROWS: ROWS };
    const { stdout } = await run(process.execPath, ["walk.js"], { cwd: home, env, timeout: 300_000 });
    expect(stdout.split("\n")).to.include.members(PARTS);
  });
});
