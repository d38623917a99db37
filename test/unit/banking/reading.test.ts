import { expect } from "chai";
import type { ReadEntry, ReadStatement } from "../../../integrations/banking/reading/read-statement.ts";
import { readStatements } from "../../../integrations/banking/reading/read-statements.ts";
import { StatementUnreadable } from "../../../integrations/banking/reading/unreadable.ts";
import { ABN_TAB, ASN, BUNQ, camt, ING, KNAB, mt940, ntry, RABOBANK } from "./files.ts";

const bytes = (text: string) => Buffer.from(text);
async function one(text: string): Promise<ReadStatement> {
  const [file] = await readStatements("statement", bytes(text));
  expect(file?.statements).to.have.length(1);
  return file?.statements[0] as ReadStatement;
}
const firstEntry = async (text: string): Promise<ReadEntry> => (await one(text)).entries[0] as ReadEntry;
async function refusal(text: string | Buffer) {
  try {
    await readStatements("statement.xml", Buffer.from(text));
  } catch (error) {
    expect(error).to.be.instanceOf(StatementUnreadable);
    const { reason, at, file, message } = error as StatementUnreadable;
    return { reason, ...at, file, message };
  }
  throw new Error("the file was read");
}

describe("CAMT.053", () => {
  const OLD = `<TxDtls><Refs><EndToEndId>E2E-1</EndToEndId></Refs><RltdPties><Dbtr><Nm>Bakker B.V.</Nm></Dbtr><DbtrAcct><Id><IBAN>NL44RABO0123456789</IBAN></Id></DbtrAcct></RltdPties><RmtInf><Ustrd>Factuur 2026-0412</Ustrd></RmtInf></TxDtls>`;
  const NEW = OLD.replace("<Dbtr><Nm>", "<Dbtr><Pty><Nm>").replace("</Nm></Dbtr>", "</Nm></Pty></Dbtr>");
  for (const version of ["02", "03", "04", "05", "06", "07", "08", "09", "10", "11"])
    it(`is read in version ${version}`, async () => {
      const isNew = Number(version) >= 8;
      const status = isNew ? "<Sts><Cd>BOOK</Cd></Sts>" : "<Sts>BOOK</Sts>";
      const entry = ntry({ reference: "ASR-1", status, details: isNew ? NEW : OLD });
      const statement = await one(camt(version, entry, { closing: "112.34", prefix: isNew ? "n1" : "" }));
      expect(statement).to.include({
        account: "NL91ABNA0417164300",
        currency: "EUR",
        number: "61",
        opening: "100.00",
        closing: "112.34",
      });
      expect(statement.entries).to.deep.equal([
        {
          booked_on: "2026-03-02",
          value_on: "2026-03-02",
          amount: "12.34",
          currency: "EUR",
          counter_iban: "NL44RABO0123456789",
          counter_name: "Bakker B.V.",
          text: "Factuur 2026-0412",
          reference: "E2E-1",
          bank_reference: "ASR-1",
          kind: "payment",
          reversal: false,
          return_reason: null,
          original_amount: null,
          original_currency: null,
          position: 1,
        },
      ]);
    });

  it("reads the creditor's side of a debit, bank costs, and the reason of a return", async () => {
    const paid = `<TxDtls><RltdPties><Dbtr><Nm>We</Nm></Dbtr><Cdtr><Nm>Jansen</Nm></Cdtr><CdtrAcct><Id><IBAN>NL02RABO0123456789</IBAN></Id></CdtrAcct></RltdPties><RmtInf><Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd></RmtInf></TxDtls>`;
    const costs = "<BkTxCd><Domn><Cd>ACMT</Cd><Fmly><Cd>MDOP</Cd><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd>";
    const returned = `<TxDtls><RltdPties><Dbtr><Nm>Debtor</Nm></Dbtr></RltdPties><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls>`;
    const statement = await one(
      camt(
        "02",
        ntry({ amount: "20.00", direction: "DBIT", details: paid }) +
          ntry({ amount: "5.00", direction: "DBIT", more: costs }) +
          ntry({ amount: "7.00", direction: "DBIT", more: "<RvslInd>true</RvslInd>", details: returned }),
        { closing: "68.00" },
      ),
    );
    const [debit, charge, back] = statement.entries as [ReadEntry, ReadEntry, ReadEntry];
    expect(debit).to.include({ amount: "-20.00", counter_name: "Jansen", reference: "RF18539007547034" });
    expect(charge).to.include({ amount: "-5.00", kind: "bank_costs" });
    expect(back).to.include({ amount: "-7.00", reversal: true, return_reason: "AC04", counter_name: "Debtor" });
  });

  it("takes the payments of a batch apart where their amounts add up, and leaves it one entry where they do not", async () => {
    const tx = (amount: string, text: string) =>
      `<TxDtls><Amt Ccy="EUR">${amount}</Amt><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`;
    const batch = (second: string) =>
      camt("04", ntry({ amount: "30.00", reference: "B1", details: tx("10.00", "one") + tx(second, "two") }), {
        closing: "130.00",
      });
    const apart = (await one(batch("20.00"))).entries;
    expect(apart.map(({ amount, text, bank_reference }) => [amount, text, bank_reference])).to.deep.equal([
      ["10.00", "one", "B1/1"],
      ["20.00", "two", "B1/2"],
    ]);
    const whole = (await one(batch("19.00"))).entries;
    expect(whole.map(({ amount, text }) => [amount, text])).to.deep.equal([["30.00", "one two"]]);
  });

  it("counts entries that are not booked yet, and leaves them out", async () => {
    const statement = await one(camt("02", ntry({ status: "<Sts>PDNG</Sts>" })));
    expect([statement.entries.length, statement.pending]).to.deep.equal([0, 1]);
  });

  const bomb = `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">&b;</Document>`;
  const outside = `<?xml version="1.0"?><!DOCTYPE d SYSTEM "file:///etc/passwd"><Document/>`;
  for (const [title, text, expected] of [
    ["a balance that does not add up", camt("02", ntry()), { reason: "wrong_balance" }],
    ["another version", camt("12", ntry()), { reason: "unsupported_version" }],
    ["the first version", camt("01", ntry()), { reason: "unsupported_version" }],
    ["another message", camt("02", ntry()).replace("camt.053", "camt.054"), { reason: "unknown_format" }],
    ["another XML", "<html><body/></html>", { reason: "unknown_format" }],
    ["an entry without a direction", camt("02", ntry() + ntry({ direction: "BOTH" })), { reason: "unreadable_entry", entry: 2 }],
    ["parts of a cent", camt("02", ntry({ amount: "1.234" })), { reason: "unreadable_entry", entry: 1 }],
    ["an amount that is none", camt("02", ntry({ amount: "1e3" })), { reason: "unreadable_entry", entry: 1 }],
    ["a day that is none", camt("02", ntry({ day: "2026-02-30" })), { reason: "unreadable_entry", entry: 1 }],
    ["an unknown status", camt("02", ntry({ status: "<Sts>XXXX</Sts>" })), { reason: "unreadable_entry", entry: 1 }],
    ["half a file", camt("02", ntry(), { closing: "112.34" }).slice(0, -40), { reason: "broken_file" }],
    ["a document type with entities", bomb, { reason: "broken_file" }],
    ["a document type from elsewhere", outside, { reason: "broken_file" }],
    ["elements nested without end", `${camt("02", "").split("</Stmt>")[0]}${"<A>".repeat(100)}`, { reason: "broken_file" }],
    ["an entity that nothing declares", camt("02", ntry({ reference: "&xxe;" })), { reason: "broken_file" }],
  ] as const)
    it(`refuses ${title}`, async () => expect(await refusal(text)).to.include({ ...expected, file: "statement.xml" }));
});

