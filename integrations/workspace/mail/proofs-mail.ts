import { serveGmail } from "../../../test/simulators/google/gmail.ts";
import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";
import { SCOPE } from "../connections/consent.ts";

/** A thread of which every owner of the proofs has one message. */
const THREAD = "18c2f0a1b2c3d4e5";

/** What the generic proofs need to know of mail. @param connection makes the owner's connection */
export const mailProofs =
  (connection: (place: Place) => Promise<void>): DefineProofs =>
  ({ google, make }) => {
    const gmail = serveGmail(google);
    /** The owner's mailbox with one message, as it may be read. @returns the message's id */
    const mailbox = async (place: Place): Promise<string> => {
      await connection(place);
      const { tenant, sql, token } = place;
      const { rows } = await sql.query(
        `update workspace_connections set scopes = $3, mail_sync_enabled = true where organisation_id = $1 and account_id = $2
           returning subject`,
        [tenant.organisation.id, tenant.owner.accountId, [SCOPE.mail]],
      );
      const person = google.state.people.find(({ subject }) => subject === rows[0].subject);
      if (!person) throw new Error("nobody at the simulated Google");
      for (const grant of google.state.grants) if (grant.person === person) grant.scopes.add(SCOPE.mail);
      return gmail.deliver(person, { subject: token, threadId: THREAD }).id;
    };
    return {
      values: { reference: () => THREAD },
      makers: { thread_id: { ofCompany: false, make: async () => THREAD } },
      asked: { "GET /workspace/mail/search": ["subject"] },
      bodies: {
        "POST /workspace/mail/import": async (place) => ({
          message_id: await mailbox(place),
          company_id: place.companyId,
          contact_ids: [await make("contact_id", place)],
        }),
      },
      arranged: Object.fromEntries(
        ["GET /workspace/mail/status", "POST /workspace/mail/refresh", "GET /workspace/mail/lookup", "GET /workspace/mail/search"]
          .concat("GET /workspace/mail/threads/{thread_id}")
          .map((label) => [label, mailbox]),
      ),
    };
  };
