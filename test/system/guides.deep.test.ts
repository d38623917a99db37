import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { SHELL } from "../support/documents.ts";
import { guideNames, guideProgram } from "../support/guides.ts";
import { cleanEnvironment } from "../support/process.ts";
import { type Demo, demoWithClient, ROOT, run } from "./sdk/demo.ts";

const COMPILER = path.join(ROOT, "node_modules/typescript/bin/tsc");
/** What the programs import, apart from the client that is made from the document of this service. */
const IMPORTED = ["@modelcontextprotocol", "@types/node", "undici-types", "standardwebhooks"];

describe("the guides", function () {
  this.timeout(600_000);
  let folder: string;
  let home: string;
  let demo: Demo;
  let receiver: Server;
  const port = () => (receiver.address() as AddressInfo).port;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-guides-"));
    demo = await demoWithClient(folder, "typescript");
    home = path.join(folder, "home");
    for (const name of ["@types", "@kantoor"]) mkdirSync(path.join(home, "node_modules", name), { recursive: true });
    for (const name of IMPORTED) symlinkSync(path.join(ROOT, "node_modules", name), path.join(home, "node_modules", name));
    symlinkSync(path.join(folder, "typescript"), path.join(home, "node_modules/@kantoor/sdk"));
    writeFileSync(path.join(home, "package.json"), '{ "type": "module", "private": true }');
    receiver = createServer((_, answer) => answer.writeHead(204).end());
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  });
  after(async () => {
    receiver?.close();
    await demo?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const name of guideNames())
    it(`${name} is typed to its end in a shell`, async () => {
      const lines = guideProgram(name, "sh", demo, port());
      const { stdout } = await run(SHELL, ["-euo", "pipefail", "-c", lines], { cwd: folder, env: cleanEnvironment() });
      expect(stdout).to.not.match(/undefined|"error": *\{/);
    });

  it("end in the shell where they say", async () => {
    const printed = async (name: string) =>
      (await run(SHELL, ["-euc", guideProgram(name, "sh", demo, port())], { cwd: folder, env: cleanEnvironment() })).stdout;
    expect(await printed("invoice-to-paid")).to.match(/^paid$/m);
    expect(await printed("custom-fields")).to.match(/^pro\n1$/m);
    expect(await printed("keys")).to.match(/^forbidden$/m);
    const lines = `${guideProgram("webhook", "sh", demo, port())}\necho "secret $SECRET"`;
    const { stdout } = await run(SHELL, ["-euc", lines], { cwd: folder, env: cleanEnvironment() });
    const [, secret = ""] = /^secret (.*)$/m.exec(stdout) ?? [];
    const signed = new Webhook(secret).sign("msg_1", new Date(1767225600_000), '{"type":"company.created"}');
    expect(stdout.split("\n")).to.include(signed.replace("v1,", ""));
  });

  it("compile in TypeScript, in strict mode", async () => {
    for (const name of guideNames()) writeFileSync(path.join(home, `${name}.ts`), guideProgram(name, "ts", demo, port()));
    const compilerOptions = {
      module: "nodenext",
      target: "es2023",
      lib: ["es2023", "dom"],
      types: ["node"],
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
    };
    const files = guideNames().map((name) => `${name}.ts`);
    writeFileSync(path.join(home, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const { stdout } = await run(process.execPath, [COMPILER, "--project", home]).catch((error) => error);
    expect(stdout).to.equal("");
  });

  for (const name of guideNames())
    it(`${name} runs to its end in TypeScript`, async () => {
      const file = path.join(home, `${name}.ts`);
      writeFileSync(file, guideProgram(name, "ts", demo, port()));
      await run(process.execPath, [file], { cwd: home, env: cleanEnvironment(), timeout: 120_000 });
    });
});
