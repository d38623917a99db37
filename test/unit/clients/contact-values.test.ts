import { expect } from "chai";
import type { ApiError } from "../../../core/errors/errors.ts";
import { contactValues } from "../../../services/clients/contacts/contact-values.ts";

const refusedBy = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return (error as ApiError & { data: { fields: unknown } }).data.fields;
  }
  return null;
};

describe("values of a contact", () => {
  const stored: [what: string, sent: object, expected: object][] = [
    ["only what was sent", { first_name: "Anna" }, { first_name: "Anna" }],
    ["no links and no custom values", { first_name: "A", company_ids: ["x"], custom: { a: 1 } }, { first_name: "A" }],
    ["an e-mail without the spaces around it, its case kept", { email: "  Anna@Example.COM " }, { email: "Anna@Example.COM" }],
    ["an e-mail of any form", { email: "not an address" }, { email: "not an address" }],
    [
      "blanks as null",
      { last_name: " ", job_title: "", email: "\t", phone: "  ", notes: "\n" },
      { last_name: null, job_title: null, email: null, phone: null, notes: null },
    ],
    [
      "names without the blanks around them",
      { first_name: " Anna  M. ", last_name: " de Vries " },
      { first_name: "Anna  M.", last_name: "de Vries" },
    ],
    ["other texts as typed", { job_title: " Chef " }, { job_title: " Chef " }],
    ["a national phone in the organisation's country", { phone: "030 231 2345" }, { phone: "+31302312345" }],
    ["an international phone as such", { phone: "+32 2 555 12 12" }, { phone: "+3225551212" }],
    ["notes without raw HTML", { notes: "**a** <b>b</b><script>c</script>" }, { notes: "**a** b" }],
    ["null where it clears", { last_name: null, phone: null }, { last_name: null, phone: null }],
  ];
  for (const [what, sent, expected] of stored)
    it(`stores ${what}`, () => {
      expect(contactValues({ ...sent }, null, "NL")).to.deep.equal(expected);
    });

  it("reads a national phone in the country given", () => {
    expect(contactValues({ phone: "02 555 12 12" }, null, "BE")).to.deep.equal({ phone: "+3225551212" });
  });

  it("refuses a phone its plan does not know, and a first name of spaces, both at once", () => {
    expect(refusedBy(() => contactValues({ first_name: " ", phone: "12" }, null, "NL"))).to.deep.equal({
      first_name: "errors.validation",
      phone: "errors.invalid_phone",
    });
  });

  it("leaves a stored phone alone that is sent back unchanged, in any form", () => {
    expect(contactValues({ phone: "ask Jan" }, { phone: "ask Jan" }, "NL")).to.deep.equal({ phone: "ask Jan" });
    expect(refusedBy(() => contactValues({ phone: "ask Piet" }, { phone: "ask Jan" }, "NL"))).to.deep.equal({
      phone: "errors.invalid_phone",
    });
  });
});
