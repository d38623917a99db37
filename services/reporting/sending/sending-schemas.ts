import { field, flag, input, nullable, optional, Type } from "../../../core/schema/schema.ts";
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
