import { expect } from "chai";
import { labelIn } from "../../../../services/money/settings/tax-rates.ts";
import { seededRates } from "../../../../services/money/settings/tax-seeds.ts";

describe("the tax rates a catalogue begins with", () => {
  const untaxed = ["0.00 exempt", "0.00 reverse_charge"];
  for (const [country, rates] of [
    ["NL", ["21.00 standard", "9.00 reduced", "0.00 zero", ...untaxed]],
    ["BE", ["21.00 standard", "12.00 reduced", "6.00 reduced", "0.00 zero", ...untaxed]],
    ["DE", ["19.00 standard", "7.00 reduced", "0.00 zero", ...untaxed]],
    ["FR", ["20.00 standard", "10.00 reduced", "5.50 reduced", "2.10 reduced", ...untaxed]],
    ["ES", ["21.00 standard", "10.00 reduced", "4.00 reduced", ...untaxed]],
    ["IT", ["22.00 standard", "10.00 reduced", "5.00 reduced", "4.00 reduced", ...untaxed]],
    ["AT", ["20.00 standard", "13.00 reduced", "10.00 reduced", ...untaxed]],
    ["GB", ["20.00 standard", "5.00 reduced", "0.00 zero", ...untaxed]],
    ["CH", ["8.10 standard", "3.80 reduced", "2.60 reduced", ...untaxed]],
    ["US", ["0.00 zero", "0.00 exempt"]],
    ["PT", ["0.00 standard", "0.00 zero", ...untaxed]],
  ] as const)
    it(`are those of ${country}, the first of them the default`, () => {
      const seeded = seededRates(country);
      expect(seeded.map(({ rate, category }) => `${rate} ${category}`)).to.deep.equal(rates);
      expect(seeded.map(({ is_default }) => is_default)).to.deep.equal(rates.map((_, index) => index === 0));
      expect(seeded.every((rate) => rate.country === country)).to.equal(true);
      const positions = seeded.map(({ position }) => position);
      expect(positions).to.deep.equal([...new Set(positions)].toSorted((one, other) => one - other));
    });

  it("have a name in Dutch and in English", () => {
    for (const country of ["NL", "FR", "US", "PT"])
      for (const { label_i18n } of seededRates(country)) {
        expect(label_i18n).to.have.all.keys("nl", "en");
        expect(Object.values(label_i18n)).to.not.include("");
      }
    expect(seededRates("FR")[2]?.label_i18n).to.deep.equal({ nl: "5.5% btw", en: "5.5% VAT" });
  });
});

describe("the name a line keeps of its tax rate", () => {
  for (const [what, labels, locale, wanted] of [
    ["is that of the document's locale", { de: "MwSt", en: "VAT", nl: "Btw" }, "de", "MwSt"],
    ["else English", { en: "VAT", nl: "Btw" }, "de", "VAT"],
    ["else Dutch", { fr: "TVA", nl: "Btw" }, "de", "Btw"],
    ["else any", { fr: "TVA" }, "de", "TVA"],
    ["passes empty ones over", { de: "", en: "", fr: "TVA" }, "de", "TVA"],
    ["else is empty", {}, "de", ""],
  ] as const)
    it(what, () => expect(labelIn(labels, locale)).to.equal(wanted));
});
