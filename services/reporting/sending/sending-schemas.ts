import { answer, choice, field, flag, input, instant, nullable, optional, Type, uuid } from "../../../core/declare/schema.ts";
import { MOST_RECIPIENTS, ReportRecipientWrite } from "../profiles/profile-schemas.ts";

export const ReportSend = input("ReportSend", {
  recipients: optional(
    nullable(
      Type.Array(ReportRecipientWrite, {
        maxItems: MOST_RECIPIENTS,
        description:
          "Who gets it: each a contact of the client, an address, or both; null or absent: the recipients of the client's profile, else the client's primary contact",
      }),
    ),
  ),
  publish: optional(field(flag(true), "Whether to publish it in the client's portal too; a published report stays published")),
  repeat_unknown: optional(
    field(
      flag(false),
      "Whether to mail recipients again whose mail has an unknown outcome; they may then get two, with one Message-ID",
    ),
  ),
});

/** The outcome of a recipient's mail, as reports show it. */
export const DELIVERIES = ["sent", "bounced", "failed", "unknown", "unreachable"] as const;

/** A recipient of a sent report, as its detail shows it. */
export const ReportSentTo = answer("ReportSentTo", {
  contact_id: nullable(field(uuid(), "The contact it was mailed to; null for an address, and once the contact is deleted")),
  email: nullable(Type.String({ description: "The address it was mailed to; null if the contact has none" })),
  name: nullable(Type.String({ description: "The name it greeted; null if unknown" })),
  delivery: choice(DELIVERIES, {
    description:
      "`sent`: the mail server accepted it; `bounced`: it refused the address; `failed`: it did not accept the mail, and sending it again can succeed; `unknown`: its answer was lost, and the mail is not repeated; `unreachable`: there is no address, or the contact is no longer the client's",
  }),
  reason: nullable(Type.String({ description: "An error key, or the mail server's message; null if the mail was accepted" })),
  sent_at: nullable(field(instant(), "When the mail was accepted, UTC; null if it was not")),
});
