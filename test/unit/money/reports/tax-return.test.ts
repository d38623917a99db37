import { expect } from "chai";
import { decimal } from "../../../../core/values/money.ts";
import { type ClientTurnover, taxReport } from "../../../../services/money/reports/tax/tax-report.ts";
import { rubricOf, taxReturn, wholeEuros } from "../../../../services/money/reports/tax/tax-return.ts";
import { territoryOf } from "../../../../services/money/reports/tax/territory.ts";

const row = (
  category: ClientTurnover["category"],
  rate_pct: string,
  country: string,
  base: string,
  tax = "0.00",
  more: Partial<ClientTurnover> = {},
): ClientTurnover => ({
  ...{ category, rate_pct, country, base, tax, credited_base: "0.00", credited_tax: "0.00" },
  ...{ vat_number: null, company_id: null, client: null, ...more },
});

describe("the rubric of a turnover in the Dutch return", () => {
  for (const [category, rate, country, rubric] of [
    ["standard", "21.00", "NL", "1a"],
    ["reduced", "9.00", "NL", "1b"],
    ["standard", "9.00", "NL", "1b"],
    ["standard", "6.00", "NL", "1c"],
    ["standard", "21.00", "DE", "1a"],
    ["standard", "21.00", "US", "1a"],
    ["zero", "0.00", "NL", "1e"],
    ["reverse_charge", "21.00", "NL", "1e"],
    ["reverse_charge", "0.00", "BE", "3b"],
    ["zero", "0.00", "GR", "3b"],
    ["zero", "0.00", "EL", "3b"],
    ["reverse_charge", "0.00", "US", "3a"],
    ["standard", "0.00", "GB", "3a"],
    ["exempt", "0.00", "NL", null],
    ["exempt", "21.00", "DE", null],
  ] as const)
    it(`of ${category} at ${rate} in ${country} is ${rubric}`, () => {
      expect(rubricOf({ category, rate_pct: rate, country })).to.equal(rubric);
    });
});

describe("the territory of a client", () => {
  for (const [country, home, territory] of [
    ["NL", "NL", "domestic"],
    ["BE", "NL", "eu"],
    ["EL", "NL", "eu"],
    ["GB", "NL", "outside_eu"],
    ["UK", "GB", "domestic"],
    ["DE", "CH", "outside_eu"],
    ["CH", "CH", "domestic"],
  ] as const)
    it(`${country} is ${territory} as seen from ${home}`, () => expect(territoryOf(country, home)).to.equal(territory));
});

describe("the whole euros of the return", () => {
  for (const [amount, whole] of [
    ["169.04", 169],
    ["0.99", 0],
    ["-10.50", -11],
    ["-10.00", -10],
    ["0.00", 0],
  ] as const)
    it(`of ${amount} are ${whole}`, () => expect(wholeEuros(decimal(amount))).to.equal(whole));
});

describe("the rubrics of a period", () => {
  const rubrics = new Map(
    taxReturn([
      row("standard", "21.00", "NL", "804.95", "169.04"),
      row("reduced", "9.00", "NL", "49.95", "4.50"),
      row("standard", "21.00", "DE", "100.00", "21.00"),
      row("reverse_charge", "0.00", "BE", "1250.75"),
      row("exempt", "0.00", "NL", "77.00"),
    ]).map((one) => [one.code, one]),
  );

  it("add turnover and tax, exact and in whole euros", () => {
    expect(rubrics.get("1a")).to.deep.equal({
      ...{ code: "1a", base: "904.95", tax: "190.04", base_euros: 904, tax_euros: 190, missing: null },
    });
    expect(rubrics.get("1b")).to.deep.include({ base: "49.95", tax: "4.50", base_euros: 49, tax_euros: 4 });
    expect(rubrics.get("1c")).to.deep.include({ base: "0.00", tax: "0.00", base_euros: 0, tax_euros: 0 });
    expect(rubrics.get("3b")).to.deep.include({ base: "1250.75", tax: null, base_euros: 1250, tax_euros: null });
    expect(rubrics.get("1e")?.base).to.equal("0.00");
  });

  it("have 5a as the sum of the whole euros above it", () => {
    expect(rubrics.get("5a")).to.deep.equal({
      ...{ code: "5a", base: null, base_euros: null, tax: "194.54", tax_euros: 194, missing: null },
    });
  });

  it("say why an amount is not known", () => {
    const missing = [...rubrics.values()].filter((one) => one.missing !== null);
    expect(missing.map(({ code }) => code).join()).to.equal("1d,2a,3c,4a,4b,5b,5c,5d,5e,5f,5g");
    for (const { base, tax, base_euros, tax_euros } of missing)
      expect([base, tax, base_euros, tax_euros]).to.deep.equal([null, null, null, null]);
  });
});

describe("the report of VAT", () => {
  const of = (vat_number: string | null, client: string) => ({ vat_number, client, company_id: `id of ${client}` });
  const report = taxReport(
    [
      row("standard", "21.00", "NL", "100.00", "21.00", { credited_base: "50.00", credited_tax: "10.50" }),
      row("standard", "21.00", "US", "10.00", "2.10"),
      row("reverse_charge", "0.00", "BE", "300.60", "0.00", of("BE0123456749", "Bos")),
      row("zero", "0.00", "BE", "0.60", "0.00", of("BE0123456749", "Bos Kapellen")),
      row("reverse_charge", "0.00", "EL", "40.00", "0.00", of(null, "Kafeneio")),
      row("exempt", "0.00", "DE", "7.00", "0.00", of("DE123456788", "Amsel")),
      row("zero", "0.00", "US", "55.00", "0.00", of(null, "Acme")),
    ],
    "NL",
    true,
  );

  it("groups by rate and category, the highest first", () => {
    expect(report.rates).to.deep.equal([
      {
        ...{ category: "standard", rate_pct: "21.00", base: "110.00", tax: "23.10" },
        ...{ credited_base: "50.00", credited_tax: "10.50" },
      },
      { category: "exempt", rate_pct: "0.00", base: "7.00", tax: "0.00", credited_base: "0.00", credited_tax: "0.00" },
      { category: "reverse_charge", rate_pct: "0.00", base: "340.60", tax: "0.00", credited_base: "0.00", credited_tax: "0.00" },
      { category: "zero", rate_pct: "0.00", base: "55.60", tax: "0.00", credited_base: "0.00", credited_tax: "0.00" },
    ]);
    expect(report.totals).to.deep.include({ base: "513.20", tax: "23.10" });
  });

  it("lists supplies within the EU once for each VAT number, those without one first, and nothing exempt", () => {
    expect(
      report.eu_supplies.map(({ vat_number, country, client, base, base_whole }) => [
        vat_number,
        country,
        client,
        base,
        base_whole,
      ]),
    ).to.deep.equal([
      [null, "GR", "Kafeneio", "40.00", 40],
      ["BE0123456749", "BE", "Bos", "301.20", 301],
    ]);
  });

  it("lists untaxed turnover outside of the EU by country", () => {
    expect(report.outside_eu).to.deep.equal([{ country: "US", base: "55.00" }]);
  });

  it("has no rubrics for a seller elsewhere", () => {
    expect(taxReport([], "BE", false).rubrics).to.equal(null);
  });
});
