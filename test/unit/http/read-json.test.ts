import { expect } from "chai";
import { readJson } from "../../../services/api/http/read-json.ts";

describe("reading a JSON body", () => {
  const LONG = "0.12345678901234567890";
  const cases: [text: string, read: unknown][] = [
    [`{"custom": {"a": ${LONG}, "b": [1.5, ${LONG}], "c": 1e-400}}`, { custom: { a: LONG, b: [1.5, LONG], c: "1e-400" } }],
    [`{"custom": {"a": 1.50, "b": 12345678901234567.0e-4}}`, { custom: { a: 1.5, b: "12345678901234567.0e-4" } }],
    [`{"params": [{"custom": {"a": ${LONG}}, "b": ${LONG}}]}`, { params: [{ custom: { a: LONG }, b: Number(LONG) }] }],
    [`{"a": ${LONG}}`, { a: Number(LONG) }],
    [`{"custom": ${LONG}}`, { custom: Number(LONG) }],
    [`{"custom": {"a": "${LONG}"}, "__proto__": {"b": 1}}`, JSON.parse(`{"custom": {"a": "${LONG}"}, "__proto__": {"b": 1}}`)],
  ];
  for (const [text, read] of cases)
    it(`keeps the digits of numbers in custom values only: ${text}`, () => {
      expect(readJson(text)).to.deep.equal(read);
    });

  it("refuses what is no JSON", () => {
    expect(() => readJson(`{"custom": {"a": ${LONG}`)).to.throw(SyntaxError);
  });
});
