import { yearOf } from "../../../core/calendar/calendar.ts";
import { columns, newId, type RowOf } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { breathing } from "../../../core/threads/breath.ts";
import { CompanySettings } from "../models.ts";
import { allocate, candidates, type Numbering } from "./numbering.ts";

const LOCK = statement(`select ${columns(CompanySettings)} from company_settings where organisation_id = $1 for update`);
const FIRST_TOUCH = statement(
  "insert into company_settings (id, organisation_id) values ($1, $2) on conflict (organisation_id) do nothing",
);
const TAKEN = statement("select client_number from companies where organisation_id = $1 and client_number = any($2::text[])");
const ALL_TAKEN = statement("select client_number from companies where organisation_id = $1 and client_number is not null");

/** Completes companies of the running transaction: they keep their first version. */
const ASSIGN = statement(`update companies c set client_number = n.number from unnest($2::uuid[], $3::text[]) n(id, number)
  where c.organisation_id = $1 and c.id = n.id`);

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

/** Numbers that are allocated without a pause. */
const AT_ONCE = 500;

/** A company without a number, and the number that its row names. */
interface Unnumbered {
  id: string;
  named: string | null;
}

/**
 * The numbers of companies that one long transaction creates: assigned in one step at its end. So others can create companies meanwhile,
 * neither waiting for the settings row nor for a number that the transaction has not committed. A transaction that is rolled back leaves no
 * gap.
 */
export class NumbersAtTheEnd {
  readonly #waiting: Unnumbered[] = [];

  /** Creates a company without a number: `create` gets the function that `createCompany` asks for one. @returns the company's id */
  async number(create: (numbered: (named: string | null) => null) => Promise<string>): Promise<string> {
    let named: string | null = null;
    const id = await create((number) => {
      named = number;
      return null;
    });
    this.#waiting.push({ id, named });
    return id;
  }

  /**
   * Assigns the named numbers, and the next ones to the others if numbering is automatic. The settings row stays locked until commit, so
   * call it after all other writes.
   * @returns the ids of companies whose named number another company took meanwhile
   * @throws 409 `errors.companies.client_number_exhausted`
   */
  async assign(): Promise<Set<string>> {
    if (this.#waiting.length === 0) return new Set();
    const named = this.#waiting.flatMap((one) => one.named ?? []);
    const open = this.#waiting.flatMap((one) => (one.named === null ? one.id : []));
    const numbering = open.length > 0 ? await lockNumbering() : null;
    const inUse = await takenOf(named);
    const made = numbering?.client_number_auto ? await this.#next(numbering, open.length, new Set(named)) : [];
    const numberOf = new Map(made.map((number, index) => [open[index] as string, number]));
    const refused = new Set<string>();
    for await (const { id, named: number } of breathing(this.#waiting)) {
      if (number !== null && inUse.has(number)) refused.add(id);
      else if (number !== null) numberOf.set(id, number);
    }
    enqueue(ASSIGN, [request().organisation.id, [...numberOf.keys()], [...numberOf.values()]]);
    return refused;
  }

  async #next(numbering: StoredNumbering, count: number, claimed: ReadonlySet<string>): Promise<string[]> {
    const taken = await allNumbers();
    const [year, isTaken] = [organisationYear(), (number: string) => taken.has(number) || claimed.has(number)];
    const numbers: string[] = [];
    let after: Numbering = numbering;
    for await (const from of breathing(Array(Math.ceil(count / AT_ONCE)).keys())) {
      const made = allocate(after, year, Math.min(AT_ONCE, count - from * AT_ONCE), isTaken);
      if (!made) throw conflict("errors.companies.client_number_exhausted");
      numbers.push(...made.numbers);
      after = made.after;
    }
    if (count > 0) storeSequence(numbering.id, after);
    return numbers;
  }
}

/** Stores the sequence after an allocation. */
export function storeSequence(id: string, after: Numbering): void {
  queueUpdate(CompanySettings, id, {
    client_number_next_seq: after.client_number_next_seq,
    client_number_seq_year: after.client_number_seq_year,
  });
}
