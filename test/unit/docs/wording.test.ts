import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import phrases from "./banned-phrases.json" with { type: "json" };
import words from "./banned-words.json" with { type: "json" };

interface Banned {
  readonly pattern: RegExp;
  readonly better: string;
}

const ROOT = path.join(import.meta.dirname, "../../..");
const PRODUCT = "{core,mixins,services,integrations,operator,cli}/**/*.ts";
const TESTS = "{test,bench,migrations}/**/*.ts";

const banned = (list: Record<string, string>): Banned[] =>
  Object.entries(list).map(([pattern, better]) => ({ pattern: new RegExp(pattern, "i"), better }));
const WORDS = banned(words);
const PHRASES = [...WORDS, ...banned(phrases)];

/** The comment text of a line, or an empty string. */
const commentIn = (line: string): string => /^\s*(?:\/\/|\/?\*+)(.*)$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1] ?? "";
/** The sentences among the strings of a line, without interpolated values: at least three words each. */
const textsIn = (line: string): string =>
  commentIn(line) !== ""
    ? ""
    : [...line.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)]
        .map(([, quoted, template]) => (quoted ?? template ?? "").replace(/\$\{[^}]*\}/g, "…"))
        .filter((text) => text.split(" ").length > 2)
        .join("\n");
/** The title of the suite or test that begins on a line, or an empty string. */
const titleIn = (line: string): string => (/^\s*(?:describe|it)(?:\.\w+)?\(/.test(line) ? textsIn(line) : "");

/** Banned expressions of the lines of some files, each with its place and a better word. */
const foundIn = (files: readonly string[], part: (line: string) => string, list: readonly Banned[]): string[] =>
  files.flatMap((file) =>
    readFileSync(path.join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, at) => {
        const text = part(line);
        return list
          .filter(({ pattern }) => pattern.test(text))
          .map(({ pattern, better }) => `${file}:${at + 1}: ${pattern.source}, better: ${better}`);
      }),
  );

describe("wording", () => {
  const product = globSync(PRODUCT, { cwd: ROOT });
  const tests = globSync(TESTS, { cwd: ROOT });

  it("of the product's comments uses no banned words (banned-words.json names better ones)", () => {
    expect(foundIn(product, commentIn, WORDS)).to.deep.equal([]);
  });

  it("of summaries, descriptions, errors, logs and commands uses neither banned words nor banned-phrases.json", () => {
    expect(foundIn(product, textsIn, PHRASES)).to.deep.equal([]);
  });

  it("of the comments of tests and migrations uses no banned words", () => {
    expect(foundIn(tests, commentIn, WORDS)).to.deep.equal([]);
  });

  it("of the titles of tests uses neither banned words nor banned phrases", () => {
    expect(foundIn(tests, titleIn, PHRASES)).to.deep.equal([]);
  });
});
