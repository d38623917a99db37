import { enqueue, queryOne } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { DunningLevel } from "../rules/levels.ts";
import type { InterestRate } from "../rules/rates.ts";

/** How an organisation duns. */
export interface DunningValues {
  enabled: boolean;
  levels: readonly DunningLevel[];
  rates: readonly InterestRate[];
}

const level = (days: number, claims: Partial<DunningLevel> = {}): DunningLevel => ({
  ...{ days, pay_within: 7, texts: [], fee: "0.00", interest: false, costs: false },
  ...claims,
});

/** The levels of an organisation that set none. */
export const USUAL_LEVELS: readonly DunningLevel[] = [
  level(14),
  level(30, { interest: true }),
  level(45, { interest: true, costs: true }),
  level(75, { interest: true, costs: true }),
];

const DEFAULTS: DunningValues & { version: number } = { enabled: false, levels: USUAL_LEVELS, rates: [], version: 1 };

export const READ_DUNNING = statement("select enabled, levels, rates, version from dunning_settings where organisation_id = $1");
const MAKE = statement(
  "insert into dunning_settings (organisation_id, levels) values ($1, $2) on conflict (organisation_id) do nothing",
);
const LOCK = statement("select enabled, levels, rates, version from dunning_settings where organisation_id = $1 for update");
const STORE = statement(`update dunning_settings set enabled = $2, levels = $3, rates = $4, version = version + 1,
  updated_at = statement_timestamp() where organisation_id = $1`);

/** The settings, or their defaults. */
export const readDunning = async (): Promise<DunningValues & { version: number }> =>
  (await queryOne<DunningValues & { version: number }>(READ_DUNNING, [request().organisation.id])) ?? DEFAULTS;

/** The settings, locked until the transaction ends and created if missing. */
export async function lockDunning(): Promise<DunningValues & { version: number }> {
  const { id } = request().organisation;
  enqueue(MAKE, [id, JSON.stringify(USUAL_LEVELS)]);
  return (await queryOne<DunningValues & { version: number }>(LOCK, [id])) as DunningValues & { version: number };
}

/** Stores settings that `lockDunning` has locked. */
export const storeDunning = ({ enabled, levels, rates }: DunningValues): void =>
  enqueue(STORE, [request().organisation.id, enabled, JSON.stringify(levels), JSON.stringify(rates)]);
