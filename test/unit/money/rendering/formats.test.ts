import { expect } from "chai";
import { day, iban, money, plain } from "../../../../services/money/rendering/texts/formats.ts";

describe("what documents write", () => {
  it("amounts with their currency", () => {
    for (const [amount, currency, locale, text] of [
      ["1234.56", "EUR", "nl", "€ 1.234,56"],
      ["1234.56", "EUR", "de", "€ 1.234,56"],
      ["1234.56", "EUR", "nl_BE", "€ 1.234,56"],
      ["1234.56", "EUR", "en", "€ 1,234.56"],
      ["1234.56", "EUR", "fr", "€ 1,234.56"],
      ["1234567.8", "USD", "en", "$ 1,234,567.80"],
      ["-75", "EUR", "nl", "€ -75,00"],
      ["999.99", "CHF", "nl", "CHF 999,99"],
      ["0", "GBP", "en", "£ 0.00"],
    ] as const)
      expect(money(amount, currency, locale)).to.equal(text);
  });

  it("quantities and percentages without trailing zeros", () => {
    for (const [value, locale, text] of [
      ["7.50", "nl", "7,5"],
      ["21.00", "nl", "21"],
      ["1000.00", "nl", "1.000"],
      ["8.10", "en", "8.1"],
      ["-0.25", "en", "-0.25"],
      ["100", "en", "100"],
    ] as const)
      expect(plain(value, locale)).to.equal(text);
  });

  it("dates by day, and account numbers in fours", () => {
    expect(day("2026-03-02")).to.equal("02-03-2026");
    expect(iban("nl91abna0417164300")).to.equal("NL91 ABNA 0417 1643 00");
  });
});
