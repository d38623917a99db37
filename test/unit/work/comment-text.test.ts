import { expect } from "chai";
import fc from "fast-check";
import { EXCERPT_LENGTH, excerptOf, mentionsIn, withoutMarkers } from "../../../services/work/comments/comment-text.ts";
import { plainText } from "../../../services/work/comments/plain-text.ts";
import { CASES, id } from "./support.ts";

const [U, V, K, T] = [id("u"), id("v"), id("k"), id("t")];
const NONE = { user_ids: [], contact_ids: [], task_ids: [] };

describe("comment markers", () => {
  const rows: [what: string, body: string, found: Partial<ReturnType<typeof mentionsIn>>][] = [
    ["a person", `hi @[Ana](mention:${U})!`, { user_ids: [U] }],
    ["a person by kind", `@[Ana](mention:user:${U})`, { user_ids: [U] }],
    ["a contact", `@[Kees](mention:contact:${K})`, { contact_ids: [K] }],
    ["a task", `#[Fix it](mention:task:${T})`, { task_ids: [T] }],
    ["one of each", `@[A](mention:${U}) #[T](mention:task:${T}) @[K](mention:contact:${K})`, { user_ids: [U], contact_ids: [K], task_ids: [T] }],
    ["first seen first", `@[V](mention:${V}) @[U](mention:${U}) @[V](mention:${V})`, { user_ids: [V, U] }],
    ["the two forms of one person", `@[U](mention:user:${U}) @[U](mention:${U})`, { user_ids: [U] }],
    ["capitals", `@[U](mention:${U.toUpperCase()}) @[U](mention:${U})`, { user_ids: [U] }],
    ["brackets in a name", `@[Jan [BV]](mention:${U})`, { user_ids: [U] }],
    ["escaped brackets in a name", `@[Jan \\] x](mention:${U})`, { user_ids: [U] }],
    ["side by side", `@[U](mention:${U})@[V](mention:${V})`, { user_ids: [U, V] }],
    ["an open bracket before", `[ @[U](mention:${U})`, { user_ids: [U] }],
    ["an empty name", `@[](mention:${U})`, { user_ids: [U] }],
    ["over lines", `@[Ana\nMaria](mention:${U})`, { user_ids: [U] }],
    ["a task with the sign of a person", `@[Fix](mention:task:${T})`, {}],
    ["a person with the sign of a task", `#[Ana](mention:${U})`, {}],
    ["no sign", `[Ana](mention:${U})`, {}],
    ["an unknown kind", `@[Ana](mention:company:${U})`, {}],
    ["no id", "@[Ana](mention:ana)", {}],
    ["more than an id", `@[Ana](mention:${U}0)`, {}],
    ["an ordinary link", `@[Ana](https://x.nl/${U})`, {}],
    ["an escaped bracket", `@\\[Ana](mention:${U})`, {}],
    ["a bare id", `@${U} mention:${U}`, {}],
    ["nothing", "", {}],
  ]; // biome-ignore format: a table
  for (const [what, body, found] of rows)
    it(what, () => {
      expect(mentionsIn(body)).to.deep.equal({ ...NONE, ...found });
    });
});

describe("comment markers in generated text", () => {
  const rows: [what: string, text: string, plain: string][] = [
    ["a person", `ask @[Ana](mention:${U}), then`, "ask Ana, then"],
    ["a task", `see #[Fix it](mention:task:${T})`, "see Fix it"],
    ["no sign", `ask [Ana](mention:${U})`, "ask Ana"],
    ["one inside another", `@[a @[b](mention:${U})](mention:${V})`, "a b"],
    ["another destination behind it", `@[Ana](mention:${U})(mention:${V})`, `Ana(mention:${V})`],
    ["an address of no one", "@[Ana](mention:someone)", "Ana"],
    ["an ordinary link", "[Ana](https://x.nl)", "[Ana](https://x.nl)"],
    ["words", "a mention: of (mention: x) [brackets]", "a mention: of (mention: x) [brackets]"],
    ["an escaped bracket, which others may not see", `@\\[Ana](mention:${U})`, `@\\[Ana](mention ${U})`],
  ];
  for (const [what, text, plain] of rows)
    it(what, () => {
      expect(withoutMarkers(text)).to.equal(plain);
    });

  const soup = fc
    .array(fc.constantFrom("@", "#", "[", "]", "\\", "(", ")", `(mention:${U})`, `(mention:task:${T})`, "(mention:", "a", " "), {
      maxLength: 30,
    })
    .map((pieces) => pieces.join(""));

  it("never leaves a marker, and changes nothing the second time", () => {
    fc.assert(
      fc.property(soup, (text) => {
        const plain = withoutMarkers(text);
        expect(mentionsIn(plain)).to.deep.equal(NONE);
        expect(/\]\(\s*mention:/i.test(plain)).to.equal(false);
        expect(withoutMarkers(plain)).to.equal(plain);
      }),
      CASES,
    );
  });

  it("finds every marker among words, each once, in order", () => {
    const word = fc.constantFrom("hello", "[x]", "(y)", "**b**", "@", "#", "a\\[b", "[l](https://x.nl)");
    const anyMarker = fc.record({ kind: fc.constantFrom("u", "k", "t"), nth: fc.nat({ max: 4 }) });
    fc.assert(
      fc.property(fc.array(fc.tuple(word, anyMarker), { maxLength: 10 }), (parts) => {
        const written = {
          u: (of: string) => `@[N](mention:${of})`,
          k: (of: string) => `@[N](mention:contact:${of})`,
          t: (of: string) => `#[N](mention:task:${of})`,
        };
        const body = parts.map(([text, { kind, nth }]) => `${text} ${written[kind as "u"](id(kind, nth))}`).join(" ");
        const ids = (kind: string) => [
          ...new Set(parts.filter(([, one]) => one.kind === kind).map(([, one]) => id(kind, one.nth))),
        ];
        expect(mentionsIn(body)).to.deep.equal({ user_ids: ids("u"), contact_ids: ids("k"), task_ids: ids("t") });
      }),
      CASES,
    );
  });
});

