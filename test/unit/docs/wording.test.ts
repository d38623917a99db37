import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import banned from "./banned-words.json" with { type: "json" };

const ROOT = path.join(import.meta.dirname, "../../..");
const PRODUCT = "{core,mixins,services,integrations,operator,cli}/**/*.ts";
const WORDS = Object.entries(banned).map(([pattern, better]) => ({ pattern: new RegExp(pattern, "i"), better }));

/** The comment text of a line, or an empty string. */
const commentIn = (line: string): string => /^\s*(?:\/\/|\/?\*+)(.*)$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1] ?? "";

describe("comments of the product", () => {
  it("use no banned words (banned-words.json names better ones)", () => {
    const found = globSync(PRODUCT, { cwd: ROOT }).flatMap((file) =>
      readFileSync(path.join(ROOT, file), "utf8")
        .split("\n")
        .flatMap((line, at) =>
          WORDS.filter(({ pattern }) => pattern.test(commentIn(line))).map(
            ({ pattern, better }) => `${file}:${at + 1}: ${pattern.source}, better: ${better}`,
          ),
        ),
    );
    expect(found).to.deep.equal([]);
  });
});
