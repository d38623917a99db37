import { domainToASCII } from "node:url";
import type { Step, StepContext } from "../step.ts";

/** Where a name of the edge provider is stored, and the columns that no two rows may share with it. */
const NAMES = [
  { table: "edge_zones", column: "name", alike: [] },
  { table: "edge_registrations", column: "name", alike: ["account_id"] },
  { table: "edge_page_links", column: "hostname", alike: ["project_id"] },
] as const;
const NOT_ASCII = "~ '[^\\x01-\\x7f]'";

/** A name in ASCII, label by label; one that cannot be converted stays unchanged. */
const asciiOf = (name: string): string =>
  name
    .split(".")
    .map((label) => {
      const converted = domainToASCII(`${label}.a`);
      return converted.endsWith(".a") ? converted.slice(0, -2) : label;
    })
    .join(".")
    .toLowerCase();

/** Converts the names of one table to ASCII. If the ASCII form has a row already, the row in Unicode is deleted: the provider listed it once. */
async function convert({ sql }: StepContext, { table, column, alike }: (typeof NAMES)[number]): Promise<void> {
  const { rows } = await sql(`select distinct ${column} as name from ${table} where ${column} ${NOT_ASCII}`);
  const pairs = rows.map(({ name }) => ({ name: String(name), ascii: asciiOf(String(name)) }));
  const values = [JSON.stringify(pairs.filter(({ name, ascii }) => name !== ascii))];
  const known = "jsonb_to_recordset($1::jsonb) n (name text, ascii text)";
  const same = ["organisation_id", ...alike].map((one) => `o.${one} = t.${one}`).join(" and ");
  if (alike.length > 0)
    await sql(
      `delete from ${table} t using ${known} where t.${column} = n.name
         and exists (select from ${table} o where ${same} and o.${column} = n.ascii)`,
      values,
    );
  await sql(
    `update ${table} t set ${column} = n.ascii, version = t.version + 1, updated_at = statement_timestamp()
       from ${known} where t.${column} = n.name`,
    values,
  );
}

/**
 * Names that the edge provider reported in Unicode, `grüße.example`, in the form that everything else is compared in. A domain with such a
 * registration is held from then on (a trigger of 0036 says so in its row), and its next sync links its zone. Nodes of the version before
 * may store a name in Unicode once more: the next sync of an account replaces it.
 */
const step: Step = {
  async up(context) {
    for (const name of NAMES) await convert(context, name);
  },
};

export default step;