describe("plain text of markdown", () => {
  const rows: [what: string, markdown: string, plain: string][] = [
    ["words", "a b", "a b"],
    ["white space", "  a\n\n\tb\u00a0 c\r\nd  ", "a b c d"],
    ["headings", "# One\n\n### Two\nThree\n=====\nFour\n---", "One Two Three Four"],
    ["a hash that is none", "#1 is C#", "#1 is C#"],
    ["quotations", "> a\n>> b\n> > c", "a b c"],
    ["lists", "- a\n* b\n+ c\n1. d\n22) e", "a b c d e"],
    ["ticked items", "- [ ] a\n- [x] b\n* [X] c", "a b c"],
    ["a list in a quotation", "> - **a**", "a"],
    ["rules", "a\n\n***\n- - -\n___\nb", "a b"],
    ["code", "a `b_c_d` e", "a b_c_d e"],
    ["a block of code", "```ts\nconst a = 1;\n```\nb", "const a = 1; b"],
    ["a lone tick", "5` and * b", "5` and * b"],
    ["emphasis", "*a* **b** ***c*** _d_ __e__ ~~f~~", "a b c d e f"],
    ["emphasis in a word", "a*b*c and snake_case_name", "abc and snake_case_name"],
    ["emphasis within emphasis", "**a *b* c** *d **e** f*", "a b c d e f"],
    ["emphasis of unlike length", "**a*", "*a"],
    ["stars that are none", "2 * 3 * 4, a ** b, c* d* e, *f *g", "2 * 3 * 4, a ** b, c* d* e, *f *g"],
    ["an unclosed star", "*a and b", "*a and b"],
    ["links", '[a](https://x.nl) and [b *c*](<y> "t")', "a and b c"],
    ["a link with parentheses", "[a](https://x.nl/(b)) c", "a c"],
    ["images", "![alt](x.png) b", "alt b"],
    ["brackets that are no link", "a [b] (c) [d] e!", "a [b] (c) [d] e!"],
    ["an unclosed link", "[a](b", "[a](b"],
    ["autolinks", "<https://x.nl/a> <a@x.nl> 1 < 2 <3", "https://x.nl/a a@x.nl 1 < 2 <3"],
    ["escapes", "\\*a\\* \\[b](c) \\\\ d\\e", "*a* [b](c) \\ d\\e"],
    ["tables", "| a | b |\n|---|:-:|\n| 1 | 2 |", "a b 1 2"],
    ["markers", `ask @[Ana](mention:${U}) of #[Fix](mention:task:${T})`, "ask @Ana of #Fix"],
    ["nothing", " \n ", ""],
  ];
  for (const [what, markdown, plain] of rows)
    it(what, () => {
      expect(plainText(markdown)).to.equal(plain);
    });
});

describe("excerpts", () => {
  it("are the plain text when it fits", () => {
    expect(excerptOf("**Hello**\n\n- world")).to.equal("Hello world");
    expect(excerptOf("a".repeat(140))).to.equal("a".repeat(140));
    expect(excerptOf(` ${"a".repeat(140)} `)).to.equal("a".repeat(140));
  });

  it("are cut to 140 characters, the ellipsis included", () => {
    expect(excerptOf("a".repeat(141))).to.equal(`${"a".repeat(139)}…`);
    expect(excerptOf(`${"a".repeat(138)} bcd`)).to.equal(`${"a".repeat(138)}…`);
    expect(excerptOf(`${"a".repeat(137)} bcd`)).to.equal(`${"a".repeat(137)} b…`);
  });

  it("keep a character of two halves whole", () => {
    expect(excerptOf(`${"a".repeat(138)}🙂🙂`)).to.equal(`${"a".repeat(138)}…`);
    expect(excerptOf(`${"a".repeat(137)}🙂🙂`)).to.equal(`${"a".repeat(137)}🙂…`);
  });

  it("look at the beginning of a very long comment only", () => {
    expect(excerptOf(`a${" ".repeat(20_000)}b`)).to.equal("a…");
    expect(excerptOf(`${" ".repeat(9999)}🙂`)).to.equal("…");
    expect(excerptOf(`${" ".repeat(9998)}🙂`)).to.equal("🙂");
  });

  it("are never longer, hold no line break, and say where they were cut", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        "\n",
        "**",
        "_",
        "`",
        "# ",
        "> ",
        "- ",
        "[a](b)",
        "![",
        "](",
        "\\",
        "🙂",
        `@[Ana](mention:${U})`,
        "word ".repeat(20),
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const body = pieces.join("");
        const [text, excerpt] = [plainText(body), excerptOf(body)];
        expect(excerpt.length).to.be.at.most(EXCERPT_LENGTH);
        expect(/[\n\r\t]| {2}|^ | $/.test(excerpt)).to.equal(false);
        if (text.length <= EXCERPT_LENGTH) expect(excerpt).to.equal(text);
        else expect(excerpt.endsWith("…") && text.startsWith(excerpt.slice(0, -1))).to.equal(true);
        if (body.isWellFormed()) expect(excerpt.isWellFormed()).to.equal(true);
      }),
      CASES,
    );
  });
});
