import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { guideNames, guideProgram } from "../support/guides.ts";
import { cleanEnvironment } from "../support/process.ts";
import { type Demo, demoWithClient, exampleOf, PARTS, ROOT, ROWS, run } from "./sdk/demo.ts";

const REQUIREMENTS = path.join(ROOT, "sdk/python/requirements-test.txt");
const WALKS = path.join(import.meta.dirname, "sdk");

describe("the Python client from its package", function () {
  this.timeout(900_000);
  let folder: string;
  let home: string;
  let demo: Demo | undefined;
  let python: string;
  const typed = (words: string[], more: Record<string, string | undefined> = {}) =>
    run(python, words, { cwd: home, env: { ...cleanEnvironment(), ...more }, timeout: 300_000 });

  before(async function () {
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-python-"));
    home = path.join(folder, "home");
    mkdirSync(home);
    const environment = path.join(folder, "environment");
    python = path.join(environment, "bin/python");
    const install = (...words: string[]) =>
      typed(["-m", "pip", "install", "--no-input", "--disable-pip-version-check", "-q", "--retries", "2", ...words]);
    try {
      await run(process.env["PYTHON"] ?? "python3", ["-m", "venv", environment]);
      await install("-r", REQUIREMENTS);
    } catch (error) {
      process.stdout.write(`Not tried: python3 with venv cannot install ${REQUIREMENTS} here.\n${String(error).slice(0, 500)}\n`);
      this.skip();
    }
    // The wheel is built with the setuptools of the environment, without a registry.
    demo = await demoWithClient(folder, "python", { PYTHON: python, PIP_NO_BUILD_ISOLATION: "0" });
    const made = path.join(folder, "python");
    const wheel = path.join(made, readdirSync(made).find((file) => file.endsWith(".whl")) as string);
    await install("--no-index", wheel);
    writeFileSync(path.join(home, "readme.py"), exampleOf(readFileSync(path.join(made, "README.md"), "utf8"), "python", demo));
    for (const name of ["walk.py", "rules.py"]) copyFileSync(path.join(WALKS, name), path.join(home, name));
  });
  after(async () => {
    await demo?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is typed in strict mode, with the README's example and a program that uses it", async () => {
    const strict = ["-m", "mypy", "--strict", "--python-version", "3.10"];
    const { stdout } = await typed([...strict, "-p", "kantoor", "-m", "readme", "-m", "walk"]).catch((error) => error);
    expect(stdout).to.match(/^Success: no issues found in \d+ source files\n$/);
  });

  it("has guides that are typed in strict mode, and run to their end", async () => {
    const receiver = createServer((_, answer) => answer.writeHead(204).end());
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
    const { port } = receiver.address() as AddressInfo;
    const modules = guideNames().map((name) => [name, `guide_${name.replaceAll("-", "_")}`] as const);
    for (const [name, module] of modules)
      writeFileSync(path.join(home, `${module}.py`), guideProgram(name, "python", demo as Demo, port));
    const named = modules.flatMap(([, module]) => ["-m", module]);
    const strict = ["-m", "mypy", "--strict", "--python-version", "3.10"];
    const { stdout } = await typed([...strict, ...named]).catch((error) => error);
    expect(stdout).to.match(/^Success: no issues found in 10 source files\n$/);
    for (const [name, module] of modules) {
      const { stderr } = await typed([`${module}.py`]).catch((error) => error);
      expect(stderr, name).to.equal("");
    }
    receiver.close();
  });

  it("repeats, walks, follows and continues by its rules, with threads and with asyncio", async () => {
    const { stderr } = await typed(["rules.py"]).catch((error) => error);
    expect(stderr).to.match(/Ran [1-9]\d* tests[\s\S]*\nOK\n$/);
  });

  it("leads from a client to a paid invoice, follows a list, and verifies a webhook", async () => {
    const { stdout } = await typed(["walk.py"], { KANTOOR_URL: demo?.url, KANTOOR_KEY: demo?.key, SDK_ROWS: ROWS });
    expect(stdout.split("\n")).to.include.members(PARTS);
  });
});
