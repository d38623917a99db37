import { expect } from "chai";
import {
  type BilledClient,
  type BilledContact,
  customerAtIssue,
  customerOf,
  handedTo,
} from "../../../../services/money/calculation/bill-to.ts";

const CLIENT: BilledClient = {
  name: "Zeilmakerij Oost",
  legal_name: "Oost Zeilen B.V.",
  address_line1: "Kade",
  house_number: "12a",
  address_line2: "2e verdieping",
  postal_code: "1011 AB",
  city: "Amsterdam",
  country: "NL",
  vat_number: "NL123456789B01",
  coc_number: "12345678",
  client_number: "0042",
  invoice_email: "facturen@oost.example",
};
const CONTACT: BilledContact = { first_name: "Iris", last_name: "de Wit", email: "iris@oost.example" };
const client = (values: Partial<BilledClient>): BilledClient => ({ ...CLIENT, ...values });
const contact = (values: Partial<BilledContact>): BilledContact => ({ ...CONTACT, ...values });

describe("the bill-to party", () => {
  it("is copied from the client and the contact", () => {
    expect(customerOf(CLIENT, CONTACT)).to.deep.equal({
      name: "Oost Zeilen B.V.",
      trade_name: "Zeilmakerij Oost",
      address_line1: "Kade 12a",
      address_line2: "2e verdieping",
      postal_code: "1011 AB",
      city: "Amsterdam",
      country: "NL",
      vat_number: "NL123456789B01",
      coc_number: "12345678",
      client_number: "0042",
      email: "iris@oost.example",
      attn: "Iris de Wit",
    });
  });

  const rows: [what: string, client: BilledClient, contact: BilledContact | null, values: object][] = [
    [
      "the label without a legal name",
      client({ legal_name: null }),
      null,
      { name: "Zeilmakerij Oost", trade_name: "Zeilmakerij Oost" },
    ],
    ["the street alone", client({ house_number: null }), null, { address_line1: "Kade" }],
    ["the house number alone", client({ address_line1: null }), null, { address_line1: "12a" }],
    ["neither", client({ address_line1: null, house_number: null }), null, { address_line1: null }],
    ["no contact", CLIENT, null, { email: "facturen@oost.example", attn: null }],
    ["a contact without an e-mail", CLIENT, contact({ email: null }), { email: "facturen@oost.example", attn: "Iris de Wit" }],
    ["a contact of one name", CLIENT, contact({ last_name: null }), { attn: "Iris" }],
    ["no e-mail at all", client({ invoice_email: null }), contact({ email: null }), { email: null }],
  ];
  for (const [what, from, person, values] of rows)
    it(`is ${what}`, () => {
      expect(customerOf(from, person)).to.include(values);
    });
});

describe("the bill-to party at issue", () => {
  it("is the client as it is then, with the e-mail and attention line of the draft", () => {
    const draft = { ...customerOf(CLIENT, CONTACT), name: "Old name", city: "Utrecht" };
    const issued = customerAtIssue(
      client({ invoice_email: "new@oost.example" }),
      contact({ first_name: "Eva", email: "eva@oost.example" }),
      draft,
      "BE",
    );
    expect(issued).to.deep.equal({ ...customerOf(CLIENT, CONTACT), email: "iris@oost.example", attn: "Iris de Wit" });
  });

  it("is in the organisation's country if the client has none", () => {
    expect(customerAtIssue(client({ country: null }), null, {}, "BE").country).to.equal("BE");
    expect(customerAtIssue(client({ country: "" }), null, {}, "BE").country).to.equal("BE");
    expect(customerAtIssue(client({ country: "DE" }), null, {}, "BE").country).to.equal("DE");
  });

  it("finds an e-mail if the draft has none", () => {
    expect(customerAtIssue(CLIENT, CONTACT, { email: null, attn: null }, "NL")).to.include({
      email: "iris@oost.example",
      attn: "Iris de Wit",
    });
    expect(customerAtIssue(CLIENT, null, { email: "", attn: "Jan" }, "NL")).to.include({
      email: "facturen@oost.example",
      attn: "Jan",
    });
  });
});

describe("a bill-to party handed to another contact", () => {
  it("takes the attention line, and the e-mail where there is one", () => {
    const before = customerOf(CLIENT, null);
    expect(handedTo(before, CONTACT)).to.deep.equal({ ...before, email: "iris@oost.example", attn: "Iris de Wit" });
    expect(handedTo(before, contact({ email: null }))).to.deep.equal({ ...before, attn: "Iris de Wit" });
  });
});
