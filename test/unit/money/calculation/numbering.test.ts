import { expect } from "chai";
import fc from "fast-check";
import { LONGEST_NUMBER, MOST_CANDIDATES } from "../../../../core/values/numbering.ts";
import {
  allocate,
  candidates,
  checkFormat,
  firstCandidate,
  renderNumber,
  type Sequence,
  sequenceOf,
  yearsOfSetCounters,
} from "../../../../services/money/calculation/numbering.ts";
import type { InvoicingSettingsRow } from "../../../../services/money/settings/models.ts";
import { CASES } from "./support.ts";

const sequence = (values: Partial<Sequence> = {}): Sequence => ({
  format: "{year}-{seq:4}",
  next_seq: 1,
  seq_year: null,
  reset_yearly: true,
  ...values,
});

describe("formats of document numbers", () => {
  const rows: [format: string, usable: boolean][] = [
    ["{year}-{seq:4}", true],
    ["Q{year}-{seq:4}", true],
    ["{seq}", true],
    ["{seq:1}", true],
    ["{seq:40}", true],
    ["{seq:41}", false],
    ["{seq:99}", false],
    ["{seq:100}", false],
    ["{seq:}", false],
    ["{seq}{seq:2}", false],
    ["{year}", false],
    ["INV", false],
    ["", false],
    ["   ", false],
    ["{month}-{seq}", false],
    ["{}{seq}", false],
    ["{SEQ}", false],
    ["{seq", false],
    ["{seq}}", false],
    ["factuur nr. {yy}/{seq}", true],
    [`${"x".repeat(24)}{seq}`, true],
    [`${"x".repeat(25)}{seq}`, false],
    [`${"😀".repeat(24)}{seq}`, true],
    [`${"x".repeat(20)}{year}{seq:4}`, true],
    [`${"x".repeat(21)}{year}{seq:4}`, false],
  ];
  for (const [format, usable] of rows)
    it(`'${format}' is ${usable ? "usable" : "refused"}`, () => {
      expect(checkFormat(format)).to.equal(usable);
    });

  it("that are usable give no number over 40 characters", () => {
    const format = fc
      .tuple(fc.string({ maxLength: 40 }), fc.constantFrom("{seq}", "{seq:4}", "{seq:38}", "{year}-{seq:4}"))
      .map(([text, token]) => text + token);
    fc.assert(
      fc.property(format, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 1 }), (text, seq) => {
        if (checkFormat(text)) expect([...renderNumber(text, 2026, seq)].length).to.be.at.most(LONGEST_NUMBER);
      }),
      CASES,
    );
  });
});

