import type { ServiceBroker } from "moleculer";
import { queryOutside } from "../../core/database/query.ts";
import type { Organisation } from "../../core/declare/principal.ts";
import type { HandedOver, MailNow } from "../../core/mail/mail-now.ts";
import { loadSender, type Sender, transportOf } from "../../core/mail/mail-sender.ts";
import { type MailTransport, showsPictures } from "../../core/mail/mail-transport.ts";
import { request, runRequest } from "../../core/request/context.ts";
import { systemRequest } from "../../core/request/system.ts";
import { compose, type Override } from "./compose.ts";
import { loadOverride, outgoing } from "./outgoing.ts";
import { deliver } from "./transports/deliver.ts";
import { MailFailure } from "./transports/transport.ts";

/** Timeout for a mail with files, in milliseconds: a relay may scan them before accepting (RFC 5321 §4.5.3.2.6). */
const LONGEST = 20_000;

interface Making {
  broker: ServiceBroker;
  organisation: Organisation;
  sender: Sender;
  override: Override | undefined;
  /** The transport; null if none is configured. */
  transport: MailTransport | null;
  /** Timeout of the caller in milliseconds; no response is a result too. */
  timeout: number;
}

/** Composes and sends a mail while the caller waits, bypassing the queue. Never throws: the result contains the error. */
export async function handOverNow(making: Making, mail: MailNow): Promise<HandedOver> {
  const { broker, organisation, sender, override, transport, timeout } = making;
  if (!transport) return { accepted: false, error: "errors.email_not_configured", failure: "mail" };
  const { id, kind, to, fromName = null, variables, link, lead, files = [], unsubscribe = null } = mail;
  const picture = showsPictures(transport.provider) ? (mail.picture ?? null) : null;
  const signal = AbortSignal.timeout(timeout);
  const logger = broker.getLogger("mail");
  const unusable = ({ message }: Error) =>
    logger.warn(
      { event: "mail.own_text_not_used", kind, error: message },
      "an organisation's own text could not be used; the built-in one was sent",
    );
  try {
    const name = to.greeting === undefined ? to.name : to.greeting;
    const parts = { kind, name, locale: to.locale, link, token: "", variables, lead, picture };
    const composed = await compose(parts, sender, organisation, override, unusable);
    const address = { id, to_address: to.address, to_name: to.name, reply_to: null };
    const pictures = picture ? [picture] : [];
    const more = { also: to.also, fromName, files, pictures, unsubscribe: unsubscribe && sender.address + unsubscribe };
    const finished = outgoing(address, composed, sender, transport, organisation.id, more);
    // As the system, because a transport's statements belong to no principal.
    const refused = await runRequest(systemRequest("mail.now", organisation, "read"), () =>
      deliver(transport, finished, [], signal),
    );
    return refused.length > 0 ? { accepted: true, refused } : { accepted: true };
  } catch (error) {
    if (signal.aborted) return { accepted: false, error: `no answer within ${timeout / 1000} seconds`, failure: "unanswered" };
    if (error instanceof MailFailure) return { accepted: false, error: error.message, failure: error.kind };
    logger.error(
      { event: "mail.immediate_mail_not_made", error: (error as Error).message },
      `a mail of the kind '${kind}' could not be made`,
    );
    return { accepted: false, error: "errors.server", failure: "mail" };
  }
}

/** Same as {@link handOverNow} for the running organisation, with its own wording. */
export async function handOverOwn(broker: ServiceBroker, mail: MailNow): Promise<HandedOver> {
  const { organisation } = request();
  const [sender, override] = await Promise.all([loadSender(queryOutside), loadOverride(mail.kind, mail.to.locale, queryOutside)]);
  const transport = transportOf(sender, mail.kind);
  return handOverNow({ broker, organisation, sender, override, transport, timeout: LONGEST }, mail);
}
