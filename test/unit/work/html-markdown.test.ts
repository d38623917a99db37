import { expect } from "chai";
import fc from "fast-check";
import { Parser } from "htmlparser2";
import MarkdownIt from "markdown-it";
import { htmlToMarkdown } from "../../../services/work/interactions/messages/html-markdown.ts";
import { cases } from "../../support/cases.ts";

describe("HTML of mails as markdown", () => {
  const rows: [what: string, html: string, markdown: string][] = [
    ["paragraphs", "<p>Dear Bob,</p><p>yes &amp; no</p>", "Dear Bob,\n\nyes & no"],
    ["line breaks", "one<br>two<br><br>three", "one  \ntwo\n\nthree"],
    ["blanks", "<div> a \n  b&nbsp;&nbsp;c </div>", "a b c"],
    ["headings", "<h1>Offer</h1><h3>Terms <b>now</b></h3>x", "# Offer\n\n### Terms now\n\nx"],
    ["a list", "<ul><li>one</li><li>two</li></ul>", "- one\n- two"],
    ["a numbered list", '<ol start="3"><li>one<li>two</ol>', "3. one\n4. two"],
    ["a list in a list", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n\n  - b\n- c"],
    ["a link", 'see <a href="https://x.nl/a?b=1&amp;c=2">the offer</a>.', "see [the offer](https://x.nl/a?b=1&c=2)."],
    ["an address with brackets", '<a href="https://x.nl/(a) b">x</a>', "[x](https://x.nl/%28a%29%20b)"],
    ["links to mail and telephone", '<a href="mailto:a@x.nl">a</a> <a href="tel:+31">b</a>', "[a](mailto:a@x.nl) [b](tel:+31)"],
    ["a link that runs a script", '<a href="javascript:alert(1)">x</a>', "x"],
    ["a link around blocks", '<a href="https://x.nl"><div>a</div><div>b</div></a>', "[a](https://x.nl)\n\n[b](https://x.nl)"],
    ["a quote", "<blockquote><p>a</p><blockquote>b</blockquote></blockquote>c", "> a\n>\n> > b\n\nc"],
    ["a picture", '<img src="x.png" alt="Our logo">', "Our logo"],
    ["a picture in a link", '<a href="https://x.nl"><img alt="Logo"></a>', "[Logo](https://x.nl)"],
    ["a nameless picture in a link", '<a href="https://x.nl/y"><img src="a.png"></a>', "[x.nl](https://x.nl/y)"],
    ["a tracker", 'a<img src="https://t.nl/1" width="1" height="1" alt="x">b', "ab"],
    [
      "a table",
      "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Site</td><td>€ 10</td></tr></table>",
      "Item \\| Price\n\nSite \\| € 10",
    ],
    ["a table that arranges", "<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>", "a\n\nb\n\nc"],
    ["hidden texts", '<div style="display:none">a</div><span hidden>b</span><p style="font-size:0px;">c</p>d', "d"],
    ["a size that begins with 0", '<p style="font-size:0.9em">a</p>', "a"],
    ["scripts, styles and heads", "<head><title>t</title><style>p{}</style></head><script>x</script>a", "a"],
    ["a rule", "a<hr>b", "a\n\n---\n\nb"],
    ["preformatted text", "<pre>a\nb</pre>", "a  \nb"],
    [
      "marks of markdown",
      "<p>*a* _b_ [c](d) `e`</p><p># f</p><p>1. g</p><p>- h</p>",
      "\\*a\\* \\_b\\_ \\[c\\](d) \\`e\\`\n\n\\# f\n\n1\\. g\n\n\\- h",
    ],
    ["HTML that is text", "&lt;script&gt;alert(1)&lt;/script&gt; &amp;lt;", "&lt;script>alert(1)&lt;/script> &amp;lt;"],
    ["nothing", "<style>x</style>", ""],
  ];
  for (const [what, html, markdown] of rows)
    it(what, () => {
      expect(htmlToMarkdown(html)).to.equal(markdown);
    });

  const page = new MarkdownIt({ html: true });
  const ALLOWED = new Set("p br h1 h2 h3 h4 h5 h6 ul ol li a blockquote hr".split(" "));

  it("leaves only text, links, lists, quotes and headings, for any input", () => {
    const piece = fc.constantFrom(
      ...[
        "<p>",
        "</p>",
        "<script>",
        "</script>",
        "&lt;script&gt;",
        "&lt;img onerror=x&gt;",
        "<a href='https://x.nl/`'>",
        "</a>",
        "`",
        "\n",
        " ",
      ],
      ...[
        "<li>",
        "<ul>",
        "</ul>",
        "<blockquote>",
        "</blockquote>",
        "<td>",
        "<tr>",
        "<table>",
        "</table>",
        "<br>",
        "<h2>",
        "</h2>",
        "<pre>",
        "#",
      ],
      ...[
        "*",
        "_",
        "[",
        "]",
        "(",
        ")",
        "!",
        "~~~",
        "    ",
        "|",
        "|-|",
        "\\",
        "&amp;lt;",
        "a",
        "1.",
        "-",
        "===",
        ">",
        "<b>",
        "<img alt='<b>'>",
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const found: string[] = [];
        const parser = new Parser({ onopentag: (name, attributes) => found.push(name, ...Object.keys(attributes)) });
        parser.end(page.render(htmlToMarkdown(pieces.join(""))));
        for (const name of found) if (name !== "href" && name !== "start") expect(ALLOWED, name).to.include(name);
      }),
      cases(5000),
    );
  });
});
