import { companyAt, of } from "./invented.ts";
import { csv, rowsOf, windows1252 } from "./text.ts";

/** HubSpot's companies. */
export function hubspot(): string {
  const header = [
    ...["Record ID", "Company name", "Company owner", "Create Date", "Phone Number", "Last Activity Date", "City"],
    ...["Country/Region", "Industry", "Company Domain Name", "Street Address", "Postal Code", "Website URL", "Lifecycle Stage"],
    "Description",
  ];
  const stages = ["Customer", "Lead", "Opportunity", "Marketing Qualified Lead", "Evangelist", "Other"];
  const countries: Readonly<Record<string, string>> = { NL: "Netherlands", BE: "Belgium", DE: "Germany" };
  const rows = rowsOf((index) => {
    const { name, host, city, code, postcode, phone, street, house } = companyAt(index);
    return [
      ...[7_400_000_001 + index, index % 50 === 49 ? "" : name, "Sam Owner", "2023-05-01 09:30", phone, "", city],
      ...[countries[code] as string, "RETAIL", host, `${street} ${house}`, postcode, `https://www.${host}`, of(stages, index)],
      index % 4 === 0 ? `"Vaste klant", sinds jaren.\nBelt op maandag.` : "",
    ];
  });
  return csv([header, ...rows], ",", true);
}

/** Moneybird's contacts, companies and private persons. */
export function moneybird(): string {
  const header = [
    ...["Klantnummer", "Bedrijfsnaam", "Voornaam", "Achternaam", "Adresregel 1", "Adresregel 2", "Postcode", "Plaats", "Land"],
    ...["Telefoonnummer", "E-mailadres", "Facturen versturen naar", "KvK-nummer", "Btw-nummer", "IBAN", "Betalingstermijn"],
  ];
  const rows = rowsOf((index) => {
    const company = companyAt(index);
    const { person } = company;
    const isPrivate = index % 10 === 9;
    const last = [person.infix, person.last].filter(Boolean).join(" ");
    return [
      ...[company.number, isPrivate ? "" : company.name, index % 3 === 0 || isPrivate ? person.first : ""],
      ...[index % 3 === 0 || isPrivate ? last : "", `${company.street} ${company.house}`, index % 7 === 0 ? "2e etage" : ""],
      ...[company.postcode, company.city, company.code, company.phone, `info@${company.host}`, company.email],
      ...[company.coc, company.vat, "", 30],
    ];
  });
  return csv([header, ...rows], ",");
}

/** Exact Online's relations. */
export function exact(): Buffer {
  const header = [
    ...["Code", "Naam", "Zoekcode", "Status", "Adres", "Postcode", "Plaats", "Land", "Telefoon", "E-mail", "Website"],
    ...["BTW-nummer", "KvK-nummer", "Kredietlimiet", "Opmerkingen"],
  ];
  const states = ["Klant", "Prospect", "Suspect", "Geen"];
  const rows = rowsOf((index) => {
    const company = companyAt(index);
    const { name, number, street, house, postcode, city, country, phone, email, host, vat, coc } = company;
    return [
      ...[number, name, name.slice(0, 8).toUpperCase(), of(states, index), `${street} ${house}`, postcode, city, country, phone],
      ...[
        email,
        `www.${host}`,
        vat,
        coc,
        `€ ${1 + (index % 9)}.500,00`,
        index % 5 === 0 ? `Tarief € ${60 + (index % 40)} per uur` : "",
      ],
    ];
  });
  return windows1252(csv([header, ...rows], ";"));
}
