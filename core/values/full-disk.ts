/** How PostgreSQL and the system say that a disk takes no more. */
const FULL = new Set(["53100", "ENOSPC", "EDQUOT"]);

let sighted = false;

/** True for the error of a full disk, the database's or this machine's. */
export function isFullDisk(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && FULL.has(code);
}

/** As `isFullDisk`, for a write that failed: this process then knows of it until `forgetFullDisk`. */
export function meetsFullDisk(error: unknown): boolean {
  const is = isFullDisk(error);
  sighted ||= is;
  return is;
}

/** True when a write of this process has met a full disk, and none was seen to go through since. */
export const hasMetFullDisk = (): boolean => sighted;

/** There is room again. */
export function forgetFullDisk(): void {
  sighted = false;
}

/** When to try again what a full disk refused, in seconds: an operator has to act first. */
export const FULL_DISK_RETRY = "30";
