import { expect } from "chai";
import { labelOf, normaliseName, tldOf } from "../../../services/assets/domains/domain-name.ts";
import { normaliseTld } from "../../../services/assets/tld-prices/tld-name.ts";

describe("the name of a domain (assets §2.1)", () => {
  for (const [typed, name] of [
    [" HTTPS://WWW.Grüne-Äpfel.Example/x ", "xn--grne-pfel-z2a4x.example"],
    ["wind.nl", "wind.nl"],
    ["Wind.NL.", "wind.nl"],
    ["..www.www.wind.nl..", "wind.nl"],
    ["www..wind.nl", "wind.nl"],
    ["//wind.nl/", "wind.nl"],
    ["https://user:pass@www.wind.nl:8443/a?b#c", "wind.nl"],
    ["info@wind.nl", "wind.nl"],
    ["wind.nl?x=www.zee.nl", "wind.nl"],
    ["wind.nl#top", "wind.nl"],
    ["wind.nl\\x", "wind.nl"],
    ["ｗｗｗ．wind。nl", "wind.nl"],
    ["localhost", "localhost"],
    ["1.2.3.4", "1.2.3.4"],
    ["0x7f.nl", "0x7f.nl"],
    ["wwww.nl", "wwww.nl"],
    ["straße.de", "xn--strae-oqa.de"],
    ["xn--grne-pfel-z2a4x.example", "xn--grne-pfel-z2a4x.example"],
    [`${"a".repeat(63)}.nl`, `${"a".repeat(63)}.nl`],
    [`${`${"a".repeat(61)}.`.repeat(4)}nlnln`, `${`${"a".repeat(61)}.`.repeat(4)}nlnln`],
  ] as const)
    it(`of '${typed.slice(0, 50)}' is ${name.slice(0, 40)}`, () => {
      expect(normaliseName(typed)).to.equal(name);
      expect(normaliseName(name), "again").to.equal(name);
    });

  for (const typed of [
    ...["", " ", "www", "WWW.", "https://", "http:///x", "...", "a_b.example", "-a.example", "a-.example", "a..example"],
    ...[
      `${"a".repeat(64)}.example`,
      `${`${"a".repeat(61)}.`.repeat(4)}nlnlnl`,
      "a b.nl",
      "ex%41mple.nl",
      "[::1]",
      "é".repeat(64),
    ],
    ...["a!.nl", "ä b.nl", "*.wind.nl", "a\u0000b.nl"],
  ])
    it(`is absent in '${typed.slice(0, 40)}'`, () => {
      expect(normaliseName(typed)).to.equal(null);
    });

  it("is read in Unicode, and priced by everything after the first label", () => {
    expect(labelOf("xn--grne-pfel-z2a4x.example")).to.equal("grüne-äpfel.example");
    expect(labelOf("xn--a.nl"), "what is no Unicode").to.equal("xn--a.nl");
    expect(["a.co.uk", "wind.nl", "localhost"].map(tldOf)).to.deep.equal(["co.uk", "nl", null]);
  });
});

describe("a TLD (assets §3)", () => {
  for (const [typed, tld] of [
    [" .NL. ", "nl"],
    ["co.uk", "co.uk"],
    ["..shop", "shop"],
    ["рф", "xn--p1ai"],
    ["a", "a"],
    ["-nl", null],
    ["nl-", null],
    ["n_l", null],
    ["", null],
    ["...", null],
    ["n l", null],
    ["a".repeat(129), null],
    ["a".repeat(128), "a".repeat(128)],
  ] as const)
    it(`'${typed.slice(0, 20)}' is ${tld?.slice(0, 20)}`, () => {
      expect(normaliseTld(typed)).to.equal(tld);
    });
});
