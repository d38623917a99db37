import { expect } from "chai";
import { companyValues } from "../../../services/clients/companies/company-values.ts";

const fieldsOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return (error as { data: { fields: unknown } }).data.fields;
  }
  return null;
};

describe("company values: stored", () => {
  const BLANKABLE =
    "legal_name client_number website phone invoice_email vat_number coc_number address_line1 house_number address_line2 postal_code city country notes";
  for (const field of BLANKABLE.split(" "))
    it(`stores null for a blank ${field}`, () => {
      expect(companyValues({ [field]: "" }, null, "NL")).to.deep.equal({ [field]: null });
      expect(companyValues({ [field]: " \t\n" }, null, "NL")).to.deep.equal({ [field]: null });
      expect(companyValues({ [field]: null }, null, "NL")).to.deep.equal({ [field]: null });
    });

  it("returns only the sent fields, and nothing of the roster", () => {
    expect(companyValues({ assignees: [], responsible_user_id: null, city: " Ede " }, null, "NL")).to.deep.equal({
      city: " Ede ",
    });
  });

  it("trims name and client number, keeps their inner blanks, and other text as typed", () => {
    const typed = { legal_name: " Acme B.V.", country: "nl", website: "acme.test " };
    expect(companyValues({ ...typed, name: " Acme  BV ", client_number: " 7  a " }, null, "NL")).to.deep.equal({
      ...typed,
      name: "Acme  BV",
      client_number: "7  a",
    });
  });

  it("trims an e-mail address and stores it in lower case", () => {
    expect(companyValues({ invoice_email: " Pay@Acme.TEST " }, null, "NL")).to.deep.equal({ invoice_email: "pay@acme.test" });
  });

  it("stores several e-mail addresses in one form, each once, up to 320 characters together", () => {
    const stored = (text: string) => companyValues({ invoice_email: text }, null, "NL")["invoice_email"];
    expect(stored("A@acme.test;b@acme.test ,a@ACME.test,")).to.equal("a@acme.test, b@acme.test");
    const long = Array.from({ length: 20 }, (_, n) => `boekhouding${n}@x.nl`).join(",");
    for (const refused of ["a@acme.test, b", ", ;", "a@acme.test b@acme.test", long])
      expect(
        fieldsOf(() => stored(refused)),
        refused,
      ).to.deep.equal({ invoice_email: "errors.invalid_email" });
  });

  it("strips HTML from notes and keeps their markdown", () => {
    expect(companyValues({ notes: "**a** <b>c</b>" }, null, "NL")).to.deep.equal({ notes: "**a** c" });
    expect(companyValues({ notes: "<script>x</script>" }, null, "NL")).to.deep.equal({ notes: null });
  });

  it("reads null custom values as none", () => {
    expect(companyValues({ custom: null }, null, "NL")).to.deep.equal({ custom: {} });
  });
});

describe("company values: phones", () => {
  const rows: [
    what: string,
    sent: Record<string, unknown>,
    before: Record<string, unknown> | null,
    home: string,
    stored: unknown,
  ][] = [
    ["in the organisation's country", { phone: "020 123 4567" }, null, "NL", "+31201234567"],
    ["in the organisation's country, another one", { phone: "02 511 12 34" }, null, "BE", "+3225111234"],
    ["in the country of the same write", { phone: "02 511 12 34", country: "BE" }, null, "NL", "+3225111234"],
    ["in a country in lower case", { phone: "02 511 12 34", country: "be" }, null, "NL", "+3225111234"],
    ["in the stored country", { phone: "02 511 12 34" }, { country: "BE", phone: null }, "NL", "+3225111234"],
    [
      "in the new country of an update",
      { phone: "030 123456", country: "DE" },
      { country: "BE", phone: null },
      "NL",
      "+4930123456",
    ],
    [
      "in the organisation's country when the update clears it",
      { phone: "020 123 4567", country: null },
      { country: "BE" },
      "NL",
      "+31201234567",
    ],
    [
      "in the organisation's country when the row's is no code",
      { phone: "020 123 4567" },
      { country: "1!" },
      "NL",
      "+31201234567",
    ],
    ["as international with a plus", { phone: "+1 212 555 0123", country: "BE" }, null, "NL", "+12125550123"],
    ["unread when it did not change", { phone: "ask Jan" }, { phone: "ask Jan" }, "NL", "ask Jan"],
  ];
  for (const [what, sent, before, home, stored] of rows)
    it(`reads a number ${what}`, () => {
      expect(companyValues({ ...sent }, before, home)["phone"]).to.equal(stored);
    });

  it("refuses a number its plan does not know", () => {
    for (const phone of ["12", "ask Jan", "+31 1", "020 123 4567 890"])
      expect(
        fieldsOf(() => companyValues({ phone }, null, "NL")),
        phone,
      ).to.deep.equal({ phone: "errors.invalid_phone" });
    expect(fieldsOf(() => companyValues({ phone: "020 123 4567", country: "XX" }, null, "NL"))).to.deep.equal({
      phone: "errors.invalid_phone",
    });
  });
});

describe("company values: refused", () => {
  const rows: [sent: Record<string, unknown>, fields: Record<string, string>][] = [
    [{ name: " " }, { name: "errors.validation" }],
    [{ country: "N" }, { country: "errors.validation" }],
    [{ invoice_email: "pay" }, { invoice_email: "errors.invalid_email" }],
    [{ invoice_email: "pay@acme" }, { invoice_email: "errors.invalid_email" }],
    [{ invoice_email: "p y@acme.test" }, { invoice_email: "errors.invalid_email" }],
    [{ custom: { colour: "red" } }, { colour: "customfields.errors.unknown_field" }],
    [
      { name: "", country: "N", invoice_email: "x", phone: "1" },
      {
        name: "errors.validation",
        country: "errors.validation",
        invoice_email: "errors.invalid_email",
        phone: "errors.invalid_phone",
      },
    ],
  ];
  for (const [sent, fields] of rows)
    it(`${JSON.stringify(sent)}`, () => {
      expect(fieldsOf(() => companyValues({ ...sent }, null, "NL"))).to.deep.equal(fields);
    });
});
