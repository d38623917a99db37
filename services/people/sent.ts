import { queryOne } from "../../core/database/query.ts";
import { invalid, notFound } from "../../core/errors/errors.ts";
import { request } from "../../core/request/context.ts";
import { flag, integer, multiline, neverNull, nullable, optional, type TProperties, time } from "../../core/schema/schema.ts";
import { statement } from "../../core/sql/statement.ts";
import { blankToNull } from "../../core/values/text.ts";
import { YEARS } from "./limits.ts";
import type { FieldErrors } from "./refusal.ts";

/** The window of a body: times without zone; an absent bound is open. */
export const sentWindow = { start_time: optional(nullable(time())), end_time: optional(nullable(time())) } satisfies TProperties;
/** A year in a query or a body. */
export const year = () => integer(YEARS.first, YEARS.last);
/** A boolean of a change; null is rejected. */
export const flagOfChange = () => optional(neverNull(nullable(flag())));
/** A note, in bodies and answers. */
export const note = () => nullable(multiline());

/** An id that no person has: a caller without a person filters by it and finds no rows. */
export const NOBODY = "00000000-0000-0000-0000-000000000000";

const MEMBER = statement("select 1 from memberships where organisation_id = $1 and account_id = $2");

/** The person a write is about: the named one, else the caller. @throws 422 if neither is a person (people §1) */
export function personOfBody(userId: string | null | undefined): string {
  const id = userId ?? request().principal?.accountId;
  if (!id) throw invalid({ user_id: "errors.required" });
  return id.toLowerCase();
}

/** @throws 404 for a non-member (people §1, "Errors") */
export async function requireMembership(userId: string): Promise<void> {
  if (!(await queryOne(MEMBER, [request().organisation.id, userId]))) throw notFound();
}

/** @throws 422 with the invalid fields, if any */
export function refuseFields(fields: FieldErrors): void {
  if (Object.keys(fields).length > 0) throw invalid({ ...fields });
}

/** A note as stored; blank becomes null. */
export const noteOf = (text: string | null | undefined): string | null => blankToNull(text) ?? null;
