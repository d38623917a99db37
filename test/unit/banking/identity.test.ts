import { expect } from "chai";
import { keyed } from "../../../integrations/banking/reading/identity.ts";
import { PLAIN, type ReadEntry, type ReadStatement } from "../../../integrations/banking/reading/read-statement.ts";

const entry = (values: Partial<ReadEntry> = {}): ReadEntry => ({
  ...PLAIN,
  booked_on: "2026-03-02",
  amount: "10.00",
  currency: "EUR",
  text: "Koffie",
  position: 1,
  ...values,
});
const statement = (entries: ReadEntry[], values: Partial<ReadStatement> = {}): ReadStatement => ({
  format: "ing",
  account: "NL69INGB0123456789",
  currency: "EUR",
  number: null,
  from: "2026-03-01",
  to: "2026-03-02",
  opening: null,
  closing: null,
  entries,
  pending: 0,
  balances: true,
  ...values,
});
const keysOf = (...statements: ReadStatement[]) =>
  keyed(statements).flatMap(({ entries }) => entries.map(({ entry_key }) => entry_key));

describe("identity of entries", () => {
  it("is the same over statements, wherever the entry is in them and however its text is spaced", () => {
    const [alone] = keysOf(statement([entry()]));
    expect(keysOf(statement([entry({ text: "Other" }), entry({ position: 7, text: "KOFFIE " })]))).to.include(alone);
  });

  it("counts equal entries, so that a longer statement adds only the further ones", () => {
    const two = keysOf(statement([entry(), entry()]));
    expect(new Set(two).size).to.equal(2);
    expect(keysOf(statement([entry(), entry(), entry()])).slice(0, 2)).to.deep.equal(two);
    expect(keysOf(statement([entry()], { number: "1" }), statement([entry()], { number: "2" }))).to.deep.equal(two);
  });

  it("is the bank's reference with account, day and amount, whatever the texts", () => {
    const [first] = keysOf(statement([entry({ bank_reference: "R1" })]));
    expect(keysOf(statement([entry({ bank_reference: "R1", text: "Tea" })]))).to.deep.equal([first]);
    for (const other of [{ amount: "11.00" }, { booked_on: "2026-03-03" }, { bank_reference: "R2" }])
      expect(keysOf(statement([entry({ bank_reference: "R1", ...other })]))).not.to.include(first);
    expect(keysOf(statement([entry({ bank_reference: "R1" })], { account: "NL91ABNA0417164300" }))).not.to.include(first);
  });

  it("is one for statements of a file that overlap, by the bank's reference", () => {
    const keys = keysOf(
      statement([entry({ bank_reference: "R1" })], { number: "1" }),
      statement([entry({ bank_reference: "R1" }), entry({ bank_reference: "R2" })], { number: "2" }),
    );
    expect(new Set(keys).size).to.equal(2);
  });

  it("leaves out a statement that a file repeats", () => {
    expect(keysOf(statement([entry()]), statement([entry()]))).to.have.length(1);
  });
});
