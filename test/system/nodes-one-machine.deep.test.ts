import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { certificate, certificateKey } from "../support/certificate.ts";
import { blocksOf, linesOf, SHELL } from "../support/documents.ts";
import { until } from "../support/jobs.ts";
import { findProgram, requireNats } from "../support/nodes/nats.ts";
import { visit } from "../support/nodes/proxy.ts";
import { freePort } from "../support/ports.ts";
import { cleanEnvironment, launch, type Spawned } from "../support/process.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const LISTENING = /"msg":"serving initial configuration"/;

/** Skips a test on a machine without Caddy, with a message. */
function requireCaddy(test: Mocha.Context): void {
  if (findProgram("caddy")) return;
  process.stdout.write("    not run: caddy is not installed (apt-get install caddy)\n");
  test.skip();
}

/** The four terminals of `docs/nodes.md`. */
describe("two nodes behind Caddy on one machine, as the document has them", function () {
  this.timeout(300_000);
  const terminals = linesOf("## Try it on one machine");
  const started: Spawned[] = [];
  let folder: string;
  /** The document's ports and the ones used here. */
  let ports: Record<string, number>;

  /** Types the lines of a terminal; its last command runs until it is stopped. */
  async function open(lines: string, ready?: RegExp): Promise<void> {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
    const here = Object.entries(ports)
      .reduce((text, [documented, own]) => text.replaceAll(new RegExp(`(?<!_MS=)\\b${documented}\\b`, "g"), String(own)), lines)
      .replace(/npm start$/m, scripts.start)
      .replace(/^(?=nats-server|caddy)/m, "exec ");
    const environment = {
      PATH: `${process.env["PATH"]}:/usr/sbin`,
      HOME: folder,
      SERVICE_DATA_DIR: path.join(folder, "data"),
      // What the document leaves at its default of 3000 and of every address.
      ...(!lines.includes("SERVICE_HTTP_PORT") && { SERVICE_HTTP_PORT: String(ports["3000"]) }),
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
    };
    started.push(await launch([SHELL, "-euc", here], { cwd: folder, environment, ...(ready && { ready }) }));
  }

  before(async function () {
    requireNats(this);
    requireCaddy(this);
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-machine-"));
    chmodSync(folder, 0o755);
    symlinkSync(path.join(ROOT, "bin"), path.join(folder, "bin"));
    ports = { 4222: await freePort(), 3000: await freePort(), 3001: await freePort(), 8080: await freePort() };
    const [nats = "", first = "", second = "", caddy = ""] = terminals;
    await open(nats, /Listening for client connections/);
    await open(first);
    await open(second);
    await open(caddy, LISTENING);
  });
  after(async () => {
    for (const one of started.reverse()) await one.stop();
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  it("answers the README's first lines through Caddy", async () => {
    expect(terminals).to.have.length(4);
    const [lines = ""] = linesOf("## Try it");
    const typed = lines.replace("localhost:3000", `localhost:${ports["8080"]}`).replaceAll(/^(?=curl)/gm, "echo; ");
    await until(
      async () => (await visit({ port: ports["8080"] as number }, "localhost", "/health/ready")).status === 200,
      240_000,
    );
    const { stdout } = await promisify(execFile)(SHELL, ["-euc", typed], { cwd: folder, env: cleanEnvironment() });
    const answers = stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    expect(answers).to.have.length(3);
    expect([answers[0].items.length, answers[2].error?.code]).to.deep.equal([1, "validation"]);
  });

  it("goes on when the node that started the database stops; the last one to stop ends the database", async () => {
    expect(await started[1]?.stop()).to.equal(0);
    const { api_key: key } = JSON.parse(readFileSync(path.join(folder, "data/first-run.json"), "utf8"));
    const answer = await visit({ port: ports["8080"] as number }, "localhost", "/api/v1/companies?limit=1", {
      headers: { "X-API-Key": key },
      from: "127.0.0.1",
    });
    expect([answer.status, answer.body.items?.length]).to.deep.equal([200, 1]);
    const database = path.join(folder, "data/postgres/postmaster.pid");
    expect(existsSync(database)).to.equal(true);
    expect(await started[2]?.stop()).to.equal(0);
    expect(existsSync(database)).to.equal(false);
  });
});

describe("the document's Caddyfile for an installation", () => {
  before(function () {
    requireCaddy(this);
  });

  it("is valid", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "kantoor-caddy-"));
    try {
      writeFileSync(path.join(folder, "agency.example.pem"), certificate);
      writeFileSync(path.join(folder, "agency.example.key"), certificateKey);
      const [documented = ""] = blocksOf("## The proxy", "caddyfile");
      writeFileSync(path.join(folder, "Caddyfile"), documented.replaceAll("/etc/ssl/", `${folder}/`));
      const words = ["validate", "--config", path.join(folder, "Caddyfile"), "--adapter", "caddyfile"];
      const env = { ...cleanEnvironment(), HOME: folder };
      const { stderr, stdout } = await promisify(execFile)(findProgram("caddy") as string, words, { env });
      expect(stderr + stdout).to.contain("Valid configuration");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
