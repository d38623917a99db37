import { expect } from "chai";
import fc from "fast-check";
import { LONGEST_NUMBER, MOST_CANDIDATES, renderNumber } from "../../../core/values/numbering.ts";
import {
  allocate,
  candidates,
  DEFAULT_NUMBERING,
  isValidFormat,
  type Numbering,
  startingSequence,
} from "../../../services/clients/companies/numbering.ts";
import { cases } from "../../support/cases.ts";

const CASES = cases(1000);
const numbering = (values: Partial<Numbering>): Numbering => ({ ...DEFAULT_NUMBERING, ...values });

describe("client numbers: the format", () => {
  const rows: [format: string, next: number, valid: boolean][] = [
    ["{seq:4}", 1, true],
    ["{seq}", 1, true],
    ["{seq:1}", 1, true],
    ["{seq:40}", 1, true],
    ["{seq:41}", 1, false],
    ["{seq:99}", 1, false],
    ["{seq:100}", 1, false],
    ["{seq:}", 1, false],
    ["{seq:x}", 1, false],
    ["{SEQ}", 1, false],
    ["{ seq }", 1, false],
    ["", 1, false],
    ["   ", 1, false],
    ["CLIENT", 1, false],
    ["{year}", 1, false],
    ["C-{year}-{yy}-{seq:5}", 1, true],
    ["{year}{year}{seq}", 1, true],
    ["{seq}{seq}", 1, false],
    ["{seq}-{seq:4}", 1, false],
    ["{seq}{month}", 1, false],
    ["{seq}{}", 1, false],
    [`${"x".repeat(39)}{seq}`, 9, true],
    [`${"x".repeat(39)}{seq}`, 10, false],
    [`${"😀".repeat(39)}{seq}`, 9, true],
    [`${"😀".repeat(39)}{seq}`, 10, false],
    [`${"x".repeat(36)}{seq:4}`, 9999, true],
    [`${"x".repeat(36)}{seq:4}`, 10000, false],
    ["klant nr. {seq} (ü)", 1, true],
  ];
  for (const [format, next, valid] of rows)
    it(`${valid ? "takes" : "refuses"} '${format.length > 24 ? `${format.slice(0, 8)}…${format.slice(-8)}` : format}' at ${next}`, () => {
      expect(isValidFormat(format, next, 2026)).to.equal(valid);
    });
});

describe("client numbers: the rendering", () => {
  const rows: [format: string, sequence: number, year: number, number: string][] = [
    ["{seq:4}", 1, 2026, "0001"],
    ["{seq}", 1, 2026, "1"],
    ["{seq:3}", 12345, 2026, "12345"],
    ["{seq:03}", 7, 2026, "007"],
    ["{seq:0}", 7, 2026, "7"],
    ["{year}-{seq:2}", 7, 2026, "2026-07"],
    ["{yy}{seq:2}", 7, 2009, "0907"],
    ["{yy}{seq}", 7, 2100, "007"],
    ["K{seq:5}/{yy}/{year}", 42, 2031, "K00042/31/2031"],
  ];
  for (const [format, sequence, year, number] of rows)
    it(`gives ${number} for '${format}' at ${sequence} in ${year}`, () => {
      expect(renderNumber(format, year, sequence)).to.equal(number);
    });

  it("pads and never truncates", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 1, max: 2147483646 }), (width, sequence) => {
        const number = renderNumber(`{seq:${width}}`, 2026, sequence);
        expect(number).to.have.lengthOf(Math.max(width, String(sequence).length));
        expect(Number(number)).to.equal(sequence);
      }),
      CASES,
    );
  });
});

