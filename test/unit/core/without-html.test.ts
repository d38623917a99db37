import { expect } from "chai";
import fc from "fast-check";
import { Parser } from "htmlparser2";
import MarkdownIt from "markdown-it";
import { plainWithoutHtml, withoutHtml } from "../../../core/values/text.ts";
import { sanitisedBody } from "../../../mixins/documents/sanitise.ts";
import { markdown } from "../../../services/money/rendering/texts/markdown.ts";
import { cases } from "../../support/cases.ts";

const FENCE = "```\n<b>\n<script>\n```\n";

describe("markdown without HTML: code", () => {
  const rows: [what: string, source: string, stored?: string][] = [
    ["a span", "use `<div>` here"],
    ["a type in a span", "`List<String>`"],
    ["an unclosed script in a span", "write `<script>` first, then the rest"],
    ["a span of two backticks", "`` <b>`</b> ``"],
    ["a span over two lines", "`<b\nid=x>`"],
    ["a fence", FENCE],
    ["a fence of tildes", "~~~html\n<p>x</p>\n~~~"],
    ["a fence that is never closed", "a\n\n```\n<script>alert(1)"],
    ["a fence with CRLF", "```\r\n<b>\r\n```\r\n"],
    ["a fence in a quote", "> ```\n> <b>\n> ```"],
    ["a fence in a list", "- a\n\n  ```\n  <b>\n  ```"],
    ["an indented block", "a\n\n    <b>x</b>\n"],
    ["a tabbed block", "\t<b>x</b>"],
    ["HTML beside a span", "<b>`<b>`</b>", "`<b>`"],
    ["HTML after a fence", `${FENCE}<b>x</b>`, `${FENCE}x`],
    ["a comparison before a span", "a <b and `c > d`"],
    ["a span in a heading", "# `<b>` <i>x</i>", "# `<b>` x"],
    ["a span in a table", "|a|b|\n|-|-|\n|`<b>`|<i>x</i>|", "|a|b|\n|-|-|\n|`<b>`|x|"],
    ["a comment around a span", "a <!-- `-->` b", "a ` b"],
  ];
  for (const [what, source, stored = source] of rows)
    it(`${what} stays as it was typed`, () => expect(withoutHtml(source)).to.equal(stored));
});

describe("markdown without HTML: outside code", () => {
  const rows: [what: string, source: string, stored: string][] = [
    ["a span that is never closed", "`a <b>x</b>", "`a x"],
    ["a backtick behind a backslash", "\\`<b>x</b>`", "\\`x`"],
    ["a span that ends in another paragraph", "`a\n\n<b>x</b>`", "`a\n\nx`"],
    ["a span over two cells", "|a|b|\n|-|-|\n|`a|<b>x</b>`|", "|a|b|\n|-|-|\n|`a|x`|"],
    ["an indented line of a paragraph", "a\n    <b>x</b>", "a\n    x"],
    ["an indented paragraph of a list", "- a\n\n    <b>x</b>", "- a\n\n    x"],
    ["what may go on with a quote, though it is indented like code", "> \n\t><img src=x onerror=y>", "> \n\t>"],
    ["what follows a fence in a quote", "> ```\n<b>x</b>", "> ```\nx"],
    ["a backtick in a value", '<a title="`">x</a> `', "x `"],
    ["a backtick in a value of an unknown element", '<foo a="`"><script>alert(1)</script>`', "`"],
    ["a fence in a block of HTML", "<foo>\n```\n<script>alert(1)</script>\n```", "<foo>\n```\n\n```"],
    ["an unknown element that runs a script", "<foo onclick=alert(1)>x", "x"],
    ["a script put together by what is taken out", "<scr<b>ipt>alert(1)</script>x", "x"],
  ];
  for (const [what, source, stored] of rows) it(`${what} is looked at`, () => expect(withoutHtml(source)).to.equal(stored));

  it("leaves what opens no known element as text", () => {
    for (const text of ["List<String>", "Map<String, List<Int>>", "if x <y and z> 3", "<your name here>", "see <file.ts>"])
      expect(withoutHtml(text)).to.equal(text);
  });

  it("looks into backticks of plain text", () => {
    expect(plainWithoutHtml("a `<b>` List<String>")).to.equal("a `` List");
  });
});

