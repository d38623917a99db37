import { catalogue } from "../declare/catalogue/catalogue.ts";
import type { OfferedMail } from "../declare/catalogue/entries.ts";
import type { MailKindName } from "../declare/messages.ts";

/** All kinds of mail, as declared by modules. */
export const mailKinds = (): Readonly<Record<MailKindName, OfferedMail>> => catalogue().mails;

export const opensAccount = (kind: MailKindName): boolean => mailKinds()[kind].opensAccount === true;

/** Variables of every text: the organisation's brand, the recipient's name, the link. */
const SHARED_VARIABLES = ["brand", "name", "link"] as const;

/** The variables that a kind's texts can use. */
export function variablesOf(kind: MailKindName): string[] {
  const { variables, hasNoLink } = mailKinds()[kind];
  return [...SHARED_VARIABLES.filter((name) => !(hasNoLink && name === "link")), ...variables];
}

/** Kinds whose texts can be overridden, in the order of the catalogue. */
export const rewordable = (): MailKindName[] =>
  (Object.entries(mailKinds()) as [MailKindName, OfferedMail][]).flatMap(([kind, { overridable }]) =>
    overridable ? [kind] : [],
  );

/** Kinds whose texts an organisation with these modules can override. */
export const overridableKinds = (enabledModules: readonly string[]): MailKindName[] =>
  rewordable().filter((kind) => {
    const { module } = mailKinds()[kind];
    return module === null || enabledModules.includes(module);
  });
