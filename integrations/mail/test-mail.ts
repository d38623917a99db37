import type { Context } from "moleculer";
import { newId } from "../../core/database/model.ts";
import { queryOutside } from "../../core/database/query.ts";
import type { MailKindName } from "../../core/declare/messages.ts";
import type { Meta } from "../../core/declare/principal.ts";
import { invalid } from "../../core/errors/errors.ts";
import type { Sender } from "../../core/mail/mail-sender.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";
import type { Override } from "./compose.ts";
import { handOverNow } from "./hand-over.ts";

/** The result of a test; the error is a translation key or the provider's text. */
export interface TestResult {
  ok: boolean;
  error: string | null;
}

export interface Recipient {
  address: string;
  name: string | null;
}

/** Timeout of the caller in milliseconds (conventions §17). */
const TIMEOUT = 10_000;

const ACCOUNT = statement("select email as address, full_name as name from accounts where id = $1");

/**
 * The recipient of a test: the named address, else the caller's own.
 * @throws 422 if the caller has no address and names none
 */
export async function testRecipient(to: string | null | undefined): Promise<Recipient> {
  const { principal } = request();
  const own = principal?.accountId ? await queryOutside<Recipient>(ACCOUNT, [principal.accountId]) : undefined;
  if (to) return { address: to, name: own?.address === to.toLowerCase() ? own.name : null };
  if (!own) throw invalid({ to: "errors.required" });
  return own;
}

/** Sends a test mail while the caller waits. Never throws: the result contains the error. */
export async function sendNow(
  ctx: Context<unknown, Meta>,
  sender: Sender,
  { kind, locale, to, override }: { kind: MailKindName; locale: string | null; to: Recipient; override?: Override | undefined },
): Promise<TestResult> {
  const mail = { id: newId(), kind, to: { ...to, locale }, variables: {}, link: "/" };
  const { broker, meta } = ctx;
  const making = { broker, organisation: meta.organisation, sender, override, transport: sender.transport, timeout: TIMEOUT };
  const made = await handOverNow(making, mail);
  return made.accepted ? { ok: true, error: null } : { ok: false, error: made.error };
}
