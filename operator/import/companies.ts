import { request } from "../../core/context.ts";
import { statement } from "../../core/database.ts";
import { query } from "../../core/query.ts";
import { compileBody } from "../../core/schema.ts";
import type { Values } from "../../core/write.ts";
import { changeCompany, createCompany } from "../../services/clients/company-writes.ts";
import { CompanyCreate, CompanyUpdate } from "../../services/clients/schemas.ts";
import type { ImportEntity, StoredRow } from "./entity.ts";
import { matchRows, sameName } from "./matching.ts";

const BY_NUMBER = statement(`select t.* from unnest($2::text[]) w(number)
  join companies t on t.organisation_id = $1 and t.client_number = w.number order by t.id for update of t`);
const BY_NAME = statement(`select t.* from unnest($2::text[]) w(name)
  join companies t on t.organisation_id = $1 and t.name collate kantoor_text = w.name order by t.id for update of t`);

/** People and custom values are no plain cells; they stay with the API. */
const NOT_FROM_CELLS = new Set(["assignees", "responsible_user_id", "custom"]);

/** Companies: matched on the client number, then on an unambiguous name. */
export const companies: ImportEntity = {
  name: "companies",
  fields: Object.keys(CompanyCreate.properties).filter((field) => !NOT_FROM_CELLS.has(field)),
  required: ["name"],
  identity: { number: "client_number", name: "name" },
  checkCreate: compileBody(CompanyCreate, true),
  checkUpdate: compileBody(CompanyUpdate, false),

  async match(rows) {
    const identities = rows.map(({ client_number: number, name }: Values) => ({
      number: number as string | undefined,
      name: name as string | undefined,
    }));
    const { organisation } = request();
    const distinct = (values: (string | undefined)[]) => [...new Set(values.flatMap((value) => value ?? []))];
    const numbered = await query<StoredRow>(BY_NUMBER, [organisation.id, distinct(identities.map(({ number }) => number))]);
    const byNumber = new Map(numbered.map((row) => [row["client_number"] as string, row]));
    const unmatched = identities.filter(({ number }) => number === undefined || !byNumber.has(number));
    const named = await query<StoredRow>(BY_NAME, [
      organisation.id,
      distinct(unmatched.map(({ name }) => name && sameName(name))),
    ]);
    return matchRows(
      identities,
      byNumber,
      Map.groupBy(named, (row) => sameName(row["name"] as string)),
    );
  },

  create: createCompany,
  change: changeCompany,
};
