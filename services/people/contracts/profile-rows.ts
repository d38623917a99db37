import type { OwnOf } from "../../../core/database/model.ts";
import { insert, update } from "../../../core/database/write.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { NO_PERSON } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { requireMember } from "../callers.ts";
import { LeaveProfileModel, UNSAVED_VERSION } from "../models.ts";
import { lockPeople } from "../person-lock.ts";
import { type LeaveSources, loadSources, type Person, type SourcesWanted } from "../sources.ts";

/** What is stored of a profile. */
export type ProfileValues = Partial<Omit<OwnOf<typeof LeaveProfileModel>, "user_id">>;

/** The version of a person's profile row, for its tag. */
export const profileVersion = ({ profile }: Person): number => profile?.version ?? UNSAVED_VERSION;

/** Whose profile and rate the caller's own are; a service account has no rows, so it follows the organisation (people §1). */
export function ownPersonId(): string {
  const { principal } = request();
  return principal?.accountId ?? principal?.serviceAccountId ?? NO_PERSON;
}

/**
 * A member whose profile row is to be written, locked until the transaction ends, with the leave sources.
 * @throws 404 for a person who is no member, 412 when the row has moved on
 */
export async function profileForWrite(
  userId: string,
  ledger: NonNullable<SourcesWanted["ledger"]> = false,
): Promise<{ sources: LeaveSources; person: Person }> {
  lockPeople([userId]);
  const sources = await loadSources({ users: [userId], ledger });
  const person = sources.person(userId);
  requireMember(person);
  requireMatch(profileVersion(person));
  return { sources, person };
}

/** Stores values of a person's profile row, which is made when there is none. Gives the version it then has. */
export function saveProfile(person: Person, values: ProfileValues): number {
  if (person.profile) update(LeaveProfileModel, person.profile.id, values);
  else insert(LeaveProfileModel, { ...values, user_id: person.user_id, version: UNSAVED_VERSION + 1 });
  return profileVersion(person) + 1;
}