describe("MT940", () => {
  const entry = (field61: string, field86: string) => `:61:${field61}\r\n:86:${field86}`;
  const cases: [string, string, Partial<ReadEntry>][] = [
    [
      "ING",
      entry(
        "2603020302C12,34NTRFEREF//26061000000001\r\n/TRCD/00100/",
        "/EREF/E2E-1//CNTP/NL44RABO0123456789/RABONL2U/Bakker B.V.///REMI/USTD//Factuur 2026-04\r\n12/",
      ),
      {
        counter_iban: "NL44RABO0123456789",
        counter_name: "Bakker B.V.",
        text: "Factuur 2026-0412",
        reference: "E2E-1",
        bank_reference: "26061000000001",
      },
    ],
    [
      "Rabobank",
      entry(
        "260302C000000000012,34N541NONREF\r\nNL44RABO0123456789",
        "/EREF/E2E-2/ORDP//NAME/Bakker B.V./REMI/Factuur 2026/0412/ISDT/2026-03-02",
      ),
      { counter_iban: "NL44RABO0123456789", counter_name: "Bakker B.V.", text: "Factuur 2026/0412", reference: "E2E-2" },
    ],
    [
      "ABN AMRO",
      entry(
        "2603020302C12,34N658NONREF",
        "/TRTP/SEPA OVERBOEKING/IBAN/NL44RABO0123456789/BIC/RABONL2U/NAME\r\n/Bakker B.V./REMI/Factuur 2026-0412/EREF/NOTPROVIDED",
      ),
      { counter_iban: "NL44RABO0123456789", counter_name: "Bakker B.V.", text: "Factuur 2026-0412", reference: null },
    ],
    [
      "ABN AMRO with labels",
      entry(
        "2603020302C12,34N658NONREF",
        "SEPA OVERBOEKING                 IBAN: NL44RABO0123456789\r\nBIC: RABONL2U                    NAAM: BAKKER BV\r\nOMSCHRIJVING: FACTUUR 2026-0412\r\nBETALINGSKENM.: 1234567890",
      ),
      { counter_iban: "NL44RABO0123456789", counter_name: "BAKKER BV", text: "FACTUUR 2026-0412", reference: "1234567890" },
    ],
    [
      "SNS and ASN",
      entry("2603020302C12,34NOVBNONREF", "NL44RABO0123456789 bakker b v\r\nFactuur 2026-0412"),
      { counter_iban: "NL44RABO0123456789", counter_name: "bakker b v", text: "Factuur 2026-0412" },
    ],
    ["free text", entry("2603020302C12,34NMSC", "Storting 2026-0412"), { counter_iban: null, text: "Storting 2026-0412" }],
  ];
  for (const [bank, text, expected] of cases)
    it(`is read as ${bank} writes it`, async () => {
      const found = await firstEntry(mt940(text, { closing: "112,34" }));
      expect(found).to.include({ amount: "12.34", booked_on: "2026-03-02", currency: "EUR", ...expected });
    });

  it("keeps signs: debits, and reversals of both kinds", async () => {
    const signs = ["D10,00", "RC5,00", "RD2,00"].map((amount) => entry(`2603020302${amount}NMSCNONREF`, "x")).join("\r\n");
    const { entries } = await one(mt940(signs, { closing: "87,00" }));
    expect(entries.map(({ amount, reversal }) => [amount, reversal])).to.deep.equal([
      ["-10.00", false],
      ["-5.00", true],
      ["2.00", true],
    ]);
  });

  it("books around the new year in the right one", async () => {
    const text = `${entry("2601011231C1,00NMSCNONREF", "x")}\r\n${entry("2512310101C1,00NMSCNONREF", "x")}`;
    const { entries } = await one(mt940(text, { closing: "102,00" }));
    expect(entries.map(({ booked_on }) => booked_on)).to.deep.equal(["2025-12-31", "2026-01-01"]);
  });

  it("is read with the blocks of SWIFT, and the lines that banks put above", async () => {
    const inner = mt940(entry("2603020302C12,34NMSCNONREF", "x"), { closing: "112,34" });
    expect((await one(`ABNANL2A\r\n940\r\nABNANL2A\r\n${inner}`)).entries).to.have.length(1);
    expect(
      (await one(`{1:F01INGBNL2ABXXX0000000000}\r\n{2:I940INGBNL2AXXXN}\r\n{4:\r\n${inner.replace("\r\n-\r\n", "\r\n-}\r\n")}`))
        .entries,
    ).to.have.length(1);
  });

  it("takes the currency off an account", async () => {
    const plain = await one(mt940("", { account: "NL69INGB0123456789EUR" }));
    expect([plain.account, (await one(mt940("", { account: "NL44RABO0123456789 EUR" }))).account]).to.deep.equal([
      "NL69INGB0123456789",
      "NL44RABO0123456789",
    ]);
  });

  for (const [title, text, expected] of [
    ["a balance that does not add up", mt940(entry("260302C1,00NMSCNONREF", "x")), { reason: "wrong_balance" }],
    ["an entry that cannot be read", mt940(":61:26030C1,00NMSC"), { reason: "unreadable_entry", line: 5 }],
    ["a message without closing balance", mt940("").replace(/:62F:.*/, ""), { reason: "broken_file", line: 1 }],
    ["a day that is none", mt940(entry("2602300230C0,00NMSCNONREF", "x")), { reason: "unreadable_entry", line: 5 }],
    ["text between messages", `${mt940("")}? what\r\n${mt940("")}`, { reason: "broken_file", line: 8 }],
  ] as const)
    it(`refuses ${title}`, async () => expect(await refusal(text)).to.include(expected));
});

