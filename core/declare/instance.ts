/** What an instance administrator can have the right to, each alone. */
export const CAPABILITIES = [
  "administrators",
  "backups",
  "domains",
  "jobs",
  "organisations",
  "plans",
  "updates",
  "users",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** What an instance action requires of its caller: nothing, to be an administrator, or one of the capabilities. */
export type InstanceNeed = "nothing" | "administrator" | Capability;

/** The credential of a call, as digests: the gateway passes on no secret. */
export type InstanceCredential =
  | { kind: "session"; digest: string }
  | {
      kind: "key";
      /** The public part of the key. */
      lookup: string;
      digest: string;
    };

/** The metadata of a call on the administration's host. */
export interface InstanceMeta {
  requestId: string;
  address: string;
  userAgent: string | null;
  credential: InstanceCredential | null;
}

/** Who calls: an active instance administrator, and what the credential allows now. */
export interface InstanceCaller {
  administrator: { id: string; email: string; fullName: string | null };
  capabilities: Capability[];
  /** Ids of the only organisations that the credential concerns; null for all. */
  organisations: string[] | null;
  credential: { kind: "session" | "key"; id: string };
}

/** The first label of the host that serves instance administration alone; no organisation can have it as its slug. */
export const ADMINISTRATION = "admin";
