import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { sharedService, type TestService } from "../../support/service.ts";

const TSC = path.join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");

/** Calls that did not compile while defaults made properties required and lists were texts. */
const CALLS = `import type { components, operations, webhooks } from "./client.ts";
type Query = NonNullable<operations["companiesList"]["parameters"]["query"]>;
export const body: operations["companiesCreate"]["requestBody"]["content"]["application/json"] = { name: "Bakkerij" };
export const query: Query = { sort: "-name", status: ["lead", "active"] };
export const action: components["schemas"]["ActionWrite"] = { action_type: "task.create", config: { title: "Bellen" } };
export const event: webhooks["invoice.paid"]["post"]["requestBody"]["content"]["application/json"]["type"] = "invoice.paid";
// @ts-expect-error: no status of a client
export const wrong: Query = { status: ["asleep"] };
`;

const GO = `package: kantoor
generate: { models: true, client: true }
compatibility: { always-prefix-enum-values: true }
output-options: { skip-prune: true }
`;

/** What openapi-generator says of documents of 3.1 in general, and of examples that only its texts would use. */
const GENERAL = [
  "OpenAPI 3.1 support is still in beta",
  "Ignoring complex example on request body",
  "No application/json content media type found in response",
  "Failed to get the schema name: null",
];

/** The file of a command on the path, or null. */
const found = (name: string): string | null =>
  (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file)) ?? null;

describe("the document for generators of clients", function () {
  this.timeout(600_000);
  let service: TestService;
  let folder: string;
  let document: string;
  before(async () => {
    service = await sharedService();
    const { host } = await service.tenant();
    const { body } = await service.call("GET", "//api/openapi.json?for=codegen", { host });
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-generators-"));
    document = path.join(folder, "openapi.json");
    await writeFile(document, JSON.stringify(body));
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a program in a folder of its own. @returns its output; a failure is an error with it */
  const run = (cwd: string, file: string, ...words: string[]): Promise<string> =>
    new Promise((done, failed) => {
      execFile(file, words, { cwd, maxBuffer: 256 * 1024 * 1024 }, (error, stdout, stderr) => {
        if (error) failed(new Error(`${path.basename(file)} ${words.join(" ")}: ${stdout.slice(-3000)}${stderr.slice(-3000)}`));
        else done(`${stdout}${stderr}`);
      });
    });
  const place = async (name: string) => {
    const made = path.join(folder, name);
    await mkdir(made);
    return made;
  };

  const typescript = found("openapi-typescript");
  (typescript ? it : it.skip)("makes types of TypeScript that compile (openapi-typescript on the path)", async () => {
    const at = await place("typescript");
    await run(at, typescript as string, document, "-o", "client.ts");
    await writeFile(path.join(at, "calls.ts"), CALLS);
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--allowImportingTsExtensions", "--types", ""];
    await run(at, process.execPath, TSC, ...options, "calls.ts");
  });

  const python = found("openapi-python-client");
  (python ? it : it.skip)("makes a client of Python without a warning (openapi-python-client on the path)", async () => {
    const at = await place("python");
    await writeFile(path.join(at, "config.yaml"), "post_hooks: []\n");
    const said = await run(
      at,
      python as string,
      "generate",
      "--path",
      document,
      "--output-path",
      "made",
      "--config",
      "config.yaml",
    );
    expect(said).to.not.match(/warning|error/i);
    const rules = path.join(at, "made/kantoor_api_client/api/automation/automation_rules_create.py");
    expect(await readFile(rules, "utf8")).to.contain("RuleCreate");
  });

  const go = found("oapi-codegen");
  (go ? it : it.skip)("makes a client of Go that compiles (oapi-codegen on the path)", async () => {
    const at = await place("go");
    await writeFile(path.join(at, "config.yaml"), GO);
    await writeFile(path.join(at, "go.mod"), "module kantoor\n\ngo 1.24\n");
    const said = await run(at, go as string, "-config", "config.yaml", "-o", "client.go", document);
    expect(said).to.equal("");
    await run(at, found("go") ?? "go", "mod", "tidy");
    expect(await run(at, found("go") ?? "go", "vet", "./...")).to.equal("");
  });

  const java = found("openapi-generator-cli");
  (java ? it : it.skip)("makes a client of Java without a warning about it (openapi-generator-cli on the path)", async () => {
    const at = await place("java");
    const said = await run(at, java as string, "generate", "-g", "java", "-i", document, "-o", "made");
    const warned = said.split("\n").filter((line) => /\b(WARN|ERROR)\b/.test(line));
    expect(warned.filter((line) => !GENERAL.some((text) => line.includes(text)))).to.deep.equal([]);
    const api = path.join(at, "made/src/main/java/org/openapitools/client/api/WebhooksApi.java");
    expect(await readFile(api, "utf8")).to.contain("webhooksEndpointsList(");
  });
});