describe("CSV of Dutch banks", () => {
  const cases: [string, string, Partial<ReadStatement>, Partial<ReadEntry>[]][] = [
    [
      "ING",
      ING,
      { format: "ing", account: "NL69INGB0123456789", opening: "500.00", closing: "1516.44" },
      [
        {
          amount: "1028.44",
          booked_on: "2026-03-02",
          counter_name: "Bakker B.V.",
          counter_iban: "NL91ABNA0417164300",
          text: "factuur 2026-0412",
          reference: "K-1",
          position: 2,
        },
        { amount: "-12.00", kind: "bank_costs", counter_name: "Kosten zakelijk betalingsverkeer", text: "1 feb t/m 28 feb 2026" },
      ],
    ],
    [
      "Rabobank",
      RABOBANK,
      { format: "rabobank", opening: "1000.00", closing: "1200.00" },
      [
        { amount: "250.00", text: "Factuur 2026-0412 en 2026-0413", bank_reference: "000000000000000101", reference: "E2E-7" },
        {
          amount: "-50.00",
          counter_name: "Café Noir",
          reference: "1234567890",
          original_amount: "55.00",
          original_currency: "USD",
        },
      ],
    ],
    [
      "ABN AMRO",
      ABN_TAB,
      { format: "abnamro", account: "123456789", opening: "1000.00", closing: "1200.00" },
      [
        { amount: "250.00", counter_name: "Bakker B.V.", text: "Factuur 2026-0412", reference: "E2E-8" },
        { amount: "-50.00", counter_iban: "NL02RABO0123456789", counter_name: "Jansen", text: "Huur maart", reference: "99" },
      ],
    ],
    [
      "SNS and ASN",
      ASN,
      { format: "asn", opening: "1000.00", closing: "1247.50" },
      [
        {
          amount: "250.00",
          counter_name: "bakker b.v.",
          text: "Factuur 2026-0412, met dank",
          bank_reference: "01-03-2026/12345",
        },
        { amount: "-2.50", kind: "bank_costs" },
      ],
    ],
    [
      "bunq",
      BUNQ,
      { format: "bunq", opening: null, closing: null },
      [
        { amount: "1028.44", text: "Factuur 2026-0412" },
        { amount: "-9.99", counter_iban: null },
      ],
    ],
    [
      "Knab",
      KNAB,
      { format: "knab", opening: null },
      [
        { amount: "250.00", bank_reference: "C6C01CV0001", position: 3 },
        { amount: "-50.00", counter_name: "Jansen" },
      ],
    ],
  ];
  for (const [bank, text, statement, entries] of cases)
    it(`is read as ${bank} writes it`, async () => {
      const found = await one(text);
      expect(found).to.include({ ...statement, currency: "EUR", balances: true });
      expect(found.entries).to.have.length(entries.length);
      for (const [index, expected] of entries.entries()) expect(found.entries[index]).to.include(expected);
    });

  it("is read in Windows-1252, with commas, and in English", async () => {
    const [file] = await readStatements("rabo.csv", Buffer.from(RABOBANK, "latin1"));
    expect(file?.statements[0]?.entries[1]?.counter_name).to.equal("Café Noir");
    const english = ING.replace(
      /^.*/,
      '"Date";"Name / Description";"Account";"Counterparty";"Code";"Debit/credit";"Amount (EUR)";"Transaction type";"Notifications";"Resulting balance";"Tag"',
    )
      .replace('"Bij"', '"Credit"')
      .replace('"Af"', '"Debit"')
      .replaceAll(";", ",")
      .replaceAll('","', '","');
    expect((await one(english)).entries.map(({ amount }) => amount)).to.deep.equal(["1028.44", "-12.00"]);
  });

  it("reports balances that do not follow, as in a filtered file", async () => {
    const lines = RABOBANK.split("\r\n");
    const filtered = await one([...lines, lines[1]?.replace("+250,00", "+1,00")].join("\r\n"));
    expect(filtered).to.include({ balances: false, opening: null, closing: null });
  });

  it("has a statement for each account of a file", async () => {
    const other = RABOBANK.split("\r\n")[1]?.replace("NL44RABO0123456789", "NL02RABO0123456789");
    const [file] = await readStatements("rabo.csv", bytes(`${RABOBANK}\r\n${other}`));
    expect(file?.statements.map(({ account, entries }) => [account, entries.length])).to.deep.equal([
      ["NL44RABO0123456789", 2],
      ["NL02RABO0123456789", 1],
    ]);
  });

  for (const [title, text, expected] of [
    ["an amount that is none", ING.replace("12,00", "12,00,00"), { reason: "unreadable_entry", line: 3 }],
    ["a word that is no sign", ING.replace('"Bij"', '"Op"'), { reason: "unreadable_entry", line: 2 }],
    ["a row with a column less", `${BUNQ}\n"2026-03-02";"1"`, { reason: "unreadable_entry", line: 4 }],
    ["a quote that is not closed", `${ING}\r\n"20260302`, { reason: "broken_file" }],
    ["a row of ABN AMRO that is cut off", ABN_TAB.slice(0, ABN_TAB.lastIndexOf("\t")), { reason: "unreadable_entry", line: 2 }],
    ["a row of ASN that is cut off", ASN.slice(0, -80), { reason: "unreadable_entry", line: 2 }],
    ["headers alone", ING.split("\r\n")[0] as string, { reason: "no_statement" }],
    ["another table", "name,city\nBo,Utrecht\n", { reason: "unknown_format" }],
    ["a picture", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1, 0x81]), { reason: "unknown_format" }],
    ["an empty file", "", { reason: "unknown_format" }],
  ] as const)
    it(`refuses ${title}`, async () => expect(await refusal(text)).to.include(expected));
});
