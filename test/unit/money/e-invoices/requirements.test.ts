import { expect } from "chai";
import { countryOf, vatNumberOf } from "../../../../services/money/documents/code-lists.ts";
import { taxSubtotals } from "../../../../services/money/documents/e-invoices/categories.ts";
import type { InvoicedDocument, Profile } from "../../../../services/money/documents/e-invoices/document-data.ts";
import { electronicAddress, type Registered } from "../../../../services/money/documents/e-invoices/electronic-address.ts";
import { missingFields } from "../../../../services/money/documents/e-invoices/requirements.ts";
import { documentOf, line } from "./support.ts";

const SELLER = "errors.invoicing.seller_incomplete";
const CUSTOMER = "errors.invoicing.customer_incomplete";
const DOCUMENT = "errors.validation";
const whole = documentOf();
const seller = (values: object): Partial<InvoicedDocument> => ({ seller: { ...whole.seller, ...values } });
const customer = (values: object): Partial<InvoicedDocument> => ({ customer: { ...whole.customer, ...values } });
const GERMAN = { country: "DE", vat_number: "DE123456789" };
const SWEDISH = { country: "SE", vat_number: "SE556036079301", coc_number: "556036-0793" };

describe("requirements of an e-invoice", () => {
  const reverse = { lines: [line("1", "9", "21.00", "reverse_charge")] };
  const rows: [what: string, profile: Profile, document: Partial<InvoicedDocument>, missing: object][] = [
    ["nothing more of a whole document", "en16931", {}, {}],
    ["the seller's name", "en16931", seller({ name: " " }), { name: SELLER }],
    ["the seller's country", "en16931", seller({ country: null }), { country: SELLER }],
    ["a country that there is", "en16931", seller({ country: "XX" }), { country: SELLER }],
    ["the seller's VAT number, whatever the category", "en16931", { ...seller({ vat_number: null }), lines: [line("1", "9", "0.00", "exempt")] }, { vat_number: SELLER }],
    ["the buyer's name and country", "en16931", { customer: {} }, { name: CUSTOMER, country: CUSTOMER }],
    ["the seller's fields before the buyer's of that name", "en16931", { ...seller({ country: null }), customer: {} }, { country: SELLER, name: CUSTOMER }],
    ["a trade name for a name", "en16931", customer({ name: null }), {}],
    ["a registration of the buyer for a reverse charge", "en16931", { ...reverse, ...customer({ vat_number: null, coc_number: null }) }, { vat_number: CUSTOMER }],
    ["which may be another than for tax", "en16931", { ...reverse, ...customer({ vat_number: null }) }, {}],
    ["and only for one", "en16931", customer({ vat_number: null, coc_number: null }), {}],
    ["a currency in use", "en16931", { currency: "DEM" }, { currency: DOCUMENT }],
    ["nothing of Peppol without it", "en16931", seller({ coc_number: null, city: null, iban: null }), {}],
    ["nothing more of a whole Dutch document", "peppol", {}, {}],
    ["a Dutch seller's address", "peppol", seller({ address_line1: null, city: null, postal_code: null }), { address_line1: SELLER, city: SELLER, postal_code: SELLER }],
    ["a Dutch seller's register and account", "peppol", seller({ coc_number: null, iban: null }), { coc_number: SELLER, iban: SELLER }],
    ["an account only while something is due", "peppol", { ...seller({ iban: null }), paid_total: "762.30" }, {}],
    ["a Dutch buyer's address", "peppol", customer({ city: null }), { city: CUSTOMER }],
    ["not that of a buyer elsewhere", "peppol", customer({ ...GERMAN, city: null }), {}],
    ["the source of a Dutch credit note", "peppol", { kind: "credit_note", lines: [line("1", "-9")] }, { credit_for_id: DOCUMENT }],
    ["where the buyer receives", "peppol", customer({ vat_number: null, coc_number: null }), { vat_number: CUSTOMER }],
    ["a seller from where the rules can be met", "peppol", seller({ country: "GR", vat_number: "EL094259216" }), { country: SELLER }],
    ["what Germans ask of Germans", "peppol", { ...seller({ ...GERMAN, city: null, phone: "12", email: "post", iban: null }), ...customer({ ...GERMAN, postal_code: null }) }, { city: SELLER, postal_code: CUSTOMER, iban: SELLER, phone: SELLER, email: SELLER }],
    ["and not of others", "peppol", { ...seller({ ...GERMAN, city: null, phone: null }), ...customer({}) }, {}],
    ["an Italian seller's address", "peppol", seller({ country: "IT", vat_number: "IT07643520567", address_line1: null }), { address_line1: SELLER }],
    ["a Swedish rate", "peppol", seller(SWEDISH), { tax_rate_pct: DOCUMENT }],
    ["which there is", "peppol", { ...seller(SWEDISH), lines: [line("1", "9", "25.00"), line("1", "9", "0.00", "exempt")] }, {}],
    ["a Swedish VAT number and register", "peppol", { ...seller({ ...SWEDISH, vat_number: "SE5560360793", coc_number: "556036-0794" }), lines: [line("1", "9", "25.00")] }, { vat_number: SELLER, coc_number: SELLER }],
  ]; // biome-ignore format: a table
  for (const [what, profile, values, missing] of rows)
    it(`${profile}: ${what}`, () => {
      expect(missingFields(documentOf(values), profile)).to.deep.equal(missing);
    });
});

