import type { Context } from "moleculer";
import { newId } from "../../core/database/model.ts";
import { peek } from "../../core/database/query.ts";
import { statement } from "../../core/database/statement.ts";
import { invalid } from "../../core/declare/errors.ts";
import type { MailKindName } from "../../core/declare/messages.ts";
import type { Sender } from "../../core/mail/mail-sender.ts";
import { type Meta, request, runRequest } from "../../core/request/context.ts";
import { systemRequest } from "../../core/request/system.ts";
import { compose, type Override } from "./compose.ts";
import { outgoing } from "./outgoing.ts";
import { deliver } from "./transports/deliver.ts";
import { MailFailure } from "./transports/transport.ts";

/** How a test ended; the error is a translation key or the provider's text. */
export interface TestResult {
  ok: boolean;
  error: string | null;
}

export interface Recipient {
  address: string;
  name: string | null;
}

/** Longest a caller waits, in milliseconds (conventions §17); silence is an answer too. */
const TIMEOUT = 10_000;

const ACCOUNT = statement("select email as address, full_name as name from accounts where id = $1");

/**
 * Who a test goes to: the named address, else the caller's own.
 * @throws 422 for a caller without an address that names none
 */
export async function testRecipient(to: string | null | undefined): Promise<Recipient> {
  const { principal } = request();
  const own = principal?.accountId ? await peek<Recipient>(ACCOUNT, [principal.accountId]) : undefined;
  if (to) return { address: to, name: own?.address === to.toLowerCase() ? own.name : null };
  if (!own) throw invalid({ to: "errors.required" });
  return own;
}

/** Makes a mail and hands it over while the caller waits, whatever the queue holds. Never throws: what went wrong is the answer. */
export async function sendNow(
  ctx: Context<unknown, Meta>,
  sender: Sender,
  { kind, locale, to, override }: { kind: MailKindName; locale: string | null; to: Recipient; override?: Override | undefined },
): Promise<TestResult> {
  const { transport } = sender;
  if (!transport) return { ok: false, error: "errors.email_not_configured" };
  const { id: organisationId, locale: own } = ctx.meta.organisation;
  const signal = AbortSignal.timeout(TIMEOUT);
  try {
    const parts = { kind, name: to.name, locale, link: "/", token: "", variables: {} };
    const composed = await compose(parts, sender, own, override);
    const mail = { id: newId(), to_address: to.address, to_name: to.name, reply_to: null };
    const finished = outgoing(mail, composed, sender, transport, organisationId);
    // An Idempotency-Key has opened the request's transaction, and inside one no service is called; nothing else was written in it.
    await runRequest(systemRequest("mail.test", ctx.meta.organisation, "read"), () => deliver(transport, finished, [], signal));
    return { ok: true, error: null };
  } catch (error) {
    if (signal.aborted) return { ok: false, error: `no answer within ${TIMEOUT / 1000} seconds` };
    if (error instanceof MailFailure) return { ok: false, error: error.message };
    ctx.broker.getLogger("mail").error({ error: (error as Error).message }, "a test mail could not be made");
    return { ok: false, error: "errors.server" };
  }
}
