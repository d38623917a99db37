import { newId } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { job, schedule } from "../../../core/jobs/jobs.ts";
import { queueMail } from "../../../core/mail/mail.ts";
import { statement } from "../../../core/sql/statement.ts";
import { mailToken, type TokenOwner } from "./mailed-tokens.ts";

/** Mail that a caller without a session can request. */
type AskedMail = "reset" | "verify" | "already-registered";

interface Payload extends Record<string, string> {
  kind: AskedMail;
  account_id: string;
}

type Owner = TokenOwner & { is_verified: boolean };

const OWNER = `select a.id, a.email, a.full_name, a.locale, a.password_hash, a.is_verified from accounts a`;
const MEMBER =
  statement(`${OWNER} join memberships m on m.organisation_id = $1 and m.account_id = a.id and m.deactivated_at is null
  where a.id = $2 and a.is_active`);
const ANYONE = statement(`${OWNER} where a.id = $1`);
const MADE = statement("select 1 as made from account_tokens where organisation_id = $1 and id = $2");

/**
 * Schedules a mail for after the request's commit. An address without an account schedules the same job, so response times do not reveal
 * accounts (access §1.2).
 * @param accountId undefined if no account has the address
 */
export function askForMail(kind: AskedMail, accountId: string | undefined): void {
  schedule("access.mail-link", { kind, account_id: accountId ?? newId() });
}

async function mailAsked(organisationId: string, { kind, account_id: accountId }: Payload, runId: string): Promise<void> {
  if (kind === "already-registered") {
    const owner = await queryOne<Owner>(ANYONE, [accountId]);
    if (!owner) return;
    const { id, email, full_name: name, locale } = owner;
    await queueMail({ kind, to: { address: email, name, locale, accountId: id }, link: "/login" });
    return;
  }
  const owner = await queryOne<Owner>(MEMBER, [organisationId, accountId]);
  if (!owner || (kind === "verify" && owner.is_verified)) return;
  // A job that runs again after its node died has already created the link.
  if (await queryOne(MADE, [organisationId, runId])) return;
  await mailToken(kind, owner, runId);
}

/** The job behind `askForMail`. */
export const mailLinkJob = job<Payload>({
  about: "Mails a link that was requested on the sign-in page to the account's address, if such an account exists",
  handler: (run) => run.write(() => mailAsked(run.organisation.id, run.payload, run.id)),
});
