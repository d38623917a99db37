import { createHash } from "node:crypto";

const words = (text: string) => `array[${text.split(" ").map((word) => `'${word}'`)}]`;
const NAMES = words(
  "jansen bakker visser smit meijer mulder bos vos peters hendriks dekker brouwer dijkstra kok jacobs vermeulen schouten willems hoekstra koster",
);
const TRADES = "techniek advies bouw transport media software logistiek beheer groep catering design energie zorg";

/** Words that each occur in about one name in thirteen. */
export const COMMON_WORDS = ["techniek", "advies", "software", "logistiek"];

/** Selects plausible companies, about 900 bytes of JSON each; both sides of the comparison are filled from it. */
export const companyRows = (count: string): string => `
  select g, name, name || ' B.V.' as legal_name, 'C' || lpad(g::text, 6, '0') as client_number,
    (array['active','lead','archived'])[1 + (random() * 2)::int] as status, 'info' || g || '@example.test' as email,
    '+3120' || lpad((random() * 9999999)::int::text, 7, '0') as phone, 'NL' || lpad(g::text, 9, '0') || 'B01' as vat_number,
    lpad(g::text, 8, '0') as coc_number,
    (array['Hoofdstraat','Kerkweg','Dorpsplein','Stationslaan','Molenpad'])[1 + (random() * 4)::int] as street,
    (1 + (random() * 300)::int)::text as house_number, (1000 + (random() * 8999)::int)::text || ' AB' as postal_code,
    (array['Amsterdam','Utrecht','Rotterdam','Zwolle','Groningen'])[1 + (random() * 4)::int] as city,
    'https://www.company' || g || '.example.test' as website,
    'Notes about company ' || g || ': ' || repeat('lorem ipsum dolor sit amet ', 3) as notes,
    jsonb_build_object('sector', (array['it','bouw','zorg'])[1 + (random() * 2)::int], 'size', (random() * 500)::int) as custom,
    now() - random() * interval '1000 days' as created_at
  from (select g, initcap((${NAMES})[1 + (random() * 19)::int]) || ' ' || initcap((${words(TRADES)})[1 + (random() * 12)::int]) || ' ' ||
      substr(md5(g::text), 1, 6) as name
    from generate_series(1, ${count}::int) g) s`;

/** Fifty parts of names that each occur in one of `rows` companies. */
export const rareWords = (rows: number): string[] =>
  Array.from({ length: 50 }, (_, index) =>
    createHash("md5")
      .update(String(1 + index * Math.floor(rows / 50)))
      .digest("hex")
      .slice(0, 6),
  );

/** The body of a new company; `{n}` becomes a number. */
export const NEW_COMPANY = {
  name: "Visser Techniek {n}",
  legal_name: "Visser Techniek {n} B.V.",
  phone: "+31205551234",
  vat_number: "NL000{n}B01",
  coc_number: "00{n}",
  postal_code: "1234 AB",
  city: "Utrecht",
  country: "NL",
  website: "https://www.company{n}.example.test",
  notes: `Notes about company {n}: ${"lorem ipsum dolor sit amet ".repeat(3)}`,
};
