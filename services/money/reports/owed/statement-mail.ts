import { newId } from "../../../../core/database/model.ts";
import { refusal } from "../../../../core/errors/errors.ts";
import type { MailValue } from "../../../../core/mail/mail.ts";
import { type CallActor, handOver } from "../../../../core/mail/mail-now.ts";
import { request } from "../../../../core/request/context.ts";
import { decimal } from "../../../../core/values/money.ts";
import { canMail } from "../../mails/document-mail.ts";
import { day, money, recipientsOf, type SentTo, sentTo } from "../../mails/mail-values.ts";
import { printedStatement } from "./statement-page.ts";
import type { ClientStatement } from "./statement-rows.ts";

const KIND = "invoicing.statement";

/** Amounts above zero of the accounts, one after the other; null without one. */
function amounts({ accounts }: ClientStatement, of: (account: ClientStatement["accounts"][number]) => string): string | null {
  const texts = accounts.flatMap((account) =>
    decimal(of(account)).greaterThan(0) ? [money(of(account), account.currency)] : [],
  );
  return texts.join(", ") || null;
}

const valuesOf = (statement: ClientStatement): Record<string, MailValue> => ({
  company: statement.name,
  from: day(statement.from),
  to: day(statement.to),
  open: amounts(statement, ({ closing }) => closing),
  overdue: amounts(statement, ({ overdue }) => overdue),
  credit: amounts(statement, ({ closing }) => decimal(closing).negated().toFixed(2)),
});

/**
 * Mails a statement of account with its PDF, before the request opens a transaction (money §13).
 * @throws 400 `errors.invoicing.no_recipient`, `email_not_configured`; 502 `email_failed` when the mail is not accepted; 503 when no PDF can
 * be rendered
 */
export async function mailStatement(
  call: CallActor,
  statement: ClientStatement,
  wish: { to?: string | null | undefined; message?: string | null | undefined },
): Promise<SentTo> {
  const to = recipientsOf(wish.to, statement.customer.email);
  const [address, ...also] = to;
  if (address === undefined) throw refusal("validation", "errors.invoicing.no_recipient");
  if (!(await canMail(KIND))) throw refusal("email_not_configured");
  const { fileName, pdf } = await printedStatement(statement);
  const made = await handOver(call, {
    id: request().workId ?? newId(),
    kind: KIND,
    to: { address, also, name: null, locale: statement.locale },
    variables: valuesOf(statement),
    link: null,
    lead: wish.message ?? null,
    files: [{ name: fileName, type: "application/pdf", base64: pdf.toString("base64") }],
  });
  if (!made.accepted) throw refusal("email_failed", "errors.invoicing.email_failed", { details: { reason: made.error } });
  return sentTo(to, made.refused);
}
