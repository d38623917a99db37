import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { queueMail } from "../../../core/mail/mail.ts";

/** Whom news of an account goes to: the address it had before the change. */
export interface Informed {
  id: string;
  email: string;
  full_name: string | null;
  locale: string | null;
}

/** What changed about a second factor; the texts of the mail know each. */
export type FactorChange = "on" | "off" | "codes" | "phone" | "no-phone";

type News =
  | { kind: "password-change"; variables?: undefined }
  | { kind: "email-change"; variables: { address: string } }
  | { kind: "second-factor-change"; variables: { change: FactorChange } };

const OWNER = statement("select id, email, full_name, locale from accounts where id = $1");

/** Tells the owner of an account by mail what changed about it, within the running transaction (access §3). Never with a secret. */
export async function tellOwner({ id, email, full_name: name, locale }: Informed, news: News): Promise<void> {
  await queueMail({ ...news, to: { address: email, name, locale, accountId: id } });
}

/** The same for a change of the second factor. */
export async function tellFactorChange(accountId: string, change: FactorChange): Promise<void> {
  const owner = await queryOne<Informed>(OWNER, [accountId]);
  if (owner) await tellOwner(owner, { kind: "second-factor-change", variables: { change } });
}

/** The same for a password given by the operator. */
export async function tellPasswordChange(accountId: string): Promise<void> {
  const owner = await queryOne<Informed>(OWNER, [accountId]);
  if (owner) await tellOwner(owner, { kind: "password-change" });
}
