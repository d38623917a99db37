import { expect } from "chai";
import fc from "fast-check";
import { isIban } from "../../../../core/values/iban.ts";
import { epcPayload, type Transfer } from "../../../../services/money/calculation/epc.ts";
import { CASES } from "./support.ts";

const SELLER = { name: "Vela Works B.V.", iban: "NL91 ABNA 0417 1643 00", bic: null };
const payload = ({ seller, ...values }: Partial<Transfer> = {}) =>
  epcPayload({ currency: "EUR", outstanding: "628.44", number: "2026-0031", ...values, seller: { ...SELLER, ...seller } });
const lineOf = (at: number, values: Partial<Transfer>) => payload(values)?.split("\n")[at];

describe("IBAN", () => {
  const rows: [text: string, valid: boolean][] = [
    ["NL91 ABNA 0417 1643 00", true],
    ["nl91abna0417164300", true],
    ["GB82 WEST 1234 5698 7654 32", true],
    ["MT84MALT011000012345MTLCAST001S", true],
    ["NO93 8601 1117 947", true],
    ["NL91 ABNA 0417 1643 01", false],
    ["NL19 ABNA 0417 1643 00", false],
    ["XX00", false],
    ["", false],
    ["NL91ABNA0417164300!", false],
    ["91NLABNA0417164300", false],
  ];
  for (const [text, valid] of rows)
    it(`'${text}' is ${valid ? "one" : "none"}`, () => {
      expect(isIban(text)).to.equal(valid);
    });

  it("with one digit changed is invalid", () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 17 }), fc.integer({ min: 1, max: 9 }), (at, by) => {
        const iban = "NL91ABNA0417164300";
        const digit = (Number(iban[at]) + by) % 10;
        expect(isIban(iban.slice(0, at) + digit + iban.slice(at + 1))).to.equal(false);
      }),
      CASES,
    );
  });
});

describe("EPC code", () => {
  const refused: [what: string, values: Partial<Transfer>][] = [
    ["not in euros", { currency: "USD" }],
    ["without a seller's IBAN", { seller: { iban: null } }],
    ["with an IBAN that is none", { seller: { iban: "NL91 ABNA 0417 1643 01" } }],
    ["without a seller's name", { seller: { name: " " } }],
    ["without anything due", { outstanding: "0.00" }],
    ["with something to pay back", { outstanding: "-1.00" }],
    ["over what a transfer holds", { outstanding: "1000000000.00" }],
    ["over 331 bytes", { seller: { name: "😀".repeat(70) }, number: "漢".repeat(40) }],
  ];
  for (const [what, values] of refused)
    it(`is invalid ${what}`, () => {
      expect(payload(values)).to.equal(null);
    });

  const lines: [what: string, at: number, values: Partial<Transfer>, text: string][] = [
    ["the BIC without spaces, in capitals", 4, { seller: { bic: " abna nl2a " } }, "ABNANL2A"],
    ["70 characters of the name", 5, { seller: { name: "é".repeat(71) } }, "é".repeat(70)],
    ["the name on one line", 5, { seller: { name: " Vela\n Works " } }, "Vela Works"],
    ["the largest amount", 7, { outstanding: "999999999.99" }, "EUR999999999.99"],
    ["the smallest amount", 7, { outstanding: "0.01" }, "EUR0.01"],
    ["amounts with 2 decimals", 7, { outstanding: "12.5" }, "EUR12.50"],
    ["140 characters of the number", 10, { number: "9".repeat(141) }, "9".repeat(140)],
  ];
  for (const [what, at, values, text] of lines)
    it(`holds ${what}`, () => {
      expect(lineOf(at, values)).to.equal(text);
    });

  it("drops empty lines at the end", () => {
    expect(payload({ number: "" })).to.match(/EUR628\.44$/);
  });

  it("takes exactly 331 bytes", () => {
    const rest = Buffer.byteLength(payload({ number: "" }) ?? "") + 3;
    // Two bytes each, and one of one if the rest is odd.
    const number = (bytes: number) => "é".repeat(Math.floor(bytes / 2)) + "x".repeat(bytes % 2);
    const name = "漢".repeat(70);
    const left = 331 - (rest - Buffer.byteLength(SELLER.name) + Buffer.byteLength(name));
    expect(Buffer.byteLength(payload({ seller: { name }, number: number(left) }) ?? "")).to.equal(331);
    expect(payload({ seller: { name }, number: number(left + 1) })).to.equal(null);
  });
});
