/** One kind of mail: who brings it, what its texts may use beside `brand`, `name` and `link`, and whether organisations may reword it. */
export interface MailKind {
  /** The module that must be enabled for the kind to be offered; null is always there. */
  module: string | null;
  variables: readonly string[];
  overridable: boolean;
  /** Its link opens or changes an account, which belongs to no organisation. */
  opensAccount?: boolean;
}

/** Every kind of mail of the service. Its built-in texts stand in integrations/mail/texts.ts, where a kind without any does not compile. */
export const mailKinds = {
  reset: { module: null, variables: [], overridable: true, opensAccount: true },
  invite: { module: null, variables: [], overridable: true, opensAccount: true },
  verify: { module: null, variables: [], overridable: false, opensAccount: true },
  "email-change": { module: null, variables: ["address"], overridable: false, opensAccount: true },
  "already-registered": { module: null, variables: [], overridable: false },
  "key-expiry": { module: null, variables: ["key_name", "expires_on"], overridable: false },
  test: { module: null, variables: [], overridable: false },
} as const satisfies Record<string, MailKind>;

export type MailKindName = keyof typeof mailKinds;

export const opensAccount = (kind: MailKindName): boolean => (mailKinds[kind] as MailKind).opensAccount === true;

/** What every text may use: the organisation's brand, the recipient's name, the link. */
export const SHARED_VARIABLES = ["brand", "name", "link"] as const;

/** The names a kind's texts may use. */
export const variablesOf = (kind: MailKindName): string[] => [...SHARED_VARIABLES, ...mailKinds[kind].variables];

/** Kinds an organisation with these modules may reword, in the order of the catalogue. */
export const overridableKinds = (enabledModules: readonly string[]): MailKindName[] =>
  (Object.entries(mailKinds) as [MailKindName, MailKind][])
    .filter(([, { overridable, module }]) => overridable && (module === null || enabledModules.includes(module)))
    .map(([kind]) => kind);