describe("VAT numbers", () => {
  const rows: [text: string | null, country: string | null, number: string | null][] = [
    ["NL123456789B01", "NL", "NL123456789B01"],
    ["nl 1234.56.789.b01", null, "NL123456789B01"],
    ["123456789B01", "NL", "NL123456789B01"],
    ["123456789B01", null, null],
    ["0403.170.701", "BE", "BE0403170701"],
    ["094259216", "GR", "EL094259216"],
    ["GR094259216", "GR", "EL094259216"],
    ["EL094259216", "GR", "EL094259216"],
    ["CHE-116.281.710 MWST", "CH", "CHE116281710MWST"],
    ["ZZ12", "NL", "NLZZ12"],
    ["NL", "NL", "NLNL"],
    [" - ", "NL", null],
    [null, "NL", null],
  ];
  for (const [text, country, number] of rows)
    it(`'${text}' in ${country} is ${number}`, () => {
      expect(vatNumberOf(text, country)).to.equal(number);
    });
});

describe("countries", () => {
  const rows: [text: string | null | undefined, code: string | null][] = [
    ["NL", "NL"],
    [" nl ", "NL"],
    ["XI", "XI"],
    ["UK", null],
    ["EL", null],
    ["Nederland", null],
    ["", null],
    [null, null],
    [undefined, null],
  ];
  for (const [text, code] of rows)
    it(`'${text}' is ${code}`, () => {
      expect(countryOf(text)).to.equal(code);
    });
});

describe("electronic addresses", () => {
  const rows: [party: Registered, address: string | null][] = [
    [{ country: "NL", vat: "NL123456789B01", coc: "1234 5678" }, "0106:12345678"],
    [{ country: "NL", vat: "NL123456789B01", coc: "1234567" }, "9944:NL123456789B01"],
    [{ country: "NL", vat: null, coc: null }, null],
    [{ country: "BE", vat: "BE0403170701", coc: null }, "0208:0403170701"],
    [{ country: "BE", vat: null, coc: "0403.170.701" }, "0208:0403170701"],
    [{ country: "BE", vat: "BE0403170702", coc: null }, "9925:BE0403170702"],
    [{ country: "DE", vat: "DE123456789", coc: "HRB 12" }, "9930:DE123456789"],
    [{ country: "IT", vat: "IT07643520567", coc: null }, "0211:IT07643520567"],
    [{ country: "IT", vat: "IT07643520568", coc: null }, null],
    [{ country: "SE", vat: "SE556036079301", coc: null }, "0007:5560360793"],
    [{ country: "SE", vat: "SE556036079401", coc: null }, null],
    [{ country: "NO", vat: "NO974760673MVA", coc: null }, "0192:974760673"],
    [{ country: "NO", vat: "NO974760674MVA", coc: null }, null],
    [{ country: "DK", vat: "DK13585628", coc: null }, "0184:DK13585628"],
    [{ country: "DK", vat: null, coc: "1358562" }, null],
    [{ country: "US", vat: "US12", coc: "12" }, null],
  ];
  for (const [party, address] of rows)
    it(`${party.country} ${party.vat} ${party.coc}: ${address}`, () => {
      const found = electronicAddress(party);
      expect(found && `${found.scheme}:${found.id}`).to.equal(address);
    });
});

describe("tax subtotals", () => {
  const subtotals = (lines: ReturnType<typeof line>[], inclusive = false) =>
    taxSubtotals(documentOf({ lines, prices_include_tax: inclusive })).map(
      ({ category, percent, base, tax, reason }) => `${category} ${percent}: ${base.toFixed(2)} + ${tax.toFixed(2)} ${reason}`,
    );

  it("add groups that fall together, without rounding again", () => {
    expect(
      subtotals([
        line("1", "0.50", "20.00"),
        line("1", "0.52", "20.00", "reduced"),
        line("1", "5", "21.00", "reverse_charge", { tax_name: "Verlegd" }),
        line("1", "7", "0.00", "reverse_charge", { tax_name: "Reverse" }),
        line("1", "1", "0.00", "zero"),
        line("1", "2", "0.00", "standard"),
      ]),
    ).to.deep.equal(["AE 0: 12.00 + 0.00 Verlegd", "S 20: 1.02 + 0.20 null", "Z 0: 3.00 + 0.00 null"]);
  });

  it("state the reason without tax, in the document's own words if it has any", () => {
    const unnamed = { tax_name: " " };
    expect(
      subtotals([line("1", "5", "0.00", "exempt", unnamed), line("1", "7", "21.00", "reverse_charge", unnamed)]),
    ).to.deep.equal(["AE 0: 7.00 + 0.00 Reverse charge", "E 0: 5.00 + 0.00 Exempt from tax"]);
    expect(subtotals([line("1", "5", "0.00", "exempt", unnamed), line("1", "7", "6.00", "exempt")])).to.deep.equal([
      "E 0: 12.00 + 0.00 exempt 6.00",
    ]);
  });
});
