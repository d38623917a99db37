/** The reach of a granted permission: one's own rows, everyone's, or none. */
export type Scope = "own" | "any" | null;

/** Whether a scope includes a person's rows. */
export function reaches(scope: Scope, callerId: string | null, ownerId: string): boolean {
  return scope === "any" || (scope === "own" && callerId === ownerId);
}
