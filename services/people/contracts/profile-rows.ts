import type { OwnOf } from "../../../core/database/model.ts";
import { queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { NO_PERSON } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { requireMember } from "../callers.ts";
import { LeaveProfileModel, UNSAVED_VERSION } from "../models.ts";
import { lockPeople } from "../person-lock.ts";
import { type LeaveSources, loadSources, type Person, type SourcesWanted } from "../sources.ts";

/** The stored columns of a profile. */
export type ProfileValues = Partial<Omit<OwnOf<typeof LeaveProfileModel>, "user_id">>;

/** The version of a person's profile row, for its ETag. */
export const profileVersion = ({ profile }: Person): number => profile?.version ?? UNSAVED_VERSION;

/** The id used for the caller's own profile and rate. A service account has no rows, so the organisation's defaults apply (people §1). */
export function ownPersonId(): string {
  const { principal } = request();
  return principal?.accountId ?? principal?.serviceAccountId ?? NO_PERSON;
}

/**
 * Locks a member's leave until the transaction ends and loads the leave sources for a profile write.
 * @throws 404 for a non-member, 412 when the row's version has changed
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

/** Creates or updates a person's profile row and returns its new version. */
export function saveProfile(person: Person, values: ProfileValues): number {
  if (person.profile) queueUpdate(LeaveProfileModel, person.profile.id, values);
  else queueInsert(LeaveProfileModel, { ...values, user_id: person.user_id, version: UNSAVED_VERSION + 1 });
  return profileVersion(person) + 1;
}
