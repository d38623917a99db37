import { enqueue, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

/** The settings of an organisation; one that never saved any has the version of its first row. */
export interface BankSettingsValues {
  match_exact: boolean;
  version: number;
}

const DEFAULTS: BankSettingsValues = { match_exact: false, version: 1 };
const READ = statement("select match_exact, version from bank_settings where organisation_id = $1");
const MAKE = statement("insert into bank_settings (organisation_id) values ($1) on conflict (organisation_id) do nothing");
const LOCK = statement("select match_exact, version from bank_settings where organisation_id = $1 for update");
const STORE = statement(`update bank_settings set match_exact = $2, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1`);

/** The settings, or their defaults. */
export async function readBankSettings(): Promise<BankSettingsValues> {
  return (await queryOne<BankSettingsValues>(READ, [request().organisation.id])) ?? DEFAULTS;
}

/** The settings, locked until the transaction ends and created if missing. */
export async function lockBankSettings(): Promise<BankSettingsValues> {
  const { id } = request().organisation;
  enqueue(MAKE, [id]);
  return (await queryOne<BankSettingsValues>(LOCK, [id])) as BankSettingsValues;
}

/** Stores settings that `lockBankSettings` has locked. */
export const storeBankSettings = (matchExact: boolean): void => enqueue(STORE, [request().organisation.id, matchExact]);

/** Whether an upload books exact matches at once. */
export const isMatchingExactly = async (): Promise<boolean> => (await readBankSettings()).match_exact;
