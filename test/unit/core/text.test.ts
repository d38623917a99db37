import { expect } from "chai";
import fc from "fast-check";
import { blankToNull, plainWithoutHtml, readPhone, withoutHtml } from "../../../core/values/text.ts";
import { cases } from "../../support/cases.ts";

describe("text: blanks", () => {
  it("reads an empty or white-space text as null and leaves the rest", () => {
    for (const blank of ["", " ", "\t\n", "\u00a0\u2003"]) expect(blankToNull(blank)).to.equal(null);
    expect(blankToNull(" a ")).to.equal(" a ");
    expect(blankToNull(null)).to.equal(null);
    expect(blankToNull(undefined)).to.equal(undefined);
  });
});

describe("text: markdown without HTML", () => {
  const rows: [what: string, source: string, stored: string][] = [
    ["plain text", "hello", "hello"],
    ["a tag", "a <b>bold</b> word", "a bold word"],
    ["attributes", "<a href=\"https://x.nl\" onclick='x'>y</a>", "y"],
    ["capitals", "<DIV>x</Div>", "x"],
    ["an empty element", "a<br/>b<br />c<hr>d", "abcd"],
    ["a tag over lines", "<p\n class=x\n>a</p>", "a"],
    ["a slash instead of a space", "<svg/onload=alert(1)>x", "x"],
    ["a name of a namespace", "<o:p>x</o:p>", "x"],
    ["a comment with a tag in it", "a<!-- <b> --> b", "a b"],
    ["a comment with > in it", "a<!-- 1 > 0 -->b", "ab"],
    ["an empty comment", "a<!-->b<!---->c", "abc"],
    ["a declaration and an instruction", "<!DOCTYPE html><?php echo 1 ?>a", "a"],
    ["a script with its contents", "a<script>if (1 < 2) x()</script>b", "ab"],
    ["a script with attributes", "a<script type='x' src=\"y\">z</script >b", "ab"],
    ["a style with its contents", "a<STYLE>p > b {}</style\n>b", "ab"],
    ["a script that is never closed", "a<script>alert(1)", "a"],
    ["a script whose tag is never closed", "a <script src=//evil.test", "a "],
    ["a script closed as a style", "a<script>x</style>y", "a"],
    ["an element that only begins like a script", "<script-x>a</script-x>", "<script-x>a</script-x>"],
    ["an unclosed script after a closed one", "<script>1</script>a<script>2", "a"],
    ["a tag joined from two sides", "<<b>i>x", "x"],
    ["a script joined from two sides", "a<<i>script>alert(1)</script>b", "ab"],
    ["a script with an angle before it", "<<script>alert(1)//<</script>", "<"],
    ["broken quotes", '<img """><script>alert(1)</script>">', '">'],
    ["an address as autolink", "see <https://x.nl/a?b=1&c>.", "see <https://x.nl/a?b=1&c>."],
    ["an e-mail address as autolink", "ask <a.b+c@x-y.nl>", "ask <a.b+c@x-y.nl>"],
    ["a comparison", "a < b and c > d", "a < b and c > d"],
    ["a number after an angle", "1 <2 > 0, <3", "1 <2 > 0, <3"],
    ["an angle at the end", "a <", "a <"],
    ["an unfinished tag", "if a <b", "if a <b"],
    ["entities", "&lt;b&gt; &amp; &#39;", "&lt;b&gt; &amp; &#39;"],
    ["markdown", "# T\n\n> q\n\n- [x] `c` **b** _i_ ~~s~~ [l](https://x.nl) ![i](y.png)\n\n```\ncode\n```\n| a | b |", ""],
  ];
  for (const [what, source, stored] of rows)
    it(what, () => {
      expect(withoutHtml(source)).to.equal(what === "markdown" ? source : stored);
    });

  const piece = fc.oneof(
    fc.constantFrom("<", ">", "<b>", "</b>", "<b ", "script", "style", "<script", "</script>", "<script>", "</style>", "<!--"),
    fc.constantFrom(
      "-->",
      "--",
      "!",
      "?",
      "/",
      " ",
      "\n",
      "a",
      "3",
      ":",
      "@",
      "x.nl",
      "<https://x.nl>",
      "=",
      '"',
      "&lt;",
      "é",
      "😀",
    ),
  );
  const source = fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join(""));

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(source, (text) => {
        for (const strip of [withoutHtml, plainWithoutHtml]) {
          const once = strip(text);
          expect(strip(once)).to.equal(once);
        }
      }),
      cases(20_000),
    );
  });

  it("leaves nothing of plain text that a browser would take for a finished tag, but autolinks", () => {
    fc.assert(
      fc.property(source, (text) => {
        const tags = plainWithoutHtml(text).match(/<[a-z/!?][^>]*>/gi) ?? [];
        for (const tag of tags) expect(tag).to.match(/^<[a-z][^\s<>]*[:@][^\s<>]*>$/i);
      }),
      cases(20_000),
    );
  });

  it("only ever takes away", () => {
    fc.assert(
      fc.property(source, (text) => {
        let at = 0;
        for (const character of withoutHtml(text)) {
          at = text.indexOf(character, at) + 1;
          expect(at).to.be.greaterThan(0);
        }
      }),
      cases(2000),
    );
  });

  it("leaves text without angles alone", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const plain = text.replaceAll("<", "");
        expect(withoutHtml(plain)).to.equal(plain);
      }),
      cases(100),
    );
  });
});

describe("text: phones", () => {
  const rows: [typed: string, country: string, stored: string | null | undefined][] = [
    ["020 123 4567", "NL", "+31201234567"],
    ["(020) 123-4567", "nl", "+31201234567"],
    ["06-12345678", "NL", "+31612345678"],
    ["0031 6 1234 5678", "NL", "+31612345678"],
    ["+31 (0)20 123 4567", "BE", "+31201234567"],
    ["0477 12 34 56", "BE", "+32477123456"],
    ["02 511 12 34", "BE", "+3225111234"],
    ["030 123456", "DE", "+4930123456"],
    ["0151 23456789", "DE", "+4915123456789"],
    ["(212) 555-0123", "US", "+12125550123"],
    ["+1 212 555 0123", "NL", "+12125550123"],
    ["020 123 4567", "", "+31201234567"],
    ["020 123 4567", "Nederland", "+31201234567"],
    ["", "NL", null],
    ["  ", "NL", null],
    ["112", "NL", undefined],
    ["020 123", "NL", undefined],
    ["020 123 4567", "US", undefined],
    ["555-0123", "US", undefined],
    ["+31 9999", "NL", undefined],
    ["+999 123 456 789", "NL", undefined],
    ["ask Jan", "NL", undefined],
    ["0201234567", "XX", undefined],
    [" +31 20 123 4567 ", "NL", "+31201234567"],
    ["tel:+31-20-123-4567", "NL", "+31201234567"],
    ["Tel.: 020 123 4567", "NL", "+31201234567"],
    ["020 123 4567 ext. 12", "NL", undefined],
    ["020 123 4567 tst 12", "NL", undefined],
    ["+31 20 123 4567 x12", "NL", undefined],
    ["+31201234567;ext=12", "NL", undefined],
    ["020 123 4567 / 06 12345678", "NL", undefined],
    ["020 123 4567 (Jan)", "NL", undefined],
  ];
  for (const [typed, country, stored] of rows)
    it(`${JSON.stringify(typed)} in '${country}' is ${stored === undefined ? "no number" : stored}`, () => {
      expect(readPhone(typed, country)).to.equal(stored);
    });
});