describe("allocation of document numbers", () => {
  const firsts: [what: string, values: Partial<Sequence>, first: number][] = [
    ["goes on within the year", { next_seq: 8, seq_year: 2026 }, 8],
    ["starts at 1 in another year", { next_seq: 8, seq_year: 2025 }, 1],
    ["starts at 1 in an earlier year too", { next_seq: 8, seq_year: 2027 }, 1],
    ["starts where it was set before the first number", { next_seq: 8 }, 8],
    ["runs on without reset", { next_seq: 8, seq_year: 2020, reset_yearly: false }, 8],
  ];
  for (const [what, values, first] of firsts)
    it(what, () => {
      expect(firstCandidate(sequence(values), 2026)).to.equal(first);
    });

  it("stores the sequence after the one given, and the year", () => {
    expect(allocate(sequence({ next_seq: 5, seq_year: 2025 }), 2026, () => false)).to.deep.equal({
      number: "2026-0001",
      next_seq: 2,
      seq_year: 2026,
    });
  });

  it("tries 1000 candidates and no more", () => {
    const all = [...candidates(sequence({ format: "{seq}", next_seq: 7 }), 2026)];
    expect(all).to.have.lengthOf(MOST_CANDIDATES);
    expect([all[0]?.number, all.at(-1)?.number]).to.deep.equal(["7", "1006"]);
    const taken = (last: number) => (number: string) => Number(number) <= last;
    expect(allocate(sequence({ format: "{seq}" }), 2026, taken(999))?.number).to.equal("1000");
    expect(allocate(sequence({ format: "{seq}" }), 2026, taken(1000))).to.equal(null);
  });

  it("ends where the sequence can no longer be counted", () => {
    const last = [...candidates(sequence({ format: "{seq}", next_seq: Number.MAX_SAFE_INTEGER - 2 }), 2026)];
    expect(last.map(({ number }) => number)).to.deep.equal(["9007199254740989", "9007199254740990"]);
    expect(last.at(-1)?.next_seq).to.equal(Number.MAX_SAFE_INTEGER);
    expect([...candidates(sequence({ next_seq: Number.MAX_SAFE_INTEGER }), 2026)]).to.deep.equal([]);
  });

  it("issues unique numbers without a gap, for any rewound counter", () => {
    const moves = fc.array(fc.option(fc.integer({ min: 1, max: 60 }), { freq: 3 }), { maxLength: 60 });
    fc.assert(
      fc.property(moves, (rewinds) => {
        const given: number[] = [];
        let held = sequence({ format: "{seq}" });
        for (const rewind of rewinds) {
          if (rewind !== null && given.length > 0) held = { ...held, next_seq: Math.min(rewind, Math.max(...given) + 1) };
          const made = allocate(held, 2026, (number) => given.includes(Number(number)));
          if (!made) throw new Error("exhausted");
          given.push(Number(made.number));
          held = { ...held, next_seq: made.next_seq, seq_year: made.seq_year };
        }
        expect([...given].sort((one, other) => one - other)).to.deep.equal(given.map((_, index) => index + 1));
      }),
      CASES,
    );
  });

  it("reads the sequence of each kind from the settings", () => {
    const settings = {
      invoice_number_format: "{seq}",
      quote_number_format: "Q{seq}",
      invoice_next_seq: "12",
      quote_next_seq: "7",
      invoice_seq_year: 2026,
      quote_seq_year: null,
      number_reset_yearly: false,
    } as InvoicingSettingsRow;
    expect(sequenceOf(settings, "invoice")).to.deep.equal({ format: "{seq}", next_seq: 12, seq_year: 2026, reset_yearly: false });
    expect(sequenceOf(settings, "quote")).to.deep.equal({ format: "Q{seq}", next_seq: 7, seq_year: null, reset_yearly: false });
  });
});

describe("the years of counters that a change of settings sets (money §5)", () => {
  const stored = { invoice_seq_year: 2025, quote_seq_year: null };
  const rows: [what: string, changed: Parameters<typeof yearsOfSetCounters>[1], years: object][] = [
    ["nothing without a counter", {}, {}],
    [
      "the running year for a counter set before the first number of the year",
      { invoice_next_seq: "40" },
      { invoice_seq_year: 2026 },
    ],
    ["nothing for a counter without a number yet", { quote_next_seq: "40" }, {}],
    ["only the counter that has a year", { invoice_next_seq: "40", quote_next_seq: "7" }, { invoice_seq_year: 2026 }],
  ];
  for (const [what, changed, years] of rows)
    it(`are ${what}`, () => {
      expect(yearsOfSetCounters(stored, changed, 2026)).to.deep.equal(years);
    });

  it("are those of the set counter alone where both have a year", () => {
    const both = { invoice_seq_year: 2025, quote_seq_year: 2025 };
    expect(yearsOfSetCounters(both, { invoice_next_seq: "40" }, 2026)).to.deep.equal({ invoice_seq_year: 2026 });
    expect(yearsOfSetCounters(both, { quote_next_seq: "40" }, 2026)).to.deep.equal({ quote_seq_year: 2026 });
  });

  it("let the next number continue from the counter: raised to 40 in January, the first invoice is 2026-0040", () => {
    const { invoice_seq_year: seq_year = null } = yearsOfSetCounters(stored, { invoice_next_seq: "40" }, 2026);
    expect(allocate(sequence({ next_seq: 40, seq_year }), 2026, () => false)?.number).to.equal("2026-0040");
    expect(allocate(sequence({ next_seq: 40, seq_year: 2025 }), 2026, () => false)?.number, "unless it was set").to.equal(
      "2026-0001",
    );
  });
});
