import type { Scope } from "../../core/values/scope.ts";
/** A caller as the leave request rules see one. */
export interface LeaveCaller {
  /** Null for a service account, which owns no rows (people chapter §1). */
  readonly user_id: string | null;
  /** `leave.request.read`. */
  readonly reads: Scope;
  /** `leave.request.write`. */
  readonly writes: Scope;
  /** `leave.request.approve`. */
  readonly approves: boolean;
}

/**
 * Whether people may decide on their own leave: by the setting, or because no other member can (people chapter §6, "Two derived powers").
 * `otherApprovers` counts the other active members who hold `leave.request.approve`; deactivated or disabled ones do not count, so a sole
 * approver never deadlocks.
 */
export function selfApprovalAllowed(setting: boolean, otherApprovers: number): boolean {
  return setting || otherApprovers === 0;
}

/**
 * Whether a caller acts as approver on a person's leave: has the permission, and it is another's leave or self-approval is allowed (§6).
 */
export function actsAsApprover(caller: LeaveCaller, ownerId: string, selfApproval: boolean): boolean {
  return caller.approves && (caller.user_id !== ownerId || selfApproval);
}

/** Whether a caller may write leave in the past: has write `:any`, and it is another's leave or self-approval is allowed (§6). */
export function mayBackdate(caller: LeaveCaller, ownerId: string, selfApproval: boolean): boolean {
  return caller.writes === "any" && (caller.user_id !== ownerId || selfApproval);
}
