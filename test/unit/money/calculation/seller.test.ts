import { expect } from "chai";
import type { SellerDetails } from "../../../../services/money/calculation/seller.ts";
import { completedSeller } from "../../../../services/money/calculation/seller.ts";

describe("the seller of issued documents", () => {
  const rows: [what: string, frozen: SellerDetails, now: SellerDetails, filled: SellerDetails | null][] = [
    [
      "gets what was blank",
      { name: "Vela", vat_number: null },
      { name: "Vela", vat_number: "NL1", country: "NL" },
      { country: "NL", vat_number: "NL1" },
    ],
    ["keeps what was filled", { name: "Vela", vat_number: "NL1" }, { name: "Vela Works", vat_number: "NL2" }, null],
    ["gets nothing from blanks", { name: "Vela", vat_number: "" }, { name: "Vela", vat_number: "", city: null }, null],
    [
      "gets a whole address, and no part of another one",
      { address_line1: "Kade 1", city: "Utrecht" },
      { address_line1: "Dijk 2", address_line2: "Floor 3", postal_code: "3011 AA", city: "Rotterdam", country: "NL" },
      { country: "NL" },
    ],
    [
      "gets the rest of its address",
      { city: "Utrecht" },
      { city: "Utrecht", postal_code: "3511 AA" },
      { postal_code: "3511 AA" },
    ],
    ["gets no bank of another account", { iban: "NL91ABNA0417164300" }, { iban: "NL02RABO0123456789", bic: "RABONL2U" }, null],
  ];
  for (const [what, frozen, now, filled] of rows)
    it(what, () => {
      expect(completedSeller(frozen, now)).to.deep.equal(filled);
    });
});
