import { columns, type InsertOf, type RowOf } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueUpdate, type Values } from "../../../core/database/write.ts";
import { newValues } from "../../../core/impex/changes.ts";
import type { ImpexEntity, ImportRows, Opened, Outcome } from "../../../core/impex/entity.ts";
import { askedIds, type Identified, knownIds, rememberedId } from "../../../core/impex/identity.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { type Match, matchRows, namesakesAmong, sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import { flag, optional, readInstant } from "../../../core/schema/schema.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import { Product } from "../settings/models.ts";
import { ProductCreate, ProductUpdate } from "../settings/product-schemas.ts";
import { productValues } from "../settings/product-values.ts";
import { NamedTaxRates } from "./named-tax-rates.ts";
import { PRODUCT_COLUMNS } from "./product-columns.ts";

const COLUMNS = `t.id, t.code as number, t.name, true as is_visible`;
const BY_ID = statement(`select ${COLUMNS} from unnest($2::uuid[]) w(id) join products t on t.organisation_id = $1 and t.id = w.id
  order by t.id for no key update of t`);
const BY_CODE = statement(`select ${COLUMNS} from products t where t.organisation_id = $1 and t.code = any($2::text[])
  order by t.id for no key update of t`);
const BY_NAME = statement(`select ${COLUMNS} from unnest($2::text[]) w(name)
  join products t on t.organisation_id = $1 and t.name collate kantoor_text = w.name order by t.id for no key update of t`);
const IDS =
  statement(`select coalesce(json_agg(t.id order by t.position, t.name collate "C", t.created_at, t.id), '[]') as ids from products t
  where t.organisation_id = $1 and (t.active or $2) and ($3::timestamptz is null or t.updated_at >= $3)`);
const ROWS = statement(`select ${columns(Product, "t")} from unnest($2::uuid[]) with ordinality w(id, n)
  join products t on t.organisation_id = $1 and t.id = w.id order by w.n`);

const checkCreate: CheckFor<typeof ProductCreate> = compileBody(ProductCreate, true);
const checkUpdate: CheckFor<typeof ProductUpdate> = compileBody(ProductUpdate, false);

type StoredProduct = Identified & { number: string | null; name: string };
type StoredRow = RowOf<typeof Product>;

const readRows = (ids: readonly string[]): Promise<StoredRow[]> => query<StoredRow>(ROWS, [request().organisation.id, ids]);

/** Matches rows with stored products and locks those: by id, then by code, then by a unique name. */
async function match(rows: ImportRows) {
  const organisation = request().organisation.id;
  const identities = await Array.fromAsync(rows, (row) => ({
    id: row["id"] as string | undefined,
    number: (row["code"] as string | undefined)?.trim() ? (row["code"] as string) : undefined,
    name: row["name"] as string | undefined,
  }));
  const ids = [...new Set(identities.flatMap(({ id }) => id ?? []))];
  const { byId } = knownIds("product", ids, await query<StoredProduct>(BY_ID, [organisation, askedIds("product", ids)]));
  const codes = await query<StoredProduct>(BY_CODE, [
    organisation,
    [...new Set(identities.flatMap(({ number }) => number ?? []))],
  ]);
  const names = [...new Set(identities.flatMap(({ name }) => (name === undefined ? [] : sameName(name))))];
  const named = await query<StoredProduct>(BY_NAME, [organisation, names]);
  const byNumber = new Map(codes.map((one) => [one.number as string, one]));
  const byName = Map.groupBy(named, ({ name }) => sameName(name));
  return { matches: await matchRows<StoredProduct>(identities, { byId, byNumber, byName }), byNumber };
}

/** A row as a body, or the error of its tax rate. */
function bodyOf(row: Values, rates: NamedTaxRates): { body: Values } | { refused: Record<string, string> } {
  const { id: _id, tax_rate: word, position, ...rest } = row;
  // Numbers in a spreadsheet are exact text.
  const body: Values = { ...rest, ...(position !== undefined && { position: Number(position) }) };
  if (word === undefined) return { body };
  const tax_rate_id = rates.idOf(word as string);
  if (tax_rate_id === undefined) return { refused: { tax_rate: "impex.errors.unresolved_reference" } };
  return { body: { ...body, tax_rate_id } };
}

function create(body: Values, id: string | undefined): Outcome {
  checkCreate(body);
  const values = productValues(body) as InsertOf<typeof Product>;
  queueInsert(Product, id === undefined ? values : { ...values, id: rememberedId("product", id) });
  return "created";
}

function change(before: StoredRow, said: Values): Outcome {
  const body = newValues(before as unknown as Values, said);
  if (Object.keys(body).length === 0) return "unchanged";
  checkUpdate(body);
  const changed = differences(before, productValues(body));
  if (!changed) return "unchanged";
  queueUpdate(Product, before.id, changed);
  return "updated";
}

const COLUMN_OF = { id: "id", number: "code", name: "name" } as const;

async function open(rows: ImportRows): Promise<Opened> {
  const rates = await NamedTaxRates.open();
  const { matches, byNumber } = await match(rows);
  let stored = new Map<string, StoredRow>();
  return {
    async load(from, to) {
      const asked = matches.slice(from, to).flatMap((found) => ("change" in found ? found.change.id : []));
      stored = new Map(asked.length > 0 ? (await readRows(asked)).map((row) => [row.id, row]) : []);
    },
    async write(index) {
      const found = matches[index] as Match<StoredProduct>;
      if ("refuse" in found) return { [COLUMN_OF[found.refuse]]: "errors.duplicate" };
      const row = rows.at(index);
      const holder = byNumber.get(row["code"] as string);
      // A code of another product: without this check, the database would reject the whole file.
      if (holder && "change" in found && found.change.id !== holder.id) return { code: "errors.duplicate" };
      const read = bodyOf(row, rates);
      if ("refused" in read) return read.refused;
      try {
        if ("create" in found) return create(read.body, row["id"] as string | undefined);
        return change(stored.get(found.change.id) as StoredRow, read.body);
      } catch (error) {
        return refusedBy(error);
      }
    },
    namesakes: namesakesAmong(matches),
    words: { tax_rate: rates.words },
  };
}

/** Products and services for lines of documents. */
export const product: ImpexEntity = {
  name: "product",
  plural: "products",
  read: "invoicing.invoice.read:any",
  write: "invoicing.settings.manage",
  fields: PRODUCT_COLUMNS,
  identity: { keys: ["code"], names: ["name"] },
  matching:
    "Rows match on id if the file is an export, then on code, then on a unique name. tax_rate is the name of a tax rate in any language, a percentage that only one rate has, or an id.",
  open,
  filters: { include_inactive: optional(flag(false)) },
  everything: { include_inactive: true },
  async ids({ include_inactive: all = false, updated_since: since }) {
    const values = [request().organisation.id, all, since === undefined ? null : readInstant(since as string)];
    return (await queryOne<{ ids: string[] }>(IDS, values))?.ids ?? [];
  },
  async rows(wanted) {
    const [rates, found] = [await NamedTaxRates.open(), await readRows(wanted)];
    return found.map((row) => ({ ...row, tax_rate: row.tax_rate_id && rates.wordOf(row.tax_rate_id) }));
  },
};
