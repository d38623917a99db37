import { expect } from "chai";
import { readCell, wordsFor } from "../../../core/impex/field.ts";
import { addressesIn, numbersIn } from "../../../core/impex/files/lists.ts";
import { knownHeaders } from "../../../core/impex/mapping.ts";
import { countryCode } from "../../../core/values/countries.ts";
import { COMPANY_COLUMNS } from "../../../services/clients/sheets/company-columns.ts";
import { CONTACT_COLUMNS } from "../../../services/clients/sheets/contact-columns.ts";
import { splitName, vcardName } from "../../../services/clients/sheets/person-names.ts";

describe("words of a file", () => {
  it("name countries in Dutch, English and German, or by code; two letters stay as they are", () => {
    const table: Record<string, readonly string[]> = {
      NL: ["Nederland", "netherlands", "The Netherlands", "Niederlande", "NLD", "Holland"],
      BE: ["België", "Belgie", "Belgium", "Belgien"],
      DE: ["Duitsland", "Germany", "Deutschland"],
      GB: ["Verenigd Koninkrijk", "United Kingdom", "UK", "U.K.", "Vereinigtes Königreich"],
      US: ["Verenigde Staten", "USA", "VS", "Vereinigte Staaten"],
    };
    for (const [code, names] of Object.entries(table)) for (const name of names) expect(countryCode(name), name).to.equal(code);
    expect([countryCode("nl"), countryCode("XX"), countryCode("Atlantis")]).to.deep.equal(["nl", "XX", undefined]);
  });

  it("read a company's status in three languages and as HubSpot does, and name the alternatives", () => {
    const status = COMPANY_COLUMNS.find(({ key }) => key === "status");
    if (!status) throw new Error("companies have a status");
    const table = {
      lead: ["Prospect", "suspect", "Interessent", "Marketing Qualified Lead"],
      active: ["Actief", "KLANT", "customer", "Aktiv", "Bestandskunde"],
      archived: ["gearchiveerd", "Inactive", "inaktiv"],
    };
    for (const [value, words] of Object.entries(table))
      for (const word of words) expect(readCell(status, word), word).to.deep.equal({ value });
    expect(readCell(status, "Geen")).to.deep.equal({ value: undefined });
    expect(readCell(status, "weg")).to.deep.equal({ error: "impex.errors.invalid_option" });
    expect(wordsFor(status)).to.include.members(["lead", "prospect", "actief", "kunde"]).and.not.include("");
  });

  it("are several numbers or addresses only where every part is one", () => {
    const numbers: Record<string, string[]> = {
      "020-1234567 ::: 06-12345678": ["020-1234567", "06-12345678"],
      "020-1234567 / 06-12345678": ["020-1234567", "06-12345678"],
      "030-2300000 of 06-12345678": ["030-2300000", "06-12345678"],
      "0221/221000": ["0221/221000"],
      "020-1234567, toestel 12": ["020-1234567, toestel 12"],
      "020-1234567; ": ["020-1234567"],
    };
    for (const [text, parts] of Object.entries(numbers)) expect(numbersIn(text), text).to.deep.equal(parts);
    expect(addressesIn("a@b.nl; c@d.nl")).to.deep.equal(["a@b.nl", "c@d.nl"]);
    expect(addressesIn("a@b.nl c@d.nl")).to.deep.equal(["a@b.nl", "c@d.nl"]);
    expect(addressesIn("Jan <a@b.nl>")).to.deep.equal(["Jan <a@b.nl>"]);
  });

  it("name the numbers of a contact as Outlook does in Dutch", () => {
    const known = knownHeaders([], CONTACT_COLUMNS);
    for (const header of ["Telefoon op werk", "Zakelijke telefoon", "Mobiele telefoon", "Telefoon thuis"])
      expect(known([header]), header).to.equal(1);
  });

  it("are full names, with the prefix of a surname in the surname", () => {
    const names: Record<string, [string, string]> = {
      "Jan van der Berg": ["Jan", "van der Berg"],
      "Berg, Jan van der": ["Jan", "van der Berg"],
      "Dhr. J. Jansen": ["J.", "Jansen"],
      "De heer Jan de Vries": ["Jan", "de Vries"],
      Madonna: ["Madonna", ""],
    };
    for (const [full, [first, last]] of Object.entries(names)) expect(splitName(full), full).to.deep.equal({ first, last });
    expect(vcardName("Berg;Jan;van der;;")).to.deep.equal({ first: "Jan", last: "van der Berg" });
    expect(vcardName("Bos;Eva;Maria;;")).to.deep.equal({ first: "Eva Maria", last: "Bos" });
  });
});
