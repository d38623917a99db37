import { expect } from "chai";
import { comparedName } from "../../../integrations/banking/matching/names.ts";
import { NumberIndex } from "../../../integrations/banking/matching/numbers.ts";

const index = new NumberIndex([
  ["2026-0412", "412"],
  ["2026-0413", "413"],
  ["F2026/0007", "7"],
  ["77", "short"],
]);
const found = (text: string) => index.in(text).map(({ of }) => of);

describe("invoice numbers in texts", () => {
  const cases: [string, string[]][] = [
    ["Factuur 2026-0412", ["412"]],
    ["factuurnr.20260412", ["412"]],
    ["fact 2026 0412 bedankt", ["412"]],
    ["2026/0412", ["412"]],
    ["nr 2026 - 0412", ["412"]],
    ["2026-412 zonder nul", ["412"]],
    ["2026-0412, 2026-0413 en f2026/0007", ["412", "413", "7"]],
    ["20260412+20260413", ["412", "413"]],
    ["F20260007", ["7"]],
    ["F 2026 7", ["7"]],
    ["2026-0412 2026-0412", ["412"]],
    ["betaald op 2026-04-12", []],
    ["77 maal", ["short"]],
    ["2026 en later 0412", []],
    ["120260412", []],
    ["2026-04120", []],
    ["", []],
  ];
  for (const [text, expected] of cases)
    it(`'${text}' names ${expected.join(", ") || "none"}`, () => expect(found(text)).to.deep.equal(expected));

  it("of fewer than four characters are not sure", () => {
    expect(index.in("77 en 2026-0412").map(({ of, isSure }) => [of, isSure])).to.deep.equal([
      ["short", false],
      ["412", true],
    ]);
  });
});

describe("names of payers", () => {
  for (const [one, other, isSame] of [
    ["Bakker B.V.", "bakker b v", true],
    ["Bakker BV", "BAKKER", true],
    ["De Café-Groep N.V.", "cafe groep", true],
    ["Stichting Zon", "zon", false],
    ["Bakker", "Bakkerij", false],
    ["BV", "B.V.", false],
  ] as const)
    it(`'${one}' and '${other}' are ${isSame ? "one" : "two, or too little"}`, () => {
      const [first, second] = [comparedName(one), comparedName(other)];
      expect(first !== "" && first === second).to.equal(isSame);
    });
});
