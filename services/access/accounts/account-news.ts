import { queryOne } from "../../../core/database/query.ts";
import { queueMail } from "../../../core/mail/mail.ts";
import { statement } from "../../../core/sql/statement.ts";

/** The recipient of account mail: the address before the change. */
export interface Informed {
  id: string;
  email: string;
  full_name: string | null;
  locale: string | null;
}

/** Kinds of second-factor changes; the mail has a text for each. */
export type FactorChange = "on" | "off" | "codes" | "phone" | "no-phone";

type News =
  | { kind: "password-change"; variables?: undefined }
  | { kind: "email-change"; variables: { address: string } }
  | { kind: "second-factor-change"; variables: { change: FactorChange } };

const OWNER = statement("select id, email, full_name, locale from accounts where id = $1");

/** Mails the owner of an account about a change, within the running transaction (access §3). The mail never contains a secret. */
export async function mailOwner({ id, email, full_name: name, locale }: Informed, news: News): Promise<void> {
  await queueMail({ ...news, to: { address: email, name, locale, accountId: id } });
}

/** Mails the owner about a change of the second factor. */
export async function mailFactorChange(accountId: string, change: FactorChange): Promise<void> {
  const owner = await queryOne<Informed>(OWNER, [accountId]);
  if (owner) await mailOwner(owner, { kind: "second-factor-change", variables: { change } });
}

/** Mails the owner that the operator set a password. */
export async function mailPasswordChange(accountId: string): Promise<void> {
  const owner = await queryOne<Informed>(OWNER, [accountId]);
  if (owner) await mailOwner(owner, { kind: "password-change" });
}
