import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { knownSteps, stepOf } from "../../../migrations/run.ts";

const FOLDER = path.join(import.meta.dirname, "../../../migrations");
/** Digests by step. A step that lands gets its line; with a wrong digest this test prints the right one. */
const landed = JSON.parse(readFileSync(path.join(FOLDER, "landed.json"), "utf8")) as Record<string, string>;

/** The effect of a step: its statements, without their comments and line breaks. */
async function digestOf(name: string): Promise<string> {
  const step = await stepOf(name);
  const sent: string[] = [];
  const sql = async (text: string) => {
    sent.push(text);
    return { rows: [] };
  };
  await step.up({ sql, application: '"application"' });
  const plain = sent.map((text) => text.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim());
  return createHash("sha256").update(plain.join("\n")).digest("hex").slice(0, 16);
}

describe("a migration step that has landed", () => {
  it("has none before it that has not", () => {
    const names = Object.keys(landed);
    expect(names).to.deep.equal(knownSteps().slice(0, names.length));
  });

  for (const [name, digest] of Object.entries(landed))
    it(`does the same as before: ${name}`, async () => {
      expect(await digestOf(name), "what must change is a new step").to.equal(digest);
    });
});
