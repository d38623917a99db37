import { forbidden } from "../../core/errors/errors.ts";
import { callerId, mayCaller, NO_PERSON } from "../../core/request/caller.ts";
import { request } from "../../core/request/context.ts";

/** The caller as the owner of hours. @throws 403 for a service account and the system, which have no hours */
export function ownHours(): string {
  const id = callerId();
  if (id === null) throw forbidden();
  return id;
}

/**
 * The person whose hours a read returns: the caller (a service account has none), or the one asked for.
 * @throws 403 for another person without `time.entry.read:any` (work chapter §4.1, §4.3)
 */
export function readHours(userId: string | undefined): string {
  const own = callerId();
  const asked = userId?.toLowerCase();
  if (asked === undefined || asked === own) return own ?? NO_PERSON;
  if (!mayCaller("time.entry.read:any")) throw forbidden();
  return asked;
}

/** Whether the caller sees logged hours; requesting them is never refused (work chapter §3.2). */
export const seesHours = (): boolean => mayCaller("time.entry.read");

/** Whether the caller sees the hours spent on projects: never for a client login, whatever its permissions (work chapter §2.4). */
export const seesProjectHours = (): boolean => seesHours() && request().principal?.isClientLogin !== true;