describe("markdown without HTML: properties", () => {
  const bit = fc.constantFrom(
    "<",
    ">",
    "<b>",
    "</b>",
    "<script>",
    "</script>",
    "<style>",
    "<!--",
    "-->",
    "a",
    " ",
    "é",
    '"',
    "=",
    "<x>",
  );
  const code = fc.array(bit, { minLength: 1, maxLength: 8 }).map((bits) => `x${bits.join("")}x`);
  const prose = fc.array(fc.constantFrom("word", "<b>", "</i>", "<!-- c -->", "<script>1</script>", "<br>"), { maxLength: 4 });
  const shapes: [string, (text: string) => string][] = [
    ["spans", (text) => `\`\`${text}\`\``],
    ["fences", (text) => `\n\n\`\`\`\n${text}\n\`\`\`\n\n`],
    ["fences of tildes", (text) => `\n\n~~~~ html\n${text}\n~~~~\n\n`],
    ["indented blocks", (text) => `\n\n    ${text}\n\n`],
    ["fences in lists", (text) => `\n\n- \`\`\`\n  ${text}\n  \`\`\`\n\n`],
    ["fences in quotes", (text) => `\n\n> \`\`\`\n> ${text}\n> \`\`\`\n\n`],
  ];
  for (const [what, shape] of shapes)
    it(`code in ${what} survives byte for byte`, () => {
      fc.assert(
        fc.property(prose, code, prose, (before, text, after) => {
          // A word between keeps the lines around the code as separate paragraphs.
          const source = `t ${before.join(" ")} ${shape(text)}t ${after.join(" ")}`;
          expect(withoutHtml(source)).to.contain(shape(text));
        }),
        cases(3000),
      );
    });

  const pieces = fc.oneof(
    bit,
    fc.constantFrom(
      "`",
      "``",
      "```",
      "~~~",
      "\n",
      "\n\n",
      "\n```\n",
      "    ",
      "\t",
      "> ",
      "- ",
      "1. ",
      "|",
      "\n|-|-|\n",
      "\\",
      "<foo>",
      "</foo>",
    ),
    fc.constantFrom(
      "<scr",
      "ipt>",
      "<foo a=",
      "'",
      "<b x>",
      "<svg/onload=x>",
      "[a](<",
      ")",
      "<https://x.nl/`>",
      "<img src=x onerror=y>",
      "!",
      "/",
    ),
  );
  const hostile = fc.array(pieces, { maxLength: 24 }).map((parts) => parts.join(""));
  const html = new MarkdownIt({ html: true });
  /** Names of elements and of attributes that run scripts, as a browser finds them. */
  const livingIn = (page: string): string[] => {
    const found: string[] = [];
    const parser = new Parser({
      onopentag: (name, attributes) => found.push(name, ...Object.keys(attributes).filter((key) => /^on/i.test(key))),
    });
    parser.end(page);
    return found.filter((name) => /^(on.*|script|style|b|i|svg|img)$/i.test(name) && name !== "img");
  };

  it("nothing of a script renders on pages", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const stored = withoutHtml(text);
        expect(livingIn(markdown(stored))).to.deep.equal([]);
        expect(livingIn(sanitisedBody(markdown(stored)))).to.deep.equal([]);
      }),
      cases(5000),
    );
  });

  it("nothing of a script renders where a renderer lets HTML through either", () => {
    fc.assert(
      fc.property(hostile, (text) => void expect(livingIn(html.render(withoutHtml(text)))).to.deep.equal([])),
      cases(20_000),
    );
  });

  it("changes nothing the second time, and only ever takes away", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const stored = withoutHtml(text);
        expect(withoutHtml(stored)).to.equal(stored);
        let at = 0;
        for (const character of stored) {
          at = text.indexOf(character, at) + 1;
          expect(at).to.be.greaterThan(0);
        }
      }),
      cases(20_000),
    );
  });
});
