import { query, queryOne } from "../core/database/query.ts";
import { invalid, refusal } from "../core/errors/errors.ts";
import { request } from "../core/request/context.ts";
import { type Assignee, type Candidate, heirOf, newlyNamed, remainingOf } from "../core/rules/roster.ts";
import { statement } from "../core/sql/statement.ts";

declare const resolved: unique symbol;

/**
 * A roster that can be stored. Only the functions of this file make one, so that no way to new work can leave out the question who can get it
 * (work chapter §1, "Who gets new work").
 */
export type ResolvedRoster = readonly Assignee[] & { readonly [resolved]: true };

/** The roster that new work inherited. */
export interface Inherited {
  readonly roster: ResolvedRoster;
  /** True if the work has no assignee only because those who would have got it are inactive or gone. */
  readonly isOrphaned: boolean;
}

const asResolved = (roster: readonly Assignee[]) => roster as ResolvedRoster;

/** Work that nobody was to get. */
export const NO_ONE: Inherited = { roster: asResolved([]), isOrphaned: false };

/** SQL: whether an account can get new work in organisation `$1`. @param account SQL of its id */
export const canGetWork = (account: string): string =>
  `exists (select from member_access able where able.organisation_id = $1 and able.account_id = ${account} and able.is_live and not able.is_client)`;

const MEMBERS = statement(`select m.account_id as user_id, m.is_live, m.is_client from member_access m
  where m.organisation_id = $1 and m.account_id = any($2::uuid[])`);

/** Who can be named: colleagues, or client logins too. */
export type Kind = "staff" | "members";

/** The members among these accounts, each with whether it is active. */
async function membersAmong(people: readonly string[], kind: Kind): Promise<ReadonlyMap<string, boolean>> {
  if (people.length === 0) return new Map();
  const found = await query<{ user_id: string; is_live: boolean; is_client: boolean }>(MEMBERS, [
    request().organisation.id,
    people,
  ]);
  return new Map(
    found.flatMap(({ user_id, is_live, is_client }) => (is_client && kind === "staff" ? [] : [[user_id, is_live] as const])),
  );
}

/** The ids of accounts in a body, in the order first named. */
const distinct = (people: readonly string[]): string[] => [...new Set(people.map((id) => id.toLowerCase()))];

/** The colleagues among these accounts who can get new work. */
export async function ableAmong(people: readonly string[]): Promise<ReadonlySet<string>> {
  const members = await membersAmong(distinct(people), "staff");
  return new Set([...members].flatMap(([id, isLive]) => (isLive ? [id] : [])));
}

/** SQL: whether an account was a member of organisation `$1` before. @param account SQL of its id */
export const hasLeft = (account: string): string => `exists (select from access_audit gone
  where gone.organisation_id = $1 and gone.target_account_id = ${account} and gone.action = 'membership.revoked')`;

const STANDING = statement(`select m.is_live and not m.is_client as is_able, m.is_client, ${hasLeft("p.id")} as has_left
  from (select $2::uuid as id) p left join member_access m on m.organisation_id = $1 and m.account_id = p.id`);

/**
 * Whether a stored setting, such as a rule, can still hand work to a person: false for a colleague who is inactive or has left, null for an
 * account that never was a colleague.
 */
export async function canStillGetWork(person: string): Promise<boolean | null> {
  const found = await queryOne<{ is_able: boolean | null; is_client: boolean | null; has_left: boolean }>(STANDING, [
    request().organisation.id,
    person,
  ]);
  if (found?.is_able) return true;
  return found?.is_client === false || found?.has_left ? false : null;
}

/** Of these accounts, the members who are inactive. */
export async function inactiveAmong(people: readonly string[]): Promise<ReadonlySet<string>> {
  const members = await membersAmong(distinct(people), "members");
  return new Set([...members].flatMap(([id, isLive]) => (isLive ? [] : [id])));
}

/**
 * Requires that work can be handed to all these people on purpose.
 * @param field the field of the body that names them
 * @throws 400 `invalid_assignee` unless all are members of that kind; 422 `errors.inactive_member` on the field for a deactivated one
 */
export async function requireAssignable(people: readonly string[], field: string, kind: Kind = "staff"): Promise<void> {
  const named = distinct(people);
  const members = await membersAmong(named, kind);
  if (members.size < named.length) throw refusal("invalid_assignee");
  if (named.some((id) => !members.get(id))) throw invalid({ [field]: "errors.inactive_member" });
}

/**
 * A roster that a caller sent, after proof that work can be handed to everyone it newly names; former colleagues stay through other changes.
 * @param before the stored roster; empty for a new record
 * @throws those of `requireAssignable`
 */
export async function grantedRoster(
  before: readonly Assignee[],
  after: readonly Assignee[],
  field: string,
  kind?: Kind,
): Promise<ResolvedRoster> {
  await requireAssignable(newlyNamed(before, after), field, kind);
  return asResolved(after);
}

/** The inherited roster: the one heir of these rosters, the closest first (`heirOf`); never a whole roster. */
export function inherited(...rosters: readonly (readonly Candidate[])[]): Inherited {
  const { heir, is_orphaned: isOrphaned } = heirOf(...rosters);
  return { roster: asResolved(heir === null ? [] : [{ user_id: heir, is_primary: true }]), isOrphaned };
}

/** The part of a roster that can get the work which follows; if the starred person cannot, the next one gets the star. */
export async function remainingRoster(roster: readonly Assignee[]): Promise<Inherited> {
  const able = await ableAmong(roster.map(({ user_id }) => user_id));
  const left = remainingOf(roster.map((one) => ({ ...one, is_able: able.has(one.user_id) })));
  return { roster: asResolved(left), isOrphaned: left.length === 0 && roster.length > 0 };
}
