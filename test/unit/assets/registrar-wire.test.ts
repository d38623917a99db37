import { expect } from "chai";
import fc from "fast-check";
import { groupAlias } from "../../../integrations/registrar/oxxa/nameserver-groups.ts";
import { readAmount, readDate, readFlag, readHosts } from "../../../integrations/registrar/oxxa/values.ts";
import { child, readXml, textIn } from "../../../integrations/registrar/oxxa/xml.ts";
import { cases } from "../../support/cases.ts";

const bytes = (text: string, encoding: BufferEncoding = "utf8") => Buffer.from(text, encoding);

describe("XML of a registrar", () => {
  it("is read as its prologue says: bytes decide, not the header", () => {
    const body = (encoding: string) => `<?xml version="1.0" encoding="${encoding}" ?><a><b>Café Ø</b></a>`;
    for (const [encoding, written] of [
      ["ISO-8859-1", "latin1"],
      ["iso-8859-15", "latin1"],
      ["UTF-8", "utf8"],
    ] as const)
      expect(textIn(readXml(bytes(body(encoding), written)), "b"), encoding).to.equal("Café Ø");
    expect(textIn(readXml(bytes("\ufeff <a><b> Ø </b></a>")), "b"), "none: UTF-8, also with a mark").to.equal("Ø");
    expect(() => readXml(bytes(body("klingon")))).to.throw(/klingon/);
  });

  it("gives elements, their texts trimmed, CDATA and the five entities of XML", () => {
    const root = readXml(bytes("<a>\n <b>x &amp; y &#233;</b><b>2</b><co.uk/><c><![CDATA[<d>]]></c></a>"));
    expect(root.children.map(({ name, text }) => [name, text])).to.deep.equal([
      ["b", "x & y é"],
      ["b", "2"],
      ["co.uk", ""],
      ["c", "<d>"],
    ]);
    expect(textIn(root, "co.uk"), "empty is not reported").to.equal(null);
    expect([textIn(root, "z"), textIn(undefined, "b"), child(root, "z")]).to.deep.equal([null, null, undefined]);
  });

  const refused: [what: string, text: string, why: RegExp][] = [
    ["a document type", "<!DOCTYPE a><a/>", /document type/],
    ["an entity of its own", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', /document type/],
    ["an entity nobody declared", "<a>&eacute;</a>", /undefined entity/],
    ["an external entity", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', /document type/],
    ["an answer cut off between elements", "<a><b>x</b>", /unclosed tag/],
    ["an answer cut off in a text", "<a><b>x", /unclosed tag/],
    ["an answer cut off in a tag", "<a><b", /unclosed tag|unexpected end/],
    ["elements that cross", "<a><b></a></b>", /unexpected close tag/],
    ["two documents", "<a/><b/>", /one root/],
    ["nothing", "", /root|empty/],
    ["a page", "<html><br></html>", /unexpected close tag/],
    ["depth without end", `${"<a>".repeat(40)}${"</a>".repeat(40)}`, /too deep/],
  ];
  for (const [what, text, why] of refused)
    it(`refuses ${what}`, () => {
      expect(() => readXml(bytes(text))).to.throw(why);
    });

  it("refuses every answer that ends before its end", () => {
    const whole = '<?xml version="1.0"?><a><b>x</b><c y="1"/><d><![CDATA[z]]></d></a>';
    for (let length = 0; length < whole.length; length++)
      expect(() => readXml(bytes(whole.slice(0, length))), whole.slice(0, length)).to.throw();
  });
});

describe("values of OXXA", () => {
  for (const [text, wanted] of [
    ["2027-03-01", "2027-03-01"],
    ["01-03-2027 (dd-mm-yyyy)", "2027-03-01"],
    ["01-03-2027", "2027-03-01"],
    ["29-02-2028 (dd-mm-yyyy)", "2028-02-29"],
    ["29-02-2027 (dd-mm-yyyy)", null],
    ["2027-13-01", null],
    ["0000-00-00", null],
    ["00-00-0000 (dd-mm-yyyy)", null],
    ["2027-03-01 00:00:00", null],
    ["soon", null],
    ["", null],
    [null, null],
  ] as const)
    it(`reads the date ${text} as ${wanted}`, () => {
      expect(readDate(text)).to.equal(wanted);
    });

  for (const [text, wanted] of [
    ["1234,56", "1234.56"],
    ["1.234,56", "1234.56"],
    ["9849.99", "9849.99"],
    ["1.234.567,8", "1234567.80"],
    ["€ 12,345", "12.35"],
    ["-3,5", "-3.50"],
    ["100", "100.00"],
    ["", null],
    [",", null],
    ["veel", null],
    ["999999999999,99", "999999999999.99"],
    ["1000000000000", null],
    [null, null],
  ] as const)
    it(`reads the amount ${text} as ${wanted}`, () => {
      expect(readAmount(text)).to.equal(wanted);
    });

  it("reads Y and N, and knows nothing from anything else", () => {
    expect(["Y", "y", "N", "n", "", "J", null].map(readFlag)).to.deep.equal([true, true, false, false, null, null, null]);
  });

  it("reads name servers in lower case, each once, sorted, without a last dot", () => {
    expect(readHosts(["NS2.X.nl.", "ns1.x.nl", null, "ns2.x.nl", ""])).to.deep.equal(["ns1.x.nl", "ns2.x.nl"]);
  });
});

describe("the name of a group of name servers", () => {
  it("is the prefix and 12 digits of SHA-256 over the sorted names", () => {
    // printf 'ns1.x.nl,ns2.x.nl' | sha256sum
    expect(groupAlias(["ns2.x.nl", "ns1.x.nl"])).to.equal("kantoor-ef00247a8f19");
  });

  it("follows from the set alone", () => {
    const hosts = fc.uniqueArray(fc.domain(), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(hosts, fc.nat(), (names, turn) => {
        const turned = names.map((_, at) => names[(at + turn) % names.length] as string);
        expect(groupAlias(turned))
          .to.equal(groupAlias(names))
          .and.to.match(/^kantoor-[0-9a-f]{12}$/);
      }),
      cases(200),
    );
  });
});
