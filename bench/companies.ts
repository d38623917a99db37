import { createHash } from "node:crypto";

export { companyRows } from "../operator/seed/company-rows.ts";

/** Words that each occur in about one name in thirteen. */
export const COMMON_WORDS = ["techniek", "advies", "software", "logistiek"];

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
