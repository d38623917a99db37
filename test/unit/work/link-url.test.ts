import { expect } from "chai";
import fc from "fast-check";
import { readLinkUrl } from "../../../services/work/links/link-url.ts";
import { CASES, refused } from "./support.ts";

describe("link address", () => {
  const rows: [sent: string, stored: string | null][] = [
    ["https://x.nl/a?b#c", "https://x.nl/a?b#c"],
    ["http://x.nl", "http://x.nl"],
    ["HTTPS://X.nl", "HTTPS://X.nl"],
    ["x.nl", "https://x.nl"],
    ["  x.nl/a b  ", "https://x.nl/a b"],
    ["\u200bhttps://x.nl\u200e ", "https://x.nl"],
    ["//x.nl/a", "https://x.nl/a"],
    ["x.nl:8080/a", "https://x.nl:8080/a"],
    ["localhost:3000", "https://localhost:3000"],
    ["x.nl/a:b", "https://x.nl/a:b"],
    ["mailto:a@x.nl", "mailto:a@x.nl"],
    ["tel:112", "tel:112"],
    ["ftp://x.nl", "ftp://x.nl"],
    ["figma://file/1", "figma://file/1"],
    ["x.nl?next=javascript:1", "https://x.nl?next=javascript:1"],
    ["javascript:alert(1)", null],
    ["JavaScript:alert(1)", null],
    [" \tjavascript:alert(1)", null],
    ["java\nscript:alert(1)", null],
    ["java\u0000script:alert(1)", null],
    ["\u0001javascript:alert(1)", null],
    ["javascript :alert(1)", null],
    ["java\u200bscript:alert(1)", null],
    ["java\u00adscript:alert(1)", null],
    ["data:text/html,x", null],
    ["DATA :text/html,x", null],
    ["vbscript:x", null],
    ["file:///etc/passwd", null],
    ["f i l e:///etc/passwd", null],
    ["https://x.nl/\u0000", null],
    ["https://x.nl/\na", null],
    ["", null],
    [" \u200b ", null],
    [`https://x.nl/${"a".repeat(1011)}`, `https://x.nl/${"a".repeat(1011)}`],
    [`https://x.nl/${"a".repeat(1012)}`, null],
    [`x.nl/${"a".repeat(1011)}`, `https://x.nl/${"a".repeat(1011)}`],
    [`x.nl/${"a".repeat(1012)}`, null],
  ];
  for (const [sent, stored] of rows)
    it(`${JSON.stringify(sent.slice(0, 40))} ${stored === null ? "is refused" : `is ${stored.slice(0, 40)}`}`, () => {
      if (stored === null) expect(refused(() => readLinkUrl(sent))).to.equal("url=errors.validation");
      else expect(readLinkUrl(sent)).to.equal(stored);
    });

  it("never stores a refused scheme, always one, and the stored address again as it is", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "javascript",
        "data",
        "file",
        "vbscript",
        "https",
        ":",
        "//",
        "x.nl",
        "/",
        "8080",
        " ",
        "\t",
        "\u0000",
        "\u200b",
      ),
      fc.string({ unit: "grapheme", maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const sent = pieces.join("");
        if (refused(() => readLinkUrl(sent)) !== null) return;
        const url = readLinkUrl(sent);
        expect(/^[a-z][a-z0-9+.-]*:/i.test(url)).to.equal(true);
        // As a browser reads a scheme: without the characters it skips.
        expect(/^[\s\p{Cc}\p{Cf}]*(javascript|data|vbscript|file):/iu.test(url.replace(/[\s\p{Cc}\p{Cf}]/gu, ""))).to.equal(
          false,
        );
        expect(readLinkUrl(url)).to.equal(url);
      }),
      CASES,
    );
  });
});
