import { serveGmail } from "../../../test/simulators/google/gmail.ts";
import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";
import { SCOPE } from "../connections/consent.ts";

/** A thread of which every owner of the proofs has one message. */
const THREAD = "18c2f0a1b2c3d4e5";

/** No job runs there, so that polls are ended a moment after they were asked for. */
const END = `update workspace_mailboxes set ended = asked, result = '{"status": "polled", "logged": 0}'
  where asked > ended and asked_at < now() - interval '500 milliseconds'`;
const ending = new WeakSet<Place["sql"]>();
function endPolls({ sql }: Place): void {
  if (ending.has(sql)) return;
  ending.add(sql);
  const timer = setInterval(() => void sql.query(END).catch(() => clearInterval(timer)), 200).unref();
}

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
        `update workspace_connections set scopes = $3, mail_sync_enabled = true, access_expires_at = now() + interval '1 hour' where organisation_id = $1 and account_id = $2
           returning subject`,
        [tenant.organisation.id, tenant.owner.accountId, [SCOPE.mail]],
      );
      const person = google.state.people.find(({ subject }) => subject === rows[0].subject);
      if (!person) throw new Error("nobody at the simulated Google");
      for (const grant of google.state.grants) if (grant.person === person) grant.scopes.add(SCOPE.mail);
      // The stored access token is used, whatever OAuth client the settings name by then.
      for (const access of google.state.access.values())
        if (access.grant.person === person) Object.assign(access, { scopes: new Set([SCOPE.mail]) });
      return gmail.deliver(person, { subject: token, threadId: THREAD }).id;
    };
    const refreshed = (place: Place) => {
      endPolls(place);
      return mailbox(place);
    };
    return {
      personal: Object.fromEntries(
        ["POST /workspace/mail/import", "POST /workspace/mail/refresh"].map((label) => [
          label,
          "of the caller's own mailbox (workspace §2.6)",
        ]),
      ),
      values: { reference: () => THREAD, thread_id: () => THREAD },
      asked: { "GET /workspace/mail/search": ["subject"] },
      bodies: {
        "POST /workspace/mail/import": async (place) => ({
          message_id: await mailbox(place),
          company_id: place.companyId,
          contact_ids: [await make("contact_id", place)],
        }),
      },
      arranged: Object.fromEntries(
        ["GET /workspace/mail/status", "GET /workspace/mail/lookup", "GET /workspace/mail/search"]
          .concat("GET /workspace/mail/threads/{thread_id}")
          .map((label): [string, (place: Place) => Promise<unknown>] => [label, mailbox])
          .concat([["POST /workspace/mail/refresh", refreshed]]),
      ),
    };
  };
