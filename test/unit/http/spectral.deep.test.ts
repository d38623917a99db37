import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");
const CLI = path.join(ROOT, "node_modules/@stoplight/spectral-cli/dist/index.js");

/** The rules that a document breaks, sorted. */
async function brokenRules(document: object): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "kantoor-spectral-"));
  try {
    const file = path.join(folder, "openapi.json");
    await writeFile(file, JSON.stringify(document));
    const given = [CLI, "lint", file, "--ruleset", path.join(ROOT, ".spectral.yaml"), "--format", "json", "--quiet"];
    const found = await new Promise<string>((done) => execFile(process.execPath, given, (_, stdout) => done(stdout)));
    return [...new Set((JSON.parse(found) as { code: string }[]).map(({ code }) => code))].sort();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const documentOf = (operation: object) => ({
  openapi: "3.1.1",
  info: {},
  paths: { "/notes": { post: operation } },
  components: { responses: { Invalid: { description: "A field is invalid." } } },
});
const schema = (property: object) => ({ type: "object", properties: { name: property } });

const GOOD = {
  operationId: "notesCreate",
  summary: "Create a note",
  description: "Requires `notes.write`.",
  tags: ["notes"],
  "x-permission": "notes.write",
  "x-licence": null,
  parameters: [{ name: "force", in: "query", description: "Whether to replace a note" }],
  requestBody: { content: { "application/json": { schema: schema({ description: "Name" }), example: { name: "a" } } } },
  responses: { 201: { description: "Created." }, 422: { $ref: "#/components/responses/Invalid" } },
};

describe("the rules for the OpenAPI document", function () {
  this.timeout(60_000);

  it("pass an operation with texts, tag, access, errors and an example", async () => {
    expect(await brokenRules(documentOf(GOOD))).to.deep.equal([]);
  });

  it("name everything that an operation lacks", async () => {
    const bad = {
      operationId: "Notes-create",
      summary: "create a note.",
      parameters: [{ name: "force", in: "query" }],
      requestBody: { content: { "application/json": { schema: schema({ type: "string" }) } } },
      responses: { 201: {} },
    };
    expect(await brokenRules(documentOf(bad))).to.deep.equal([
      "kantoor-answer-description",
      "kantoor-errors-documented",
      "kantoor-json-example",
      "kantoor-operation-access",
      "kantoor-operation-id",
      "kantoor-operation-tag",
      "kantoor-operation-texts",
      "kantoor-parameter-description",
      "kantoor-property-description",
    ]);
  });
});
