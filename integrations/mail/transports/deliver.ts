import type { MailProvider } from "../../../core/config/mail-choices.ts";
import type { Deliver } from "./transport.ts";

const deliverers: Record<MailProvider, () => Promise<Deliver>> = {
  smtp: async () => (await import("./smtp.ts")).deliverBySmtp,
  brevo: async () => (await import("./brevo.ts")).deliverByBrevo,
  sendgrid: async () => (await import("./sendgrid.ts")).deliverBySendgrid,
  smtp2go: async () => (await import("./smtp2go.ts")).deliverBySmtp2go,
};

/** Sends a mail by its transport. @throws MailFailure */
export const deliver: Deliver = async (transport, mail, secrets, signal) =>
  (await deliverers[transport.provider]())(transport, mail, secrets, signal);
