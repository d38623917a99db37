import type { Scope } from "../../core/values/scope.ts";
/** A caller as the rules of leave requests look at one. */
export interface LeaveCaller {
  /** Null for a service account: no row is its own (people chapter §1). */
  readonly user_id: string | null;
  /** `leave.request.read`. */
  readonly reads: Scope;
  /** `leave.request.write`. */
  readonly writes: Scope;
  /** `leave.request.approve`. */
  readonly approves: boolean;
}

/**
 * Whether people may decide on their own leave: the setting, or that no other member could. `otherApprovers` counts the other
 * active members who hold `leave.request.approve`; a deactivated or disabled one does not count, so a sole approver never
 * deadlocks (people chapter §6, "Two derived powers").
 */
export function selfApprovalAllowed(setting: boolean, otherApprovers: number): boolean {
  return setting || otherApprovers === 0;
}

/** Whether a caller acts as approver on a person's leave: holds the permission, and it is another's or self-approval is allowed (§6). */
export function actsAsApprover(caller: LeaveCaller, ownerId: string, selfApproval: boolean): boolean {
  return caller.approves && (caller.user_id !== ownerId || selfApproval);
}

/** Whether a caller may write leave in the past: write `:any`, and it is another's or self-approval is allowed (§6). */
export function mayBackdate(caller: LeaveCaller, ownerId: string, selfApproval: boolean): boolean {
  return caller.writes === "any" && (caller.user_id !== ownerId || selfApproval);
}
