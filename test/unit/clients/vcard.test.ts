import { expect } from "chai";
import ICAL from "ical.js";
import { type CardFacts, vcardOf } from "../../../services/clients/contacts/vcard.ts";

const CONTACT: CardFacts = {
  id: "0198d0b2-6f0a-7c3e-9b1a-2f4d5e6a7b8c",
  first_name: "Zoë",
  last_name: "de Vries",
  job_title: "Hoofd; inkoop, verkoop",
  email: "zoe@example.com",
  phone: "+31302312345",
  other_emails: [],
  other_phones: [],
  birthday: null,
  notes: "First line\r\nSecond \\ line, with all",
  companies: [{ name: "Bakkerij; De Korenaar, Utrecht" }, { name: "Other" }],
  updated_at: "2026-11-30T10:00:00+01:00",
};

/** Values by property, as another program reads them. */
const read = (text: string) => {
  const [, properties] = ICAL.parse(text) as [string, [string, object, string, unknown][]];
  return Object.fromEntries(properties.map(([name, , , value]) => [name, value]));
};

describe("a contact as a vCard", () => {
  it("is read back with every character", () => {
    expect(read(vcardOf(CONTACT))).to.deep.include({
      fn: "Zoë de Vries",
      n: ["de Vries", "Zoë", "", "", ""],
      email: "zoe@example.com",
      note: "First line\nSecond \\ line, with all",
      uid: `urn:uuid:${CONTACT.id}`,
    });
    const text = vcardOf(CONTACT);
    // RFC 2426 §4 escapes semicolons in every text.
    expect(text).to.contain("\r\nTITLE:Hoofd\\; inkoop\\, verkoop\r\n");
    expect(text).to.contain("\r\nORG:Bakkerij\\; De Korenaar\\, Utrecht\r\n");
    expect(text).to.contain("\r\nREV:2026-11-30T09:00:00.000Z\r\n");
  });

  it("leaves out what the contact does not have", () => {
    const bare = { ...CONTACT, last_name: null, job_title: null, email: null, phone: null, notes: null, companies: [] };
    expect(vcardOf(bare).split("\r\n")).to.deep.equal([
      "BEGIN:VCARD",
      "VERSION:3.0",
      "PRODID:-//Kantoor//Contacts//EN",
      `UID:urn:uuid:${CONTACT.id}`,
      "REV:2026-11-30T09:00:00.000Z",
      "FN:Zoë",
      "N:;Zoë;;;",
      "END:VCARD",
      "",
    ]);
  });

  it("has all addresses and numbers, under the types and labels that address books read, and the birthday", () => {
    const text = vcardOf({
      ...CONTACT,
      other_emails: [
        { label: "privé", email: "zoe@home.example" },
        { label: "Bestuur", email: "bestuur@example.org" },
      ],
      other_phones: [
        { label: "mobile", phone: "+31612345678" },
        { label: null, phone: "+31201234567" },
      ],
      birthday: "1980-02-29",
    });
    expect(text).to.contain(
      [
        "EMAIL;TYPE=INTERNET:zoe@example.com",
        "TEL;TYPE=WORK,VOICE:+31302312345",
        "EMAIL;TYPE=HOME,INTERNET:zoe@home.example",
        "email2.EMAIL;TYPE=INTERNET:bestuur@example.org",
        "email2.X-ABLabel:Bestuur",
        "TEL;TYPE=CELL,VOICE:+31612345678",
        "TEL;TYPE=VOICE:+31201234567",
        "BDAY:1980-02-29",
      ].join("\r\n"),
    );
    expect(read(text)).to.include({ bday: "1980-02-29" });
  });

  it("has lines of at most 75 octets", () => {
    for (const line of vcardOf({ ...CONTACT, notes: "é".repeat(500) }).split("\r\n"))
      expect(Buffer.byteLength(line)).to.be.at.most(75);
  });
});
