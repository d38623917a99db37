const words = (text: string) => `array[${text.split(" ").map((word) => `'${word}'`)}]`;
const NAMES = words(
  "jansen bakker visser smit meijer mulder bos vos peters hendriks dekker brouwer dijkstra kok jacobs vermeulen schouten willems hoekstra koster",
);
const TRADES = "techniek advies bouw transport media software logistiek beheer groep catering design energie zorg";

/**
 * Selects plausible companies, about 900 bytes of JSON each. Their values are random: `setseed` makes them the same in every run.
 * @param last SQL: the number of the last one
 * @param first SQL: that of the first one
 */
export const companyRows = (last: string, first = "1"): string => `
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
    from generate_series(${first}::int, ${last}::int) g) s`;
