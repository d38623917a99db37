import { yearOf } from "../../../core/calendar/calendar.ts";
import { columns, newId, type RowOf } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { update } from "../../../core/database/write.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { CompanySettings } from "../models.ts";
import { allocate, candidates, type Numbering } from "./numbering.ts";

const LOCK = statement(`select ${columns(CompanySettings)} from company_settings where organisation_id = $1 for update`);
const FIRST_TOUCH = statement(
  "insert into company_settings (id, organisation_id) values ($1, $2) on conflict (organisation_id) do nothing",
);
const TAKEN = statement("select client_number from companies where organisation_id = $1 and client_number = any($2::text[])");
const ALL_TAKEN = statement("select client_number from companies where organisation_id = $1 and client_number is not null");

export type StoredNumbering = RowOf<typeof CompanySettings>;

/** The numbering of the organisation, locked until the transaction ends; created with defaults on first use. */
export async function lockNumbering(): Promise<StoredNumbering> {
  const { organisation } = request();
  const stored = await queryOne<StoredNumbering>(LOCK, [organisation.id]);
  if (stored) return stored;
  await query(FIRST_TOUCH, [newId(), organisation.id]);
  return (await queryOne<StoredNumbering>(LOCK, [organisation.id])) as StoredNumbering;
}

/** The current year in the organisation's zone. */
export const organisationYear = (): number => yearOf(organisationToday());

/** Which of the numbers are in use, including by companies the caller does not see. */
async function takenOf(numbers: string[]): Promise<Set<string>> {
  const rows = await query<{ client_number: string }>(TAKEN, [request().organisation.id, numbers]);
  return new Set(rows.map(({ client_number: number }) => number));
}

/**
 * The next number, or null when numbering is not automatic. The settings row stays locked until commit, so concurrent creates never
 * collide. The first attempt takes the next number without a check, as it is nearly always free; if the constraint rejects it, the retry
 * checks which numbers are in use.
 * @throws 409 `errors.companies.client_number_exhausted`
 */
export async function nextNumber(): Promise<string | null> {
  const { attempt, retryableConstraints } = request();
  const numbering = await lockNumbering();
  if (!numbering.client_number_auto) return null;
  const year = organisationYear();
  const taken = attempt === 1 ? new Set<string>() : await takenOf([...candidates(numbering, year)].map(({ number }) => number));
  const made = allocate(numbering, year, 1, (number) => taken.has(number));
  if (!made) throw conflict("errors.companies.client_number_exhausted");
  retryableConstraints.add("companies_client_number_key");
  storeSequence(numbering.id, made.after);
  return made.numbers[0] as string;
}

/** All numbers in use, including by companies the caller does not see. */
export async function allNumbers(): Promise<Set<string>> {
  const rows = await query<{ client_number: string }>(ALL_TAKEN, [request().organisation.id]);
  return new Set(rows.map(({ client_number: number }) => number));
}

/**
 * The next `count` numbers, or null when numbering is not automatic. The settings row stays locked until commit.
 * @param claimed numbers about to be assigned otherwise
 * @throws 409 `errors.companies.client_number_exhausted`
 */
export async function nextNumbers(count: number, claimed: ReadonlySet<string>): Promise<string[] | null> {
  const numbering = await lockNumbering();
  if (!numbering.client_number_auto) return null;
  const taken = await allNumbers();
  const made = allocate(numbering, organisationYear(), count, (number) => taken.has(number) || claimed.has(number));
  if (!made) throw conflict("errors.companies.client_number_exhausted");
  storeSequence(numbering.id, made.after);
  return made.numbers;
}

/** Stores the sequence after an allocation. */
export function storeSequence(id: string, after: Numbering): void {
  update(CompanySettings, id, {
    client_number_next_seq: after.client_number_next_seq,
    client_number_seq_year: after.client_number_seq_year,
  });
}
