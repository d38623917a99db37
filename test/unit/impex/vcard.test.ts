import { expect } from "chai";
import { vcardOf } from "../../../services/clients/contacts/vcard.ts";
import { bytes, read, refusal } from "./support.ts";

/** The rows of cards, each by its filled columns. */
const rowsOf = async (text: string) => {
  const { headers, rows } = await read(bytes(text));
  return rows.map(({ row, cells }) => ({
    row,
    ...Object.fromEntries(headers.map((header, at) => [header, cells[at]]).filter(([, cell]) => cell !== "")),
  }));
};
const cardOf = (...lines: readonly string[]) => `${["BEGIN:VCARD", ...lines, "END:VCARD"].join("\r\n")}\r\n`;

describe("cards of people as a sheet", () => {
  it("of an address book of Apple: groups, labels, a folded line, a year that is left out, a company", async () => {
    const person = cardOf(
      "VERSION:3.0",
      "N:de Vries;Anna;;;",
      "FN:Anna de Vries",
      "ORG:Zeilmakerij Wind;Verkoop;",
      "EMAIL;type=INTERNET;type=HOME:anna@home.example",
      "item1.EMAIL;type=INTERNET;type=pref:anna@wind.example",
      "item2.TEL;type=pref:+31 6 12345678",
      "item3.TEL:030 2345678",
      "item3.X-ABLabel:_$!<Work>!$_",
      "item4.ADR;type=HOME:;;Dorpsstraat 1;Utrecht;;3511 AA;Nederland",
      "NOTE:Belt liever\\, dan dat ",
      " zij schrijft\\nna zes uur",
      "BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12",
      "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ",
      " SkZJRgABAQ==",
    );
    const company = cardOf("VERSION:3.0", "N:;;;;", "FN:Wind B.V.", "ORG:Wind B.V.", "X-ABShowAs:COMPANY");
    expect(await rowsOf(person + company)).to.deep.equal([
      {
        row: 2,
        ...{ EMAIL: "anna@wind.example", other_emails: "home: anna@home.example" },
        ...{ TEL: "+31 6 12345678", other_phones: "work: 030 2345678" },
        ...{ N: "de Vries;Anna", FN: "Anna de Vries", ORG: "Zeilmakerij Wind", "ORG unit": "Verkoop" },
        ADR: ";;Dorpsstraat 1;Utrecht;;3511 AA;Nederland",
        NOTE: "Belt liever, dan dat zij schrijft\nna zes uur",
        "BDAY without a year": "1604-04-12",
        PHOTO: "(data)",
      },
      { row: 3, FN: "Wind B.V.", ORG: "Wind B.V.", is_company: "company" },
    ]);
  });

  it("of Outlook, vCard 2.1: quoted-printable over lines, bare types, another character set", async () => {
    const card = cardOf(
      "VERSION:2.1",
      "N;LANGUAGE=nl;CHARSET=Windows-1252;ENCODING=QUOTED-PRINTABLE:M=FCller;J=FCrgen",
      "TEL;WORK;VOICE:+49 30 1234567",
      "TEL;CELL;VOICE:+49 151 1234567",
      "EMAIL;PREF;INTERNET:jm@wind.example",
      "NOTE;ENCODING=QUOTED-PRINTABLE:Erste Zeile=0D=0A=",
      "zweite =C3=BCber Zeile",
      "PHOTO;TYPE=JPEG;ENCODING=BASE64:",
      "/9j/4AAQSkZJRgABAQ",
      "",
      "BDAY:19850412",
      "TITLE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Geschäftsführer 😀 f=C3=BCr=20alles",
    );
    expect(await rowsOf(card)).to.deep.equal([
      {
        row: 2,
        ...{ EMAIL: "jm@wind.example", TEL: "+49 30 1234567", other_phones: "mobile: +49 151 1234567" },
        ...{ N: "Müller;Jürgen", NOTE: "Erste Zeile\r\nzweite über Zeile", PHOTO: "(data)", BDAY: "1985-04-12" },
        TITLE: "Geschäftsführer 😀 für alles",
      },
    ]);
  });

  it("of vCard 4.0: addresses with a scheme, quoted parameters, preferences by number", async () => {
    const card = cardOf(
      "VERSION:4.0",
      'N;SORT-AS="Berg:a,b":van den Berg;Kees;;;',
      "TEL;VALUE=uri;TYPE=home:tel:+31-30-2345678",
      'TEL;VALUE=uri;PREF=1;TYPE="voice,cell":tel:+31-6-12345678;ext=12',
      "EMAIL:mailto:kees@wind.example",
      "BDAY:--0412",
      "TITLE:Directeur",
      "TITLE:Voorzitter",
    );
    expect(await rowsOf(card)).to.deep.equal([
      {
        row: 2,
        ...{ EMAIL: "kees@wind.example", TEL: "+31-6-12345678", other_phones: "home: +31-30-2345678" },
        "TEL extension": "12",
        ...{ N: "van den Berg;Kees", "BDAY without a year": "--0412", TITLE: "Directeur", "TITLE (2)": "Voorzitter" },
      },
    ]);
  });

  it("are those that the service writes", async () => {
    const card = vcardOf({
      ...{ id: "01a231cf-cafa-749c-9ec6-c9434be5d951", first_name: "Eva", last_name: "de Wit", job_title: "Eigenaar" },
      ...{ email: "eva@wind.example", phone: "+31612345678", birthday: "1990-02-03", notes: "Eén; twee, \\ drie\nvier" },
      other_emails: [{ label: "thuis", email: "eva@home.example" }],
      other_phones: [{ label: "Boot", phone: "+31302345678" }],
      companies: [{ name: "Wind; Zeil" }],
      updated_at: "2026-03-02T10:00:00Z",
    });
    expect(await rowsOf(card)).to.deep.equal([
      {
        row: 2,
        ...{ EMAIL: "eva@wind.example", other_emails: "home: eva@home.example", TEL: "+31612345678" },
        ...{ other_phones: "boot: +31302345678", FN: "Eva de Wit", N: "de Wit;Eva", ORG: "Wind  Zeil", TITLE: "Eigenaar" },
        ...{ BDAY: "1990-02-03", NOTE: "Eén; twee, \\ drie\nvier" },
      },
    ]);
  });

  for (const [what, text, message] of [
    ["a card that is cut off", "BEGIN:VCARD\r\nFN:Anna\r\n", /no end/],
    ["a line that is none", cardOf("FN:Anna", "Anna"), /without a colon: Anna/],
  ] as const)
    it(`are refused with ${what}`, async () => {
      expect((await refusal(bytes(text))).message).to.match(message);
    });

  it("are not every text that begins with that word", async () => {
    expect((await read(bytes("begin,name\n1,Anna\n"))).headers).to.deep.equal(["begin", "name"]);
  });
});
