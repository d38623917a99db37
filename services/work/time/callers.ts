import { forbidden } from "../../../core/declare/errors.ts";
import { callerId, mayCaller, NO_PERSON } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";

/** The person whose hours the caller writes: its own. @throws 403 for a service account and the system, which work no hours */
export function ownHours(): string {
  const id = callerId();
  if (id === null) throw forbidden();
  return id;
}

/**
 * Whose hours a read is about: the caller's own (a service account has none), or those of the person asked for.
 * @throws 403 for another person's without `time.entry.read:any` (work chapter §4.1, §4.3)
 */
export function readHours(userId: string | undefined): string {
  const own = callerId();
  const asked = userId?.toLowerCase();
  if (asked === undefined || asked === own) return own ?? NO_PERSON;
  if (!mayCaller("time.entry.read:any")) throw forbidden();
  return asked;
}

/** Whether logged hours are shown to the caller; asking for them is never refused (work chapter §3.2). */
export const seesHours = (): boolean => mayCaller("time.entry.read");

/** Whether the hours spent on projects are: to no client login, whatever it may read (work chapter §2.4). */
export const seesProjectHours = (): boolean => seesHours() && request().principal?.isClientLogin !== true;
