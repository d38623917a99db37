import { companyAt, personAt } from "./invented.ts";
import { csv, rowsOf, windows1252 } from "./text.ts";

/** Outlook's contacts. */
export function outlook(): Buffer {
  const header = [
    ...["First Name", "Middle Name", "Last Name", "Title", "Suffix", "Initials", "Web Page", "Gender", "Birthday", "Anniversary"],
    ...["Location", "Language", "Notes", "E-mail Address", "E-mail 2 Address", "E-mail 3 Address", "Primary Phone", "Home Phone"],
    ...["Mobile Phone", "Pager", "Home Street", "Home City", "Home Postal Code", "Home Country", "Company Main Phone"],
    ...["Business Phone", "Business Fax", "Company", "Job Title", "Department", "Business Street", "Business City"],
    ...["Business Postal Code", "Business Country", "Sensitivity", "Priority", "Private", "Categories"],
  ];
  const rows = rowsOf((index) => {
    const person = personAt(index);
    const company = companyAt(Math.floor(index / 3));
    return header.map((column): string => {
      const cells: Readonly<Record<string, string>> = {
        "First Name": person.first,
        // The infix of a surname has no column of its own, so it is typed here.
        "Middle Name": index % 2 === 0 ? person.infix : "",
        "Last Name": index % 2 === 0 ? person.last : [person.infix, person.last].filter(Boolean).join(" "),
        Title: index % 3 === 0 ? "Dhr." : "",
        Birthday: "0-0-00",
        Notes: index % 6 === 0 ? 'Zegt "bel na vijven"' : "",
        "E-mail Address": person.email,
        "Mobile Phone": index % 4 === 0 ? "" : person.mobile,
        "Business Phone": index % 4 === 0 ? person.work : "",
        Company: company.name,
        "Job Title": index % 3 === 0 ? "" : person.job,
        "Business City": company.city,
        "Business Country": company.country,
        Sensitivity: "Normal",
        Priority: "Normal",
        Private: "False",
        Categories: "Klanten;Nieuwsbrief",
      };
      return cells[column] ?? "";
    });
  });
  return windows1252(csv([header, ...rows], ",", true).replaceAll("İ", "I"));
}

/** Google's contacts. */
export function google(): string {
  const header = [
    ...["First Name", "Middle Name", "Last Name", "Phonetic First Name", "Phonetic Middle Name", "Phonetic Last Name"],
    ...["Name Prefix", "Name Suffix", "Nickname", "File As", "Organization Name", "Organization Title"],
    ...["Organization Department", "Birthday", "Notes", "Photo", "Labels", "E-mail 1 - Label", "E-mail 1 - Value"],
    ...["Phone 1 - Label", "Phone 1 - Value"],
  ];
  const rows = rowsOf((index) => {
    const person = personAt(index);
    const [first, last] = [person.first, [person.infix, person.last].filter(Boolean).join(" ")];
    const emails = index % 8 === 0 ? `${person.email} ::: prive.${person.email}` : person.email;
    const phones = index % 4 === 0 ? `${person.mobile} ::: ${person.work}` : person.mobile;
    return [
      ...[first, index % 9 === 0 ? "Maria" : "", last, "", "", "", "", "", "", ""],
      ...[index % 5 === 4 ? "" : companyAt(Math.floor(index / 2)).name, person.job, "", ""],
      ...[index % 10 === 0 ? "Ontmoet op de beurs" : "", "", "* myContacts ::: Klanten", "* Work", emails, "Mobile", phones],
    ];
  });
  return csv([header, ...rows], ",");
}

/** Contacts of vCards, a column for each property. */
export function vcards(): string {
  const header = [
    "FN",
    "N",
    "ORG",
    "TITLE",
    "TEL;TYPE=WORK",
    "TEL;TYPE=CELL",
    "EMAIL;TYPE=INTERNET",
    "ADR;TYPE=WORK",
    "NOTE",
    "REV",
  ];
  const rows = rowsOf((index) => {
    const person = personAt(index);
    const company = companyAt(Math.floor(index / 3));
    return [
      person.full,
      index % 5 === 0 ? "" : `${person.last};${person.first};${person.infix};;`,
      `${company.name};Verkoop`,
      person.job,
      index % 3 === 0 ? "" : person.work,
      person.mobile,
      person.email,
      `;;${company.street} ${company.house};${company.city};;${company.postcode};${company.country}`,
      "",
      "20240101T120000Z",
    ];
  });
  return csv([header, ...rows], ",");
}