describe("client numbers: the yearly reset", () => {
  const rows: [what: string, values: Partial<Numbering>, year: number, sequence: number][] = [
    ["goes on within the year", { client_number_reset_yearly: true, client_number_seq_year: 2026 }, 2026, 8],
    ["starts at 1 in another year", { client_number_reset_yearly: true, client_number_seq_year: 2025 }, 2026, 1],
    ["starts at 1 also in an earlier year", { client_number_reset_yearly: true, client_number_seq_year: 2027 }, 2026, 1],
    ["keeps the set sequence before the first allocation", { client_number_reset_yearly: true }, 2026, 8],
    ["goes on over the years without reset", { client_number_seq_year: 2020 }, 2026, 8],
  ];
  for (const [what, values, year, sequence] of rows)
    it(what, () => {
      expect(startingSequence(numbering({ client_number_next_seq: 8, ...values }), year)).to.equal(sequence);
    });
});

describe("client numbers: the allocation", () => {
  it("stores the sequence after the one used, and its year", () => {
    const made = allocate(numbering({ client_number_next_seq: 5 }), 2026, 1, () => false);
    expect(made?.numbers).to.deep.equal(["0005"]);
    expect(made?.after).to.include({ client_number_next_seq: 6, client_number_seq_year: 2026 });
  });

  it("skips used numbers", () => {
    const made = allocate(numbering({}), 2026, 1, (number) => ["0001", "0002"].includes(number));
    expect(made?.numbers).to.deep.equal(["0003"]);
    expect(made?.after.client_number_next_seq).to.equal(4);
  });

  it("gives several in order, each with candidates of its own", () => {
    const taken = (number: string) => Number(number) % 1000 !== 0;
    const made = allocate(numbering({ client_number_format: "{seq}" }), 2026, 3, taken);
    expect(made?.numbers).to.deep.equal(["1000", "2000", "3000"]);
  });

  it("resets once for several numbers of a new year", () => {
    const before = numbering({ client_number_reset_yearly: true, client_number_seq_year: 2025, client_number_next_seq: 90 });
    expect(allocate(before, 2026, 2, () => false)?.numbers).to.deep.equal(["0001", "0002"]);
  });

  it("looks at exactly 1000 candidates", () => {
    expect([...candidates(numbering({}), 2026)]).to.have.lengthOf(MOST_CANDIDATES);
    expect(allocate(numbering({}), 2026, 1, (number) => number !== "1000")?.numbers).to.deep.equal(["1000"]);
    expect(allocate(numbering({}), 2026, 1, (number) => number !== "1001")).to.equal(null);
  });

  it("stops where a number no longer fits 40 characters", () => {
    const full = numbering({ client_number_format: `${"x".repeat(39)}{seq}`, client_number_next_seq: 8 });
    expect([...candidates(full, 2026)].map(({ sequence }) => sequence)).to.deep.equal([8, 9]);
    expect(allocate(full, 2026, 3, () => false)).to.equal(null);
  });

  it("stops before the sequence outgrows its column", () => {
    const last = numbering({ client_number_next_seq: 2147483647 });
    expect(allocate(last, 2026, 1, () => false)).to.equal(null);
    const previous = allocate({ ...last, client_number_next_seq: 2147483646 }, 2026, 1, () => false);
    expect(previous?.after.client_number_next_seq).to.equal(2147483647);
  });

  it("never gives a number twice, a taken one, or one that is too long", () => {
    const widths = fc.constantFrom("{seq}", "{seq:3}", "{yy}-{seq:2}", "{year}/{seq}");
    fc.assert(
      fc.property(
        widths,
        fc.integer({ min: 1, max: 2000 }),
        fc.uniqueArray(fc.integer({ min: 1, max: 60 })),
        (format, next, skip) => {
          const taken = new Set(skip.map((step) => renderNumber(format, 2026, next + step)));
          const made = allocate(numbering({ client_number_format: format, client_number_next_seq: next }), 2026, 20, (number) =>
            taken.has(number),
          );
          expect(new Set(made?.numbers)).to.have.property("size", 20);
          for (const number of made?.numbers ?? []) {
            expect(taken.has(number)).to.equal(false);
            expect([...number].length).to.be.at.most(LONGEST_NUMBER);
          }
        },
      ),
      CASES,
    );
  });
});
